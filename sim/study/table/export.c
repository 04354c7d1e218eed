/* SPDX-License-Identifier: BSD-3-Clause */
/* Text forms of tables. Numbers are copied as the table has them, exact decimals: they are
 * formatted in one place, value_column_text. */
#include "study/table/export.h"

#include <math.h>
#include <string.h>

#include "core/json.h"
#include "core/shown.h"
#include "core/units.h"

/* --- CSV ----------------------------------------------------------------------------------------
 */

/* Full-width signs begin a formula too, where the spreadsheet is a Japanese one. */
static bool is_formula(const char *text)
{
    static const char *const signs[] = {"=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠"};
    for (size_t i = 0; i < G_N_ELEMENTS(signs); i++) {
        if (g_str_has_prefix(text, signs[i]))
            return !unit_is_number(text);
    }
    return false;
}

/* What a spreadsheet and a terminal may be given of a text; its lines stay. */
static char *harmless(const char *text)
{
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line; line++) {
        char *shown = shown_text(*line);
        g_free(*line);
        *line = shown;
    }
    g_autofree char *joined = g_strjoinv("\n", lines);
    return g_strconcat(is_formula(text) ? "'" : "", joined, NULL);
}

void export_csv_field(GString *csv, const char *text)
{
    if (!text)
        return;
    g_autofree char *field = harmless(text);
    if (!strpbrk(field, ",\"\n")) {
        g_string_append(csv, field);
        return;
    }
    g_auto(GStrv) parts = g_strsplit(field, "\"", -1);
    g_autofree char *doubled = g_strjoinv("\"\"", parts);
    g_string_append_printf(csv, "\"%s\"", doubled);
}

/* A line of the columns' names, then a line a row. */
static void append_lines(GString *lines, const struct table *table, char separator,
                         void (*append_field)(GString *line, const char *text))
{
    for (size_t c = 0; c < table->column_count; c++) {
        append_field(lines, table->columns[c].name);
        g_string_append_c(lines, c + 1 < table->column_count ? separator : '\n');
    }
    for (size_t r = 0; r < table->row_count; r++) {
        for (size_t c = 0; c < table->column_count; c++) {
            append_field(lines, table_cell(table, r, c));
            g_string_append_c(lines, c + 1 < table->column_count ? separator : '\n');
        }
    }
}

char *export_csv(const struct table *table)
{
    GString *csv = g_string_new(NULL);
    append_lines(csv, table, ',', export_csv_field);
    return g_string_free(csv, FALSE);
}

/* --- JSON ---------------------------------------------------------------------------------------
 */

/* "inf", "nan". */
static bool is_no_finite(const char *text)
{
    char *end;
    return !isfinite(g_ascii_strtod(text, &end)) && *end == '\0';
}

static void write_cell(struct json *json, const struct table_column *column, const char *text)
{
    g_autofree char *name = g_utf8_make_valid(column->name, -1);
    g_autofree char *valid = text ? g_utf8_make_valid(text, -1) : NULL;
    if (text && column->is_number && is_no_finite(text))
        json_text(json, name, NULL);
    else if (text && column->is_number && unit_is_number(text))
        json_number(json, name, "%s", text);
    else
        json_text(json, name, valid);
}

void export_json_rows(const struct table *table, const char *key, struct json *json)
{
    json_begin_rows(json, key, "\n  ");
    for (size_t r = 0; r < table->row_count; r++) {
        json_begin_object(json, NULL);
        for (size_t c = 0; c < table->column_count; c++)
            write_cell(json, &table->columns[c], table_cell(table, r, c));
        json_end_object(json);
    }
    json_end_rows(json);
}

char *export_json(const struct table *table)
{
    struct json json = {.text = g_string_new(NULL), .is_spaced = true};
    export_json_rows(table, NULL, &json);
    g_string_append_c(json.text, '\n');
    return g_string_free(json.text, FALSE);
}

/* --- TSV ----------------------------------------------------------------------------------------
 */

static void append_tsv_field(GString *tsv, const char *text)
{
    g_autofree char *field = harmless(text ? text : "NaN");
    g_strdelimit(field, "\n\"", ' ');
    g_string_append(tsv, field);
}

char *export_tsv(const struct table *table)
{
    GString *tsv = g_string_new("# ");
    append_lines(tsv, table, '\t', append_tsv_field);
    return g_string_free(tsv, FALSE);
}
