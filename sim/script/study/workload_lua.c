/* SPDX-License-Identifier: BSD-3-Clause */
/* get_latency { design = "dgpu", bytes = "8B" } runs the workload of that name on the machine of
 * the point at work. The result has a field for each measure under its column's name, a number
 * (r.latency_us), and under the measure's own name the exact quantity as text (r.latency). */
#include "script/study/workload_lua.h"

#include <glib.h>
#include <lauxlib.h>
#include <string.h>

#include "core/error.h"
#include "core/json.h"
#include "script/machine/bind.h"
#include "script/machine/override.h"
#include "script/machine/value_lua.h"
#include "script/sandbox/library.h"
#include "script/sandbox/record.h"
#include "script/sandbox/sandbox.h"
#include "script/sandbox/unknown.h"
#include "script/sandbox/watchdog.h"
#include "script/views/settings.h"
#include "study/model/machine.h"
#include "workloads/reach.h"
#include "workloads/workloads.h"

#define RESULT "gpunetsim.result"
/* The steps of two windows, each as long as the longest of any workload (workloads/patterns/steady_stop.h). */
#define TOLERANCE_STEPS 16
#define MOST_REHEARSED 1000 /* calls of workloads by a rehearsed point: more would delay the run */

const struct workload_result *workload_result_at(lua_State *L, int index)
{
    return luaL_testudata(L, index, RESULT);
}

/* Pushes a table of all fields of a result. */
static void push_fields(lua_State *L, const struct workload_result *result)
{
    lua_newtable(L);
    for (size_t i = 0; i < result->count; i++) {
        struct value value = value_of_measure(&result->measures[i]);
        value_set_fields(L, result->measures[i].name, &value);
        value_clear(&value);
    }
}

static int result_index(lua_State *L)
{
    const struct workload_result *result = luaL_checkudata(L, 1, RESULT);
    push_fields(L, result);
    lua_pushvalue(L, 2);
    if (lua_rawget(L, 3) != LUA_TNIL)
        return 1;
    record_sorted_keys(L, 3);
    record_unknown(L, "measure", lua_isstring(L, 2) ? lua_tostring(L, 2) : luaL_typename(L, 2),
                   "the result");
}

static int result_newindex(lua_State *L)
{
    script_fail(L, "a result cannot be changed");
}

static int result_pairs(lua_State *L)
{
    push_fields(L, luaL_checkudata(L, 1, RESULT));
    return library_pairs(L, -1);
}

/* The arguments as read, including defaults, as JSON. The caller frees them with g_free. */
static char *arguments_json(const struct param_table *table, const void *spec)
{
    struct json json = {.text = g_string_new(NULL)};
    json_begin_object(&json, NULL);
    for (size_t i = 0; i < table->count; i++) {
        char text[PARAM_TEXT_SIZE];
        json_text(&json, table->params[i].name, param_format_whole(&table->params[i], spec, text));
    }
    json_end_object(&json);
    return g_string_free(json.text, FALSE);
}

/* The steps that a run has simulated although it could have ended early: its tolerance is 0. Else 0. */
static int64_t patient_steps(const struct workload *workload, const void *spec,
                             const struct workload_result *result)
{
    const struct param *tolerance = param_find(workload->params, "tolerance");
    if (!tolerance || *(const double *)(const void *)((const char *)spec + tolerance->offset) > 0)
        return 0;
    for (size_t i = 0; i < result->count; i++) {
        const struct workload_measure *measure = &result->measures[i];
        if (strcmp(measure->name, "iterations_run") == 0 || strcmp(measure->name, "steps_run") == 0)
            return measure->quantity;
    }
    return 0;
}

/* Notes how much time a tolerance may save, for a hint to the user (views/progress.lua). */
static void note_patience(struct script_state *state, const struct workload *workload,
                          const void *spec, const struct workload_result *result)
{
    int64_t steps = patient_steps(workload, spec, result);
    double saving = steps > 0 ? 1 - (double)TOLERANCE_STEPS / (double)steps : 0;
    if (saving <= state->saving)
        return;
    state->patient = workload->name;
    state->saving = saving;
}

static bool run(lua_State *L, const struct workload *workload, const void *spec,
                struct workload_result *result, GError **error)
{
    struct script_state *state = sandbox_of(L);
    result->stats = state->stats;
    watchdog_pause();
    bool is_good = workload_run(workload, &state->machine->spec, spec, state->seed, result, error);
    watchdog_resume();
    result->stats = NULL;
    if (is_good)
        note_patience(state, workload, spec, result);
    if (state->stats)
        g_string_append_c(state->stats, '\n'); /* the call's end */
    return is_good;
}

