/* SPDX-License-Identifier: BSD-3-Clause */
#include "script/views/views.h"

#include <lauxlib.h>
#include <lualib.h>

#include "core/error.h"
#include "core/home.h"
#include "script/values/values.h"
#include "script/views/core_lua.h"

/* --- arguments ---------------------------------------------------------------------------------- */

/* Pushes the children of a container: those of a dictionary by their keys, others from 1 on. */
static void push_children(lua_State *L, GVariant *value)
{
    lua_createtable(L, 0, 0);
    for (gsize i = 0; i < g_variant_n_children(value); i++) {
        g_autoptr(GVariant) child = g_variant_get_child_value(value, i);
        if (g_variant_is_of_type(child, G_VARIANT_TYPE_DICT_ENTRY)) {
            g_autoptr(GVariant) key = g_variant_get_child_value(child, 0);
            g_autoptr(GVariant) entry = g_variant_get_child_value(child, 1);
            views_push_value(L, key);
            views_push_value(L, entry);
            lua_settable(L, -3);
        } else {
            views_push_value(L, child);
            lua_seti(L, -2, (lua_Integer)i + 1);
        }
    }
}

void views_push_value(lua_State *L, GVariant *value)
{
    luaL_checkstack(L, 4, "arguments");
    if (g_variant_is_of_type(value, G_VARIANT_TYPE_VARIANT)) {
        g_autoptr(GVariant) inner = g_variant_get_variant(value);
        views_push_value(L, inner);
    } else if (g_variant_is_of_type(value, G_VARIANT_TYPE_BYTESTRING)) {
        lua_pushstring(L, g_variant_get_bytestring(value));
    } else if (g_variant_is_of_type(value, G_VARIANT_TYPE_STRING)) {
        lua_pushstring(L, g_variant_get_string(value, NULL));
    } else if (g_variant_is_of_type(value, G_VARIANT_TYPE_BOOLEAN)) {
        lua_pushboolean(L, g_variant_get_boolean(value));
    } else if (g_variant_is_of_type(value, G_VARIANT_TYPE_DOUBLE)) {
        lua_pushnumber(L, g_variant_get_double(value));
    } else if (g_variant_is_of_type(value, G_VARIANT_TYPE_INT64)) {
        lua_pushinteger(L, g_variant_get_int64(value));
    } else if (g_variant_is_of_type(value, G_VARIANT_TYPE_UINT32)) {
        lua_pushinteger(L, g_variant_get_uint32(value));
    } else if (g_variant_is_of_type(value, G_VARIANT_TYPE_MAYBE)) {
        g_autoptr(GVariant) inner = g_variant_get_maybe(value);
        if (inner)
            views_push_value(L, inner);
        else
            lua_pushnil(L);
    } else {
        push_children(L, value);
    }
}

/* --- results ------------------------------------------------------------------------------------ */

static char **take_texts(lua_State *L)
{
    GPtrArray *texts = g_ptr_array_new();
    for (lua_Integer i = 1; lua_geti(L, -1, i) == LUA_TSTRING; i++) {
        g_ptr_array_add(texts, g_strdup(lua_tostring(L, -1)));
        lua_pop(L, 1);
    }
    g_ptr_array_add(texts, NULL);
    return (char **)g_ptr_array_free(texts, FALSE);
}

/* --- calls -------------------------------------------------------------------------------------- */

/* require(name): the value that views/NAME.lua returns. */
static int require(lua_State *L)
{
    lua_pushvalue(L, 1);
    if (lua_gettable(L, lua_upvalueindex(2)) != LUA_TNIL)
        return 1;
    const char *folder = lua_tostring(L, lua_upvalueindex(1));
    lua_pushfstring(L, "%s/%s.lua", folder, luaL_checkstring(L, 1));
    if (luaL_loadfilex(L, lua_tostring(L, -1), "t") != LUA_OK)
        return lua_error(L);
    lua_call(L, 0, 1);
    lua_pushvalue(L, 1);
    lua_pushvalue(L, -2);
    lua_settable(L, lua_upvalueindex(2));
    return 1;
}

