/* SPDX-License-Identifier: BSD-3-Clause */
/* zip { clock = { "1GHz", "2GHz" }, cores = { 4, 2 } } is two axes that advance together.
 * random(100, { latency = { "60ns", "150ns" } }) draws 100 points; latin(100, { ... }) draws them
 * as a Latin hypercube: each axis's range is cut into 100 strata and each stratum is met once, so
 * that few points cover many axes. A range is { low, high }, or a value with bounds, as `estimated`
 * and `fitted` make them and machine:range "nic.rate" gives them. Both have an axis "sample" that
 * counts the draws. The draws depend on the axis's name and the seed, the third argument, alone. */
#include "script/study/groups_lua.h"

#include <lauxlib.h>

#include "script/sandbox/library.h"
#include "script/sandbox/modules.h"
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
    modules_call(L, "axes", "zip", 1);
    return finish(L);
}

static int draw(lua_State *L, const char *word)
{
    lua_Integer count = luaL_checkinteger(L, 1), seed = luaL_optinteger(L, 3, 1);
    if (count < 1 || count > SAMPLES_MAX)
        script_fail(L, "%s: the number of samples is 1 to %d", word, SAMPLES_MAX);
    lua_settop(L, 2);
    lua_pushinteger(L, seed);
    modules_call(L, "axes", word, 3);
    return finish(L);
}

static int random_samples(lua_State *L)
{
    return draw(L, "random");
}

static int latin_samples(lua_State *L)
{
    return draw(L, "latin");
}

/* Lists of values, for a single axis (views/tables/series.lua). */
static int powers_of_two(lua_State *L)
{
    lua_settop(L, 2);
    modules_call(L, "series", "pow2", 2);
    return 1;
}

static int arithmetic_range(lua_State *L)
{
    lua_settop(L, 3);
    modules_call(L, "series", "range", 3);
    return 1;
}

void groups_open(lua_State *L)
{
    static const luaL_Reg words[] = {{"zip", zip},
                                     {"random", random_samples},
                                     {"latin", latin_samples},
                                     {"pow2", powers_of_two},
                                     {"range", arithmetic_range},
                                     {NULL, NULL}};
    for (const luaL_Reg *word = words; word->name; word++) {
        lua_pushcfunction(L, word->func);
        library_add_builtin(L, word->name);
    }
}