/* Looks for the result in the memory first, and stores a new result there. */
static bool run_with_memory(lua_State *L, const struct workload *workload, const void *spec,
                            struct workload_result *result, GError **error)
{
    const struct script_state *state = sandbox_of(L);
    const struct workload_memory *memory = state->memory;
    g_autofree char *machine = machine_json(state->machine);
    g_autofree char *arguments = arguments_json(workload->params, spec);
    struct workload_call call = {.workload = workload->name,
                                 .machine = machine,
                                 .arguments = arguments,
                                 .seed = state->seed};
    bool is_known = memory->recall(memory->context, &call, result);
    bool is_simulated = !is_known && !memory->is_all;
    bool is_good = is_known || (is_simulated && run(L, workload, spec, result, error));
    if (!is_known && !is_simulated)
        error_set(error, "the result of %s is not known", workload->name);
    if (is_good && !is_known)
        memory->keep(memory->context, &call, result);
    return is_good;
}

/* --- the word --------------------------------------------------------------------------------- */

/* Applies the overrides to a workload's design, and checks that the workload accepts it. */
void workload_settle_design(lua_State *L, bool (*accepts)(const struct design *, GError **),
                            struct design *design)
{
    GError *error = NULL;
    const char *const *overrides = (const char *const *)sandbox_of(L)->overrides;
    if (!override_design(design, overrides, &error) ||
        !override_design(design, sandbox_of(L)->changes, &error) || !accepts(design, &error))
        script_fail_error(L, error);
    g_free(sandbox_of(L)->design);
    sandbox_of(L)->design = g_memdup2(design, sizeof *design);
}

struct workload_result *workload_push_result(lua_State *L)
{
    static const luaL_Reg methods[] = {{"__index", result_index},
                                       {"__newindex", result_newindex},
                                       {"__pairs", result_pairs},
                                       {NULL, NULL}};
    struct workload_result *result = lua_newuserdatauv(L, sizeof *result, 0);
    memset(result, 0, sizeof *result);
    library_set_metatable(L, RESULT, methods);
    return result;
}

struct arguments {
    struct script_state *state;
    const char *workload;
};

static void note_argument(const char *name, bool is_read, void *argument)
{
    const struct arguments *arguments = argument;
    g_autofree char *path = g_strconcat(arguments->workload, ".", name, NULL);
    settings_add(&arguments->state->arguments[is_read], path);
}

static int workload_word(lua_State *L)
{
    const struct workload *workload = lua_touserdata(L, lua_upvalueindex(1));
    struct script_state *state = sandbox_of(L);
    if (!state->machine)
        script_fail(L, "%s can be called only inside the run function of a study", workload->name);
    script_refuse_in_party(L, workload->name);
    lua_settop(L, 1);
    GError *error = NULL;
    if (!workload_load(workload, &error))
        script_fail_error(L, error);
    void *spec = lua_newuserdatauv(L, workload->params->spec_size, 0);
    bind_table(L, 1, workload->params, spec);
    const struct param *param = param_find(workload->params, "design");
    if (workload->accepts && param)
        workload_settle_design(L, workload->accepts,
                               (struct design *)(void *)((char *)spec + param->offset));
    workload_note_arguments(workload, spec, note_argument,
                            &(struct arguments){state, workload->name});
    if (state->is_rehearsal) {
        if (++state->rehearsed > MOST_REHEARSED)
            unknown_leave(L);
        if (state->calls) {
            g_autofree char *arguments = arguments_json(workload->params, spec);
            g_string_append_printf(state->calls, "%s\t%s\n", workload->name, arguments);
        }
        reach_of_workload(&state->machine->spec, workload, spec, &state->uses);
        unknown_push(L);
        return 1;
    }
    struct workload_result *result = workload_push_result(L);
    bool is_good = state->memory && !state->stats
                       ? run_with_memory(L, workload, spec, result, &error)
                       : run(L, workload, spec, result, &error);
    if (!is_good)
        script_fail_error(L, error);
    param_use_join(&state->uses, &result->uses);
    return 1;
}

void workload_open(lua_State *L)
{
    for (const struct workload *const *workload = workloads; *workload; workload++) {
        lua_pushlightuserdata(L, (void *)(uintptr_t)*workload);
        lua_pushcclosure(L, workload_word, 1);
        library_add_builtin(L, (*workload)->name);
    }
}
