/* SPDX-License-Identifier: BSD-3-Clause */
/* pow2("8B", "1MiB") and range("100ns", "500ns", "100ns"): lists of quantities as text, or of whole
 * numbers, for the axes of a study. */

#include "script/machine/value_lua.h"
#include "script/sandbox/library.h"
#include "script/sandbox/list.h"
#include "script/sandbox/sandbox.h"

#define SERIES_MAX LIST_MAX

/* An argument in base units. `unit` is set by the first one and must be met by the others;
 * UNIT_COUNT stands for plain numbers. */
static int64_t read_step(lua_State *L, int index, const char *word, enum unit_kind *unit)
{
    if (lua_isinteger(L, index) && (index == 1 || *unit == UNIT_COUNT)) {
        *unit = UNIT_COUNT;
        return lua_tointeger(L, index);
    }
    struct value value;
    if (lua_type(L, index) != LUA_TSTRING || !value_read(L, index, &value))
        script_fail(L, "%s needs quantities such as \"8B\" or whole numbers, all of one kind",
                    word);
    bool fits = index == 1 ? value_to_quantity(&value) : value_to_quantity_of(&value, *unit);
    value_clear(&value);
    if (!fits)
        script_fail(L, "%s: \"%s\" is not a quantity%s%s", word, lua_tostring(L, index),
                    index == 1 ? ": a number and its unit, such as 8B or 5us" : " of kind ",
                    index == 1 ? "" : unit_kind_name(*unit));
    *unit = value.unit;
    return value.quantity;
}

static void append(lua_State *L, int64_t quantity, enum unit_kind unit)
{
    lua_Integer count = (lua_Integer)lua_rawlen(L, -1);
    char text[UNIT_TEXT_SIZE];
    if (unit == UNIT_COUNT)
        lua_pushinteger(L, quantity);
    else
        lua_pushstring(L, unit_format(quantity, unit, text));
    lua_rawseti(L, -2, count + 1);
}

static int powers_of_two(lua_State *L)
{
    enum unit_kind unit = UNIT_COUNT;
    int64_t first = read_step(L, 1, "pow2", &unit), last = read_step(L, 2, "pow2", &unit);
    if (first <= 0 || last < first)
        script_fail(L, "pow2 needs 0 < first <= last");
    lua_newtable(L);
    for (int64_t value = first; value <= last; value *= 2) {
        append(L, value, unit);
        if (value > last / 2)
            break;
    }
    return 1;
}

static int arithmetic_range(lua_State *L)
{
    enum unit_kind unit = UNIT_COUNT;
    int64_t first = read_step(L, 1, "range", &unit), last = read_step(L, 2, "range", &unit);
    int64_t step = read_step(L, 3, "range", &unit);
    if (step <= 0 || last < first)
        script_fail(L, "range needs first <= last and a step above 0");
    uint64_t steps = ((uint64_t)last - (uint64_t)first) / (uint64_t)step;
    if (steps >= SERIES_MAX)
        script_fail(L, "range makes more than %d values", SERIES_MAX);
    lua_newtable(L);
    for (uint64_t i = 0; i <= steps; i++)
        append(L, first + (int64_t)i * step, unit);
    return 1;
}

void series_open(lua_State *L)
{
    lua_pushcfunction(L, powers_of_two);
    library_add_builtin(L, "pow2");
    lua_pushcfunction(L, arithmetic_range);
    library_add_builtin(L, "range");
}
