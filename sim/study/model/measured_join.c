/* SPDX-License-Identifier: BSD-3-Clause */
/* Measurements joined to the points of a study. */
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "study/model/measured.h"

/* --- which row is of which point ---------------------------------------------------------------- */

static bool is_same(const struct value *a, const struct value *b)
{
    if (a->kind == VALUE_QUANTITY && b->kind == VALUE_QUANTITY)
        return a->quantity == b->quantity;
    if (a->kind == VALUE_NUMBER && b->kind == VALUE_NUMBER)
        return g_ascii_strtod(a->text, NULL) == g_ascii_strtod(b->text, NULL);
    return strcmp(a->text, b->text) == 0;
}

static bool is_of_point(const struct study *study, const struct measured *measured,
                        const struct measured_row *measured_row, const struct row *row)
{
    for (size_t i = 0; i < study->axis_count; i++)
        if (measured->axes[i].at >= 0 &&
            !is_same(&measured_row->axes[i], &study->axes[i].values[row->axis_index[i]]))
            return false;
    return true;
}

/* --- one measure -------------------------------------------------------------------------------- */

/* A measure of the results that a file has. */
struct joined {
    const struct study *study;
    const struct measured *measured;
    char *name;
    struct measured_column column; /* column.like is known before the file is */
    double *numbers;               /* by row of the file, in base units; NaN: none */
    GArray *errors;                /* double: sizes, % */
};

static int compare_numbers(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static double median(GArray *numbers)
{
    g_array_sort(numbers, compare_numbers);
    guint half = numbers->len / 2;
    double upper = g_array_index(numbers, double, half);
    return numbers->len % 2 ? upper : (g_array_index(numbers, double, half - 1) + upper) / 2;
}

static double number_of(const struct value *value)
{
    return value->kind == VALUE_QUANTITY ? (double)value->quantity : value->number;
}

/* Reads the column's cells. */
static bool read_numbers(struct joined *joined, GError **error)
{
    const struct measured *measured = joined->measured;
    joined->numbers = g_new(double, measured->row_count);
    for (size_t i = 0; i < measured->row_count; i++) {
        struct value value;
        g_autoptr(GError) cause = NULL;
        bool has_one = measured_cell(measured, &measured->rows[i], &joined->column, &value, &cause);
        joined->numbers[i] = has_one ? number_of(&value) : NAN;
        if (has_one)
            value_clear(&value);
        if (cause != NULL) {
            g_propagate_error(error, g_steal_pointer(&cause));
            return false;
        }
    }
    return true;
}

/* The median of what was measured at the point, in base units; NaN if nothing was. */
static double measured_at(const struct joined *joined, const struct row *row)
{
    g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(double));
    const struct measured *measured = joined->measured;
    for (size_t i = 0; i < measured->row_count; i++)
        if (!isnan(joined->numbers[i]) &&
            is_of_point(joined->study, measured, &measured->rows[i], row))
            g_array_append_val(numbers, joined->numbers[i]);
    return numbers->len ? median(numbers) : NAN;
}

static void add_measure(struct row *row, char *name, struct value value)
{
    row->measures = g_renew(struct measure, row->measures, row->measure_count + 1);
    row->measures[row->measure_count++] = (struct measure){name, value};
}

/* An error of a hundredth of a percent is below what anything is measured to. */
static double rounded(double percent)
{
    return round(percent * 100) / 100;
}

static bool join_row(struct joined *joined, struct row *row, GError **error)
{
    const struct measure *simulated = row_measure(row, joined->name);
    if (simulated == NULL || simulated->value.kind != joined->column.like.kind)
        return true;
    double measured = measured_at(joined, row);
    if (isnan(measured))
        return true;
    g_autofree char *name = g_strconcat(joined->name, "_measured", NULL);
    if (row_measure(row, name) != NULL)
        return error_set(error, "%s: %s is there already", joined->measured->table.path, name);
    double percent = (number_of(&simulated->value) - measured) / measured * 100;
    bool is_quantity = joined->column.like.kind == VALUE_QUANTITY;
    add_measure(row, g_steal_pointer(&name),
                is_quantity ? value_quantity((int64_t)round(measured), joined->column.like.unit)
                            : value_number(measured));
    if (measured == 0)
        return true;
    add_measure(row, g_strconcat(joined->name, "_error_percent", NULL),
                value_number(rounded(percent)));
    double size = fabs(percent);
    g_array_append_val(joined->errors, size);
    return true;
}

