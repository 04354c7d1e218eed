/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of `program`: runs of studies, whose results are collections of rows (rows.c), and the claims that these answer. */
#include <lauxlib.h>
#include <string.h>

#include "script/commands/session.h"
#include "script/searches/vary_lua.h"
#include "script/study/point.h"
#include "script/values/values.h"
#include "script/views/views.h"

/* Pushes the rows of all points, which the runner has returned; NULL: an error is set. */
static int push_rows(lua_State *L, GPtrArray *rows)
{
    if (rows)
        session_push_object(L, rows, (GDestroyNotify)g_ptr_array_unref);
    return rows != NULL;
}

/* recall(study): the rows of its points from the store, some of them missing. */
static int recall(lua_State *L, GError **error)
{
    return push_rows(L, runner_recall(session_object(L, 1), &session_of(L)->resolved, error));
}

/* run(study, keeps_rows): runs it; returns the rows. With `keeps_rows` an interrupt is no error: the rows so far are returned. */
static int run(lua_State *L, GError **error)
{
    struct session *session = session_of(L);
    session->resolved.was_interrupted = lua_toboolean(L, 2) ? &session->was_interrupted : NULL;
    return push_rows(L, runner_run(session_object(L, 1), &session->resolved, error));
}

/* finish(rows): drops missing rows. Returns how many are there, how many of them failed, and whether a run was interrupted. */
static int finish(lua_State *L)
{
    GPtrArray *rows = session_object(L, 1);
    lua_Integer failed = 0;
    guint kept = 0;
    for (guint i = 0; i < rows->len; i++) {
        struct row *row = g_steal_pointer(&rows->pdata[i]);
        if (!row)
            continue;
        failed += row->failure != NULL;
        rows->pdata[kept++] = row;
    }
    g_ptr_array_set_size(rows, (gint)kept);
    lua_pushinteger(L, kept);
    lua_pushinteger(L, failed);
    lua_pushboolean(L, session_of(L)->was_interrupted);
    return 3;
}

/* point_rows(study, rows, first): the rows from number `first` (nil: 1) on (vary_lua.h), each with the `steps` of its point on the
 * axes; nil if one is missing. They are good as long as the collection. */
static int point_rows(lua_State *L)
{
    const struct study *study = session_object(L, 1);
    const GPtrArray *rows = session_object(L, 2);
    guint first = (guint)luaL_optinteger(L, 3, 1) - 1;
    lua_newtable(L);
    for (guint i = first; i < rows->len; i++) {
        struct row *row = g_ptr_array_index(rows, i);
        if (!row)
            return 0;
        vary_lua_push_row(L, row);
        lua_createtable(L, (int)study->axis_count, 0);
        for (size_t axis = 0; axis < study->axis_count; axis++) {
            lua_pushinteger(L, (lua_Integer)row->axis_index[axis] + 1);
            lua_append(L);
        }
        lua_setfield(L, -2, "steps");
        lua_append(L);
    }
    return 1;
}

/* set_samples(study, count): how many samples of estimated values its points get. */
static int set_samples(lua_State *L)
{
    ((struct study *)session_object(L, 1))->band_samples = (size_t)luaL_checkinteger(L, 2);
    return 0;
}

/* table(study, name): one of its tables: its plots, claims or files of measurements (study_table). */
static int table(lua_State *L)
{
    g_autoptr(GVariant) table = study_table(session_object(L, 1), luaL_checkstring(L, 2));
    views_push_value(L, table);
    return 1;
}

/* row(study, rows, number), nil if it is missing, false behind the last one: the texts of a point's values on the axes; the reason of its failure; lines of workload_observe; lists
 * of paths: set and read, set and not read, read with defaults, read with given values. */
static int row_of(lua_State *L)
{
    const struct study *study = session_object(L, 1);
    const GPtrArray *rows = session_object(L, 2);
    guint number = (guint)luaL_checkinteger(L, 3) - 1;
    const struct row *row = number < rows->len ? g_ptr_array_index(rows, number) : NULL;
    lua_pushboolean(L, false);
    if (!row)
        return number >= rows->len;
    lua_newtable(L);
    for (size_t i = 0; i < study->axis_count; i++)
        lua_append_text(L, study->axes[i].values[row->axis_index[i]].text);
    lua_set_text(L, "failure", row->failure);
    lua_set_text(L, "stats", row->stats);
    lua_set_text(L, "read", row->read);
    lua_set_text(L, "unread", row->unread);
    lua_set_text(L, "defaults", row->read_defaults);
    lua_set_text(L, "given", row->read_given);
    return 1;
}

/* marks(study, rows, number): the published values of a plot. */
static int marks(lua_State *L, GError **error)
{
    const GPtrArray *rows = session_object(L, 2);
    GVariant *marks = study_plot_marks(session_object(L, 1), (size_t)luaL_checkinteger(L, 3) - 1,
                                       (struct row *const *)rows->pdata, rows->len, error);
    return marks ? session_push_value(L, marks) : 0;
}

/* conclude(study, rows): the text that the study concludes (nil: none), or nil and the sentence of its failure. */
static int conclude(lua_State *L)
{
    const GPtrArray *rows = session_object(L, 2);
    g_autoptr(GError) fault = NULL;
    lua_push_owned(L, study_conclude(session_object(L, 1), (struct row *const *)rows->pdata,
                                     rows->len, &fault));
    lua_pushstring(L, fault ? fault->message : NULL);
    return 2;
}

/* --- variants ----------------------------------------------------------------------------------- */

