/* SPDX-License-Identifier: BSD-3-Clause */
#include "script/study/tables.h"

#include <lauxlib.h>
#include <string.h>

#include "script/sandbox/list.h"
#include "script/sandbox/sandbox.h"

static GVariant *value_variant(lua_State *L);

/* Converts the table on top of the stack into a list or a dictionary. */
static GVariant *table_variant(lua_State *L)
{
    bool is_list = list_part(L, -1) > 0;
    GVariantBuilder all;
    g_variant_builder_init(&all, is_list ? G_VARIANT_TYPE("av") : G_VARIANT_TYPE_VARDICT);
    lua_Integer count = list_part(L, -1);
    for (lua_Integer i = 1; i <= count; i++) {
        lua_rawgeti(L, -1, i);
        g_variant_builder_add(&all, "v", value_variant(L));
    }
    if (!is_list) {
        lua_pushnil(L);
        while (lua_next(L, -2) != 0) {
            const char *name = lua_tostring(L, -2);
            g_variant_builder_add(&all, "{sv}", name, value_variant(L));
        }
    }
    return g_variant_builder_end(&all);
}

static GVariant *text_variant(lua_State *L)
{
    size_t length;
    const char *text = lua_tolstring(L, -1, &length);
    g_autofree char *cut = sandbox_cut(text, length, SANDBOX_TEXT_MAX);
    return g_variant_new_bytestring(cut);
}

/* Pops the value on top of the stack and converts it. */
static GVariant *value_variant(lua_State *L)
{
    GVariant *value;
    if (lua_type(L, -1) == LUA_TNUMBER)
        value = g_variant_new_double(lua_tonumber(L, -1));
    else if (lua_type(L, -1) == LUA_TBOOLEAN)
        value = g_variant_new_boolean(lua_toboolean(L, -1));
    else if (lua_type(L, -1) == LUA_TSTRING)
        value = text_variant(L);
    else
        value = table_variant(L);
    lua_pop(L, 1);
    return value;
}

void tables_variant(lua_State *L, GVariant **value)
{
    *value = g_variant_ref_sink(value_variant(L));
    sandbox_take(L, g_variant_get_size(*value));
}