/* --- what is told ------------------------------------------------------------------------------- */

/* The smallest that is at least as large as that share of them. */
static double quantile(const GArray *sorted, double share)
{
    double rank = ceil(share * sorted->len);
    return g_array_index(sorted, double, MAX((guint)rank, 1) - 1);
}

static size_t count_simulated(const struct joined *joined, struct row *const *rows,
                              size_t row_count)
{
    size_t count = 0;
    const struct measured *measured = joined->measured;
    for (size_t i = 0; i < measured->row_count; i++) {
        size_t k = 0;
        while (k < row_count && !is_of_point(joined->study, measured, &measured->rows[i], rows[k]))
            k++;
        count += k < row_count;
    }
    return count;
}

static void tell(struct joined *joined, struct row *const *rows, size_t row_count, GString *told)
{
    const struct measured *measured = joined->measured;
    size_t of_points = count_simulated(joined, rows, row_count);
    g_string_append_printf(told, "%s: %s at %u point%s", measured->table.path, joined->name,
                           joined->errors->len, joined->errors->len == 1 ? "" : "s");
    if (joined->errors->len > 0) {
        double middle = median(joined->errors); /* sorts */
        g_string_append_printf(told, ", error median %.1f %%, p90 %.1f %%", middle,
                               quantile(joined->errors, 0.9));
    }
    if (of_points < measured->row_count)
        g_string_append_printf(told, "; %zu of %zu rows are of no simulated point",
                               measured->row_count - of_points, measured->row_count);
    g_string_append_c(told, '\n');
}

static bool is_used(const struct measured *measured, const GPtrArray *measures, int column)
{
    for (size_t i = 0; i < measured->axis_count; i++)
        if (measured->axes[i].at == column)
            return true;
    for (size_t i = 0; i < measured->only_count; i++)
        if (delimited_find(&measured->table, measured->only[i].name) == column)
            return true;
    for (guint i = 0; i < measures->len; i++)
        if (((struct joined *)measures->pdata[i])->column.at == column)
            return true;
    return false;
}

static void tell_unused(const struct measured *measured, const GPtrArray *measures, GString *told)
{
    const char *separator = "";
    GString *unused = g_string_new(NULL);
    for (int i = 0; measured->table.columns[i]; i++)
        if (!is_used(measured, measures, i)) {
            g_string_append_printf(unused, "%s%s", separator, measured->table.columns[i]);
            separator = ", ";
        }
    if (unused->len > 0)
        g_string_append_printf(told, "%s: not used: %s\n", measured->table.path, unused->str);
    g_string_free(unused, TRUE);
}

/* --- all of them -------------------------------------------------------------------------------- */

/* Whether it is the spread of another measure's mean over phases. What a measurement scatters by is no value of that. */
static bool is_spread(const struct row *row, const char *name)
{
    g_autofree char *mean = g_str_has_suffix(name, "_spread")
                                ? g_strndup(name, strlen(name) - strlen("_spread"))
                                : NULL;
    return mean != NULL && row_measure(row, mean) != NULL;
}

