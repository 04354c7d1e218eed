/* SPDX-License-Identifier: BSD-3-Clause */
/* Of `program`: studies that are run, and the claims that they answer. */
#include <lauxlib.h>
#include <string.h>

#include "core/home.h"
#include "script/commands/session.h"
#include "script/searches/vary_lua.h"
#include "script/study/point.h"
#include "script/views/core_lua.h"
#include "script/views/views.h"
#include "study/experiment.h"
#include "study/store/sqlite_export.h"

static int push_experiment(lua_State *L, struct experiment *experiment)
{
    if (experiment)
        session_push_object(L, experiment, (GDestroyNotify)experiment_free);
    return 1;
}

/* recall(study): takes the study over; its points that the store has. It is to be finished, as one that is run. */
static int recall(lua_State *L, GError **error)
{
    struct session *session = session_of(L);
    return push_experiment(L, experiment_recall(session_steal(L, 1), &session->resolved, error));
}

/* run(study, keeps_rows): takes the study over, and runs it; an interrupt is no error if it keeps the rows so far then. */
static int run(lua_State *L, GError **error)
{
    struct session *session = session_of(L);
    session->resolved.was_interrupted = lua_toboolean(L, 2) ? &session->was_interrupted : NULL;
    return push_experiment(L, experiment_run(session_steal(L, 1), &session->resolved, error));
}

/* finish(experiment): its table, of what was measured, too; whether it was interrupted. */
static int finish(lua_State *L, GError **error)
{
    experiment_finish(session_object(L, 1), error);
    lua_pushboolean(L, session_of(L)->was_interrupted);
    return 1;
}

/* point_rows(experiment): of all points, before it is finished (vary_lua.h); nil if one is missing. */
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

/* set_band(study, plot, low, high, of): the columns of a plot's band, and what it is. */
static int set_band(lua_State *L)
{
    const struct study *study = session_object(L, 1);
    GVariant **plot = &study->plots[luaL_checkinteger(L, 2) - 1];
    fields_set_text(plot, "band_low", luaL_checkstring(L, 3));
    fields_set_text(plot, "band_high", luaL_checkstring(L, 4));
    fields_set_text(plot, "band_of", luaL_checkstring(L, 5));
    return 0;
}

/* help(study): runs points for another process, which keeps their rows. */
static int help(lua_State *L, GError **error)
{
    g_free(runner_run(session_object(L, 1), &session_of(L)->resolved, error));
    return 0;
}

/* drop_samples(study): of what is estimated. */
static int drop_samples(lua_State *L)
{
    ((struct study *)session_object(L, 1))->band_samples = 0;
    return 0;
}

static void keep(gpointer study)
{
    (void)study;
}

/* study_of(experiment) */
static int study_of(lua_State *L)
{
    session_push_object(L, ((struct experiment *)session_object(L, 1))->study, keep);
    return 1;
}

/* results(experiment): how many points have a row, and how many failed; a sentence on these; what it tells of measurements and of
 * all results; a sentence if nothing can be concluded. */
static int results(lua_State *L)
{
    const struct experiment *experiment = session_object(L, 1);
    g_autofree char *failure = experiment_failure(experiment);
    lua_newtable(L);
    lua_pushinteger(L, (lua_Integer)experiment->row_count);
    lua_setfield(L, -2, "points");
    lua_pushinteger(L, (lua_Integer)experiment->failed);
    lua_setfield(L, -2, "failed");
    session_set_text(L, "failure", failure);
    session_set_text(L, "measured", experiment->measured);
    session_set_text(L, "conclusion", experiment->conclusion);
    session_set_text(L, "conclusion_failure", experiment->conclusion_failure);
    return 1;
}

static void push_axes(lua_State *L, const struct study *study)
{
    lua_createtable(L, (int)study->axis_count, 0);
    for (size_t i = 0; i < study->axis_count; i++) {
        lua_createtable(L, 0, 2);
        session_set_text(L, "name", study->axes[i].name);
        lua_pushinteger(L, (lua_Integer)study->axes[i].count);
        lua_setfield(L, -2, "count");
        lua_seti(L, -2, (lua_Integer)i + 1);
    }
}

