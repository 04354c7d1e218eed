/* SPDX-License-Identifier: BSD-3-Clause */
#include "study/model/measured.h"

#include <string.h>

#include "core/error.h"
#include "core/param.h"

static void free_names(struct measured_name *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        g_free(names[i].name);
        g_free(names[i].column);
        g_free(names[i].unit);
    }
    g_free(names);
}

void measured_clear(struct measured *measured)
{
    for (size_t i = 0; i < measured->row_count; i++) {
        struct measured_row *row = &measured->rows[i];
        for (size_t k = 0; k < measured->axis_count; k++)
            value_clear(&row->axes[k]);
        g_free(row->axes);
    }
    free_names(measured->names, measured->name_count);
    free_names(measured->only, measured->only_count);
    g_strfreev(measured->every);
    g_free(measured->axes);
    g_free(measured->rows);
    delimited_clear(&measured->table);
}

/* --- columns ------------------------------------------------------------------------------------ */

static bool refuse_name(const struct measured *measured, const char *name, GError **error)
{
    g_autofree char *known = g_strjoinv(", ", measured->table.columns);
    return delimited_fail(&measured->table, measured->table.names_line, error,
                          "there is no column \"%s\"; there are %s", name, known);
}

/* The columns that the study names have to be there, and what it calls axes have to be some. */
static bool check_names(const struct measured *measured, const struct study *study, GError **error)
{
    for (size_t i = 0; i < measured->name_count; i++)
        if (delimited_find(&measured->table, measured->names[i].column) < 0)
            return refuse_name(measured, measured->names[i].column, error);
    for (size_t i = 0; i < measured->only_count; i++)
        if (delimited_find(&measured->table, measured->only[i].name) < 0)
            return refuse_name(measured, measured->only[i].name, error);
    for (char **name = measured->every; name && *name; name++)
        if (study_axis(study, *name) == NULL)
            return error_set(error, "measured: every: \"%s\" is no axis of the study", *name);
    return true;
}

static bool refuse_lack(const struct measured *measured, const char *axis, GError **error)
{
    char **columns = measured->table.columns;
    const char *nearest = param_nearest(axis, (const char *const *)columns, g_strv_length(columns));
    g_autofree char *known = g_strjoinv(", ", columns);
    return delimited_fail(
        &measured->table, measured->table.names_line, error,
        "no column is the axis %s%s%s%s; in its measured, the study says %s = \"COLUMN\" for one of "
        "another name, or every = { \"%s\" } if each row is of every value of %s; the columns are %s",
        axis, nearest ? " (is it \"" : "", nearest ? nearest : "", nearest ? "\"?)" : "", axis,
        axis, axis, known);
}

/* The column of an axis, unless the study says that its rows are of every value of it. */
static bool find_axis(struct measured *measured, const struct axis *axis,
                      struct measured_column *column, GError **error)
{
    bool is_every =
        measured->every && g_strv_contains((const char *const *)measured->every, axis->name);
    if (!measured_find(measured, axis->name, &axis->values[0], true, column, error))
        return false;
    if (column->at >= 0 && is_every)
        return delimited_fail(&measured->table, measured->table.names_line, error,
                              "the study's measured says every = { \"%s\" }, but here is the "
                              "column %s",
                              axis->name, measured->table.columns[column->at]);
    return column->at >= 0 || is_every || refuse_lack(measured, axis->name, error);
}

static bool find_axes(struct measured *measured, const struct study *study, GError **error)
{
    measured->axes = g_new0(struct measured_column, study->axis_count + 1);
    for (size_t i = 0; i < study->axis_count; i++)
        if (!find_axis(measured, &study->axes[i], &measured->axes[i], error))
            return false;
    return true;
}

/* --- columns that are not used ------------------------------------------------------------------ */