/* Names and kinds of the results' measures, as they first appear. What a point does not model has no kind there. */
static GPtrArray *list_measures(struct row *const *rows, size_t row_count)
{
    GPtrArray *measures = g_ptr_array_new();
    for (size_t i = 0; i < row_count; i++)
        for (size_t k = 0; k < rows[i]->measure_count; k++) {
            const struct measure *measure = &rows[i]->measures[k];
            guint found = 0;
            while (found < measures->len &&
                   strcmp(((struct joined *)measures->pdata[found])->name, measure->name) != 0)
                found++;
            if (found < measures->len || value_is_absent(&measure->value) ||
                is_spread(rows[i], measure->name))
                continue;
            struct joined *joined = g_new0(struct joined, 1);
            joined->name = g_strdup(measure->name);
            joined->column.like =
                (struct value){.kind = measure->value.kind, .unit = measure->value.unit};
            g_ptr_array_add(measures, joined);
        }
    return measures;
}

static void free_measures(GPtrArray *measures)
{
    for (guint i = 0; i < measures->len; i++) {
        struct joined *joined = measures->pdata[i];
        g_free(joined->name);
        g_free(joined);
    }
    g_ptr_array_unref(measures);
}

static bool is_known(const struct study *study, const GPtrArray *measures, const char *name)
{
    for (guint i = 0; i < measures->len; i++)
        if (strcmp(((struct joined *)measures->pdata[i])->name, name) == 0)
            return true;
    return study_axis(study, name) != NULL;
}

/* What the study names has to be there. */
static bool check_names(const struct study *study, const struct measured *measured,
                        const GPtrArray *measures, GError **error)
{
    for (size_t i = 0; i < measured->name_count; i++)
        if (!is_known(study, measures, measured->names[i].name))
            return error_set(error, "%s: measured: \"%s\" is neither an axis nor a measure",
                             study->path, measured->names[i].name);
    return true;
}

static bool none_found(const struct measured *measured, const GPtrArray *measures, GError **error)
{
    GString *known = g_string_new(NULL);
    for (guint i = 0; i < measures->len; i++) {
        struct joined *joined = measures->pdata[i];
        g_autofree char *column = value_column(joined->name, &joined->column.like);
        g_string_append_printf(known, "%s%s", i ? ", " : "", column);
    }
    g_autofree char *columns = g_strjoinv(", ", measured->table.columns);
    delimited_fail(&measured->table, measured->table.names_line, error,
                   "no column is a measure of the results, %s; the columns are %s", known->str,
                   columns);
    g_string_free(known, TRUE);
    return false;
}

static bool find_measure_column(struct joined *joined, GError **error)
{
    struct value like = joined->column.like;
    if (!measured_find(joined->measured, joined->name, &like, false, &joined->column, error))
        return false;
    if (like.kind == VALUE_TEXT)
        joined->column.at = -1;
    return true;
}

static bool join_measure(struct joined *joined, struct row *const *rows, size_t row_count,
                         GString *told, GError **error)
{
    joined->errors = g_array_new(FALSE, FALSE, sizeof(double));
    bool good = read_numbers(joined, error);
    for (size_t k = 0; good && k < row_count; k++)
        good = join_row(joined, rows[k], error);
    if (good)
        tell(joined, rows, row_count, told);
    g_array_unref(joined->errors);
    g_free(joined->numbers);
    return good;
}

static bool join_file(const struct study *study, const struct measured *measured,
                      struct row *const *rows, size_t row_count, GString *told, GError **error)
{
    GPtrArray *measures = list_measures(rows, row_count);
    bool good = measures->len == 0 || check_names(study, measured, measures, error);
    bool has_one = measures->len == 0; /* all points have failed */
    for (guint i = 0; good && i < measures->len; i++) {
        struct joined *joined = measures->pdata[i];
        joined->study = study;
        joined->measured = measured;
        good = find_measure_column(joined, error);
        if (!good || joined->column.at < 0)
            continue;
        good = join_measure(joined, rows, row_count, told, error);
        has_one = true;
    }
    good = good && (has_one || none_found(measured, measures, error));
    if (good)
        tell_unused(measured, measures, told);
    free_measures(measures);
    return good;
}

