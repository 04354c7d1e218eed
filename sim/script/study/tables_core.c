/* SPDX-License-Identifier: BSD-3-Clause */
#include "script/study/tables_core.h"

#include <lauxlib.h>
#include <string.h>

#include "script/machine/machine_lua.h"
#include "script/machine/source.h"
#include "script/machine/value_lua.h"
#include "script/sandbox/list.h"
#include "script/sandbox/modules.h"
#include "script/sandbox/sandbox.h"
#include "script/study/groups_lua.h"
#include "script/study/study_lua.h"
#include "script/values/places.h"
#include "script/values/values.h"

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

/* axis(study, name): its number; or, if there is none, false and the rest of a sentence about it. */
static int core_axis(lua_State *L)
{
    const struct study *study = study_of(L);
    const struct axis *axis = axis_of(L);
    if (axis) {
        lua_pushinteger(L, axis - study->axes + 1);
        return 1;
    }
    lua_pushboolean(L, false);
    study_push_axis_hint(L, study, lua_tostring(L, 2));
    lua_remove(L, -2); /* the names */
    return 2;
}

/* values(axis): as the study has them. */
static int core_values(lua_State *L)
{
    study_push(L, "axes");
    lua_rawgeti(L, -1, luaL_checkinteger(L, 1));
    return 1;
}

/* value(study, axis, value): its text, and its number; nil if the axis does not have it, false if it is no value. */
static int core_value(lua_State *L)
{
    const struct axis *axis = axis_of(L);
    size_t found = axis ? study_value_at(L, axis, 3) : SIZE_MAX;
    if (found != SIZE_MAX && found < axis->count) {
        push_text(L, &axis->values[found]);
        lua_pushinteger(L, (lua_Integer)found + 1);
        return 2;
    }
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

void tables_core_open(lua_State *L)
{
    static const luaL_Reg functions[] = {{"is_machine", core_is_machine},
                                         {"group", core_group},
                                         {"axis", core_axis},
                                         {"value", core_value},
                                         {"values", core_values},
                                         {"written", core_written},
                                         {"sizes", core_sizes},
                                         {"without_logarithm", core_without_logarithm},
                                         {"bounds", core_bounds},
                                         {"quantity", core_quantity},
                                         {"places", places_lua},
                                         {NULL, NULL}};
    modules_push_core(L);
    luaL_setfuncs(L, functions, 0);
    lua_set_integer(L, "NAME_MAX", STUDY_NAME_MAX);
    lua_set_integer(L, "LIST_MAX", LIST_MAX);
    lua_set_integer(L, "COUNT", UNIT_COUNT);
    lua_pop(L, 1);
}
