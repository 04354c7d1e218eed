/* SPDX-License-Identifier: BSD-3-Clause */
/* One point of a study: its axis values as the script sees them, its machine, its run, its row. */
#include <lauxlib.h>
#include <string.h>

#include "core/error.h"
#include "script/machine/machine_lua.h"
#include "script/machine/override.h"
#include "script/machine/value_lua.h"
#include "script/sandbox/list.h"
#include "script/sandbox/record.h"
#include "script/sandbox/sandbox.h"
#include "script/sandbox/traces.h"
#include "script/sandbox/unknown.h"
#include "script/study/point.h"
#include "script/study/study_lua.h"
#include "script/study/workload_lua.h"
#include "script/views/settings.h"
#include "study/model/machine.h"
#include "workloads/reach.h"

/* Arguments and results of a call into Lua for one point. */
struct point_call {
    const struct study *study;
    size_t n;
    struct machine *machine;
    struct row *row;
};

/* --- the machine ------------------------------------------------------------------------------ */

static int read_machine(lua_State *L)
{
    struct point_call *call = lua_touserdata(L, 1);
    if (study_push(L, "machine") == LUA_TFUNCTION) {
        script_blame(L);
        study_push_point(L, call->study, &call->study->points[call->n * call->study->axis_count]);
        lua_call(L, 1, 1);
    }
    if (!machine_is(L, -1))
        script_fail(L, "study: the machine function has to return a machine, not a %s",
                    luaL_typename(L, -1));
    machine_read(L, lua_gettop(L), &call->machine);
    return 0;
}

/* The overrides that only this variant has; NULL: none. */
static const char *const *changes_of(const struct study *study, size_t n)
{
    return study->changes ? (const char *const *)study->changes[n] : NULL;
}

struct machine *study_machine(struct study *study, size_t n, GError **error)
{
    struct point_call call = {.study = study, .n = n};
    if (!sandbox_call(study->state, read_machine, &call, ERROR_USE, error) ||
        !override_all(call.machine, (const char *const *)study->state->overrides, error) ||
        !override_all(call.machine, changes_of(study, n), error)) {
        machine_free(call.machine);
        return NULL;
    }
    return call.machine;
}

bool study_has_one_machine(const struct study *study)
{
    return !study->changes && !study->asks_machine;
}

/* --- the row ---------------------------------------------------------------------------------- */

static bool is_column_of(const char *column, const char *name, const struct value *value)
{
    g_autofree char *other = value_column(name, value);
    return strcmp(other, column) == 0;
}

static bool is_column_taken(const struct study *study, const struct row *row, const char *column)
{
    for (size_t i = 0; i < study->axis_count; i++) {
        if (is_column_of(column, study->axes[i].name, &study->axes[i].values[0]))
            return true;
    }
    for (size_t i = 0; i < row->measure_count; i++) {
        if (is_column_of(column, row->measures[i].name, &row->measures[i].value))
            return true;
    }
    return false;
}

/* Refuses the name of a measure if it is "failure", a column of tables, or has a comma, which separates measures in plots. */
static void check_name(lua_State *L, const char *name)
{
    if (*name == '\0' || strcmp(name, "failure") == 0 || strchr(name, ','))
        script_fail(
            L,
            "a measure cannot be called \"%s\": names are not empty, not failure and without commas",
            name);
    if (strlen(name) > STUDY_NAME_MAX)
        script_fail(L, "a measure has a name of more than %d letters", STUDY_NAME_MAX);
}

/* Adds a measure to the row, which takes over the value. A measure may not have an axis's name, since claims would see only one
 * of the two, even if their columns differ by a unit. */
static void add_measure(lua_State *L, const struct point_call *call, const char *name,
                        struct value value)
{
    struct row *row = call->row;
    char *column = value_column(name, &value);
    bool is_axis = study_axis(call->study, name) != NULL;
    bool is_taken = is_axis || is_column_taken(call->study, row, column);
    g_free(column);
    if (is_taken) {
        value_clear(&value);
        script_fail(L, "measure \"%s\" has the name of %s", name,
                    is_axis ? "an axis" : "another column");
    }
    row->measures = g_renew(struct measure, row->measures, row->measure_count + 1);
    row->measures[row->measure_count++] = (struct measure){g_strdup(name), value};
}

