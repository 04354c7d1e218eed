/* SPDX-License-Identifier: BSD-3-Clause */
#include "script/commands/session.h"

#include <lauxlib.h>

#include "core/error.h"
#include "script/values/values.h"
#include "script/views/views.h"

/* --- calls -------------------------------------------------------------------------------------- */

/* An error of GLib's option parser is ERROR_USE; an error of another library is ERROR_RUN. */
static int raise_error(lua_State *L, GError *error)
{
    if (error->domain != ERROR_DOMAIN)
        error->code = error->domain == G_OPTION_ERROR ? ERROR_USE : ERROR_RUN;
    return views_raise(L, error);
}

static int call_function(lua_State *L)
{
    const struct session_function *function = lua_touserdata(L, lua_upvalueindex(1));
    GError *error = NULL;
    int results = function->call(L, &error);
    return error ? raise_error(L, error) : results;
}

static void add(lua_State *L, const struct session_function *functions)
{
    for (; functions->name; functions++) {
        lua_pushlightuserdata(L, (void *)(gsize)functions);
        lua_pushcclosure(L, functions->call ? call_function : functions->plain, 1);
        lua_setfield(L, -2, functions->name);
    }
}

void session_open(lua_State *L, struct session *session, const struct session_function *own)
{
    const struct session_function *const parts[] = {
        own,
        session_options,
        session_files,
        session_machines,
        session_stores,
        session_studies,
        session_watched,
        session_rows,
        session_experiments,
        session_schedules,
        session_served,
    };
    *(struct session **)lua_getextraspace(L) = session;
    lua_newtable(L);
    for (size_t i = 0; i < G_N_ELEMENTS(parts); i++)
        add(L, parts[i]);
    lua_setglobal(L, "program");
}

struct session *session_of(lua_State *L)
{
    return *(struct session **)lua_getextraspace(L);
}

/* --- objects ------------------------------------------------------------------------------------ */

struct object {
    gpointer of;
    GDestroyNotify free;
};

static int free_object(lua_State *L)
{
    struct object *object = lua_touserdata(L, 1);
    g_hash_table_remove(session_of(L)->objects, object);
    g_clear_pointer(&object->of, object->free);
    return 0;
}

void session_close(struct session *session)
{
    GHashTableIter all;
    gpointer object;
    g_hash_table_iter_init(&all, session->objects);
    while (g_hash_table_iter_next(&all, &object, NULL))
        g_clear_pointer(&((struct object *)object)->of, ((struct object *)object)->free);
    g_hash_table_unref(session->objects);
}

void session_push_object(lua_State *L, gpointer of, GDestroyNotify free)
{
    struct object *object = lua_newuserdatauv(L, sizeof *object, 0);
    *object = (struct object){of, free};
    g_hash_table_add(session_of(L)->objects, object);
    if (luaL_newmetatable(L, "object")) {
        lua_pushcfunction(L, free_object);
        lua_setfield(L, -2, "__gc");
        lua_pushcfunction(L, free_object);
        lua_setfield(L, -2, "__close");
    }
    lua_setmetatable(L, -2);
}

gpointer session_object(lua_State *L, int argument)
{
    return ((struct object *)luaL_checkudata(L, argument, "object"))->of;
}

/* --- values ------------------------------------------------------------------------------------- */

int session_push_value(lua_State *L, GVariant *value)
{
    g_autoptr(GVariant) owned = g_variant_ref_sink(value);
    views_push_value(L, owned);
    return 1;
}

void session_append_column(lua_State *L, const char *name, const struct value *value)
{
    lua_append_owned(L, value_column(name, value));
    lua_append_owned(L, value_column_text(value));
}
