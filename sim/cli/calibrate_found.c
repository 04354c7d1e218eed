/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/calibrate_found.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "script/views/terminal.h"
#include "study/calibration/machine_text.h"
#include "study/calibration/measured.h"
#include "study/calibration/unsearched.h"

#define DEVIATIONS 2      /* of a range that is shown and written */
#define REACH_LEAST 1.0   /* tolerances by which a row moves with x: it would say something */
#define FIRST_RANGE 0.001 /* of a value: what three digits leave open */

/* Prints and frees the table, unless it is empty. */
static void print(struct table *table)
{
    g_autofree char *text = terminal_whole(table);
    if (table->row_count > 0)
        printf("%s\n", text);
    table_free(table);
}

/* What a row says of the machine: that it set values, how it comes out without its own part in them (calibrate_folds.h), or how it is
 * predicted, which it has no part in; predicted rows are both of the latter. */
enum use { USE_CALIBRATE, USE_HELD_OUT, USE_TEST, USE_PREDICTED };
static const char *const use_names[] = {"calibrate", "held out", "test", "predicted"};

static double off(const struct fit_row *row)
{
    return row->simulated / row->measured - 1;
}

/* NAN of a row that is of another use. */
static double off_in(const struct fit_row *row, enum use use)
{
    bool is_held_out = row->held_out > 0 && (use == USE_HELD_OUT || use == USE_PREDICTED);
    if (is_held_out)
        return row->held_out / row->measured - 1;
    if (row->is_for_fit ? use != USE_CALIBRATE : use != USE_TEST && use != USE_PREDICTED)
        return NAN;
    return isfinite(off(row)) ? off(row) : INFINITY;
}

/* --- rows --------------------------------------------------------------------------------------- */

struct table *calibrate_rows(const struct calibrate_found *found)
{
    static const char *const names[] = {"experiment",   "row",         "use",        "measured_us",
                                        "simulated_us", "off_percent", "held_out_us"};
    struct table *table = table_of_texts(names, G_N_ELEMENTS(names));
    for (size_t k = 0; k < found->fit->row_count; k++) {
        const struct fit_row *row = &found->fit->rows[k];
        g_autofree char *held_out =
            row->held_out > 0 ? g_strdup_printf("%.6g", row->held_out * 1e6) : g_strdup("");
        table_append_format(table, "%s|%s|%s|%.6g|%.6g|%.2f|%s", row->experiment, row->name,
                            use_names[row->is_for_fit ? USE_CALIBRATE : USE_TEST],
                            row->measured * 1e6, row->simulated * 1e6, 100 * off(row), held_out);
    }
    return table;
}