static void read_table(lua_State *L, const struct point_call *call)
{
    int table = lua_gettop(L);
    if (list_part(L, table) > 0)
        script_fail(L, "run returned a measure without a name");
    record_sorted_keys(L, table);
    if (list_length(L, table + 1) > STUDY_MEASURES_MAX)
        script_fail(L, "run returned more than %d measures", STUDY_MEASURES_MAX);
    for (lua_Integer i = 1; lua_rawgeti(L, table + 1, i) != LUA_TNIL; i++) {
        struct value value;
        check_name(L, lua_tostring(L, -1));
        lua_pushvalue(L, -1);
        lua_rawget(L, table);
        if (unknown_is(L, -1) && sandbox_of(L)->is_guess) {
            lua_pop(L, 2);
            continue;
        }
        if (!value_read(L, -1, &value))
            script_fail(L, "measure \"%s\" has to be a finite number, a quantity or a text%s%s",
                        lua_tostring(L, -2), lua_isnumber(L, -1) ? "" : ", not a ",
                        lua_isnumber(L, -1)              ? ""
                        : lua_type(L, -1) == LUA_TSTRING ? "text with a byte of 0 in it"
                                                         : luaL_typename(L, -1));
        value_to_quantity(&value);
        add_measure(L, call, lua_tostring(L, -2), value);
        lua_pop(L, 2);
    }
}

static void read_result(lua_State *L, const struct point_call *call)
{
    if (unknown_is(L, -1)) {
        sandbox_of(L)->is_enough = true;
        return;
    }
    const struct workload_result *result = workload_result_at(L, -1);
    for (size_t i = 0; result && i < result->count; i++)
        add_measure(L, call, result->measures[i].name, value_of_measure(&result->measures[i]));
    if (!result && lua_istable(L, -1))
        read_table(L, call);
    else if (!result)
        script_fail(L, "run has to return what a workload gave or a table of measures, not a %s",
                    luaL_typename(L, -1));
    if (call->row->measure_count == 0 && !sandbox_of(L)->is_enough)
        script_fail(L, "run returned no measures");
}

static int run_point(lua_State *L)
{
    const struct point_call *call = lua_touserdata(L, 1);
    study_push(L, "run");
    script_blame(L);
    study_push_point(L, call->study, &call->study->points[call->n * call->study->axis_count]);
    lua_call(L, 1, 1);
    read_result(L, call);
    return 0;
}

static void fail_row(struct row *row, GError *error)
{
    row_fail(row, g_strdup(error->message));
    g_error_free(error);
}

static void note_arguments(struct script_state *state, struct row *row)
{
    settings_add(&row->unread, state->arguments[0]);
    settings_add(&row->read, state->arguments[1]);
}

static void forget_arguments(struct script_state *state)
{
    g_clear_pointer(&state->arguments[0], g_free);
    g_clear_pointer(&state->arguments[1], g_free);
}

/* Notes the parameters of its machine and the arguments of its workloads that the point could read. */
static void note_uses(const struct machine *machine, struct script_state *state, struct row *row)
{
    if (!state->changes || *state->changes)
        note_arguments(state, row);
    settings_note(machine, &state->uses, state->changes && !*state->changes, row);
    if (state->changes && !*state->changes && state->design)
        settings_note_design(state->design, row);
    if (state->uses.count > 0)
        settings_note_defaults(machine, &state->uses, row);
}

