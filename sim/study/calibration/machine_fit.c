/* SPDX-License-Identifier: BSD-3-Clause */
#include "study/calibration/machine_fit.h"

#include <math.h>
#include <string.h>

#include "core/error.h"
#include "script/study/point.h"
#include "study/vary/outcome.h"

#define STATED_FACTOR 20 /* of a value without a range, either way */
#define STATED_WIDTH 0.2 /* of its x */
#define ZERO_SCALE 0.01  /* of the high end, where a range begins at 0 */
#define DIGITS_FORMAT "%.2e"

/* --- a value's scale ---------------------------------------------------------------------------- */

double fit_place(const struct fit_value *value, double number)
{
    return asinh(number / value->scale);
}

double fit_number(const struct machine_fit *fit, size_t i, double x)
{
    const struct fit_value *value = &fit->values[i];
    double number = CLAMP(value->scale * sinh(x), value->low, value->high);
    return vary_nearest(&value->parameter, number);
}

char *fit_text(const struct machine_fit *fit, size_t i, double x)
{
    const struct fit_value *value = &fit->values[i];
    char digits[64];
    g_ascii_formatd(digits, sizeof digits, DIGITS_FORMAT, fit_number(fit, i, x));
    double number = CLAMP(g_ascii_strtod(digits, NULL), value->low, value->high);
    return vary_text(&value->parameter, vary_nearest(&value->parameter, number));
}

double fit_relative(const struct machine_fit *fit, size_t i, double x)
{
    double number = fit_number(fit, i, x), scale = fit->values[i].scale;
    return sqrt(scale * scale + number * number) / MAX(number, scale / 10);
}

/* --- which values are searched for -------------------------------------------------------------- */

static bool is_cost(const struct param *param)
{
    return param->unit == UNIT_TIME || param->unit == UNIT_RATE ||
           g_str_has_suffix(param->name, "_instructions") ||
           g_str_has_suffix(param->name, "_cycles");
}

/* Sets the range in which it is searched for; false: it stays. */
static bool take_range(struct fit_value *value)
{
    const struct vary_parameter *parameter = &value->parameter;
    double low, high;
    vary_bounds(parameter, &low, &high);
    if (!vary_is_number(parameter) || parameter->param->unit == UNIT_BYTES ||
        parameter->param->unit == UNIT_FREQUENCY)
        return false;
    if (parameter->has_range) {
        value->low = MAX(low, parameter->low);
        value->high = MIN(high, parameter->high);
    } else {
        if ((parameter->source != SOURCE_MEASURED && parameter->source != SOURCE_GIVEN) ||
            !is_cost(parameter->param) || parameter->now <= 0)
            return false;
        value->low = MAX(low, parameter->now / STATED_FACTOR);
        value->high = MIN(high, parameter->now * STATED_FACTOR);
    }
    if (!(value->low < value->high) || !isfinite(value->high))
        return false;
    value->scale = value->low > 0 ? value->low : value->high * ZERO_SCALE;
    value->width = parameter->has_range
                       ? (fit_place(value, value->high) - fit_place(value, value->low)) / 2
                       : STATED_WIDTH;
    return true;
}

static void add_value(struct machine_fit *fit, const char *path)
{
    struct fit_value value = {0};
    if (!vary_parameter_find(fit->machine, path, &value.parameter, NULL))
        return; /* no single value */
    if (!take_range(&value)) {
        vary_parameter_clear(&value.parameter);
        return;
    }
    fit->values = g_renew(struct fit_value, fit->values, fit->value_count + 1);
    fit->values[fit->value_count++] = value;
}

bool machine_fit_is_fixed(const char *const *fixed, const char *path)
{
    size_t length = strlen(path);
    for (; fixed && *fixed; fixed++)
        if (strncmp(*fixed, path, length) == 0 && (*fixed)[length] == '=')
            return true;
    return false;
}

