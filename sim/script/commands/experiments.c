/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of `program`: runs of studies, and the claims that they answer. */
#include <lauxlib.h>
#include <string.h>

#include "core/home.h"
#include "script/commands/session.h"
#include "script/searches/vary_lua.h"
#include "script/study/point.h"
#include "script/values/values.h"
#include "script/views/measured.h"
#include "script/views/views.h"
#include "study/experiment.h"

/* Takes the study over and pushes its experiment, with rows of runner_run or runner_recall. */
static int push_experiment(lua_State *L, struct row **rows)
{
    struct experiment *experiment = experiment_new(session_steal(L, 1), rows);
    if (experiment)
        session_push_object(L, experiment, (GDestroyNotify)experiment_free);
    return 1;
}

/* recall(study): takes the study over and reads its points from the store. The experiment is to be finished like one that is run. */
static int recall(lua_State *L, GError **error)
{
    struct session *session = session_of(L);
    return push_experiment(L, runner_recall(session_object(L, 1), &session->resolved, error));
}

/* run(study, keeps_rows): takes the study over and runs it. With `keeps_rows` an interrupt is no error: the rows so far are kept. */
static int run(lua_State *L, GError **error)
{
    struct session *session = session_of(L);
    session->resolved.was_interrupted = lua_toboolean(L, 2) ? &session->was_interrupted : NULL;
    return push_experiment(L, runner_run(session_object(L, 1), &session->resolved, error));
}

/* finish(experiment): makes its table, with measured values; returns whether it was interrupted. */
static int finish(lua_State *L, GError **error)
{
    experiment_finish(session_object(L, 1), error);
    lua_pushboolean(L, session_of(L)->was_interrupted);
    return 1;
}

