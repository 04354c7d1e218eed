/* SPDX-License-Identifier: BSD-3-Clause */
#include "script/values/values.h"

#include <glib.h>
#include <lauxlib.h>

void lua_set_text(lua_State *L, const char *field, const char *text)
{
    lua_pushstring(L, text);
    lua_setfield(L, -2, field);
}

void lua_set_integer(lua_State *L, const char *field, lua_Integer number)
{
    lua_pushinteger(L, number);
    lua_setfield(L, -2, field);
}

void lua_set_number(lua_State *L, const char *field, double number)
{
    lua_pushnumber(L, number);
    lua_setfield(L, -2, field);
}

void lua_set_flag(lua_State *L, const char *field, bool is_set)
{
    lua_pushboolean(L, is_set);
    lua_setfield(L, -2, field);
}

void lua_append(lua_State *L)
{
    lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
}

void lua_append_text(lua_State *L, const char *text)
{
    lua_pushstring(L, text);
    lua_append(L);
}

void lua_append_owned(lua_State *L, char *text)
{
    lua_push_owned(L, text);
    lua_append(L);
}

int lua_push_owned(lua_State *L, char *text)
{
    lua_pushstring(L, text);
    g_free(text);
    return 1;
}

void lua_push_texts(lua_State *L, char *const *texts)
{
    lua_newtable(L);
    for (; texts && *texts; texts++)
        lua_append_text(L, *texts);
}

char **lua_texts_at(lua_State *L, int index)
{
    if (lua_isnoneornil(L, index))
        return NULL;
    int top = lua_gettop(L);
    g_autoptr(GStrvBuilder) texts = g_strv_builder_new();
    lua_pushvalue(L, index);
    for (lua_Integer i = 1; lua_istable(L, -1) && lua_rawgeti(L, -1, i) == LUA_TSTRING; i++) {
        g_strv_builder_add(texts, lua_tostring(L, -1));
        lua_pop(L, 1);
    }
    lua_settop(L, top);
    return g_strv_builder_end(texts);
}

lua_Integer lua_integer_field(lua_State *L, int index, const char *field)
{
    lua_getfield(L, index, field);
    lua_Integer number = luaL_optinteger(L, -1, 0);
    lua_pop(L, 1);
    return number;
}

bool lua_flag_field(lua_State *L, int index, const char *field)
{
    lua_getfield(L, index, field);
    bool is_set = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return is_set;
}

const char *lua_text_field(lua_State *L, int index, const char *field)
{
    lua_getfield(L, index, field);
    const char *text = lua_tostring(L, -1);
    lua_pop(L, 1);
    return text;
}