static int compare_sizes(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The line of the rows of this experiment (NULL: all) and use; nothing if there are none. */
static void append_errors(struct table *table, const struct machine_fit *fit,
                          const char *experiment, enum use use)
{
    g_autofree double *sizes = g_new(double, fit->row_count + 1);
    size_t count = 0, worst = 0;
    double worst_off = 0;
    for (size_t k = 0; k < fit->row_count; k++) {
        const struct fit_row *row = &fit->rows[k];
        double size = off_in(row, use);
        if (isnan(size) || (experiment && strcmp(row->experiment, experiment)))
            continue;
        sizes[count] = fabs(size);
        if (count == 0 || sizes[count] > fabs(worst_off)) {
            worst = k;
            worst_off = size;
        }
        count++;
    }
    if (count == 0)
        return;
    qsort(sizes, count, sizeof *sizes, compare_sizes);
    double median = (sizes[(count - 1) / 2] + sizes[count / 2]) / 2;
    double high = sizes[MIN(count - 1, (size_t)ceil(0.9 * (double)count) - 1)];
    table_append_format(table, "%s|%s|%zu|%.1f|%.1f|%s|%+.1f", experiment ? experiment : "all",
                        use_names[use], count, 100 * median, 100 * high, fit->rows[worst].name,
                        100 * worst_off);
}

static bool has_folds(const struct machine_fit *fit)
{
    bool has = false;
    for (size_t k = 0; k < fit->row_count; k++)
        has = has || fit->rows[k].held_out > 0;
    return has;
}

static void print_errors(const struct machine_fit *fit)
{
    static const char *const names[] = {"experiment",  "use",   "rows",         "median_percent",
                                        "p90_percent", "worst", "worst_percent"};
    struct table *table = table_of_texts(names, G_N_ELEMENTS(names));
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    enum use last = has_folds(fit) ? USE_PREDICTED : USE_TEST;
    for (size_t k = 0; k < fit->row_count; k++)
        if (g_hash_table_add(seen, fit->rows[k].experiment))
            for (enum use use = 0; use <= last; use++)
                append_errors(table, fit, fit->rows[k].experiment, use);
    for (enum use use = 0; use <= last; use++)
        append_errors(table, fit, NULL, use);
    print(table);
}

/* --- values ------------------------------------------------------------------------------------- */

void calibrate_round(struct calibrate_found *found)
{
    struct machine_fit *fit = found->fit;
    for (size_t i = 0; i < fit->value_count; i++) {
        const struct fit_value *value = &fit->values[i];
        double number = value->parameter.now;
        g_autofree char *text = fit_text(fit, i, fit->x[i]);
        if (found->known[i].is_determined)
            param_parse_number(value->parameter.param, text, &number, NULL);
        fit->x[i] = fit_place(value, CLAMP(number, value->low, value->high));
    }
}

/* Value `i` at `deviations` standard deviations from where it is, within its range. */
static char *value_at(const struct calibrate_found *found, size_t i, double deviations)
{
    const struct machine_fit *fit = found->fit;
    double known = MAX(found->known[i].deviation, FIRST_RANGE);
    return fit_text(fit, i, fit->x[i] + deviations * known / fit_relative(fit, i, fit->x[i]));
}

static void print_determined(const struct calibrate_found *found)
{
    static const char *const names[] = {"value", "before",           "found",
                                        "range", "rows_stay_met",    "known_to_percent",
                                        "rows",  "residual_percent", "row"};
    struct table *table = table_of_texts(names, G_N_ELEMENTS(names));
    const struct machine_fit *fit = found->fit;
    for (size_t i = 0; i < fit->value_count; i++) {
        const struct determination *known = &found->known[i];
        if (!known->is_determined)
            continue;
        g_autofree char *value = value_at(found, i, 0), *low = value_at(found, i, -DEVIATIONS),
                        *high = value_at(found, i, DEVIATIONS),
                        *from = fit_text(fit, i, MIN(known->low, fit->x[i])),
                        *to = fit_text(fit, i, MAX(known->high, fit->x[i]));
        table_append_format(table, "%s|%s|%s%s|%s to %s|%s to %s|%.1f|%zu|%.1f|%s",
                            fit->values[i].parameter.path, fit->values[i].parameter.text, value,
                            known->is_bound    ? " (a bound)"
                            : known->is_shared ? " (shared)"
                            : known->is_at_end ? " (end of its range)"
                                               : "",
                            low, high, from, to, 100 * known->deviation, known->rows,
                            100 * known->residual, fit->rows[known->row].name);
    }
    print(table);
}

/* --- values that the rows leave open ------------------------------------------------------------ */

static size_t find_value(const struct machine_fit *fit, const char *path)
{
    for (size_t i = 0; i < fit->value_count; i++)
        if (strcmp(fit->values[i].parameter.path, path) == 0)
            return i;
    return SIZE_MAX;
}

/* How much each row of the catalogue moves with value `i`: changed by some percent. Numbers to be freed with g_free. */
static double *reach_of(struct machine_fit *catalogue, size_t i, GError **error)
{
    const struct fit_value *value = &catalogue->values[i];
    g_autofree double *at = g_memdup2(catalogue->x, catalogue->value_count * sizeof *catalogue->x);
    double *reach = g_new0(double, catalogue->row_count + 1);
    double high = fit_place(value, value->high), by = MIN(0.2, value->width / 2);
    at[i] += at[i] + by > high ? -by : by;
    for (size_t k = 0; k < catalogue->row_count; k++)
        if (catalogue->rows[k].reads[i])
            machine_fit_add(catalogue, k, at);
    g_autoptr(GPtrArray) rows = variants_run(catalogue->variants, error);
    guint next = 0;
    for (size_t k = 0; rows && k < catalogue->row_count; k++) {
        if (!catalogue->rows[k].reads[i])
            continue;
        double time = machine_fit_time(g_ptr_array_index(rows, next++));
        if (time > 0)
            reach[k] = fabs(log(time / catalogue->rows[k].simulated)) / FIT_TOLERANCE / by;
    }
    if (rows)
        return reach;
    g_free(reach);
    return NULL;
}

static bool has_row(const struct machine_fit *fit, const char *name)
{
    for (size_t k = 0; k < fit->row_count; k++)
        if (strcmp(fit->rows[k].name, name) == 0)
            return true;
    return false;
}

/* The catalogue's row that says most of `value`, and little of `other` (SIZE_MAX: none); NULL: none says anything. False and
 * an error if they cannot be run. */
static bool find_probe(const struct calibrate_found *found, struct machine_fit *catalogue,
                       size_t value, size_t other, const char **name, GError **error)
{
    *name = NULL;
    if (value == SIZE_MAX)
        return true;
    g_autofree double *reach = reach_of(catalogue, value, error);
    g_autofree double *others =
        reach && other != SIZE_MAX ? reach_of(catalogue, other, error) : NULL;
    double most = 0;
    if (!reach || (other != SIZE_MAX && !others))
        return false;
    for (size_t k = 0; k < catalogue->row_count; k++) {
        double score = reach[k] / (1 + (others ? others[k] : 0));
        if (reach[k] < REACH_LEAST || score <= most || has_row(found->fit, catalogue->rows[k].name))
            continue;
        most = score;
        *name = catalogue->rows[k].name;
    }
    return true;
}

static bool append_open(const struct calibrate_found *found, struct machine_fit *catalogue,
                        size_t i, struct table *table, GError **error)
{
    const struct determination *known = &found->known[i];
    const struct fit_value *values = found->fit->values;
    const char *probe = NULL;
    size_t with = known->together_with;
    g_autofree char *why =
        with != SIZE_MAX ? g_strdup_printf("only together with %s", values[with].parameter.path)
        : known->row == SIZE_MAX ? g_strdup("no row depends on it")
                                 : g_strdup("rows say too little of it");
    if (catalogue &&
        !find_probe(found, catalogue, find_value(catalogue, values[i].parameter.path),
                    with == SIZE_MAX ? with : find_value(catalogue, values[with].parameter.path),
                    &probe, error))
        return false;
    table_append_format(table, "%s|%s|%s|%s", values[i].parameter.path, values[i].parameter.text,
                        why, probe ? probe : "no probe there is");
    return true;
}

static bool print_open(const struct calibrate_found *found, struct machine_fit *catalogue,
                       GError **error)
{
    static const char *const names[] = {"not_determined", "left_at", "why",
                                        "would_be_determined_by"};
    struct table *table = table_of_texts(names, G_N_ELEMENTS(names));
    bool good = true;
    for (size_t i = 0; good && i < found->fit->value_count; i++)
        if (!found->known[i].is_determined)
            good = append_open(found, catalogue, i, table, error);
    if (good)
        print(table);
    else
        table_free(table);
    return good;
}

/* --- rows that are far off ---------------------------------------------------------------------- */

static void append_far(const struct machine_fit *fit, const struct unsearched *entry,
                       struct table *table)
{
    const struct fit_row *row = &fit->rows[entry->row];
    g_autofree char *what =
        entry->path ? g_strdup_printf("%s %s, not %s", entry->path, entry->tried, entry->now)
                    : g_strdup("no number of the machine file that is not searched for");
    g_autofree char *would =
        entry->path ? g_strdup_printf("%+.1f", 100 * (entry->simulated / row->measured - 1))
                    : g_strdup("-");
    table_append_format(table, "%s|%+.1f|%s|%s", row->name, 100 * off(row), what, would);
}

static bool print_far(const struct calibrate_found *found, GError **error)
{
    static const char *const names[] = {"far_off", "percent", "nearer_with", "percent_then"};
    g_autoptr(GArray) list = unsearched_find(found->fit, error);
    if (list == NULL)
        return false;
    struct table *table = table_of_texts(names, G_N_ELEMENTS(names));
    for (guint i = 0; i < list->len; i++)
        append_far(found->fit, &g_array_index(list, struct unsearched, i), table);
    print(table);
    return true;
}

bool calibrate_print(const struct calibrate_found *found, struct machine_fit *catalogue,
                     GError **error)
{
    const struct machine_fit *fit = found->fit;
    print_errors(fit);
    for (guint i = 0; i < fit->left->len; i++)
        printf("left out: %s\n", (char *)g_ptr_array_index(fit->left, i));
    if (strcmp(fit->variants->study->title, "rows") != 0)
        printf("%s\n", fit->variants->study->title);
    print_determined(found);
    return print_open(found, catalogue, error) && print_far(found, error);
}

/* --- the machine's file ------------------------------------------------------------------------- */

/* What limits the row of a value that is bound. */
static const char *limit_of(const struct calibrate_found *found, size_t i)
{
    size_t limit = found->known[i].together_with;
    return limit == SIZE_MAX ? "something else" : found->fit->values[limit].parameter.path;
}

/* The names of rows that say something of value `i`: the first, and how many more. */
static void append_rows(GString *lua, const struct calibrate_found *found, size_t i)
{
    const struct determination *known = &found->known[i];
    g_autofree char *why = g_strdup_printf("%zu %s, %.1f %% off in the median; known to %.1f %%",
                                           known->rows, known->rows == 1 ? "row" : "rows",
                                           100 * known->residual, 100 * known->deviation);
    measured_append_quoted(lua, found->fit->rows[known->row].name);
    if (known->is_alone)
        return;
    if (known->is_bound) {
        g_free(why);
        why = g_strdup_printf("a bound: from there on %s limits the row, which is %.1f %% off",
                              limit_of(found, i), 100 * known->residual);
    }
    if (known->is_shared) {
        g_free(why);
        why = g_strdup_printf(
            "shared: only its sum with %s is known; moved no further than that asks for",
            limit_of(found, i));
    }
    g_string_append(lua, ", ");
    measured_append_quoted(lua, why);
}

static bool append_found(void *context, GString *lua, const char *path, const struct param *param)
{
    const struct calibrate_found *found = context;
    size_t i = find_value(found->fit, path);
    if (i == SIZE_MAX || !found->known[i].is_determined)
        return false;
    g_autofree char *value = value_at(found, i, 0), *low = value_at(found, i, -DEVIATIONS),
                    *high = value_at(found, i, DEVIATIONS);
    g_string_append(lua, found->known[i].is_alone ? "measured(" : "fitted(");
    machine_text_append_value(lua, param, value);
    if (!found->known[i].is_alone) {
        g_string_append(lua, ", ");
        machine_text_append_value(lua, param, low);
        g_string_append(lua, ", ");
        machine_text_append_value(lua, param, high);
    }
    g_string_append(lua, ", ");
    append_rows(lua, found, i);
    g_string_append(lua, ")");
    return true;
}

char *calibrate_text(struct calibrate_found *found, char *const *data, int count)
{
    g_autoptr(GString) header = g_string_new("Written by gpunetsim calibrate from ");
    g_string_append_printf(header, "%s and", found->machine->name);
    for (int i = 0; i < count; i++) {
        g_autofree char *name = g_path_get_basename(data[i]);
        g_string_append_printf(header, "\n  %s", g_strdelimit(name, "\r\n", ' '));
    }
    return machine_text(found->machine, header->str, append_found, found);
}
