/* SPDX-License-Identifier: BSD-3-Clause */
/* zip { clock = { "1GHz", "2GHz" }, cores = { 4, 2 } } is two axes that advance together.
 * random(100, { latency = { "60ns", "150ns" } }) draws 100 points; latin(100, { ... }) draws them
 * as a Latin hypercube: each axis's range is cut into 100 strata and each stratum is met once, so
 * that few points cover many axes. A range is { low, high }, or a value with bounds, as `estimated`
 * and `fitted` make them and machine:range "nic.rate" gives them. Both have an axis "sample" that
 * counts the draws. The draws depend on the axis's name and the seed, the third argument, alone. */
#include "script/study/groups_lua.h"

#include <lauxlib.h>

#include "core/rng.h"
#include "script/machine/source.h"
#include "script/machine/value_lua.h"
#include "script/sandbox/library.h"
#include "script/sandbox/list.h"
#include "script/sandbox/record.h"
#include "script/sandbox/sandbox.h"

#define GROUP "gpunetsim.group"
#define SAMPLES_MAX 1000000

bool groups_push_axes(lua_State *L, int index)
{
    if (!luaL_testudata(L, index, GROUP))
        return false;
    lua_getiuservalue(L, index, 1);
    return true;
}

bool groups_list_alone(lua_State *L)
{
    if (!luaL_testudata(L, -1, GROUP))
        return false;
    lua_createtable(L, 1, 0);
    lua_insert(L, -2);
    lua_rawseti(L, -2, 1);
    return true;
}

/* Makes a group of the list of axes on top. */
static int finish(lua_State *L)
{
    static const luaL_Reg none[] = {{NULL, NULL}};
    lua_newuserdatauv(L, 0, 1);
    lua_insert(L, -2);
    lua_setiuservalue(L, -2, 1);
    library_set_metatable(L, GROUP, none);
    return 1;
}

/* Pushes { name, values } of the two values on top, which it pops. */
static void push_pair(lua_State *L)
{
    lua_createtable(L, 2, 0);
    lua_insert(L, -3);
    lua_rawseti(L, -3, 2);
    lua_rawseti(L, -2, 1);
}

void groups_list_axes(lua_State *L, const char *what)
{
    int table = lua_gettop(L), names = table + 1, list = table + 2;
    if (!lua_istable(L, table))
        script_fail(L, "%s needs a table of axes, such as { clock = { \"1GHz\", \"2GHz\" } }",
                    what);
    record_sorted_keys(L, table);
    lua_Integer listed = list_part(L, table);
    lua_Integer named = list_length(L, names);
    lua_createtable(L, (int)(listed + named), 0);
    for (lua_Integer i = 1; i <= listed; i++) {
        lua_rawgeti(L, table, i);
        lua_rawseti(L, list, i);
    }
    for (lua_Integer i = 1; i <= named; i++) {
        lua_rawgeti(L, names, i);
        lua_pushvalue(L, -1);
        lua_rawget(L, table);
        push_pair(L);
        lua_rawseti(L, list, listed + i);
    }
    lua_replace(L, table);
    lua_settop(L, table);
}

const char *groups_push_axis(lua_State *L, lua_Integer i, const char *what)
{
    lua_rawgeti(L, -1, i);
    if (!lua_istable(L, -1) || list_length(L, -1) != 2 || lua_rawgeti(L, -1, 1) != LUA_TSTRING)
        script_fail(L, "%s: an entry without a name has to be { name, values }", what);
    lua_rawgeti(L, -2, 2);
    lua_remove(L, -3);
    return lua_tostring(L, -2);
}

static int zip(lua_State *L)
{
    lua_settop(L, 1);
    groups_list_axes(L, "zip");
    lua_Integer count = list_length(L, 1), steps = 0;
    for (lua_Integer i = 1; i <= count; i++) {
        const char *name = groups_push_axis(L, i, "zip");
        lua_Integer length = lua_istable(L, -1) ? list_length(L, -1) : 0;
        if (length == 0)
            script_fail(L, "zip: axis \"%s\" needs a list of values", name);
        if (i > 1 && length != steps)
            script_fail(L, "zip: axis \"%s\" has %d values where the one before has %d", name,
                        (int)length, (int)steps);
        steps = length;
        lua_pop(L, 2);
    }
    if (count == 0)
        script_fail(L, "zip needs at least one axis");
    return finish(L);
}

/* --- samples ---------------------------------------------------------------------------------- */

struct range {
    const char *name;
    bool is_fraction; /* drawn as doubles; else as integers of `unit` */
    enum unit_kind unit;
    double low, high;
    int64_t first, last;
};

static _Noreturn void fail_range(lua_State *L, const struct range *range, const char *problem)
{
    script_fail(L, "the range of \"%s\" %s", range->name, problem);
}

