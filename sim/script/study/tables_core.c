/* SPDX-License-Identifier: BSD-3-Clause */
#include "script/study/tables_core.h"

#include <lauxlib.h>
#include <string.h>

#include "core/rng.h"
#include "script/machine/machine_lua.h"
#include "script/machine/source.h"
#include "script/machine/value_lua.h"
#include "script/sandbox/list.h"
#include "script/sandbox/modules.h"
#include "script/sandbox/sandbox.h"
#include "script/study/groups_lua.h"
#include "script/study/study_lua.h"

/* --- shapes --------------------------------------------------------------------------------------- */

static int core_is_machine(lua_State *L)
{
    lua_pushboolean(L, machine_is(L, 1));
    return 1;
}

/* group(value): the list of axes of zip, random or latin, nil of anything else. */
static int core_group(lua_State *L)
{
    return groups_push_axes(L, 1);
}

/* --- axes ----------------------------------------------------------------------------------------- */

static const struct study *study_of(lua_State *L)
{
    return lua_touserdata(L, 1);
}

static const struct axis *axis_of(lua_State *L)
{
    return study_axis(study_of(L), luaL_checkstring(L, 2));
}

/* Pushes the value's text as columns have it. Lua keeps it: an error leaves this room by a jump. */
static int push_text(lua_State *L, const struct value *value)
{
    g_autofree char *text = value_column_text(value);
    lua_pushstring(L, text);
    return 1;
}

/* axis(study, name): whether there is one; and, if not, the rest of a sentence about it. */
static int core_axis(lua_State *L)
{
    bool is_there = axis_of(L) != NULL;
    lua_pushboolean(L, is_there);
    if (is_there)
        return 1;
    study_push_axis_hint(L, study_of(L), lua_tostring(L, 2));
    lua_remove(L, -2); /* the names */
    return 2;
}

/* value(study, axis, value): its text; nil if the axis does not have it, false if it is no value. */
static int core_value(lua_State *L)
{
    const struct axis *axis = axis_of(L);
    size_t found = axis ? study_value_at(L, axis, 3) : SIZE_MAX;
    if (found != SIZE_MAX && found < axis->count)
        return push_text(L, &axis->values[found]);
    if (found == SIZE_MAX)
        lua_pushboolean(L, false);
    else
        lua_pushnil(L);
    return 1;
}

/* written(study, axis, text): the text of the value that is written so; nil if there is none. */
static int core_written(lua_State *L)
{
    const struct axis *axis = axis_of(L);
    for (size_t i = 0; axis && i < axis->count; i++)
        if (strcmp(axis->values[i].text, luaL_checkstring(L, 3)) == 0)
            return push_text(L, &axis->values[i]);
    return 0;
}

/* sizes(study, axis): the name of one, among those that advance with it, that has different sizes; nil if none has. */
static int core_sizes(lua_State *L)
{
    const struct study *study = study_of(L);
    size_t group = axis_of(L)->group;
    for (size_t i = 0; i < study->axis_count; i++) {
        const struct axis *axis = &study->axes[i];
        if (axis->group != group || axis->count < 2 || axis->values[0].kind != VALUE_QUANTITY ||
            axis->values[0].unit != UNIT_BYTES)
            continue;
        lua_pushstring(L, axis->name);
        return 1;
    }
    return 0;
}

/* without_logarithm(study, axis): the text of the first value that is no number above 0; nil if all are. */
static int core_without_logarithm(lua_State *L)
{
    const struct axis *axis = axis_of(L);
    for (size_t i = 0; i < axis->count; i++) {
        push_text(L, &axis->values[i]);
        if (axis->values[i].kind == VALUE_TEXT || !(g_ascii_strtod(lua_tostring(L, -1), NULL) > 0))
            return 1;
        lua_pop(L, 1);
    }
    return 0;
}

/* --- ranges --------------------------------------------------------------------------------------- */

/* bounds(value): whether it has a source; then its low and high end, nil if it has none. */
static int core_bounds(lua_State *L)
{
    bool is_source = source_is(L, 1);
    lua_pushboolean(L, is_source);
    if (!is_source)
        return 1;
    source_push(L, 1, "low");
    source_push(L, 1, "high");
    return 3;
}

/* quantity(text): a whole number of base units, and the number of the unit's kind; nil if it is none. */
static int core_quantity(lua_State *L)
{
    struct value value;
    if (!value_read(L, 1, &value))
        return 0;
    bool is_quantity = lua_isnone(L, 2)
                           ? value_to_quantity(&value)
                           : value_to_quantity_of(&value, (enum unit_kind)luaL_checkinteger(L, 2));
    lua_pushinteger(L, value.quantity);
    lua_pushinteger(L, value.unit);
    value_clear(&value);
    return is_quantity ? 2 : 0;
}

/* places(name, seed, count, is_latin): a list of numbers of at least 0 and below 1, drawn for this name; if is_latin, one in each
 * of `count` equal parts. */
static int core_places(lua_State *L)
{
    struct rng rng;
    uint32_t count = (uint32_t)luaL_checkinteger(L, 3), *parts = NULL;
    rng_init(&rng, (uint64_t)luaL_checkinteger(L, 2), luaL_checkstring(L, 1));
    if (lua_toboolean(L, 4)) {
        parts = lua_newuserdatauv(L, count * sizeof *parts, 0);
        rng_order(&rng, parts, count);
    }
    lua_createtable(L, (int)count, 0);
    for (uint32_t i = 0; i < count; i++) {
        double place = rng_double(&rng);
        lua_pushnumber(L, parts ? (parts[i] + place) / count : place);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

void tables_core_open(lua_State *L)
{
    static const luaL_Reg functions[] = {{"is_machine", core_is_machine},
                                         {"group", core_group},
                                         {"axis", core_axis},
                                         {"value", core_value},
                                         {"written", core_written},
                                         {"sizes", core_sizes},
                                         {"without_logarithm", core_without_logarithm},
                                         {"bounds", core_bounds},
                                         {"quantity", core_quantity},
                                         {"places", core_places},
                                         {NULL, NULL}};
    modules_push_core(L);
    luaL_setfuncs(L, functions, 0);
    lua_pushinteger(L, STUDY_NAME_MAX);
    lua_setfield(L, -2, "NAME_MAX");
    lua_pushinteger(L, LIST_MAX);
    lua_setfield(L, -2, "LIST_MAX");
    lua_pushinteger(L, UNIT_COUNT);
    lua_setfield(L, -2, "COUNT");
    lua_pop(L, 1);
}