static bool is_named(const struct measured *measured, int column)
{
    for (size_t i = 0; i < measured->axis_count; i++)
        if (measured->axes[i].at == column)
            return true;
    for (size_t i = 0; i < measured->name_count; i++)
        if (delimited_find(&measured->table, measured->names[i].column) == column)
            return true;
    for (size_t i = 0; i < measured->only_count; i++)
        if (delimited_find(&measured->table, measured->only[i].name) == column)
            return true;
    return false;
}

static bool is_value(const struct axis *axis, const char *text)
{
    for (size_t i = 0; i < axis->count; i++)
        if (axis->values[i].kind == VALUE_TEXT && strcmp(axis->values[i].text, text) == 0)
            return true;
    return false;
}

/* Whether the column's cells are texts that are values of the axis: all of them, or of an axis that the file lacks one. */
static bool is_like_axis(const struct measured *measured, int column, const struct axis *axis,
                         bool is_lacking)
{
    size_t alike = 0, cells = 0;
    for (size_t i = 0; i < measured->table.row_count; i++) {
        const char *text = measured->table.rows[i].fields[column];
        cells += !measured_is_none(text);
        alike += is_value(axis, text);
    }
    return alike > 0 && (is_lacking || alike == cells);
}

/* A column that tells rows apart, and is not used, would give each point the rows of others. */
static bool check_unused(const struct measured *measured, const struct study *study, GError **error)
{
    for (int column = 0; measured->table.columns[column]; column++)
        for (size_t i = 0; i < study->axis_count && !is_named(measured, column); i++)
            if (is_like_axis(measured, column, &study->axes[i], measured->axes[i].at < 0))
                return delimited_fail(
                    &measured->table, measured->table.names_line, error,
                    "column %s is not used, but has values of the axis %s; name it in the study's "
                    "measured (%s = \"%s\", or only = { [\"%s\"] = ... }), or leave it out",
                    measured->table.columns[column], study->axes[i].name, study->axes[i].name,
                    measured->table.columns[column], measured->table.columns[column]);
    return true;
}

/* --- rows --------------------------------------------------------------------------------------- */

static bool is_meant(const struct measured *measured, char *const *fields)
{
    for (size_t i = 0; i < measured->only_count; i++) {
        const struct measured_name *only = &measured->only[i];
        if (strcmp(fields[delimited_find(&measured->table, only->name)], only->column) != 0)
            return false;
    }
    return true;
}

static bool read_axes(const struct measured *measured, struct measured_row *row, GError **error)
{
    for (size_t i = 0; i < measured->axis_count; i++) {
        const struct measured_column *column = &measured->axes[i];
        g_autoptr(GError) cause = NULL;
        if (column->at < 0 || measured_cell(measured, row, column, &row->axes[i], &cause))
            continue;
        if (cause == NULL)
            return delimited_fail(&measured->table, row->line, error, "%s has no value",
                                  measured->table.columns[column->at]);
        g_propagate_error(error, g_steal_pointer(&cause));
        return false;
    }
    return true;
}

static bool read_rows(struct measured *measured, GError **error)
{
    const struct delimited *table = &measured->table;
    measured->rows = g_new0(struct measured_row, table->row_count + 1);
    for (size_t i = 0; i < table->row_count; i++) {
        if (!is_meant(measured, table->rows[i].fields))
            continue;
        struct measured_row *row = &measured->rows[measured->row_count++];
        *row = (struct measured_row){table->rows[i].line, table->rows[i].fields,
                                     g_new0(struct value, measured->axis_count + 1)};
        if (!read_axes(measured, row, error))
            return false;
    }
    return measured->row_count > 0 ||
           delimited_fail(table, table->names_line, error, "there is no row%s",
                          measured->only_count > 0 ? " with the texts of only" : "");
}

bool measured_parse(struct measured *measured, const struct study *study, const char *text,
                    GError **error)
{
    measured->axis_count = study->axis_count;
    return delimited_parse(&measured->table, text, error) && check_names(measured, study, error) &&
           find_axes(measured, study, error) && check_unused(measured, study, error) &&
           read_rows(measured, error);
}