static void push_failures(lua_State *L, const struct experiment *experiment)
{
    lua_newtable(L);
    for (size_t i = 0; i < experiment->row_count; i++) {
        const struct row *row = experiment->rows[i];
        if (!row->failure)
            continue;
        lua_createtable(L, 0, 2);
        session_push_text(L, experiment_point_text(experiment->study, row));
        lua_setfield(L, -2, "point");
        session_set_text(L, "reason", row->failure);
        lua_seti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
    }
}

static void push_plots(lua_State *L, const struct study *study)
{
    lua_createtable(L, (int)study->plot_count, 0);
    for (size_t i = 0; i < study->plot_count; i++) {
        views_push_value(L, study->plots[i]);
        lua_seti(L, -2, (lua_Integer)i + 1);
    }
}

/* plots(study) */
static int plots(lua_State *L)
{
    push_plots(L, session_object(L, 1));
    return 1;
}

/* shown(experiment): its table and its study, as views/results.lua has them. */
static int shown(lua_State *L)
{
    const struct experiment *experiment = session_object(L, 1);
    const struct study *study = experiment->study;
    session_push_value(L, views_table(experiment->table));
    lua_createtable(L, 0, 5);
    session_set_text(L, "path", study->path);
    session_set_text(L, "title", study->title);
    push_axes(L, study);
    lua_setfield(L, -2, "axes");
    push_plots(L, study);
    lua_setfield(L, -2, "plots");
    push_failures(L, experiment);
    lua_setfield(L, -2, "failures");
    return 2;
}

/* statistics(experiment): the names of its axes; and of each point that has statistics the texts of its values there, with `stats`, lines
 * of workload_observe. */
static int statistics(lua_State *L)
{
    const struct experiment *experiment = session_object(L, 1);
    const struct study *study = experiment->study;
    lua_newtable(L);
    for (size_t i = 0; i < study->axis_count; i++) {
        lua_pushstring(L, study->axes[i].name);
        lua_seti(L, -2, (lua_Integer)i + 1);
    }
    lua_newtable(L);
    for (size_t i = 0; i < experiment->row_count; i++) {
        const struct row *row = experiment->rows[i];
        if (!row->stats)
            continue;
        lua_newtable(L);
        for (size_t axis = 0; axis < study->axis_count; axis++) {
            lua_pushstring(L, study->axes[axis].values[row->axis_index[axis]].text);
            lua_seti(L, -2, (lua_Integer)axis + 1);
        }
        session_set_text(L, "stats", row->stats);
        lua_seti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
    }
    return 2;
}

static void add_list(lua_State *L, int list, const char *paths)
{
    lua_pushstring(L, paths ? paths : "");
    lua_seti(L, list, (lua_Integer)lua_rawlen(L, list) + 1);
}

/* read_settings(experiment): lists of paths that points read, defaults and given ones, for views/settings.lua. Most rows have those of
 * the row before. */
static int read_settings(lua_State *L)
{
    const struct experiment *experiment = session_object(L, 1);
    const char *before[] = {NULL, NULL};
    lua_newtable(L);
    lua_newtable(L);
    int top = lua_gettop(L);
    for (size_t i = 0; i < experiment->row_count; i++) {
        const char *const lists[] = {experiment->rows[i]->read_defaults,
                                     experiment->rows[i]->read_given};
        for (int k = 0; k < 2; k++)
            if (lists[k] && lists[k] != before[k])
                add_list(L, top - 1 + k, before[k] = lists[k]);
    }
    return 2;
}

/* unread_settings(experiment): of points that did not fail, lists of the paths that were set and read, and set and not read; nil if all
 * were read. */
static int unread_settings(lua_State *L)
{
    const struct experiment *experiment = session_object(L, 1);
    bool is_there = false;
    lua_newtable(L);
    lua_newtable(L);
    int top = lua_gettop(L);
    for (size_t i = 0; i < experiment->row_count; i++) {
        const struct row *row = experiment->rows[i];
        if (row->failure)
            continue;
        is_there = is_there || row->unread;
        add_list(L, top - 1, row->read);
        add_list(L, top, row->unread);
    }
    return is_there ? 2 : 0;
}

