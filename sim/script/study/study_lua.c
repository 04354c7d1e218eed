/* SPDX-License-Identifier: BSD-3-Clause */
/* study { title, machine, vary, where, trials, run, plot, claims }. What C needs of it becomes a
 * struct study; what has to be called or handed on as written stays in Lua, in one table of the
 * registry. */
#include "script/study/study_lua.h"

#include <lauxlib.h>
#include <string.h>

#include "script/machine/bind.h"
#include "script/machine/machine_lua.h"
#include "script/machine/value_lua.h"
#include "script/sandbox/library.h"
#include "script/sandbox/sandbox.h"
#include "script/study/groups_lua.h"

#define STUDY "gpunetsim.study"
#define PARTS "gpunetsim.study.parts"

#define TRIALS_MAX 1000000
#define BAND_MAX 10000

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
    lua_rawgeti(L, -1, (lua_Integer)value + 1);
    lua_replace(L, -3);
    lua_pop(L, 1);
}

/* --- the object ---------------------------------------------------------------------------------
 */

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

/* --- the word -----------------------------------------------------------------------------------
 */

/* Pushes a field of the study's table, argument 1, and returns its type. */
static int push_field(lua_State *L, const char *name)
{
    lua_pushstring(L, name);
    return lua_rawget(L, 1);
}

static _Noreturn void fail_field(lua_State *L, const char *name, const char *needed, int type)
{
    if (type == LUA_TNIL)
        script_fail(L, "study: %s is missing; give %s", name, needed);
    script_fail_at(L, &name, 1, "study: %s has to be %s, not a %s", name, needed,
                   lua_typename(L, type));
}

/* A whole number of at least `low`, which may be missing: then 0. */
static lua_Integer read_count(lua_State *L, const char *name, const char *verb, const char *what,
                              int low, int high)
{
    int type = push_field(L, name);
    const char *needed = lua_pushfstring(L, "a whole number%s%s", *what ? " of" : "", what);
    lua_insert(L, -2);
    if (type != LUA_TNIL && !lua_isinteger(L, -1))
        fail_field(L, name, needed, type);
    lua_Integer count = type == LUA_TNIL ? 0 : lua_tointeger(L, -1);
    if (type != LUA_TNIL && (count < low || count > high))
        script_fail(L, "study: %s %s %d to %d%s", name, verb, low, high, what);
    lua_pop(L, 2);
    return count;
}

static void read_title(lua_State *L, struct study *study)
{
    int type = push_field(L, "title");
    if (type != LUA_TSTRING)
        fail_field(L, "title", "a text", type);
    study->title = sandbox_copy_text(L, -1);
    lua_pop(L, 1);
}

static void read_functions(lua_State *L)
{
    int type = push_field(L, "machine");
    if (type != LUA_TFUNCTION && !machine_is(L, -1))
        fail_field(L, "machine", "a machine or a function that makes one", type);
    study_keep(L, "machine");
    type = push_field(L, "run");
    if (type != LUA_TFUNCTION)
        fail_field(L, "run", "a function", type);
    study_keep(L, "run");
}

/* `where` and `trials`, which may be missing. */
static void read_choice(lua_State *L, struct study *study)
{
    int type = push_field(L, "where");
    if (type != LUA_TNIL && type != LUA_TFUNCTION)
        fail_field(L, "where", "a function of the point", type);
    study_keep(L, "where");
    lua_Integer trials = read_count(L, "trials", "are", "", 1, TRIALS_MAX);
    if (trials > 0)
        study_add_trials(L, study, trials);
}

/* `long`, which may be missing. */
static void read_long(lua_State *L, struct study *study)
{
    int type = push_field(L, "long");
    if (type != LUA_TNIL && type != LUA_TBOOLEAN)
        fail_field(L, "long", "true or false", type);
    study->is_long = lua_toboolean(L, -1);
    lua_pop(L, 1);
}

static void read_tables(lua_State *L, struct study *study)
{
    static const struct {
        const char *name;
        void (*read)(lua_State *L, struct study *study);
    } tables[] = {
        {"vary", study_read_axes}, {"plot", study_read_plots}, {"claims", study_read_claims}};
    for (size_t i = 0; i < G_N_ELEMENTS(tables); i++) {
        int type = push_field(L, tables[i].name);
        bool is_group = tables[i].read == study_read_axes && groups_list_alone(L);
        if (type == LUA_TTABLE || is_group)
            tables[i].read(L, study);
        else if (type != LUA_TNIL || tables[i].read == study_read_axes)
            fail_field(L, tables[i].name, "a table", type);
        else
            lua_pop(L, 1);
        if (tables[i].read == study_read_axes)
            read_choice(L, study); /* plots may name the trials */
    }
}

static int study_word(lua_State *L)
{
    static const char *const names[] = {"title", "machine", "vary", "where",    "trials", "run",
                                        "plot",  "claims",  "band", "measured", "long"};
    if (!lua_istable(L, 1))
        script_fail(L, "study needs a table { ... }, not a %s", luaL_typename(L, 1));
    lua_settop(L, 1);
    if (lua_getfield(L, LUA_REGISTRYINDEX, PARTS) != LUA_TNIL)
        script_fail(L, "a file describes one study");
    lua_settop(L, 1);
    bind_check_keys(L, 1, names, G_N_ELEMENTS(names), "study", NULL);
    struct study *study = push_study(L);
    read_title(L, study);
    read_functions(L);
    read_tables(L, study);
    study->band_samples = (size_t)read_count(L, "band", "has", " samples", 2, BAND_MAX);
    read_long(L, study);
    if (push_field(L, "measured") != LUA_TNIL)
        study_read_measured(L, study);
    else
        lua_pop(L, 1);
    return 1;
}

void study_open(lua_State *L)
{
    lua_pushcfunction(L, study_word);
    library_add_builtin(L, "study");
}
