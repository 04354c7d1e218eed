/* SPDX-License-Identifier: BSD-3-Clause */
#include "study/calibration/unsearched.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NEARER 0.67 /* of what the row is off, by its logarithm: more is no help */
#define FACTOR 2.0
#define PARTS_MOST 1000 /* of what a row lacks: so many may wait for one another */
#define ROWS_OF_ONE 2   /* experiment */

/* A number at another value, of one row. */
struct trial {
    struct vary_parameter parameter;
    double number;
};

static double off(const struct fit_row *row, double simulated)
{
    return fabs(log(simulated / row->measured));
}

/* --- which rows ---------------------------------------------------------------------------------- */

struct far_row {
    size_t row;
    double off;
};

static int by_off(const void *a, const void *b)
{
    const struct far_row *one = a, *other = b;
    if (one->off != other->off)
        return one->off > other->off ? -1 : 1;
    return (one->row > other->row) - (one->row < other->row);
}

/* How many of the list are of this row's experiment. */
static guint count_of(const struct machine_fit *fit, const GArray *list, size_t row)
{
    guint count = 0;
    for (guint i = 0; i < list->len; i++) {
        size_t other = g_array_index(list, struct unsearched, i).row;
        count += strcmp(fit->rows[other].experiment, fit->rows[row].experiment) == 0;
    }
    return count;
}

static void clear_entry(gpointer item)
{
    struct unsearched *entry = item;
    g_free(entry->path);
    g_free(entry->now);
    g_free(entry->tried);
}

static GArray *list_far(const struct machine_fit *fit)
{
    g_autofree struct far_row *far_rows = g_new(struct far_row, fit->row_count + 1);
    size_t count = 0;
    for (size_t k = 0; k < fit->row_count; k++) {
        double by = off(&fit->rows[k], fit->rows[k].simulated);
        if (fit->rows[k].simulated > 0 && by > log(UNSEARCHED_FROM))
            far_rows[count++] = (struct far_row){k, by};
    }
    qsort(far_rows, count, sizeof *far_rows, by_off);
    GArray *list = g_array_new(FALSE, TRUE, sizeof(struct unsearched));
    g_array_set_clear_func(list, clear_entry);
    for (size_t i = 0; i < count && list->len < UNSEARCHED_ROWS; i++) {
        struct unsearched entry = {.row = far_rows[i].row,
                                   .simulated = fit->rows[far_rows[i].row].simulated};
        if (count_of(fit, list, entry.row) < ROWS_OF_ONE)
            g_array_append_val(list, entry);
    }
    return list;
}

/* --- what is tried ------------------------------------------------------------------------------- */

static bool is_searched(const struct machine_fit *fit, const char *path)
{
    for (size_t i = 0; i < fit->value_count; i++)
        if (strcmp(fit->values[i].parameter.path, path) == 0)
            return true;
    return false;
}

/* Lists the row with the number, and all that was found. */
static void add_trial(struct machine_fit *fit, size_t row, GArray *trials,
                      const struct vary_parameter *from, double number)
{
    struct trial trial = {*from, vary_nearest(from, number)};
    if (trial.number == from->now || !vary_is_taken(fit->machine, from, trial.number))
        return;
    trial.parameter.path = g_strdup(from->path);
    trial.parameter.text = g_strdup(from->text);
    g_array_append_val(trials, trial);
    machine_fit_add_with(fit, row, fit->x, vary_override(from, trial.number));
}

/* Whether it is a number that tells how a machine works: clocks, with which all goes faster, tell nothing. */
static bool may_differ(const struct vary_parameter *parameter)
{
    return !vary_is_axis(parameter) && vary_is_number(parameter) &&
           parameter->param->unit != UNIT_FREQUENCY &&
           strcmp(parameter->param->name, "instructions_per_cycle") != 0 &&
           (parameter->now > 0 || parameter->param->unit == UNIT_TIME);
}

/* The trials of a row that reads this path, "name" or "name=value". */
static void add_trials(struct machine_fit *fit, size_t row, GArray *trials, const char *path)
{
    struct vary_parameter parameter = {0};
    double lacks_ps = (fit->rows[row].measured - fit->rows[row].simulated) * 1e12;
    if (is_searched(fit, path) || !vary_parameter_find(fit->machine, path, &parameter, NULL))
        return;
    if (!may_differ(&parameter)) {
        vary_parameter_clear(&parameter);
        return;
    }
    if (parameter.now > 0) {
        add_trial(fit, row, trials, &parameter, parameter.now * FACTOR);
        add_trial(fit, row, trials, &parameter, parameter.now / FACTOR);
    } else if (lacks_ps > 0) {
        for (double part = 1; part <= PARTS_MOST; part *= 3)
            add_trial(fit, row, trials, &parameter, lacks_ps / part);
    }
    vary_parameter_clear(&parameter);
}

static void clear_trial(gpointer item)
{
    struct trial *trial = item;
    vary_parameter_clear(&trial->parameter);
}

/* --- what helps ---------------------------------------------------------------------------------- */

static void take_best(const struct machine_fit *fit, struct unsearched *entry, const GArray *trials,
                      const GPtrArray *rows)
{
    const struct fit_row *row = &fit->rows[entry->row];
    double least = NEARER * off(row, row->simulated);
    const struct trial *best = NULL;
    for (guint i = 0; i < trials->len; i++) {
        double time = machine_fit_time(g_ptr_array_index(rows, i));
        if (!(time > 0) || off(row, time) >= least)
            continue;
        least = off(row, time);
        best = &g_array_index(trials, struct trial, i);
        entry->simulated = time;
    }
    if (best == NULL)
        return;
    entry->path = g_strdup(best->parameter.path);
    entry->now = g_strdup(best->parameter.text);
    entry->tried = vary_text(&best->parameter, best->number);
}

static bool find_one(struct machine_fit *fit, struct unsearched *entry, const char *read,
                     GError **error)
{
    g_autoptr(GArray) trials = g_array_new(FALSE, FALSE, sizeof(struct trial));
    g_array_set_clear_func(trials, clear_trial);
    g_auto(GStrv) paths = g_strsplit(read != NULL ? read : "", ",", -1);
    for (char **path = paths; *path; path++)
        add_trials(fit, entry->row, trials, *path);
    g_autoptr(GPtrArray) rows = variants_run(fit->variants, error);
    if (rows)
        take_best(fit, entry, trials, rows);
    return rows != NULL;
}

GArray *unsearched_find(struct machine_fit *fit, GError **error)
{
    GArray *list = list_far(fit);
    for (guint i = 0; i < list->len; i++)
        variants_add(fit->variants, fit->rows[g_array_index(list, struct unsearched, i).row].point,
                     NULL);
    g_autoptr(GPtrArray) rows = variants_run(fit->variants, error);
    bool good = rows != NULL;
    for (guint i = 0; good && i < list->len; i++) {
        const struct row *row = g_ptr_array_index(rows, i);
        good = find_one(fit, &g_array_index(list, struct unsearched, i), row->read, error);
    }
    if (good)
        return list;
    g_array_unref(list);
    return NULL;
}
