/* SPDX-License-Identifier: BSD-3-Clause */
#include "script/sandbox/list.h"

#include <lauxlib.h>

#include "script/sandbox/sandbox.h"

/* Checks the key below the value on top of the stack. */
static void check_key(lua_State *L, lua_Integer length, bool may_have_names)
{
    int type = lua_type(L, -2);
    if (type == LUA_TSTRING && !may_have_names)
        script_fail(L, "a list has names, too");
    if (type == LUA_TSTRING)
        return;
    if (type != LUA_TNUMBER)
        script_fail(L,
                    "the key of an entry is a %s; keys are names, and in lists numbers from 1 on",
                    lua_typename(L, type));
    lua_Integer key = lua_isinteger(L, -2) ? lua_tointeger(L, -2) : 0;
    if (key < 1 || key > length)
        script_fail(
            L, "a list whose last entry is %d has one under the key %s, too: lists have no gaps",
            (int)length, luaL_tolstring(L, -2, NULL));
}

static lua_Integer read_length(lua_State *L, int index, bool may_have_names)
{
    lua_Unsigned length = lua_rawlen(L, index);
    if (length > LIST_MAX)
        script_fail(L, "a list has more than %d entries, or gaps", LIST_MAX);
    index = lua_absindex(L, index);
    sandbox_check(L); /* lists that were read before may have been long */
    for (lua_pushnil(L); lua_next(L, index) != 0; lua_pop(L, 1)) {
        check_key(L, (lua_Integer)length, may_have_names);
        sandbox_charge(L, 1);
    }
    return (lua_Integer)length;
}

lua_Integer list_length(lua_State *L, int index)
{
    return read_length(L, index, false);
}

lua_Integer list_part(lua_State *L, int index)
{
    return read_length(L, index, true);
}
