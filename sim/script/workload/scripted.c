/* SPDX-License-Identifier: BSD-3-Clause */
#include "script/workload/scripted.h"

#include <lualib.h>

#include "core/error.h"
#include "core/home.h"
#include "script/sandbox/modules.h"
#include "script/values/values.h"
#include "script/workload/scripted_parts.h"

struct scripted *scripted_of(lua_State *L)
{
    return (struct scripted *)(void *)sandbox_of(L);
}

int scripted_fail(lua_State *L)
{
    lua_pushstring(L, scripted_of(L)->error->message);
    return lua_error(L);
}

const struct design *scripted_design(const struct scripted *run)
{
    const struct param *param = param_find(run->workload->params, "design");
    return param != NULL ? (const void *)((const char *)run->spec + param->offset) : NULL;
}

void scripted_set_methods(lua_State *L, const char *type, const luaL_Reg *methods)
{
    if (luaL_newmetatable(L, type)) {
        luaL_setfuncs(L, methods, 0);
        lua_pushvalue(L, -1);
        lua_setfield(L, -2, "__index");
    }
    lua_setmetatable(L, -2);
}

void scripted_call(struct scripted *run, int function, scripted_push *push, void *argument)
{
    lua_State *L = lua_newthread(run->L);
    int thread = luaL_ref(run->L, LUA_REGISTRYINDEX);
    lua_rawgeti(L, LUA_REGISTRYINDEX, function);
    if (lua_pcall(L, push(L, argument), 0, 0) != LUA_OK)
        sim_fail(run->sim, "%s", lua_tostring(L, -1));
    luaL_unref(run->L, LUA_REGISTRYINDEX, thread);
}

/* run.refuse(sentence) */
static int refuse(lua_State *L)
{
    error_set(&scripted_of(L)->error, "%s", luaL_checkstring(L, 1));
    return scripted_fail(L);
}

struct machine_component scripted_component(lua_State *L, const struct machine_spec *machine,
                                            const struct param **param)
{
    const char *component = luaL_checkstring(L, 1), *name = luaL_checkstring(L, 2);
    for (size_t i = 0; i < machine_component_count(machine); i++) {
        struct machine_component found = machine_component(machine, i);
        *param = param_find(found.table, name);
        if (g_strcmp0(found.table->component, component) == 0 && *param != NULL)
            return found;
    }
    luaL_error(L, "there is no %s.%s", component, name);
    return (struct machine_component){NULL, 0};
}

/* run.value(component, parameter): the machine's value, which has to be the same for all nodes. */
static int value(lua_State *L)
{
    struct scripted *run = scripted_of(L);
    const struct param *param;
    struct machine_component component = scripted_component(L, run->machine, &param);
    if (!machine_kinds_share(run->machine, component.table, param->name, run->workload->name,
                             &run->error))
        return scripted_fail(L);
    scripted_push_value(L, param, (const char *)run->machine + component.offset);
    return 1;
}

/* run.design(): the design as a user would write it. */
static int design(lua_State *L)
{
    char text[PARAM_TEXT_SIZE];
    lua_pushstring(L, design_text(scripted_design(scripted_of(L)), text));
    return 1;
}

/* Sets a parameter in the spec from the value at a stack index: a text, or a number in base units. */
static bool set_value(lua_State *L, const struct param *param, void *spec, int index)
{
    struct scripted *run = scripted_of(L);
    const struct param_table *table = run->workload->params;
    return lua_type(L, index) == LUA_TNUMBER
               ? param_set_number(table, param, spec, lua_tonumber(L, index), &run->error)
               : param_set_text(table, param, spec, luaL_checkstring(L, index), &run->error);
}

/* run.trial { name = value, ... }: runs the same workload with these values of its parameters, unheard by observers; returns its
 * first measure. */
static int trial(lua_State *L)
{
    struct scripted *run = scripted_of(L);
    const struct param_table *table = run->workload->params;
    struct machine_spec *unheard = lua_newuserdatauv(L, sizeof *unheard, 0);
    struct workload_result *result = lua_newuserdatauv(L, sizeof *result, 0);
    void *spec = lua_newuserdatauv(L, table->spec_size, 0);
    *unheard = *run->machine;
    unheard->listener = NULL;
    *result = (struct workload_result){.count = 0};
    memcpy(spec, run->spec, table->spec_size);
    for (lua_pushnil(L); lua_next(L, 1); lua_pop(L, 1))
        if (!set_value(L, param_find(table, lua_tostring(L, -2)), spec, -1))
            return scripted_fail(L);
    if (!scripted_run(run->workload, unheard, spec, run->seed, result, &run->error))
        return scripted_fail(L);
    lua_pushinteger(L, result->measures[0].quantity);
    return 1;
}