/* Pushes the value that views/FILE.lua of the folder returns; both are arguments. */
static int open_file(lua_State *L)
{
    luaL_openlibs(L);
    core_lua_open(L);
    lua_pushvalue(L, 1);
    lua_newtable(L);
    lua_pushcclosure(L, require, 2);
    lua_pushvalue(L, -1);
    lua_setglobal(L, "require");
    lua_pushvalue(L, 2);
    lua_call(L, 1, 1);
    return 1;
}

struct view_call {
    const char *function;
    views_push *push; /* NULL: nothing */
    void *context;
    GVariant *arguments;
    char **texts;
};

/* Arguments: the call, and the value that the file returns. */
static int run_call(lua_State *L)
{
    struct view_call *call = lua_touserdata(L, 1);
    lua_getfield(L, 2, call->function);
    int first = call->push ? call->push(L, call->context) : 0;
    for (gsize i = 0; i < g_variant_n_children(call->arguments); i++) {
        g_autoptr(GVariant) argument = g_variant_get_child_value(call->arguments, i);
        views_push_value(L, argument);
    }
    lua_call(L, first + (int)g_variant_n_children(call->arguments), 1);
    call->texts = take_texts(L);
    return 0;
}

int views_raise(lua_State *L, GError *error)
{
    lua_createtable(L, 0, 2);
    lua_set_text(L, "sentence", error->message);
    lua_set_integer(L, "code", error->code);
    g_error_free(error);
    return lua_error(L);
}

/* Sets the error. Errors that the files raise without a code are ERROR_USE: the request was bad. */
static void set_error(lua_State *L, const char *file, GError **error)
{
    g_autofree char *folder = home_path("views", NULL);
    if (lua_istable(L, -1) && lua_getfield(L, -1, "sentence") == LUA_TSTRING) {
        lua_getfield(L, -2, "code");
        error_set_code(error, (enum error_code)lua_tointeger(L, -1), "%s", lua_tostring(L, -2));
    } else
        error_set_code(error, ERROR_RUN, "%s/%s.lua: %s", folder, file,
                       lua_isstring(L, -1) ? lua_tostring(L, -1) : "failed");
}

lua_State *views_open(const char *file, GError **error)
{
    g_autofree char *folder = home_path("views", error);
    lua_State *L = folder ? luaL_newstate() : NULL;
    if (!L)
        return NULL;
    lua_pushcfunction(L, open_file);
    lua_pushstring(L, folder);
    lua_pushstring(L, file);
    if (lua_pcall(L, 2, 1, 0) == LUA_OK)
        return L;
    set_error(L, file, error);
    lua_close(L);
    return NULL;
}

char **views_texts(const char *file, const char *function, GVariant *arguments, GError **error)
{
    return views_call(file, function, NULL, NULL, arguments, error);
}

/* Makes the call in a state of its own; NULL and an error if there is none. */
static lua_State *call_in_state(const char *file, struct view_call *call, GError **error)
{
    g_autoptr(GVariant) owned G_GNUC_UNUSED = g_variant_ref_sink(call->arguments);
    lua_State *L = views_open(file, error);
    if (!L)
        return NULL;
    lua_pushcfunction(L, run_call);
    lua_pushlightuserdata(L, call);
    lua_rotate(L, 1, -1); /* the file's value goes last */
    if (lua_pcall(L, 2, 0, 0) != LUA_OK)
        set_error(L, file, error);
    return L;
}

char **views_call(const char *file, const char *function, views_push *push, void *context,
                  GVariant *arguments, GError **error)
{
    struct view_call call = {function, push, context, arguments, NULL};
    lua_State *L = call_in_state(file, &call, error);
    if (L)
        lua_close(L);
    return call.texts;
}

char **views_run(const char *file, const char *function, views_push *push, void *context,
                 GVariant *arguments, GError **error)
{
    static lua_State *kept;
    struct view_call call = {function, push, context, arguments, NULL};
    kept = call_in_state(file, &call, error);
    return kept ? call.texts : NULL;
}
