/* SPDX-License-Identifier: BSD-3-Clause */
#include "study/rehearsal.h"

#include <errno.h>
#include <string.h>

#include "core/error.h"
#include "script/study/point.h"
#include "script/views/measured.h"
#include "script/views/settings.h"
#include "study/experiment.h"
#include "study/figure/plot.h"
#include "study/model/machine.h"
#include "study/run/runner.h"
#include "study/run/worker.h"
#include "study/system/channel.h"
#include "study/table/table.h"

#define TRIED_POINTS 8
#define TRIED_SECONDS 10
#define MOST_RUNS 3       /* tries of a rehearsal whose process is ended from outside */
#define MOST_POINTS 10000 /* so that the check of a huge study, too, takes about a second */

/* Appends the point to the sentence of an error. */
static void add_point(const struct study *study, size_t point, GError **error)
{
    struct row *row = study_new_row(study, point);
    g_autofree char *where = experiment_point_text(study, row);
    GError *cause = g_steal_pointer(error);
    size_t length = strlen(cause->message);
    if (length > 0 && cause->message[length - 1] == '.')
        length--;
    bool is_question = length > 0 && cause->message[length - 1] == '?';
    g_set_error(error, cause->domain, cause->code, is_question ? "%.*s At %s." : "%.*s; at %s.",
                (int)length, cause->message, where);
    g_error_free(cause);
    row_free(row);
}

static bool rehearse_point(struct study *study, size_t point, struct rehearsal *rehearsal,
                           GError **error)
{
    struct machine *machine = study_machine(study, point, error);
    bool good = machine && study_rehearse_point(study, point, machine, rehearsal, error);
    machine_free(machine);
    if (!good && error)
        add_point(study, point, error);
    return good;
}

/* Makes a plot's table of the results as for drawing it, to check the columns. */
static bool check_plots(const struct study *study, GPtrArray *rows, GError **error)
{
    struct table *table =
        table_new(study->axes, study->axis_count, (struct row **)rows->pdata, rows->len);
    bool good = true;
    for (size_t i = 0; good && i < study->plot_count; i++)
        good = plot_check(study->plots[i], table, error);
    table_free(table);
    return good;
}

/* Runs one point; NULL and an error if it cannot run. */
static struct row *try_point(struct study *study, size_t point, GError **error)
{
    const struct runner_options options = {.seed = 1,
                                           .workers = 1,
                                           .shard = point,
                                           .shards = study->point_count,
                                           .time_limit_us = TRIED_SECONDS * G_USEC_PER_SEC,
                                           .progress = PROGRESS_NONE};
    g_autofree struct row **rows = runner_run(study, &options, error);
    return rows ? rows[point] : NULL;
}

/* Tries points: whether one runs, and whether the tried points have the columns of the plots, unless measurements or bands add
 * columns that a single point does not have. */
static bool try_points(struct study *study, GError **error)
{
    g_autoptr(GPtrArray) rows = g_ptr_array_new_with_free_func((GDestroyNotify)row_free);
    size_t tried = MIN(study->point_count, TRIED_POINTS);
    bool has_more_columns = study->measured_count > 0 || study->band_samples > 0;
    g_autoptr(GError) cause = NULL;
    for (size_t i = 0; i < tried; i++) {
        size_t point = i * study->point_count / tried;
        struct row *row = try_point(study, point, error);
        if (!row)
            return false;
        g_ptr_array_add(rows, row);
        if (row->failure && g_str_has_prefix(row->failure, WORKERS_TOOK_LONGER))
            return true;
        if (row->failure) {
            error_set(error, "%s", row->failure);
            add_point(study, point, error);
            return false;
        }
        g_clear_error(&cause);
        if (measured_join(study, &row, 1, NULL, &cause) &&
            (has_more_columns || check_plots(study, rows, &cause)))
            return true;
    }
    g_propagate_error(error, g_steal_pointer(&cause));
    return false;
}

/* The first row with a setting that no row reads; NULL: none. */
static const struct row *judged(GPtrArray *settings)
{
    for (guint i = 0; i < settings->len; i++)
        g_clear_pointer(&((struct row *)g_ptr_array_index(settings, i))->failure, g_free);
    settings_judge((struct row *const *)settings->pdata, settings->len);
    for (guint i = 0; i < settings->len; i++) {
        const struct row *row = g_ptr_array_index(settings, i);
        if (row->failure)
            return row;
    }
    return NULL;
}

/* With unknown values a script may take another branch than with results. So the first point is run, too, and parameters that it
 * reads are no fault. */
static const struct row *judged_with_run(struct study *study, GPtrArray *settings)
{
    struct row *row = try_point(study, 0, NULL);
    if (row && !row->failure) {
        g_ptr_array_add(settings, row);
        return judged(settings);
    }
    row_free(row);
    return NULL;
}

/* Judges `settings`: rows with the settings that a point may read, and those that it cannot. If rows are missing, because there
 * are too many points, it judges nothing. `is_guess`: some rows depend on unknown values. */
static bool judge_settings(struct study *study, GPtrArray *settings, bool is_guess, GError **error)
{
    if (settings->len < study->point_count)
        return true;
    const struct row *row = judged(settings);
    if (row && is_guess)
        row = judged_with_run(study, settings);
    if (!row)
        return true;
    g_autofree char *point = experiment_point_text(study, row);
    return error_set(error, "%s: at %s: %s", study->path, point, row->failure);
}

static void keep_settings(struct study *study, size_t point, struct rehearsal *rehearsal,
                          GPtrArray *settings)
{
    struct row *row = study_new_row(study, point);
    row->read = g_steal_pointer(&rehearsal->read);
    row->unread = g_steal_pointer(&rehearsal->unread);
    g_ptr_array_add(settings, row);
}