/* In the order of the machine's parameters. */
static void find_values(struct machine_fit *fit, const char *const *fixed, const GPtrArray *rows)
{
    for (guint i = 0; i < fit->machine->provenance->len; i++) {
        const struct provenance *entry = g_ptr_array_index(fit->machine->provenance, i);
        bool is_read = false;
        for (guint k = 0; !machine_fit_is_fixed(fixed, entry->path) && !is_read && k < rows->len;
             k++) {
            const struct row *row = g_ptr_array_index(rows, k);
            is_read = !row->failure && row_reads(row, entry->path);
        }
        if (is_read)
            add_value(fit, entry->path);
    }
}

/* --- rows --------------------------------------------------------------------------------------- */

double machine_fit_time(const struct row *row)
{
    const struct measure *measure = row->failure ? NULL : row_measure(row, "simulated");
    return measure ? outcome_number(measure) : NAN;
}

/* The value of point `n` on this axis, as text. */
static const char *axis_text(const struct study *study, const char *name, size_t n)
{
    const struct axis *axis = study_axis(study, name);
    return axis->values[study_axis_index(study, n, (size_t)(axis - study->axes))].text;
}

static bool is_for_fit(const struct study *study, size_t point)
{
    return strcmp(axis_text(study, "use", point), "calibrate") == 0;
}

/* What a point that was run says of its row. */
static void fill_row(struct fit_row *row, const struct row *from)
{
    row->measured = outcome_number(row_measure(from, "measured"));
    row->data_rows = (size_t)outcome_number(row_measure(from, "rows"));
    row->simulated = machine_fit_time(from);
}

/* `from` is NULL of a row for tests, which is not run yet. */
static void add_row(struct machine_fit *fit, size_t point, const struct row *from)
{
    const char *name = axis_text(fit->variants->study, "row", point);
    struct fit_row row = {.name = g_strdup(name),
                          .experiment = g_strndup(name, strcspn(name, " ")),
                          .point = point,
                          .is_for_fit = from != NULL,
                          .reads = g_new0(bool, fit->value_count + 1)};
    for (size_t i = 0; i < fit->value_count; i++)
        row.reads[i] = !from || row_reads(from, fit->values[i].parameter.path);
    if (from)
        fill_row(&row, from);
    fit->rows = g_renew(struct fit_row, fit->rows, fit->row_count + 1);
    fit->rows[fit->row_count++] = row;
}

static void clear_row(struct fit_row *row)
{
    g_free(row->name);
    g_free(row->experiment);
    g_free(row->reads);
}

/* Whether the row was simulated; else notes why not: the first reason of each experiment. */
static bool is_good(struct machine_fit *fit, const char *name, const struct row *row)
{
    if (!row->failure && machine_fit_time(row) > 0)
        return true;
    char *experiment = g_strndup(name, strcspn(name, " "));
    guint before = GPOINTER_TO_UINT(g_hash_table_lookup(fit->left_counts, experiment));
    if (before == 0)
        g_ptr_array_add(fit->left,
                        g_strdup_printf("%s, from \"%s\" on: %s", experiment, name,
                                        row->failure ? row->failure : "it takes no time"));
    g_hash_table_replace(fit->left_counts, experiment, GUINT_TO_POINTER(before + 1));
    return false;
}

/* Makes the rows, `run` having those for calibration in their order. */
static void take_rows(struct machine_fit *fit, const GPtrArray *run)
{
    const struct study *study = fit->variants->study;
    guint next = 0;
    for (size_t point = 0; point < study->point_count; point++) {
        if (!is_for_fit(study, point)) {
            add_row(fit, point, NULL);
            continue;
        }
        const struct row *row = g_ptr_array_index(run, next++);
        if (is_good(fit, axis_text(study, "row", point), row))
            add_row(fit, point, row);
    }
}

static void start(struct machine_fit *fit)
{
    fit->x = g_new0(double, fit->value_count + 1);
    for (size_t i = 0; i < fit->value_count; i++) {
        const struct fit_value *value = &fit->values[i];
        fit->x[i] = fit_place(value, CLAMP(value->parameter.now, value->low, value->high));
    }
}

