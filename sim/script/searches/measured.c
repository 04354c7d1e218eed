/* SPDX-License-Identifier: BSD-3-Clause */
#include "script/searches/measured.h"

#include <string.h>

#include "core/units.h"
#include "study/model/delimited.h"

/* Appends a text in quotes, as Lua reads it. */
static void append_quoted(GString *lua, const char *text)
{
    g_string_append_c(lua, '"');
    for (; *text; text++)
        if (*text == '"' || *text == '\\' || (unsigned char)*text < ' ')
            g_string_append_printf(lua, "\\%03d", (unsigned char)*text);
        else
            g_string_append_c(lua, *text);
    g_string_append_c(lua, '"');
}

/* `name = "text", ` */
static void append_field(GString *lua, const char *name, const char *text)
{
    g_string_append_printf(lua, "%s = ", name);
    append_quoted(lua, text);
    g_string_append(lua, ", ");
}

/* `name = { "text", ... }, ` */
static void append_list(GString *lua, const char *name, char *const *texts)
{
    g_string_append_printf(lua, "%s = { ", name);
    for (; *texts; texts++) {
        append_quoted(lua, *texts);
        g_string_append(lua, ",\n");
    }
    g_string_append(lua, "}, ");
}

static void append_cell(GString *lua, const char *column, const char *text)
{
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    g_string_append(lua, "[");
    append_quoted(lua, column);
    g_string_append(lua, "] = ");
    if (unit_is_number(text))
        g_string_append(lua, g_ascii_dtostr(number, sizeof number, g_ascii_strtod(text, NULL)));
    else
        append_quoted(lua, text);
    g_string_append(lua, ", ");
}

static void append_rows(GString *lua, const struct delimited *table)
{
    g_string_append(lua, "rows = {\n");
    for (size_t i = 0; i < table->row_count; i++) {
        g_string_append_printf(lua, "{ [0] = %zu, ", table->rows[i].line);
        for (size_t k = 0; table->columns[k]; k++)
            append_cell(lua, table->columns[k], table->rows[i].fields[k]);
        g_string_append(lua, "},\n");
    }
    g_string_append(lua, "}, ");
}

static bool append_table(GString *lua, const char *path, const char *text, GError **error)
{
    struct delimited table = {.path = g_strdup(path)};
    bool good = delimited_parse(&table, text, error);
    g_autofree char *name = g_path_get_basename(path);
    char *end = strrchr(name, '.');
    if (end != NULL && end != name)
        *end = '\0';
    append_field(lua, "table", name);
    if (good) {
        append_list(lua, "columns", table.columns);
        append_rows(lua, &table);
    }
    delimited_clear(&table);
    return good;
}

static void append_lines(GString *lua, const char *format, const char *text)
{
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line; line++)
        g_strchomp(*line);
    append_field(lua, "format", format);
    append_list(lua, "lines", lines);
}

bool measured_append(GString *lua, const char *path, GError **error)
{
    g_autofree char *text = text_file_read(path, &delimited_file, NULL, error);
    g_autofree char *folder = g_path_get_dirname(path);
    bool good = text != NULL;
    g_string_append(lua, "{ ");
    append_field(lua, "file", path);
    append_field(lua, "folder", folder);
    if (good && strstr(text, "#bytes ") != NULL)
        append_lines(lua, "perftest", text);
    else if (good && strstr(text, "# OSU ") != NULL)
        append_lines(lua, "osu", text);
    else
        good = good && append_table(lua, path, text, error);
    g_string_append(lua, "},\n");
    return good;
}
