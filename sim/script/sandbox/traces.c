/* SPDX-License-Identifier: BSD-3-Clause */
/* The objects that a script can reach are listed once in a Lua table, which also keeps them alive, so that no other object gets
 * the address of one of them. A digest is taken over the contents of each: numbers and texts by value, objects by address. As
 * long as the digest is the same, the script reaches the same objects with the same contents. */
#include "script/sandbox/traces.h"

#include <lauxlib.h>
#include <string.h>

#define KEPT "gpunetsim.traces"
#define FNV_BASIS UINT64_C(14695981039346656037)
#define FNV_PRIME UINT64_C(1099511628211)

/* A walk over the objects of the state. */
struct look {
    bool lists; /* objects that are new */
    int list;   /* stack index of the list, which has its objects by number, and all by address */
    lua_Integer count;
    size_t values; /* seen so far */
    bool is_whole; /* all objects could be read */
    uint64_t digest;
};

static void take_word(struct look *look, uint64_t word)
{
    look->digest = (look->digest ^ word) * FNV_PRIME;
    look->digest ^= look->digest >> 29;
}

static void take_bytes(struct look *look, const void *bytes, size_t length)
{
    const unsigned char *at = bytes;
    for (; length >= sizeof(uint64_t); length -= sizeof(uint64_t), at += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, at, sizeof word);
        take_word(look, word);
    }
    for (; length > 0; length--, at++)
        look->digest = (look->digest ^ *at) * FNV_PRIME;
}

/* Lists the object on top of the stack, if it is new. An object that never changes is only kept alive. */
static void list_object(lua_State *L, struct look *look, const void *object)
{
    int at = lua_gettop(L);
    if (lua_rawgetp(L, look->list, object) == LUA_TNIL) {
        lua_pushvalue(L, at);
        lua_rawsetp(L, look->list, object);
        if (!lua_isuserdata(L, at) || luaL_getmetafield(L, at, TRACES_CONSTANT) == LUA_TNIL) {
            lua_pushvalue(L, at);
            lua_rawseti(L, look->list, ++look->count);
        }
    }
    lua_settop(L, at);
}

/* Adds the value on top of the stack to the digest and pops it; a new object is listed. */
static void take_value(lua_State *L, struct look *look)
{
    int type = lua_type(L, -1);
    take_word(look, (uint64_t)type);
    look->values++;
    if (type == LUA_TSTRING) {
        size_t length;
        const char *text = lua_tolstring(L, -1, &length);
        take_word(look, length);
        take_bytes(look, text, length);
    } else if (type == LUA_TNUMBER) {
        lua_Number number = lua_tonumber(L, -1);
        take_bytes(look, &number, sizeof number);
        take_word(look, (uint64_t)lua_tointeger(L, -1));
        take_word(look, (uint64_t)lua_isinteger(L, -1));
    } else if (type == LUA_TBOOLEAN) {
        take_word(look, (uint64_t)lua_toboolean(L, -1));
    } else {
        const void *object = lua_topointer(L, -1);
        take_word(look, (uintptr_t)object);
        if (look->lists && type >= LUA_TTABLE)
            list_object(L, look, object);
    }
    lua_pop(L, 1);
}

static void take_metatable(lua_State *L, struct look *look)
{
    if (lua_getmetatable(L, -1))
        take_value(L, look);
}

static void take_table(lua_State *L, struct look *look)
{
    int table = lua_gettop(L);
    lua_Unsigned length = lua_rawlen(L, table);
    take_bytes(look, &length, sizeof length);
    lua_pushnil(L);
    while (look->values <= TRACES_MOST && lua_next(L, table)) {
        take_value(L, look);
        lua_pushvalue(L, -1); /* the key stays for lua_next */
        take_value(L, look);
    }
    take_metatable(L, look);
}

static void take_userdata(lua_State *L, struct look *look)
{
    take_bytes(look, lua_touserdata(L, -1), lua_rawlen(L, -1));
    for (int i = 1; lua_getiuservalue(L, -1, i) != LUA_TNONE; i++)
        take_value(L, look);
    lua_pop(L, 1);
    take_metatable(L, look);
}

static void take_function(lua_State *L, struct look *look)
{
    for (int i = 1; lua_getupvalue(L, -1, i); i++)
        take_value(L, look);
}

/* Adds the contents of the object on top of the stack to the digest, and pops it. */
static void take_object(lua_State *L, struct look *look)
{
    int top = lua_gettop(L);
    switch (lua_type(L, top)) {
    case LUA_TTABLE:
        take_table(L, look);
        break;
    case LUA_TUSERDATA:
        take_userdata(L, look);
        break;
    case LUA_TFUNCTION:
        take_function(L, look);
        break;
    default: /* a thread has a stack of its own */
        look->is_whole = false;
    }
    lua_settop(L, top - 1);
}

/* Walks over the listed objects, and over the objects that they lead to. */
static void take_listed(lua_State *L, struct look *look)
{
    look->digest = FNV_BASIS;
    look->is_whole = true;
    for (lua_Integer i = 1; i <= look->count && look->is_whole; i++) {
        lua_rawgeti(L, look->list, i);
        take_object(L, look);
        look->is_whole = look->is_whole && look->values <= TRACES_MOST;
    }
}

/* --- of a part of a state ----------------------------------------------------------------------- */

bool traces_list(lua_State *L, uint64_t *digest)
{
    struct look look = {.lists = true, .list = lua_gettop(L)};
    lua_createtable(L, 0, 0);
    lua_insert(L, look.list);
    take_value(L, &look);
    take_listed(L, &look);
    *digest = look.digest;
    return look.is_whole;
}

bool traces_stay(lua_State *L, int list, uint64_t digest)
{
    struct look look = {.list = list, .count = (lua_Integer)lua_rawlen(L, list)};
    take_listed(L, &look);
    return look.is_whole && look.digest == digest;
}

/* --- of a state --------------------------------------------------------------------------------- */

static int list_roots(lua_State *L)
{
    struct script_state *state = sandbox_of(L);
    void (*const *push_roots)(lua_State * L) = lua_touserdata(L, 1);
    lua_createtable(L, 2, 0);
    (*push_roots)(L);
    lua_rawseti(L, -2, 1);
    lua_pushliteral(L, "");
    lua_getmetatable(L, -1); /* of all texts */
    lua_rawseti(L, -3, 2);
    lua_pop(L, 1);
    state->is_marked = traces_list(L, &state->mark);
    lua_setfield(L, LUA_REGISTRYINDEX, KEPT);
    return 0;
}

void traces_mark(struct script_state *state, void (*push_roots)(lua_State *L))
{
    state->is_marked = false;
    sandbox_call(state, list_roots, &push_roots, ERROR_RUN, NULL);
}

static int look_at_kept(lua_State *L)
{
    bool *is_same = lua_touserdata(L, 1);
    lua_getfield(L, LUA_REGISTRYINDEX, KEPT);
    *is_same = traces_stay(L, lua_gettop(L), sandbox_of(L)->mark);
    return 0;
}

bool traces_are_none(struct script_state *state)
{
    bool is_same = false;
    return state->is_marked && sandbox_call(state, look_at_kept, &is_same, ERROR_RUN, NULL) &&
           is_same;
}