struct row *study_run_point(struct study *study, size_t n, const struct machine *machine,
                            uint64_t master_seed)
{
    GError *error = NULL;
    struct row *row = study_new_row(study, n);
    struct point_call call = {.study = study, .n = n, .row = row};
    struct script_state *state = study->state;
    state->machine = machine;
    state->changes = changes_of(study, n);
    state->seed = study_point_seed(study, n, master_seed);
    state->uses = (struct param_use){.count = 0};
    state->patient = NULL;
    state->saving = 0;
    state->stats = state->wants_stats ? g_string_new(NULL) : NULL;
    if (!sandbox_call(state, run_point, &call, ERROR_RUN, &error))
        fail_row(row, error);
    else
        note_uses(machine, state, row);
    forget_arguments(state);
    if (state->stats)
        row->stats = g_string_free(g_steal_pointer(&state->stats), FALSE);
    row->design = g_steal_pointer(&state->design);
    row->patient = state->patient;
    row->saving = state->saving;
    state->machine = NULL;
    state->changes = NULL;
    return row;
}

/* Pushes the functions of the study; its axes hold no value that a script can change. */
static void push_functions(lua_State *L)
{
    lua_createtable(L, 2, 0);
    study_push(L, "machine");
    lua_rawseti(L, -2, 1);
    study_push(L, "run");
    lua_rawseti(L, -2, 2);
}

void study_mark(struct study *study)
{
    traces_mark(study->state, push_functions);
}

bool study_is_near_limit(const struct study *study)
{
    return study->state->budget < SANDBOX_INSTRUCTIONS / 2;
}

bool study_left_nothing(struct study *study)
{
    return traces_are_none(study->state);
}

#define CALL_INSTRUCTIONS 1000 /* a workload's call that runs nothing takes as long as this many */

bool study_rehearse_point(struct study *study, size_t n, const struct machine *machine,
                          struct rehearsal *rehearsal, GError **error)
{
    g_autoptr(GError) cause = NULL;
    struct row *row = study_new_row(study, n);
    struct point_call call = {.study = study, .n = n, .row = row};
    struct script_state *state = study->state;
    state->machine = machine;
    state->is_rehearsal = true;
    state->is_enough = state->is_guess = state->has_skipped = false;
    state->rehearsed = 0;
    state->uses = (struct param_use){.count = 0};
    bool is_done = sandbox_call(state, run_point, &call, ERROR_USE, &cause);
    if (!is_done) { /* what it runs later is unknown */
        reach_of_unknown(&machine->spec, &state->uses);
        g_clear_pointer(&state->arguments[0], g_free);
    }
    settings_note(machine, &state->uses, false, row);
    note_arguments(state, row);
    forget_arguments(state);
    rehearsal->read = g_steal_pointer(&row->read);
    rehearsal->unread = g_steal_pointer(&row->unread);
    state->machine = NULL;
    state->is_rehearsal = false;
    rehearsal->instructions +=
        SANDBOX_INSTRUCTIONS - state->budget + state->rehearsed * CALL_INSTRUCTIONS;
    rehearsal->is_long = rehearsal->instructions > SANDBOX_INSTRUCTIONS;
    rehearsal->is_guess = is_done && (state->is_guess || state->has_skipped);
    rehearsal->row = is_done && !state->is_enough ? row : NULL;
    if (!rehearsal->row)
        row_free(row);
    if (is_done || state->is_enough || state->has_skipped)
        return true;
    g_propagate_error(error, g_steal_pointer(&cause));
    return false;
}

char *study_rehearsed_calls(struct study *study, size_t n, const struct machine *machine)
{
    struct rehearsal rehearsal = {.row = NULL};
    study->state->calls = g_string_new(NULL);
    study_rehearse_point(study, n, machine, &rehearsal, NULL);
    row_free(rehearsal.row);
    g_free(rehearsal.read);
    g_free(rehearsal.unread);
    return g_string_free(g_steal_pointer(&study->state->calls), FALSE);
}

void study_set_stats(struct study *study, bool are_wanted)
{
    study->state->wants_stats = are_wanted;
}

void study_set_memory(struct study *study, const struct workload_memory *memory)
{
    study->state->memory = memory;
}
