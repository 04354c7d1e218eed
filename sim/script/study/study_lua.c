/* SPDX-License-Identifier: BSD-3-Clause */
/* study { title, machine, vary, where, trials, run, plot, claims, conclude }. The data that C needs become a struct study;
 * functions, and values that are passed on as written, stay in Lua, in one table of the registry. */
#include "script/study/study_lua.h"

#include <lauxlib.h>

#include "script/sandbox/library.h"
#include "script/sandbox/modules.h"
#include "script/sandbox/sandbox.h"
#include "script/values/values.h"
#include "script/views/measured.h"

#define STUDY "gpunetsim.study"
#define PARTS "gpunetsim.study.parts"

int study_push(lua_State *L, const char *part)
{
    lua_getfield(L, LUA_REGISTRYINDEX, PARTS);
    int type = lua_getfield(L, -1, part);
    lua_remove(L, -2);
    return type;
}

void study_keep(lua_State *L, const char *name)
{
    luaL_getsubtable(L, LUA_REGISTRYINDEX, PARTS);
    lua_insert(L, -2);
    lua_setfield(L, -2, name);
    lua_pop(L, 1);
}

void study_push_value(lua_State *L, size_t axis, size_t value)
{
    study_push(L, "axes");
    lua_rawgeti(L, -1, (lua_Integer)axis + 1);
    lua_getfield(L, -1, "values");
    lua_rawgeti(L, -1, (lua_Integer)value + 1);
    lua_replace(L, -4);
    lua_pop(L, 2);
}

/* --- the object ------------------------------------------------------------------------------- */

struct study *study_take(lua_State *L, int index)
{
    struct study **holder = luaL_testudata(L, index, STUDY);
    struct study *study = holder ? *holder : NULL;
    if (holder)
        *holder = NULL;
    return study;
}

static int collect(lua_State *L)
{
    struct study *study = study_take(L, 1);
    if (study)
        study_clear(study);
    return 0;
}

static struct study *push_study(lua_State *L)
{
    static const luaL_Reg methods[] = {{"__gc", collect}, {NULL, NULL}};
    struct study **holder = lua_newuserdatauv(L, sizeof(struct study *), 0);
    *holder = NULL;
    library_set_metatable(L, STUDY, methods);
    *holder = g_new0(struct study, 1);
    return *holder;
}

/* --- the word --------------------------------------------------------------------------------- */

/* Keeps a field of the table on top of the stack as the part of that name. Returns whether it is a function. */
static bool keep_field(lua_State *L, const char *name)
{
    int type = lua_getfield(L, -1, name);
    study_keep(L, name);
    return type == LUA_TFUNCTION;
}

/* Reads the tables of the table on top of the stack: the axes first, since the others name them. */
static void read_tables(lua_State *L, struct study *study)
{
    GError *error = NULL;
    lua_Integer trials = lua_integer_field(L, -1, "trials");
    lua_getfield(L, -1, "vary");
    study_read_axes(L, study, trials);
    modules_call(L, "study", "tables", 1);
    tables_variant(L, &study->tables);
    if (!measured_check(study, &error)) {
        lua_pushstring(L, error->message);
        g_error_free(error);
        lua_error(L);
    }
}

static int study_word(lua_State *L)
{
    if (!lua_istable(L, 1))
        script_fail(L, "study needs a table { ... }, not a %s", luaL_typename(L, 1));
    lua_settop(L, 1);
    if (lua_getfield(L, LUA_REGISTRYINDEX, PARTS) != LUA_TNIL)
        script_fail(L, "a file describes one study");
    lua_settop(L, 1);
    struct study *study = push_study(L);
    lua_insert(L, 1);
    modules_call(L, "study", "read", 1);
    lua_getfield(L, -1, "title");
    study->title = sandbox_copy_text(L, -1);
    lua_pop(L, 1);
    study->is_long = lua_flag_field(L, -1, "long");
    study->band_samples = (size_t)lua_integer_field(L, -1, "band");
    study->asks_machine = keep_field(L, "machine");
    keep_field(L, "run");
    study->asks_where = keep_field(L, "where");
    keep_field(L, "conclude");
    read_tables(L, study);
    lua_settop(L, 1);
    return 1;
}

void study_open(lua_State *L)
{
    tables_open(L);
    lua_pushcfunction(L, study_word);
    library_add_builtin(L, "study");
}