/* What a study has apart from variants. */
struct as_loaded {
    uint32_t *points;
    size_t point_count;
    char *digest;
};

/* Makes the variants in the list at `index`, each of a `point` (counted from 0) with `overrides`, the points of the study. Their digest
 * is not the study's, so that a store does not take them for points of the study. */
static struct as_loaded take_variants(lua_State *L, int index, struct study *study)
{
    const struct as_loaded before = {study->points, study->point_count, study->digest};
    size_t width = study->axis_count, count = (size_t)lua_rawlen(L, index);
    g_autofree char *text = g_strconcat("variants of ", study->digest, NULL);
    study->digest = g_compute_checksum_for_string(G_CHECKSUM_SHA256, text, -1);
    study->points = g_new0(uint32_t, count * width + 1);
    study->changes = g_new0(char **, count + 1);
    study->point_count = count;
    for (size_t i = 0; i < count; i++) {
        lua_geti(L, index, (lua_Integer)i + 1);
        size_t point = (size_t)lua_integer_field(L, -1, "point");
        memcpy(&study->points[i * width], &before.points[point * width],
               width * sizeof *study->points);
        lua_getfield(L, -1, "overrides");
        char **overrides = lua_texts_at(L, -1);
        study->changes[i] = overrides ? overrides : g_new0(char *, 1);
        lua_pop(L, 2);
    }
    return before;
}

static void restore(struct study *study, struct as_loaded before)
{
    for (size_t i = 0; i < study->point_count; i++)
        g_strfreev(study->changes[i]);
    g_clear_pointer(&study->changes, g_free);
    g_free(study->points);
    g_free(study->digest);
    study->points = before.points;
    study->point_count = before.point_count;
    study->digest = before.digest;
}

/* run_variants(study, variants, from_store): runs the listed variants, or takes them from the store alone: a list of their rows
 * (vary_lua.h), nil if one is missing. The row of a variant without overrides lists all parameters that it read. */
static int run_variants(lua_State *L, GError **error)
{
    struct study *study = session_object(L, 1);
    const struct as_loaded before = take_variants(L, 2, study);
    GPtrArray *rows =
        (lua_toboolean(L, 3) ? runner_recall : runner_run)(study, &session_of(L)->resolved, error);
    restore(study, before);
    if (push_rows(L, rows) == 0 || g_ptr_array_find(rows, NULL, NULL))
        return 0;
    lua_createtable(L, (int)rows->len, 0);
    for (guint i = 0; i < rows->len; i++) {
        vary_lua_push_row(L, g_ptr_array_index(rows, i));
        lua_pushvalue(L, -3);
        lua_setfield(L, -2, "owned"); /* all rows stay as long as one of them */
        lua_append(L);
    }
    return 1;
}

/* try(study, variants): runs a few of the listed variants (nil: of its points), of which only those who are told of the run learn.
 * Returns the number of workers, and whether a run is a shard. */
static int try_points(lua_State *L, GError **error)
{
    struct study *study = session_object(L, 1);
    struct runner_options options = session_of(L)->resolved;
    bool are_listed = lua_istable(L, 2);
    struct as_loaded before = {NULL, 0, NULL};
    if (are_listed)
        before = take_variants(L, 2, study);
    options.tries = true;
    GPtrArray *rows = runner_run(study, &options, error);
    g_clear_pointer(&rows, g_ptr_array_unref);
    if (are_listed)
        restore(study, before);
    lua_pushinteger(L, options.workers);
    lua_pushboolean(L, options.shards > 0);
    return 2;
}

/* --- claims ------------------------------------------------------------------------------------- */

/* The rows of argument `index`: a collection, or a list of the rows of vary_lua.h. The caller unrefs the array. */
static GPtrArray *rows_at(lua_State *L, int index)
{
    if (!lua_istable(L, index))
        return g_ptr_array_ref(session_object(L, index));
    GPtrArray *rows = g_ptr_array_new();
    for (lua_Integer i = 1; lua_geti(L, index, i) != LUA_TNIL; i++) {
        g_ptr_array_add(rows, vary_lua_row(L, -1));
        lua_pop(L, 1);
    }
    return rows;
}

/* evaluate(study, claim, rows): the study's answer to a claim from its rows, one for each point, a collection or a list as of
 * point_rows; nil and a sentence if the claim cannot be evaluated. */
static int evaluate(lua_State *L)
{
    const char *claim = luaL_checkstring(L, 2);
    g_autoptr(GPtrArray) rows = rows_at(L, 3);
    g_autoptr(GError) fault = NULL;
    g_autoptr(GVariant) answer = study_evaluate_claim(
        session_object(L, 1), claim, (struct row *const *)rows->pdata, rows->len, &fault);
    if (answer)
        views_push_value(L, answer);
    else
        lua_pushnil(L);
    lua_pushstring(L, fault ? fault->message : NULL);
    return 2;
}

const struct session_function session_experiments[] = {{"recall", recall, NULL},
                                                       {"run", run, NULL},
                                                       {"finish", NULL, finish},
                                                       {"point_rows", NULL, point_rows},
                                                       {"table", NULL, table},
                                                       {"set_samples", NULL, set_samples},
                                                       {"row", NULL, row_of},
                                                       {"marks", marks, NULL},
                                                       {"conclude", NULL, conclude},
                                                       {"run_variants", run_variants, NULL},
                                                       {"try", try_points, NULL},
                                                       {"evaluate", NULL, evaluate},
                                                       {NULL, NULL, NULL}};
