/* SPDX-License-Identifier: BSD-3-Clause */
/* A record is a userdata whose user values are the table and the name for messages: nothing of it
 * can be reached with rawset or through its metatable. */
#include "script/sandbox/record.h"

#include <lauxlib.h>

#include "script/sandbox/library.h"
#include "script/sandbox/list.h"
#include "script/sandbox/sandbox.h"

#define RECORD "gpunetsim.record"

enum { VALUE_TABLE = 1, VALUE_WHAT = 2 };

void record_sorted_keys(lua_State *L, int index)
{
    index = lua_absindex(L, index);
    lua_newtable(L);
    lua_Integer count = 0;
    for (lua_pushnil(L); lua_next(L, index) != 0; lua_pop(L, 1)) {
        if (lua_type(L, -2) == LUA_TSTRING) {
            lua_pushvalue(L, -2);
            lua_rawseti(L, -4, ++count);
        }
    }
    library_sort(L);
}

const char *const *record_strings(lua_State *L, int index, size_t *count)
{
    index = lua_absindex(L, index);
    *count = (size_t)list_length(L, index);
    const char **strings = lua_newuserdatauv(L, (*count + 1) * sizeof *strings, 0);
    for (size_t i = 0; i < *count; i++) {
        lua_rawgeti(L, index, (lua_Integer)i + 1);
        strings[i] = lua_tostring(L, -1); /* the list keeps it alive */
        lua_pop(L, 1);
    }
    strings[*count] = NULL;
    return strings;
}

void record_unknown(lua_State *L, const char *word, const char *name, const char *what)
{
    size_t count;
    const char *const *names = record_strings(L, -1, &count);
    script_fail(L, "unknown %s \"%s\" in %s%s", word, name, what,
                script_push_suggestion(L, name, names, count));
}

static int record_index(lua_State *L)
{
    luaL_checkudata(L, 1, RECORD);
    lua_getiuservalue(L, 1, VALUE_TABLE);
    lua_pushvalue(L, 2);
    if (lua_rawget(L, 3) != LUA_TNIL)
        return 1;
    lua_getiuservalue(L, 1, VALUE_WHAT);
    const char *what = lua_tostring(L, -1);
    if (lua_type(L, 2) != LUA_TSTRING)
        script_fail(L, "%s has names, not a %s", what, luaL_typename(L, 2));
    record_sorted_keys(L, 3);
    record_unknown(L, "name", lua_tostring(L, 2), what);
}

static int record_newindex(lua_State *L)
{
    luaL_checkudata(L, 1, RECORD);
    lua_getiuservalue(L, 1, VALUE_WHAT);
    script_fail(L, "%s cannot be changed", lua_tostring(L, -1));
}

/* pairs(record): of the table inside, in the order of the names. */
static int record_pairs(lua_State *L)
{
    luaL_checkudata(L, 1, RECORD);
    lua_getiuservalue(L, 1, VALUE_TABLE);
    return library_pairs(L, lua_gettop(L));
}

void record_push(lua_State *L, const char *what)
{
    static const luaL_Reg methods[] = {
        {"__index", record_index},
        {"__newindex", record_newindex},
        {"__pairs", record_pairs},
        {NULL, NULL},
    };
    lua_newuserdatauv(L, 0, 2);
    lua_insert(L, -2);
    lua_setiuservalue(L, -2, VALUE_TABLE);
    lua_pushstring(L, what);
    lua_setiuservalue(L, -2, VALUE_WHAT);
    library_set_metatable(L, RECORD, methods);
}