/* rows(experiment): its columns, its rows, and the name of each row's point. */
static int rows(lua_State *L)
{
    const struct experiment *experiment = session_object(L, 1);
    lua_newtable(L);
    for (size_t i = 0; i < experiment->table->column_count; i++) {
        core_lua_push_column(L, &experiment->table->columns[i]);
        lua_seti(L, -2, (lua_Integer)i + 1);
    }
    session_push_rows(L, experiment->table);
    lua_newtable(L);
    for (size_t i = 0; i < experiment->row_count; i++) {
        session_push_text(L, experiment_point_text(experiment->study, experiment->rows[i]));
        lua_seti(L, -2, (lua_Integer)i + 1);
    }
    return 3;
}

/* draw_figures(experiment): unless they are drawn. */
static int draw_figures(lua_State *L, GError **error)
{
    struct experiment *experiment = session_object(L, 1);
    if (experiment->study->plot_count > 0 && !experiment->figures[0])
        experiment_draw(experiment, error);
    return 0;
}

/* drawn(experiment, number, format): a figure; nil if it is not drawn. */
static int drawn(lua_State *L)
{
    const struct experiment *experiment = session_object(L, 1);
    const struct figure *figure = experiment->figures[luaL_checkinteger(L, 2) - 1];
    if (!figure)
        return 0;
    gsize length;
    const char *content = g_bytes_get_data(figure_bytes(figure, luaL_checkstring(L, 3)), &length);
    lua_pushlstring(L, content, length);
    return 1;
}

/* write_sqlite(experiment, path, rules) */
static int write_sqlite(lua_State *L, GError **error)
{
    const struct experiment *experiment = session_object(L, 1);
    g_auto(GStrv) inputs = NULL;
    const struct output_rules rules = session_rules(L, 3, &inputs);
    sqlite_export(experiment->table, luaL_checkstring(L, 2), &rules, error);
    return 0;
}

/* Adds what the points of a study would take, or its samples that are listed. */
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
    g_autoptr(GPtrArray) rows = variants_run(samples, error);
    return rows;
}

/* costs(study, samples): what a run would take, or that of its samples (nil: the points), as struct runner_costs has it, with how many
 * workers, and whether it is a shard. */
static int costs(lua_State *L, GError **error)
{
    struct runner_costs costs = {.points = 0};
    const struct runner_options *options = &session_of(L)->resolved;
    if (!add_costs(L, &costs, error))
        g_clear_pointer(&costs.failure, g_free);
    const struct {
        const char *name;
        size_t count;
    } counts[] = {{"points", costs.points},         {"known", costs.known},
                  {"queued", costs.queued},         {"tried", costs.tried},
                  {"unfinished", costs.unfinished}, {"memory_bytes", costs.memory_bytes},
                  {"workers", options->workers}};
    lua_newtable(L);
    for (size_t i = 0; i < G_N_ELEMENTS(counts); i++) {
        lua_pushinteger(L, (lua_Integer)counts[i].count);
        lua_setfield(L, -2, counts[i].name);
    }
    lua_pushboolean(L, options->shards > 0);
    lua_setfield(L, -2, "is_shard");
    lua_pushnumber(L, costs.queued_s);
    lua_setfield(L, -2, "queued_s");
    session_push_text(L, costs.failure);
    lua_setfield(L, -2, "failure");
    return 1;
}

/* --- claims ------------------------------------------------------------------------------------- */

/* evaluate(experiment, claim, samples): what the study answers to a claim by its results, or by the rows of such samples (nil: none), one a
 * point; nil and a sentence if it cannot be evaluated. */
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
                                                       {"set_band", NULL, set_band},
                                                       {"help", help, NULL},
                                                       {"drop_samples", NULL, drop_samples},
                                                       {"study_of", NULL, study_of},
                                                       {"results", NULL, results},
                                                       {"shown", NULL, shown},
                                                       {"statistics", NULL, statistics},
                                                       {"read_settings", NULL, read_settings},
                                                       {"unread_settings", NULL, unread_settings},
                                                       {"draw_figures", draw_figures, NULL},
                                                       {"drawn", NULL, drawn},
                                                       {"write_sqlite", write_sqlite, NULL},
                                                       {"costs", costs, NULL},
                                                       {"evaluate", NULL, evaluate},
                                                       {"rows", NULL, rows},
                                                       {NULL, NULL, NULL}};
