/* SPDX-License-Identifier: BSD-3-Clause */
/* zip { clock = { "1GHz", "2GHz" }, cores = { 4, 2 } } is two axes that advance together. random(100, { latency = { "60ns",
 * "150ns" } }) draws 100 points; latin(100, { ... }) draws them as a Latin hypercube: each axis's range is cut into 100 strata
 * and each stratum has one point, so that few points cover many axes. A range is { low, high }, or a value with bounds, as
 * `estimated` and `fitted` make them and machine:range "nic.rate" gives them. Both have an axis "sample" that counts the draws.
 * The draws depend on the axis's name and the seed, the third argument, alone. */
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

/* A word: the function of that name in a file of views/tables, and the number of its arguments. */
static const struct word {
    const char *name, *file;
    int arguments;
    bool is_group,
        is_drawn; /* the word gives the axes of a group; their values are drawn: count, ranges, seed */
} words[] = {{"zip", "axes", 1, true, false},
             {"random", "axes", 3, true, true},
             {"latin", "axes", 3, true, true},
             {"pow2", "series", 2, false, false},
             {"range", "series", 3, false, false}};

static int call_word(lua_State *L)
{
    const struct word *word = lua_touserdata(L, lua_upvalueindex(1));
    lua_settop(L, word->arguments);
    if (word->is_drawn) {
        lua_Integer count = luaL_checkinteger(L, 1);
        lua_pushinteger(L, luaL_optinteger(L, 3, 1));
        lua_replace(L, 3);
        if (count < 1 || count > SAMPLES_MAX)
            script_fail(L, "%s: the number of samples is 1 to %d", word->name, SAMPLES_MAX);
    }
    modules_call(L, word->file, word->name, word->arguments);
    if (!word->is_group)
        return 1;
    lua_newuserdatauv(L, 0, 1);
    lua_insert(L, -2);
    lua_setiuservalue(L, -2, 1);
    library_set_metatable(L, GROUP, NULL);
    return 1;
}

void groups_open(lua_State *L)
{
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
        lua_pushlightuserdata(L, (void *)(uintptr_t)&words[i]);
        lua_pushcclosure(L, call_word, 1);
        library_add_builtin(L, words[i].name);
    }
}
