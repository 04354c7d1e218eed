/* SPDX-License-Identifier: BSD-3-Clause */
#include "study/model/delimited.h"

#include <stdarg.h>
#include <string.h>

#include "core/error.h"
#include "core/units.h"

const struct text_kind delimited_file = {
    .name = "a table of measurements", .most_bytes = 16 << 20, .is_utf8 = true};

void delimited_clear(struct delimited *table)
{
    for (size_t i = 0; i < table->row_count; i++)
        g_strfreev(table->rows[i].fields);
    g_free(table->rows);
    g_strfreev(table->columns);
    g_free(table->path);
}

/* Sets "PATH:LINE: sentence" and returns false. */
static bool G_GNUC_PRINTF(4, 5)
    fail(const struct delimited *table, size_t line, GError **error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *sentence = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    return error_set(error, "%s:%zu: %s", table->path, line, sentence);
}

/* The column called so; -1 if there is none. */
static int find_column(const struct delimited *table, const char *column)
{
    for (int i = 0; table->columns[i]; i++)
        if (strcmp(table->columns[i], column) == 0)
            return i;
    return -1;
}

/* --- fields of a line --------------------------------------------------------------------------- */

/* The quoted field at `*at`; steps behind it and blanks. NULL if it does not end before the next separator. */
static char *read_quoted(const char **at, char separator)
{
    GString *field = g_string_new(NULL);
    for (++*at; **at && (**at != '"' || (*at)[1] == '"'); ++*at) {
        *at += **at == '"';
        g_string_append_c(field, **at);
    }
    bool is_closed = **at == '"';
    *at += is_closed;
    *at += strspn(*at, " ");
    bool is_good = is_closed && (**at == '\0' || **at == separator);
    return g_string_free(field, !is_good);
}

static char *read_field(const char **at, char separator)
{
    const char *start = *at + strspn(*at, " ");
    if (*start == '"') {
        *at = start;
        return read_quoted(at, separator);
    }
    size_t length = strcspn(start, (char[]){separator, '\0'});
    *at = start + length;
    return g_strndup(start, length);
}

/* A line's fields; NULL if a quoted one has no end. */
static char **split(const char *line, char separator)
{
    GPtrArray *fields = g_ptr_array_new_with_free_func(g_free);
    for (bool is_more = true; is_more; line++) {
        char *field = read_field(&line, separator);
        if (!field) {
            g_ptr_array_unref(fields);
            return NULL;
        }
        g_ptr_array_add(fields, g_strstrip(field));
        is_more = *line == separator;
    }
    g_ptr_array_add(fields, NULL);
    g_ptr_array_set_free_func(fields, NULL);
    return (char **)g_ptr_array_free(fields, FALSE);
}

static char separator_of(const char *line)
{
    static const char separators[] = "\t;";
    for (const char *separator = separators; *separator; separator++) {
        bool is_quoted = false;
        for (const char *at = line; *at; at++) {
            is_quoted ^= *at == '"';
            if (*at == *separator && !is_quoted)
                return *separator;
        }
    }
    return ',';
}

/* --- names -------------------------------------------------------------------------------------- */

static bool is_row(const char *line)
{
    return *line != '#' && line[strspn(line, " \t")] != '\0';
}

/* Names of columns do not begin with a digit; a row of measurements has some field that does. */
static bool has_number(char *const *fields)
{
    for (; *fields; fields++)
        if (g_ascii_isdigit((*fields)[**fields == '-' || **fields == '.']))
            return true;
    return false;
}

/* The fields of a comment; NULL if it is none. */
static char **split_comment(const char *line, char separator)
{
    return *line == '#' ? split(line + strspn(line, "# "), separator) : NULL;
}

/* Whether a comment before a row with numbers names the columns: as many as the row has; or it has tabs, which no sentence has. */
static bool is_of_names(char *const *names, const char *comment, char *const *fields)
{
    return names &&
           (g_strv_length((char **)(gsize)names) == g_strv_length((char **)(gsize)fields) ||
            strchr(comment, '\t'));
}

/* Takes the columns' names from the lines; *next is the number of the line behind them. */
static bool read_names(struct delimited *table, char *const *lines, char *separator, size_t *next,
                       GError **error)
{
    size_t first = 0;
    while (lines[first] && !is_row(lines[first]))
        first++;
    const char *comment = first > 0 ? lines[first - 1] : "";
    *separator = separator_of(lines[first] ? lines[first] : comment);
    g_auto(GStrv) fields = lines[first] ? split(lines[first], *separator) : NULL;
    g_auto(GStrv) names = split_comment(comment, *separator);
    bool is_comment = fields ? has_number(fields) && is_of_names(names, comment, fields)
                             : !lines[first] && names && names[1];
    table->columns = is_comment ? g_steal_pointer(&names) : g_steal_pointer(&fields);
    table->names_line = first + !is_comment;
    *next = table->names_line;
    return table->columns || fail(table, MAX(first, 1), error, "there are no columns");
}

static bool check_names(const struct delimited *table, GError **error)
{
    for (int i = 0; table->columns[i]; i++) {
        const char *name = table->columns[i];
        if (*name == '\0')
            return fail(table, table->names_line, error, "column %d has no name", i + 1);
        if (unit_is_number(name))
            return fail(
                table, table->names_line, error,
                "the columns' names have to stand here or in a comment right before: %s is a number",
                name);
        if (find_column(table, name) != i)
            return fail(table, table->names_line, error, "two columns have the name \"%s\"", name);
    }
    return true;
}

/* --- rows --------------------------------------------------------------------------------------- */

static bool refuse_second_names(const struct delimited *table, size_t line, GError **error)
{
    return fail(table, line, error,
                "the columns' names stand here a second time; a file has one table, of one "
                "machine");
}

/* As spreadsheets write below a table. */
static bool is_empty(char *const *fields)
{
    while (fields && *fields && **fields == '\0')
        fields++;
    return fields && !*fields;
}

static bool add_row(struct delimited *table, const char *text, char separator, size_t line,
                    GError **error)
{
    bool is_comment = *text == '#';
    g_auto(GStrv) fields = is_comment ? split_comment(text, separator) : split(text, separator);
    if (fields && g_strv_equal((const char *const *)fields, (const char *const *)table->columns))
        return refuse_second_names(table, line, error);
    if (is_comment || is_empty(fields))
        return true;
    if (!fields)
        return fail(table, line, error, "a field in quotes does not end before the next separator");
    guint width = g_strv_length(table->columns), count = g_strv_length(fields);
    if (count != width)
        return fail(table, line, error, "%u fields where the columns' names are %u", count, width);
    table->rows[table->row_count++] = (struct delimited_row){line, g_steal_pointer(&fields)};
    return true;
}

bool delimited_parse(struct delimited *table, const char *text, GError **error)
{
    char separator;
    size_t next;
    const char *line_end = strchr(text, '\n') ? "\n" : "\r"; /* an old Mac's has no \n */
    g_auto(GStrv) lines = g_strsplit(text, line_end, -1);
    for (char **line = lines; *line; line++)
        if (g_str_has_suffix(*line, "\r"))
            (*line)[strlen(*line) - 1] = '\0';
    if (!read_names(table, lines, &separator, &next, error) || !check_names(table, error))
        return false;
    table->rows = g_new0(struct delimited_row, g_strv_length(lines) + 1);
    for (size_t i = next; lines[i]; i++)
        if ((*lines[i] == '#' || is_row(lines[i])) &&
            !add_row(table, lines[i], separator, i + 1, error))
            return false;
    return true;
}
