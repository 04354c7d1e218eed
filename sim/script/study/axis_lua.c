/* SPDX-License-Identifier: BSD-3-Clause */
/* The axes of a study: `vary = { bytes = pow2("8B", "1MiB"), design = { "dgpu", "apu" } }`, sorted
 * by name, since Lua's tables have no order; or, where the order matters, a list of pairs: `vary =
 * { { "design", { "dgpu", "apu" } }, { "bytes", pow2("8B", "1MiB") } }`. Entries of the list may
 * also be groups of axes. views/tables/axes.lua has them; values, of which there may be many, are read here. */
#include <string.h>

#include "script/machine/design_lua.h"
#include "script/machine/value_lua.h"
#include "script/sandbox/list.h"
#include "script/sandbox/modules.h"
#include "script/sandbox/sandbox.h"
#include "script/study/study_lua.h"
#include "script/values/values.h"

static _Noreturn void fail_axis(lua_State *L, const char *name, const char *problem)
{
    const char *keys[] = {"vary", name};
    script_fail_at(L, keys, 2, "axis \"%s\" %s", name, problem);
}

/* Turns the texts into quantities if all of them are of one kind; "0" is of any kind. */
static void make_quantities(struct axis *axis)
{
    size_t first = 0;
    while (first < axis->count && axis->values[first].kind == VALUE_TEXT &&
           strcmp(axis->values[first].text, "0") == 0)
        first++;
    if (first == axis->count || axis->values[first].kind != VALUE_TEXT)
        return;
    struct value probe = axis->values[first];
    if (!value_to_quantity(&probe))
        return;
    for (size_t i = 0; i < axis->count; i++) {
        if (!value_to_quantity_of(&axis->values[i], probe.unit)) {
            while (i-- > 0)
                axis->values[i].kind = VALUE_TEXT;
            return;
        }
    }
}

/* The number of value `i` among the distinct values; `places` is a table of their numbers, from 1 on, by column text. Two equal
 * values would make two rows that cannot be distinguished, so the axis keeps one. */
static uint32_t number_of_value(lua_State *L, struct axis *axis, size_t i, int places,
                                bool in_group)
{
    lua_push_owned(L, value_column_text(&axis->values[i]));
    lua_pushvalue(L, -1);
    if (lua_rawget(L, places) == LUA_TNIL) {
        lua_pop(L, 1);
        lua_pushinteger(L, (lua_Integer)axis->count + 1);
        lua_rawset(L, places);
        return (uint32_t)axis->count;
    }
    uint32_t number = (uint32_t)lua_tointeger(L, -1) - 1;
    lua_pop(L, 2);
    if (!in_group) {
        axis->count = axis->step_count; /* all values are still to be freed */
        lua_pushfstring(L, "has a value twice: %s", axis->values[i].text);
        fail_axis(L, axis->name, lua_tostring(L, -1));
    }
    return number;
}

/* Moves the distinct values to the front, in the axis and in the list on top of the stack, and sets the steps. */
static void keep_distinct(lua_State *L, struct axis *axis, bool in_group)
{
    int list = lua_gettop(L), places = list + 1;
    size_t count = axis->count;
    lua_newtable(L);
    axis->steps = g_new(uint32_t, count);
    axis->step_count = count;
    axis->count = 0;
    for (size_t i = 0; i < count; i++) {
        axis->steps[i] = number_of_value(L, axis, i, places, in_group);
        if (axis->steps[i] < axis->count) {
            value_clear(&axis->values[i]);
            continue;
        }
        struct value value = axis->values[i];
        axis->values[i].text = NULL;
        axis->values[axis->count++] = value;
        lua_rawgeti(L, list, (lua_Integer)i + 1);
        lua_rawseti(L, list, (lua_Integer)axis->count);
    }
    for (size_t i = count; i > axis->count; i--) {
        lua_pushnil(L);
        lua_rawseti(L, list, (lua_Integer)i);
    }
    lua_settop(L, list);
}

/* The type of a value; designs and names of designs may be mixed. */
static int type_of_value(lua_State *L)
{
    return design_at(L, -1) ? LUA_TSTRING : lua_type(L, -1);
}

/* Reads the list on top of the stack into `axis`, and replaces it by the list of its distinct values. */
static void read_values(lua_State *L, struct axis *axis, bool in_group)
{
    int list = lua_gettop(L);
    size_t count = lua_istable(L, list) ? (size_t)list_length(L, list) : 0;
    if (count == 0)
        fail_axis(L, axis->name, "needs a list of values, such as { \"64B\", \"1KiB\" }");
    sandbox_take(L, count * (sizeof *axis->values + sizeof *axis->steps));
    axis->values = g_new0(struct value, count);
    lua_createtable(L, (int)count, 0);
    lua_rawgeti(L, list, 1);
    int type = type_of_value(L);
    lua_pop(L, 1);
    for (size_t i = 0; i < count; i++) {
        lua_rawgeti(L, list, (lua_Integer)i + 1);
        if (type_of_value(L) != type)
            fail_axis(L, axis->name, "has values of different kinds");
        if (!value_read(L, -1, &axis->values[i]))
            fail_axis(L, axis->name, "has a value that is no quantity, number, name or boolean");
        axis->count = i + 1;
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_replace(L, list);
    make_quantities(axis);
    keep_distinct(L, axis, in_group);
}

/* Adds the axis on top of the stack, { name, values, group, in_group }. It gets what axes.lua looks up: the distinct values, and
 * the unit if they are quantities. */
static void add_axis(lua_State *L, struct study *study)
{
    int top = lua_gettop(L);
    study->axes = g_renew(struct axis, study->axes, study->axis_count + 1);
    struct axis *axis = &study->axes[study->axis_count++];
    *axis = (struct axis){.name = g_strdup(lua_text_field(L, top, "name")),
                          .group = (size_t)lua_integer_field(L, top, "group")};
    lua_getfield(L, top, "values");
    read_values(L, axis, lua_flag_field(L, top, "in_group"));
    lua_setfield(L, top, "values");
    if (axis->values[0].kind == VALUE_QUANTITY)
        lua_set_integer(L, "unit", axis->values[0].unit);
}

void study_read_axes(lua_State *L, struct study *study, lua_Integer trials)
{
    lua_pushinteger(L, trials);
    modules_call(L, "axes", "vary", 2);
    lua_pushvalue(L, -1);
    study_keep(L, "axes");
    lua_Integer count = (lua_Integer)lua_rawlen(L, -1);
    for (lua_Integer i = 1; i <= count; i++, lua_pop(L, 1)) {
        lua_rawgeti(L, -1, i);
        add_axis(L, study);
    }
    lua_pop(L, 1);
}