/* A setting that the rehearsal took for readable may not be read: runs points until each setting has been read by one. NULL if
 * that happens, or if a point does not reach its end; else the row of the last point that was run, with its failure. `rows`
 * owns it. */
static const struct row *unread_by_runs(struct study *study, size_t tried, GPtrArray *rows)
{
    const struct row *unread = NULL;
    for (size_t i = 0; i < tried; i++) {
        struct row *row = try_point(study, i * study->point_count / tried, NULL);
        if (!row)
            return NULL;
        g_ptr_array_add(rows, row);
        if (row->failure)
            return NULL;
        unread = judged(rows);
        if (!unread)
            return NULL;
    }
    return unread;
}

static bool sets_something(GPtrArray *settings)
{
    for (guint i = 0; i < settings->len; i++) {
        const struct row *row = g_ptr_array_index(settings, i);
        g_auto(GStrv) paths = row->read ? g_strsplit(row->read, ",", -1) : NULL;
        for (char **path = paths; path && *path; path++)
            if (!g_str_has_prefix(*path, "design."))
                return true;
    }
    return false;
}

/* Sets a fault if all points were run, else a doubt. */
static bool judge_by_runs(struct study *study, GPtrArray *settings, char **doubt, GError **error)
{
    g_autoptr(GPtrArray) rows = g_ptr_array_new_with_free_func((GDestroyNotify)row_free);
    size_t tried = MIN(study->point_count, TRIED_POINTS);
    const struct row *row = sets_something(settings) ? unread_by_runs(study, tried, rows) : NULL;
    if (!row)
        return true;
    g_autofree char *point = experiment_point_text(study, row);
    if (tried == study->point_count)
        return error_set(error, "%s: at %s: %s", study->path, point, row->failure);
    *doubt = g_strdup_printf("%s: at %s, as at all %zu points that were tried: %s", study->path,
                             point, tried, row->failure);
    return true;
}

bool rehearse(struct study *study, char **doubt, GError **error)
{
    g_autoptr(GPtrArray) rows = g_ptr_array_new_with_free_func((GDestroyNotify)row_free);
    g_autoptr(GPtrArray) settings = g_ptr_array_new_with_free_func((GDestroyNotify)row_free);
    struct rehearsal rehearsal = {.row = NULL};
    bool is_guess = false;
    size_t count = MIN(study->point_count, MOST_POINTS);
    for (size_t point = 0; point < count && !rehearsal.is_long; point++) {
        if (!rehearse_point(study, point, &rehearsal, error))
            return false;
        keep_settings(study, point, &rehearsal, settings);
        is_guess |= rehearsal.is_guess;
        if (rehearsal.row)
            g_ptr_array_add(rows, rehearsal.row);
    }
    if (!judge_settings(study, settings, is_guess, error) ||
        !judge_by_runs(study, settings, doubt, error))
        return false;
    return rows->len < study->point_count
               ? try_points(study, error)
               : measured_join(study, (struct row **)rows->pdata, rows->len, NULL, error) &&
                     check_plots(study, rows, error);
}

/* --- before a run ------------------------------------------------------------------------------- */

/* Faults of a point are reported when it runs. If all points have the same machine, and one point may read all settings, the
 * others need no check. */
static bool rehearse_settings(struct study *study, bool judges_first, GError **error)
{
    g_autoptr(GPtrArray) settings = g_ptr_array_new_with_free_func((GDestroyNotify)row_free);
    struct rehearsal rehearsal = {.row = NULL};
    bool is_guess = false, knows_all = study->point_count <= MOST_POINTS;
    bool has_one_machine = study_has_one_machine(study);
    for (size_t point = 0; knows_all && point < study->point_count; point++) {
        GError *fault = NULL;
        bool is_good = rehearse_point(study, point, &rehearsal, &fault);
        if (!is_good && point == 0 && judges_first) {
            g_propagate_error(error, fault);
            return false;
        }
        g_clear_error(&fault);
        knows_all = is_good && !rehearsal.is_long;
        is_guess |= rehearsal.is_guess;
        bool reads_all = rehearsal.unread == NULL || *rehearsal.unread == '\0';
        keep_settings(study, point, &rehearsal, settings);
        row_free(g_steal_pointer(&rehearsal.row));
        if (has_one_machine && knows_all && reads_all)
            return true;
    }
    return !knows_all || judge_settings(study, settings, is_guess, error);
}

struct apart {
    struct study *study;
    bool judges_first;
};

static void rehearse_in_child(void *context, int channel)
{
    const struct apart *apart = context;
    g_autoptr(GError) cause = NULL;
    if (!rehearse_settings(apart->study, apart->judges_first, &cause))
        channel_send(channel, WORKER_RESULT,
                     g_bytes_new(cause->message, strlen(cause->message) + 1));
}

bool rehearse_apart(struct study *study, bool judges_first, GError **error)
{
    struct apart apart = {study, judges_first};
    g_autoptr(GBytes) sentence = NULL;
    int status = 0, runs = 0;
    do {
        g_clear_pointer(&sentence, g_bytes_unref);
        sentence = worker_apart(rehearse_in_child, &apart, &status);
    } while (++runs < MOST_RUNS && workers_ended_from_outside(status));
    if (status == 0)
        return !sentence || error_set(error, "%s", (const char *)g_bytes_get_data(sentence, NULL));
    g_autofree char *why = status > 0 ? workers_tell_end(status) : g_strdup(g_strerror(errno));
    return error_set_code(error, ERROR_RUN, "%s: no rehearsal: %s", study->path, why);
}
