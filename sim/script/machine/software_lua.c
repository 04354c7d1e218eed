/* SPDX-License-Identifier: BSD-3-Clause */
/* Such a value is an empty userdata, whose metatable tells the kind; the table that was given stands beside it. */
#include "script/machine/software_lua.h"

#include <lauxlib.h>
#include <string.h>

#include "core/param_instance.h"
#include "protocols/design.h"
#include "protocols/runtimes/software_tables.h"
#include "script/machine/bind.h"
#include "script/machine/require.h"
#include "script/sandbox/library.h"
#include "script/sandbox/sandbox.h"
#include "study/model/machine.h"

#define LONGEST_NAME 24

const struct param_table *software_kind_at(lua_State *L, int index)
{
    for (const struct param_table *const *kind = software_kinds; *kind != NULL; kind++)
        if (luaL_testudata(L, index, (*kind)->component) != NULL)
            return *kind;
    return NULL;
}

void software_push_values(lua_State *L, int index)
{
    lua_getiuservalue(L, index, 1);
}

static int refuse_change(lua_State *L)
{
    script_fail(L,
                "this cannot be changed; a machine's values are changed by m { name = { ... } }");
}

/* The word of a kind, its upvalue. What the values are is checked where they are used: an MPI may name a library that stands
 * beside it. */
static int software_word(lua_State *L)
{
    static const char *const more_keys[] = {"from", "description", NULL};
    static const luaL_Reg methods[] = {{"__newindex", refuse_change}, {NULL, NULL}};
    const struct param_table *kind = lua_touserdata(L, lua_upvalueindex(1));
    if (!lua_istable(L, 1))
        script_fail(L, "%s needs a table { ... }, not a %s", kind->component, luaL_typename(L, 1));
    lua_settop(L, 1);
    bind_check_keys(L, 1, kind, more_keys, kind->component, NULL);
    lua_newuserdatauv(L, 0, 1);
    lua_pushvalue(L, 1);
    lua_setiuservalue(L, -2, 1);
    library_set_metatable(L, kind->component, methods);
    return 1;
}

void software_open(lua_State *L)
{
    for (const struct param_table *const *kind = software_kinds; *kind != NULL; kind++) {
        lua_pushlightuserdata(L, (void *)(gsize)*kind);
        lua_pushcclosure(L, software_word, 1);
        library_add_builtin(L, (*kind)->component);
    }
}

bool software_is_name(const char *name)
{
    return g_ascii_islower(*name) && strlen(name) <= LONGEST_NAME &&
           name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")] == '\0';
}

bool software_check_name(lua_State *L, const struct machine_spec *all,
                         const struct param_table *kind, const char *name)
{
    for (size_t i = 1; i < machine_section_count(all); i++) {
        const struct param_table *table = machine_section(all, i).table;
        if (strcmp(table->component, name) != 0)
            continue;
        if (table->kind != kind)
            script_fail_at(L, &name, 1,
                           "\"%s\" is a component of every machine and of another kind than %s",
                           name, kind->component);
        return false;
    }
    bool is_word = strcmp(name, "name") == 0 || strcmp(name, design_params.component) == 0 ||
                   param_find(&machine_params, name) != NULL;
    if (is_word || !software_is_name(name))
        script_fail_at(
            L, &name, 1,
            "\"%s\" is no name for software of one's own; it takes a letter and up to %d "
            "more of small letters, digits and _, and is no name of anything else",
            name, LONGEST_NAME - 1);
    return true;
}

/* --- configs/runtimes.lua ------------------------------------------------------------------------ */

struct runtimes_call {
    const char *path;
    GPtrArray *records; /* of struct param_table */
};

/* The names come first: records name each other. */
static void declare_records(lua_State *L, const struct runtimes_call *call)
{
    GError *error = NULL;
    struct machine_spec *all = lua_newuserdatauv(L, sizeof *all, 0);
    machine_spec_init(all, software_tables());
    for (lua_Integer i = 1; lua_rawgeti(L, 2, i) != LUA_TNIL; i++) {
        const char *name = lua_tostring(L, -1);
        lua_getfield(L, 1, name);
        const struct param_table *kind = software_kind_at(L, -1);
        if (kind == NULL)
            luaL_error(L, "%s: \"%s\" is a %s, not a message_library { ... } or an mpi { ... }",
                       call->path, name, luaL_typename(L, -1));
        software_check_name(L, all, kind, name);
        const struct param_table *instance = software_declare(kind, name, &error);
        if (instance == NULL)
            script_fail_error(L, error);
        g_ptr_array_add(call->records, (gpointer)(gsize)instance);
        lua_pop(L, 2);
    }
    lua_pop(L, 2);
}

static void read_record(lua_State *L, const char *path, const struct param_table *instance)
{
    lua_getfield(L, 1, instance->component);
    software_push_values(L, -1);
    int values = lua_gettop(L);
    if (lua_getfield(L, values, "description") != LUA_TSTRING)
        luaL_error(L, "%s: \"%s\" needs a description = \"...\"", path, instance->component);
    if (lua_getfield(L, values, "from") != LUA_TNIL)
        luaL_error(L, "%s: \"%s\" takes no from: only machine files have values to begin with",
                   path, instance->component);
    void *spec = lua_newuserdatauv(L, instance->spec_size, 0);
    param_set_defaults(instance->kind, spec);
    for (size_t i = 0; i < instance->count; i++) {
        const struct param *param = &instance->params[i];
        if (lua_getfield(L, values, param->name) != LUA_TNIL)
            bind_value(L, -1, instance, param, spec, instance->component);
        lua_pop(L, 1);
    }
    lua_getfield(L, values, "description");
    param_instance_describe(instance, lua_tostring(L, -1), spec);
    lua_settop(L, 2);
}

static void read_records(lua_State *L, void *context)
{
    const struct runtimes_call *call = context;
    declare_records(L, call);
    for (guint i = 0; i < call->records->len; i++)
        read_record(L, call->path, g_ptr_array_index(call->records, i));
}

bool runtimes_load(const char *path, GError **error)
{
    static const struct require_table runtimes = {"a table of message libraries and MPIs",
                                                  software_open, read_records};
    struct runtimes_call call = {path, g_ptr_array_new()};
    bool good = require_table(path, &runtimes, &call, error);
    if (good)
        software_records_set(call.records);
    else
        g_ptr_array_unref(call.records);
    return good;
}