/* The ends of a range are the two values on top. */
static void read_ends(lua_State *L, struct range *range)
{
    struct value low, high;
    int type = lua_type(L, -1);
    range->unit = UNIT_COUNT;
    if (type != lua_type(L, -2) || (type != LUA_TNUMBER && type != LUA_TSTRING))
        fail_range(L, range, "has to be { low, high }, two numbers or two quantities");
    if (type == LUA_TNUMBER) {
        range->is_fraction = !lua_isinteger(L, -1) || !lua_isinteger(L, -2);
        range->low = lua_tonumber(L, -2);
        range->high = lua_tonumber(L, -1);
        range->first = lua_tointeger(L, -2);
        range->last = lua_tointeger(L, -1);
    } else {
        bool is_high = value_read(L, -1, &high) && value_to_quantity(&high);
        bool is_low = is_high && value_read(L, -2, &low) && value_to_quantity_of(&low, high.unit);
        if (!is_low)
            fail_range(L, range,
                       "needs two quantities of one kind, such as \"60ns\" and \"150ns\"");
        range->is_fraction = false;
        range->unit = high.unit;
        range->first = low.quantity;
        range->last = high.quantity;
        value_clear(&low);
        value_clear(&high);
    }
    if (range->is_fraction ? !(range->low < range->high) : range->first > range->last)
        fail_range(L, range, "has its ends the wrong way round");
}

/* Reads the range on top and pops it. */
static void read_range(lua_State *L, struct range *range)
{
    int index = lua_gettop(L);
    if (source_is(L, index)) {
        if (source_push(L, index, "low") == LUA_TNIL)
            fail_range(L, range,
                       "is a value without bounds; only estimated and fitted ones have them");
        source_push(L, index, "high");
    } else {
        if (!lua_istable(L, index) || list_length(L, index) != 2)
            fail_range(L, range, "has to be { low, high }, two numbers or two quantities");
        lua_rawgeti(L, index, 1);
        lua_rawgeti(L, index, 2);
    }
    read_ends(L, range);
    lua_settop(L, index - 1);
}

/* Pushes the value at `place` of the range, 0 <= place < 1. */
static void push_drawn(lua_State *L, const struct range *range, double place)
{
    char text[UNIT_TEXT_SIZE];
    if (range->is_fraction) {
        lua_pushnumber(L, range->low + place * (range->high - range->low));
        return;
    }
    uint64_t span = (uint64_t)range->last - (uint64_t)range->first;
    double offset = place * ((double)span + 1);
    uint64_t whole = offset >= (double)span ? span : (uint64_t)offset;
    int64_t drawn = (int64_t)((uint64_t)range->first + whole);
    if (range->unit == UNIT_COUNT)
        lua_pushinteger(L, drawn);
    else
        lua_pushstring(L, unit_format(drawn, range->unit, text));
}

/* Numbers 0 to count - 1 in an order drawn from `rng`, as a userdata on the stack. */
static const uint32_t *push_strata(lua_State *L, struct rng *rng, uint32_t count)
{
    uint32_t *strata = lua_newuserdatauv(L, count * sizeof *strata, 0);
    rng_order(rng, strata, count);
    return strata;
}

/* Pushes the list of `count` draws from the range. */
static void push_draws(lua_State *L, const struct range *range, uint32_t count, uint64_t seed,
                       bool is_latin)
{
    struct rng rng;
    rng_init(&rng, seed, range->name);
    const uint32_t *strata = is_latin ? push_strata(L, &rng, count) : NULL;
    lua_createtable(L, (int)count, 0);
    for (uint32_t i = 0; i < count; i++) {
        double place = rng_double(&rng);
        push_drawn(L, range, strata ? (strata[i] + place) / count : place);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    if (strata)
        lua_remove(L, -2);
}

static void push_counter(lua_State *L, uint32_t count)
{
    lua_pushliteral(L, "sample");
    lua_createtable(L, (int)count, 0);
    for (uint32_t i = 1; i <= count; i++) {
        lua_pushinteger(L, i);
        lua_rawseti(L, -2, i);
    }
    push_pair(L);
}

static int draw(lua_State *L, const char *word, bool is_latin)
{
    lua_Integer count = luaL_checkinteger(L, 1), seed = luaL_optinteger(L, 3, 1);
    if (count < 1 || count > SAMPLES_MAX)
        script_fail(L, "%s: the number of samples is 1 to %d", word, SAMPLES_MAX);
    lua_settop(L, 2);
    groups_list_axes(L, word);
    lua_Integer axes = list_length(L, 2);
    sandbox_charge(L, count * axes);
    lua_createtable(L, (int)axes + 1, 0);
    push_counter(L, (uint32_t)count);
    lua_rawseti(L, 3, 1);
    for (lua_Integer i = 1; i <= axes; i++) {
        lua_pushvalue(L, 2);
        struct range range = {.name = groups_push_axis(L, i, word)};
        lua_remove(L, -3);
        read_range(L, &range);
        push_draws(L, &range, (uint32_t)count, (uint64_t)seed, is_latin);
        push_pair(L);
        lua_rawseti(L, 3, i + 1);
    }
    return finish(L);
}

static int random_samples(lua_State *L)
{
    return draw(L, "random", false);
}

static int latin_samples(lua_State *L)
{
    return draw(L, "latin", true);
}

void groups_open(lua_State *L)
{
    static const luaL_Reg words[] = {
        {"zip", zip}, {"random", random_samples}, {"latin", latin_samples}, {NULL, NULL}};
    for (const luaL_Reg *word = words; word->name; word++) {
        lua_pushcfunction(L, word->func);
        library_add_builtin(L, word->name);
    }
}