/* run.settle(name, value): the value of a parameter that a file with `settles = true` has chosen. It is called before a world is
 * made; all runs of a point have the value that the first call has chosen. */
static int settle(lua_State *L)
{
    struct scripted *run = scripted_of(L);
    if (run->settled == NULL)
        return 0;
    run->is_settled = true;
    set_value(L, param_find(run->workload->params, luaL_checkstring(L, 1)), run->settled, 2);
    return lua_error(L);
}

/* require(name): what the project's file of that name returns, such as "benchmarks.parts.trees". */
static int require(lua_State *L)
{
    char *file = g_strdelimit(g_strdup(luaL_checkstring(L, 1)), ".", '/');
    lua_push_owned(L, file);
    lua_pushfstring(L, "%s.lua", lua_tostring(L, -1));
    char *path = home_path(lua_tostring(L, -1), &scripted_of(L)->error);
    if (path == NULL)
        return scripted_fail(L);
    lua_push_owned(L, path);
    if (!compiled_load(L, lua_tostring(L, -1), lua_tostring(L, -1)))
        return lua_error(L);
    lua_call(L, 0, 1);
    return 1;
}

/* Runs the file whose path is the argument. */
static int run_file(lua_State *L)
{
    static const luaL_Reg functions[] = {{"refuse", refuse}, {"value", value},   {"design", design},
                                         {"trial", trial},   {"settle", settle}, {NULL, NULL}};
    const char *path = lua_touserdata(L, 1);
    luaL_requiref(L, LUA_GNAME, luaopen_base, 1);
    luaL_requiref(L, LUA_MATHLIBNAME, luaopen_math, 1);
    luaL_requiref(L, LUA_STRLIBNAME, luaopen_string, 1);
    luaL_requiref(L, LUA_TABLIBNAME, luaopen_table, 1);
    luaL_newlib(L, functions);
    luaL_setfuncs(L, scripted_world_functions, 0);
    scripted_open_measures(L);
    luaL_setfuncs(L, scripted_probe_functions, 0);
    lua_setglobal(L, "run");
    lua_register(L, "workload", scripted_workload);
    lua_register(L, "require", require);
    lua_settop(L, 0);
    const char *name = lua_pushfstring(L, "@%s", path);
    if (!compiled_load(L, path, name))
        return lua_error(L);
    lua_call(L, 0, 0);
    return 0;
}

bool scripted_run_file(struct scripted *run, const char *path)
{
    lua_State *L = run->L;
    run->state = (struct script_state){.lua = L, .files = g_ptr_array_new()};
    *(struct script_state **)lua_getextraspace(L) = &run->state;
    lua_pushcfunction(L, run_file);
    lua_pushlightuserdata(L, (void *)(uintptr_t)path);
    bool good = lua_pcall(L, 1, 0, 0) == LUA_OK;
    g_ptr_array_unref(run->state.files);
    return good;
}

static bool run_path(struct scripted *run, const char *path, GError **error)
{
    bool good = scripted_run_file(run, path);
    if (run->error != NULL)
        g_propagate_error(error, run->error);
    else if (!good && !run->is_settled)
        error_set_code(error, ERROR_RUN, "%s", lua_tostring(run->L, -1));
    scripted_probe_end(run);
    world_free(run->world);
    g_free(run->machine_used);
    g_free(run->places);
    return good || (run->is_settled && run->error == NULL);
}

char *scripted_path(const struct workload *workload, GError **error)
{
    g_autofree char *name =
        g_strconcat("benchmarks/parts/workloads/", workload->name, ".lua", NULL);
    return home_path(name, error);
}

/* Runs the file with what the caller has set of the run. */
static bool run_workload(struct scripted *run, GError **error)
{
    g_autofree char *path = scripted_path(run->workload, error);
    if (path == NULL)
        return false;
    run->L = luaL_newstate();
    signal_init(&run->meeting);
    bool good = run_path(run, path, error);
    lua_close(run->L);
    return good;
}

bool scripted_run(const struct workload *workload, const struct machine_spec *machine,
                  const void *spec, uint64_t seed, struct workload_result *result, GError **error)
{
    struct scripted run = {
        .workload = workload, .machine = machine, .spec = spec, .seed = seed, .result = result};
    return run_workload(&run, error);
}

bool scripted_settle(const struct workload *workload, const struct machine_spec *machine,
                     void *spec, uint64_t seed, GError **error)
{
    g_autofree void *given = g_memdup2(spec, workload->params->spec_size);
    struct scripted run = {
        .workload = workload, .machine = machine, .spec = given, .seed = seed, .settled = spec};
    return run_workload(&run, error);
}
