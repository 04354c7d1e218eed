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
#include "core/units.h"
#include "script/sandbox/library.h"
#include "script/sandbox/sandbox.h"
#include "script/study/tables.h"

#define GROUP "gpunetsim.group"
#define SAMPLES_MAX 1000000

bool groups_push_axes(lua_State *L, int index)
{
    if (!luaL_testudata(L, index, GROUP))
        return false;
    lua_getiuservalue(L, index, 1);
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

static int zip(lua_State *L)
{
    lua_settop(L, 1);
    tables_call(L, "axes", "zip", 1);
    return finish(L);
}

/* --- samples ---------------------------------------------------------------------------------- */

struct range {
    bool is_fraction; /* drawn as doubles; else as integers of `unit` */
    enum unit_kind unit;
    double low, high;
    int64_t first, last;
};

/* The range on top, which stays there (views/tables/axes.lua). */
static struct range read_range(lua_State *L)
{
    struct range range = {.unit = UNIT_COUNT};
    lua_getfield(L, -1, "is_fraction");
    range.is_fraction = lua_toboolean(L, -1);
    if (lua_getfield(L, -2, "unit") != LUA_TNIL)
        range.unit = (enum unit_kind)lua_tointeger(L, -1);
    lua_getfield(L, -3, "low");
    lua_getfield(L, -4, "high");
    range.low = lua_tonumber(L, -2);
    range.high = lua_tonumber(L, -1);
    range.first = lua_tointeger(L, -2);
    range.last = lua_tointeger(L, -1);
    lua_pop(L, 4);
    return range;
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

/* Pushes the list of `count` draws from the range of the axis `name`. */
static void push_draws(lua_State *L, const char *name, const struct range *range, uint32_t count,
                       uint64_t seed, bool is_latin)
{
    struct rng rng;
    rng_init(&rng, seed, name);
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
    lua_createtable(L, (int)count, 0);
    for (uint32_t i = 1; i <= count; i++) {
        lua_pushinteger(L, i);
        lua_rawseti(L, -2, i);
    }
}

/* Pops a list of values, which becomes that of axis `number`, called `name`, in the list at `axes`. */
static void add_axis(lua_State *L, int axes, lua_Integer number, const char *name)
{
    lua_createtable(L, 2, 0);
    lua_pushstring(L, name);
    lua_rawseti(L, -2, 1);
    lua_insert(L, -2);
    lua_rawseti(L, -2, 2);
    lua_rawseti(L, axes, number);
}

static int draw(lua_State *L, const char *word, bool is_latin)
{
    lua_Integer count = luaL_checkinteger(L, 1), seed = luaL_optinteger(L, 3, 1);
    if (count < 1 || count > SAMPLES_MAX)
        script_fail(L, "%s: the number of samples is 1 to %d", word, SAMPLES_MAX);
    lua_settop(L, 2);
    lua_pushstring(L, word);
    tables_call(L, "axes", "ranges", 2);
    int ranges = lua_gettop(L), axes = ranges + 1;
    lua_Integer range_count = (lua_Integer)lua_rawlen(L, ranges);
    sandbox_charge(L, count * range_count);
    lua_createtable(L, (int)range_count + 1, 0);
    push_counter(L, (uint32_t)count);
    add_axis(L, axes, 1, "sample");
    for (lua_Integer i = 1; i <= range_count; i++) {
        lua_rawgeti(L, ranges, i);
        const struct range range = read_range(L);
        lua_getfield(L, -1, "name");
        const char *name = lua_tostring(L, -1);
        push_draws(L, name, &range, (uint32_t)count, (uint64_t)seed, is_latin);
        add_axis(L, axes, i + 1, name);
        lua_settop(L, axes);
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
