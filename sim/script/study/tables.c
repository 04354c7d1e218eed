/* SPDX-License-Identifier: BSD-3-Clause */
#include "script/study/tables.h"

#include <lauxlib.h>
#include <lualib.h>
#include <string.h>

#include "core/home.h"
#include "script/sandbox/list.h"
#include "script/sandbox/sandbox.h"
#include "script/study/tables_core.h"

#define MODULES "gpunetsim.tables"

static int require_module(lua_State *L);

/* What the files can name: the language's functions, the guarded libraries, `require` and `core`. */
static void push_environment(lua_State *L)
{
    static const char *const libraries[] = {LUA_STRLIBNAME, LUA_TABLIBNAME, LUA_MATHLIBNAME};
    lua_newtable(L);
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    for (size_t i = 0; i < G_N_ELEMENTS(libraries); i++) {
        lua_getfield(L, -1, libraries[i]);
        lua_setfield(L, -3, libraries[i]);
    }
    lua_pop(L, 1);
    lua_pushcfunction(L, require_module);
    lua_setfield(L, -2, "require");
    tables_core_push(L);
    lua_setfield(L, -2, "core");
    lua_newtable(L);
    lua_pushglobaltable(L);
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, -2);
}

/* Pushes the chunk of views/tables/NAME.lua. Its name begins with no @, as those of scripts do. */
static void load_module(lua_State *L, const char *name)
{
    GError *error = NULL;
    char *text = NULL;
    gsize length = 0;
    const char *file = lua_pushfstring(L, "views/tables/%s.lua", name);
    char *path = home_path(file, &error);
    bool is_read = path && g_file_get_contents(path, &text, &length, &error);
    g_free(path);
    if (!is_read)
        script_fail_error(L, error);
    int status = luaL_loadbufferx(L, text, length, lua_pushfstring(L, "=%s", file), "t");
    g_free(text);
    if (status != LUA_OK)
        lua_error(L);
}

/* require(name): what the file returns, which runs once in a state. */
static int require_module(lua_State *L)
{
    const char *name = luaL_checkstring(L, 1);
    luaL_getsubtable(L, LUA_REGISTRYINDEX, MODULES);
    int modules = lua_gettop(L);
    if (lua_getfield(L, modules, name) != LUA_TNIL)
        return 1;
    load_module(L, name);
    push_environment(L);
    lua_setupvalue(L, -2, 1); /* the chunk's _ENV */
    lua_call(L, 0, 1);
    lua_pushvalue(L, -1);
    lua_setfield(L, modules, name);
    return 1;
}

void tables_call(lua_State *L, const char *file, const char *function, int arguments)
{
    lua_pushcfunction(L, require_module);
    lua_pushstring(L, file);
    lua_call(L, 1, 1);
    lua_getfield(L, -1, function);
    lua_remove(L, -2);
    lua_insert(L, -1 - arguments);
    lua_call(L, arguments, 1);
}

/* --- plain tables -------------------------------------------------------------------------------- */

void tables_read(lua_State *L, const struct table_field *fields, void *into)
{
    for (const struct table_field *field = fields; field->name; field++) {
        char *to = (char *)into + field->offset;
        lua_getfield(L, -1, field->name);
        if (field->type == FIELD_TEXT)
            *(char **)(void *)to = sandbox_copy_text(L, -1);
        else
            *(bool *)(void *)to = lua_toboolean(L, -1);
        lua_pop(L, 1);
    }
}

/* --- as a value of GLib's ----------------------------------------------------------------------- */

static GVariant *value_variant(lua_State *L);

/* The table on top as a list or as a dictionary. */
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

/* Pops the value on top. */
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