/* Whether there is something to search for, and something that tells it. */
static bool is_enough(const struct machine_fit *fit, GError **error)
{
    size_t rows = 0;
    for (size_t k = 0; k < fit->row_count; k++)
        rows += fit->rows[k].is_for_fit;
    if (rows == 0 && fit->left->len > 0)
        return error_set(error, "no row for calibration can be simulated on this machine; %s",
                         (char *)g_ptr_array_index(fit->left, 0));
    if (rows == 0)
        return error_set(error,
                         "all rows are of what many do at a time, which is for tests; those of "
                         "primitives by themselves set values (docs/use/calibrate.md)");
    return fit->value_count > 0 ||
           error_set(error,
                     "no row reads a number of the machine that may be searched for: one that "
                     "its file has as estimated, fitted or measured, or without source");
}

struct machine_fit *machine_fit_new(struct study *study, const char *const *fixed,
                                    const struct runner_options *options, GError **error)
{
    struct machine_fit *fit = g_new0(struct machine_fit, 1);
    fit->variants = variants_new(study, options);
    fit->left = g_ptr_array_new_with_free_func(g_free);
    fit->left_counts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    fit->machine = variants_machine(fit->variants, 0, error);
    for (size_t point = 0; fit->machine && point < study->point_count; point++)
        if (is_for_fit(study, point))
            variants_add(fit->variants, point, NULL);
    g_autoptr(GPtrArray) rows = fit->machine ? variants_run(fit->variants, error) : NULL;
    if (rows) {
        find_values(fit, fixed, rows);
        take_rows(fit, rows);
        start(fit);
    }
    if (rows && is_enough(fit, error))
        return fit;
    machine_fit_free(fit);
    return NULL;
}

void machine_fit_free(struct machine_fit *fit)
{
    if (!fit)
        return;
    for (size_t i = 0; i < fit->value_count; i++)
        vary_parameter_clear(&fit->values[i].parameter);
    for (size_t k = 0; k < fit->row_count; k++)
        clear_row(&fit->rows[k]);
    g_free(fit->values);
    g_free(fit->rows);
    g_free(fit->x);
    g_ptr_array_unref(fit->left);
    g_hash_table_unref(fit->left_counts);
    machine_free(fit->machine);
    variants_free(fit->variants);
    g_free(fit);
}

/* --- running ------------------------------------------------------------------------------------ */

size_t machine_fit_add_with(struct machine_fit *fit, size_t k, const double *x, char *more)
{
    const struct fit_row *row = &fit->rows[k];
    char **overrides = g_new0(char *, fit->value_count + 2);
    size_t count = 0;
    for (size_t i = 0; i < fit->value_count; i++)
        if (row->reads[i]) /* what it does not read is no override of it */
            overrides[count++] = vary_override(&fit->values[i].parameter, fit_number(fit, i, x[i]));
    overrides[count] = more;
    return variants_add(fit->variants, row->point, overrides);
}

size_t machine_fit_add(struct machine_fit *fit, size_t k, const double *x)
{
    return machine_fit_add_with(fit, k, x, NULL);
}

bool machine_fit_run(struct machine_fit *fit, const double *x, double *simulated, GError **error)
{
    for (size_t k = 0; k < fit->row_count; k++)
        if (fit->rows[k].is_for_fit)
            machine_fit_add(fit, k, x);
    g_autoptr(GPtrArray) rows = variants_run(fit->variants, error);
    guint next = 0;
    for (size_t k = 0; rows && k < fit->row_count; k++)
        if (fit->rows[k].is_for_fit)
            simulated[k] = machine_fit_time(g_ptr_array_index(rows, next++));
    return rows != NULL;
}

bool machine_fit_run_all(struct machine_fit *fit, GError **error)
{
    for (size_t k = 0; k < fit->row_count; k++)
        machine_fit_add(fit, k, fit->x);
    g_autoptr(GPtrArray) rows = variants_run(fit->variants, error);
    size_t kept = 0;
    for (size_t k = 0; rows && k < fit->row_count; k++) {
        struct fit_row *row = &fit->rows[k];
        const struct row *run = g_ptr_array_index(rows, k);
        bool is_kept = is_good(fit, row->name, run) || row->is_for_fit;
        if (!run->failure)
            fill_row(row, run);
        if (is_kept)
            fit->rows[kept++] = *row;
        else
            clear_row(row);
    }
    if (rows)
        fit->row_count = kept;
    return rows != NULL;
}