/* point_rows(experiment): the rows of all points, before it is finished (vary_lua.h); nil if one is missing. */
static int point_rows(lua_State *L)
{
    const struct experiment *experiment = session_object(L, 1);
    lua_createtable(L, (int)experiment->row_count, 0);
    for (size_t i = 0; i < experiment->row_count; i++) {
        if (!experiment->rows[i])
            return 0;
        vary_lua_push_row(L, experiment->rows[i], false);
        lua_seti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

/* help(study): runs points for another process, which keeps their rows. */
static int help(lua_State *L, GError **error)
{
    g_free(runner_run(session_object(L, 1), &session_of(L)->resolved, error));
    return 0;
}

/* set_samples(study, count): how many samples of estimated values its points get. */
static int set_samples(lua_State *L)
{
    ((struct study *)session_object(L, 1))->band_samples = (size_t)luaL_checkinteger(L, 2);
    return 0;
}

/* study_of(experiment) */
static int study_of(lua_State *L)
{
    session_push_part(L, ((struct experiment *)session_object(L, 1))->study);
    return 1;
}

/* results(experiment): how many points have a row, and how many failed; its texts on measurements and on all results; a sentence
 * if its function `conclude` fails. */
static int results(lua_State *L)
{
    const struct experiment *experiment = session_object(L, 1);
    lua_newtable(L);
    lua_set_integer(L, "points", (lua_Integer)experiment->row_count);
    lua_set_integer(L, "failed", (lua_Integer)experiment->failed);
    lua_set_text(L, "measured", experiment->measured);
    lua_set_text(L, "conclusion", experiment->conclusion);
    lua_set_text(L, "conclusion_failure", experiment->conclusion_failure);
    return 1;
}

/* plots(study) */
static int plots(lua_State *L)
{
    const struct study *study = session_object(L, 1);
    lua_createtable(L, (int)study->plot_count, 0);
    for (size_t i = 0; i < study->plot_count; i++) {
        views_push_value(L, study->plots[i]);
        lua_append(L);
    }
    return 1;
}

/* table(experiment): the table of all its points, for views/results.lua. */
static int table_of(lua_State *L)
{
    return session_push_value(L, views_table(((struct experiment *)session_object(L, 1))->table));
}

/* row(experiment, number): the texts of a point's values on the axes, and its name; the reason of its failure; lines of
 * workload_observe; lists of paths: set and read, set and not read, read with defaults, read with given values. */
static int row_of(lua_State *L)
{
    const struct experiment *experiment = session_object(L, 1);
    const struct study *study = experiment->study;
    const struct row *row = experiment->rows[luaL_checkinteger(L, 2) - 1];
    lua_newtable(L);
    for (size_t i = 0; i < study->axis_count; i++)
        lua_append_text(L, study->axes[i].values[row->axis_index[i]].text);
    lua_push_owned(L, experiment_point_text(study, row));
    lua_setfield(L, -2, "point");
    lua_set_text(L, "failure", row->failure);
    lua_set_text(L, "stats", row->stats);
    lua_set_text(L, "read", row->read);
    lua_set_text(L, "unread", row->unread);
    lua_set_text(L, "defaults", row->read_defaults);
    lua_set_text(L, "given", row->read_given);
    return 1;
}

/* marks(experiment, number): the published values of a plot. */
static int marks(lua_State *L, GError **error)
{
    const struct experiment *experiment = session_object(L, 1);
    GVariant *marks = study_plot_marks(experiment->study, (size_t)luaL_checkinteger(L, 2) - 1,
                                       experiment->rows, experiment->row_count, error);
    return marks ? session_push_value(L, marks) : 0;
}

/* measured(experiment): its study, its points and its files of measurements, for views/measured.lua. */
static int measured(lua_State *L)
{
    const struct experiment *experiment = session_object(L, 1);
    const struct study *study = experiment->study;
    return measured_push(L, study, study->measured, study->measured_count, experiment->rows,
                         experiment->row_count);
}

/* Adds the costs of a run of the study's points, or of the listed samples. */
static bool add_costs(lua_State *L, struct runner_costs *costs, GError **error)
{
    struct study *study = session_object(L, 1);
    struct runner_options options = session_of(L)->resolved;
    options.costs = costs;
    if (lua_isnoneornil(L, 2)) {
        struct row **rows = runner_run(study, &options, error);
        for (size_t i = 0; rows && i < study->point_count; i++)
            row_free(rows[i]);
        g_free(rows);
        return rows;
    }
    struct variants *samples = session_object(L, 2);
    samples->options.costs = costs;
    g_autoptr(GPtrArray) rows = variants_run(samples, false, error);
    return rows;
}

/* costs(study, samples): the costs of a run of its samples (nil: of its points), the fields of struct runner_costs; the number
 * of workers; and whether the run is a shard. */
static int costs(lua_State *L, GError **error)
{
    struct runner_costs costs = {.points = 0};
    const struct runner_options *options = &session_of(L)->resolved;
    if (!add_costs(L, &costs, error))
        g_clear_pointer(&costs.failure, g_free);
    lua_newtable(L);
    lua_set_integer(L, "points", (lua_Integer)costs.points);
    lua_set_integer(L, "known", (lua_Integer)costs.known);
    lua_set_integer(L, "queued", (lua_Integer)costs.queued);
    lua_set_integer(L, "tried", (lua_Integer)costs.tried);
    lua_set_integer(L, "unfinished", (lua_Integer)costs.unfinished);
    lua_set_integer(L, "memory_bytes", (lua_Integer)costs.memory_bytes);
    lua_set_integer(L, "workers", options->workers);
    lua_set_flag(L, "is_shard", options->shards > 0);
    lua_set_number(L, "queued_s", costs.queued_s);
    lua_push_owned(L, costs.failure);
    lua_setfield(L, -2, "failure");
    return 1;
}

/* --- claims ------------------------------------------------------------------------------------- */

/* evaluate(experiment, claim, samples): the study's answer to a claim, from its results or, if `samples` is not nil, from their
 * rows, one for each point; nil and a sentence if the claim cannot be evaluated. */
static int evaluate(lua_State *L)
{
    const struct experiment *experiment = session_object(L, 1);
    struct study *study = experiment->study;
    const char *claim = luaL_checkstring(L, 2);
    size_t count = lua_istable(L, 3) ? (size_t)lua_rawlen(L, 3) : 0;
    g_autofree struct row **samples = g_new0(struct row *, count);
    g_autoptr(GError) fault = NULL;
    for (size_t i = 0; i < count; i++) {
        lua_geti(L, 3, (lua_Integer)i + 1);
        samples[i] = vary_lua_row(L, -1);
        lua_pop(L, 1);
    }
    g_autoptr(GVariant) answer =
        study_evaluate_claim(study, claim, count ? samples : experiment->rows,
                             count ? count : experiment->row_count, &fault);
    if (answer)
        views_push_value(L, answer);
    else
        lua_pushnil(L);
    lua_pushstring(L, fault ? fault->message : NULL);
    return 2;
}

const struct session_function session_experiments[] = {{"recall", recall, NULL},
                                                       {"run", run, NULL},
                                                       {"finish", finish, NULL},
                                                       {"point_rows", NULL, point_rows},
                                                       {"plots", NULL, plots},
                                                       {"help", help, NULL},
                                                       {"set_samples", NULL, set_samples},
                                                       {"study_of", NULL, study_of},
                                                       {"results", NULL, results},
                                                       {"table", NULL, table_of},
                                                       {"row", NULL, row_of},
                                                       {"marks", marks, NULL},
                                                       {"measured", NULL, measured},
                                                       {"costs", costs, NULL},
                                                       {"evaluate", NULL, evaluate},
                                                       {NULL, NULL, NULL}};