bool measured_join(const struct study *study, struct row *const *rows, size_t row_count,
                   char **told, GError **error)
{
    GString *text = g_string_new(NULL);
    bool good = true;
    for (size_t i = 0; good && i < study->measured_count; i++)
        good = join_file(study, &study->measured[i], rows, row_count, text, error);
    *told = g_string_free(text, !good);
    return good;
}

/* --- marks -------------------------------------------------------------------------------------- */

static size_t axis_number(const struct study *study, const char *name)
{
    for (size_t i = 0; name && i < study->axis_count; i++) {
        g_autofree char *column = value_column(study->axes[i].name, &study->axes[i].values[0]);
        if (strcmp(study->axes[i].name, name) == 0 || strcmp(column, name) == 0)
            return i;
    }
    return SIZE_MAX;
}

/* What a row says of the axis called so, as in columns; NULL if nothing. */
static char *axis_text(const struct study *study, const struct measured *measured,
                       const struct measured_row *row, const char *name)
{
    size_t axis = axis_number(study, name);
    return axis == SIZE_MAX || measured->axes[axis].at < 0 ? NULL
                                                           : value_column_text(&row->axes[axis]);
}

static bool is_drawn(const struct study *study, const struct plot_spec *plot,
                     const struct measured *measured, const struct measured_row *row)
{
    for (size_t i = 0; i < plot->only_count; i++) {
        g_autofree char *text = axis_text(study, measured, row, plot->only[i].axis);
        if (text != NULL && strcmp(text, plot->only[i].text) != 0)
            return false;
    }
    return true;
}

/* The values of column `y` of a plot, one of `y_count`. */
static void add_marks(const struct study *study, const struct plot_spec *plot,
                      const struct measured *measured, const struct joined *joined,
                      const char *series, GArray *marks)
{
    for (size_t i = 0; i < measured->row_count; i++) {
        const struct measured_row *row = &measured->rows[i];
        struct value value;
        char *x = axis_text(study, measured, row, plot->x);
        if (x == NULL || !is_drawn(study, plot, measured, row) ||
            !measured_cell(measured, row, &joined->column, &value, NULL)) {
            g_free(x);
            continue;
        }
        g_autofree char *y = value_column_text(&value);
        g_autofree char *by = axis_text(study, measured, row, plot->by);
        struct plot_mark mark = {.is_measured = true,
                                 .x_low = x,
                                 .panel = axis_text(study, measured, row, plot->panels)};
        mark.low = mark.high = g_ascii_strtod(y, NULL);
        mark.series = by && series ? g_strconcat(by, ", ", series, NULL)
                                   : g_strdup(by         ? by
                                              : plot->by ? NULL
                                                         : series);
        g_array_append_val(marks, mark);
        value_clear(&value);
    }
}

struct plot_mark *measured_marks(const struct study *study, const struct plot_spec *plot,
                                 struct row *const *rows, size_t row_count, size_t *count)
{
    GArray *marks = g_array_new(FALSE, TRUE, sizeof(struct plot_mark));
    GPtrArray *measures = list_measures(rows, row_count);
    g_auto(GStrv) ys = g_strsplit(plot->y, ",", -1);
    bool is_one = g_strv_length(ys) == 1, has_marks = !plot_is_scatter(plot);
    for (size_t f = 0; has_marks && f < study->measured_count; f++)
        for (guint i = 0; i < measures->len; i++) {
            struct joined *joined = measures->pdata[i];
            const struct measured *measured = &study->measured[f];
            g_autofree char *column = value_column(joined->name, &joined->column.like);
            joined->measured = measured;
            bool is_drawn_here = g_strv_contains((const char *const *)ys, column) ||
                                 g_strv_contains((const char *const *)ys, joined->name);
            if (is_drawn_here && find_measure_column(joined, NULL) && joined->column.at >= 0)
                add_marks(study, plot, measured, joined, is_one ? NULL : column, marks);
        }
    free_measures(measures);
    *count = marks->len;
    return (struct plot_mark *)(void *)g_array_free(marks, FALSE);
}
