/* SPDX-License-Identifier: BSD-3-Clause */
#include "study/model/measured.h"

#include <stdarg.h>
#include <string.h>

#include "core/error.h"

static void free_names(struct measured_name *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        g_free(names[i].name);
        g_free(names[i].column);
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
        g_strfreev(row->fields);
    }
    free_names(measured->names, measured->name_count);
    free_names(measured->only, measured->only_count);
    g_strfreev(measured->columns);
    g_free(measured->axes);
    g_free(measured->rows);
    g_free(measured->path);
}

bool measured_fail(const struct measured *measured, size_t line, GError **error, const char *format,
                   ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *sentence = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    return error_set(error, "%s:%zu: %s", measured->path, line, sentence);
}

/* --- lines -------------------------------------------------------------------------------------- */

/* A field of CSV, quoted or not; steps to what follows it. */
static char *read_csv_field(const char **at)
{
    GString *field = g_string_new(NULL);
    bool is_quoted = **at == '"';
    *at += is_quoted;
    for (; **at && (is_quoted || **at != ','); (*at)++) {
        if (is_quoted && **at == '"') {
            if ((*at)[1] != '"')
                break;
            (*at)++;
        }
        g_string_append_c(field, **at);
    }
    *at += strcspn(*at, ",");
    return g_string_free(field, FALSE);
}

static char **split_csv(const char *line)
{
    GPtrArray *fields = g_ptr_array_new();
    while (true) {
        g_ptr_array_add(fields, read_csv_field(&line));
        if (*line++ != ',')
            break;
    }
    g_ptr_array_add(fields, NULL);
    return (char **)g_ptr_array_free(fields, FALSE);
}

static char **split(const struct measured *measured, const char *line)
{
    char **fields =
        g_str_has_suffix(measured->path, ".csv") ? split_csv(line) : g_strsplit(line, "\t", -1);
    for (char **field = fields; *field; field++)
        g_strstrip(*field);
    return fields;
}

/* The columns' names: the first line that is no comment, or the comment before it if that has as many fields. Returns
 * the number of the line after it. */
static size_t read_columns(struct measured *measured, char *const *lines)
{
    size_t first = 0;
    while (lines[first] && (*lines[first] == '#' || *lines[first] == '\0'))
        first++;
    g_auto(GStrv) fields = lines[first] ? split(measured, lines[first]) : NULL;
    if (first > 0 && *lines[first - 1] == '#') {
        measured->columns = split(measured, lines[first - 1] + 1);
        if (fields == NULL || g_strv_length(measured->columns) == g_strv_length(fields))
            return first;
        g_clear_pointer(&measured->columns, g_strfreev);
    }
    measured->columns = g_steal_pointer(&fields);
    return first + (measured->columns != NULL);
}

int measured_find(const struct measured *measured, const char *column)
{
    for (int i = 0; measured->columns[i]; i++)
        if (strcmp(measured->columns[i], column) == 0)
            return i;
    return -1;
}

/* --- rows --------------------------------------------------------------------------------------- */

static bool bad_names(const struct measured *measured, size_t line, const char *name,
                      GError **error)
{
    g_autofree char *known = g_strjoinv(", ", measured->columns);
    return measured_fail(measured, line, error, "there is no column \"%s\"; there are %s", name,
                         known);
}

/* The columns' names are `line`; those that the study names have to be there, and an axis. */
static bool find_columns(struct measured *measured, const struct study *study, size_t line,
                         GError **error)
{
    for (size_t i = 0; i < measured->name_count; i++)
        if (measured_find(measured, measured->names[i].column) < 0)
            return bad_names(measured, line, measured->names[i].column, error);
    for (size_t i = 0; i < measured->only_count; i++)
        if (measured_find(measured, measured->only[i].name) < 0)
            return bad_names(measured, line, measured->only[i].name, error);
    measured->axes = g_new(int, study->axis_count + 1);
    GString *axes = g_string_new(NULL);
    bool has_axis = false;
    for (size_t i = 0; i < study->axis_count; i++) {
        const char *suffix;
        const struct axis *axis = &study->axes[i];
        measured->axes[i] = measured_column(measured, axis->name, &axis->values[0], &suffix);
        has_axis = has_axis || measured->axes[i] >= 0;
        g_autofree char *column = value_column(axis->name, &axis->values[0]);
        g_string_append_printf(axes, "%s%s", i ? ", " : "", column);
    }
    if (!has_axis)
        measured_fail(measured, line, error, "no column is an axis of the study, %s", axes->str);
    g_string_free(axes, TRUE);
    return has_axis;
}

static bool is_meant(const struct measured *measured, char *const *fields)
{
    for (size_t i = 0; i < measured->only_count; i++) {
        const struct measured_name *only = &measured->only[i];
        if (strcmp(fields[measured_find(measured, only->name)], only->column) != 0)
            return false;
    }
    return true;
}

static bool read_axes(const struct measured *measured, const struct study *study,
                      struct measured_row *row, GError **error)
{
    for (size_t i = 0; i < study->axis_count; i++) {
        const char *suffix;
        const struct value *like = &study->axes[i].values[0];
        if (measured->axes[i] < 0)
            continue;
        measured_column(measured, study->axes[i].name, like, &suffix);
        g_autoptr(GError) cause = NULL;
        if (measured_cell(measured, row, measured->axes[i], like, suffix, &row->axes[i], &cause))
            continue;
        if (cause != NULL) {
            g_propagate_error(error, g_steal_pointer(&cause));
            return false;
        }
        return measured_fail(measured, row->line, error, "%s has no value",
                             measured->columns[measured->axes[i]]);
    }
    return true;
}

/* Takes a line in, which is number `line`. */
static bool add_row(struct measured *measured, const struct study *study, const char *text,
                    size_t line, GError **error)
{
    char **fields = split(measured, text);
    guint width = g_strv_length(measured->columns), count = g_strv_length(fields);
    if (count != width || !is_meant(measured, fields)) {
        g_strfreev(fields);
        return count == width ||
               measured_fail(measured, line, error, "%u fields where the columns' names are %u",
                             count, width);
    }
    struct measured_row *row = &measured->rows[measured->row_count++];
    *row = (struct measured_row){line, fields, g_new0(struct value, measured->axis_count + 1)};
    return read_axes(measured, study, row, error);
}

bool measured_parse(struct measured *measured, const struct study *study, const char *text,
                    GError **error)
{
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line; line++)
        g_strchomp(*line);
    measured->axis_count = study->axis_count;
    measured->rows = g_new0(struct measured_row, g_strv_length(lines) + 1);
    size_t next = read_columns(measured, lines);
    if (measured->columns == NULL)
        return measured_fail(measured, 1, error, "there are no columns");
    if (!find_columns(measured, study, next, error))
        return false;
    for (size_t i = next; lines[i]; i++)
        if (*lines[i] != '\0' && *lines[i] != '#' &&
            !add_row(measured, study, lines[i], i + 1, error))
            return false;
    return measured->row_count > 0 ||
           measured_fail(measured, next, error, "there is no row%s",
                         measured->only_count > 0 ? " with the texts of only" : "");
}
