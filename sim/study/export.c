/* Text forms of tables. Numbers are copied as the table has them, exact decimals: they are
 * formatted in one place, script_column_text. */
#include "study/export.h"

#include <math.h>
#include <string.h>

/* --- CSV ----------------------------------------------------------------------------------------
 */

void export_csv_field(GString *csv, const char *text)
{
    if (!text)
        return;
    if (!strpbrk(text, ",\"\r\n")) {
        g_string_append(csv, text);
        return;
    }
    g_string_append_c(csv, '"');
    for (; *text; text++) {
        if (*text == '"')
            g_string_append_c(csv, '"');
        g_string_append_c(csv, *text);
    }
    g_string_append_c(csv, '"');
}

char *export_csv(const struct table *table)
{
    GString *csv = g_string_new(NULL);
    for (size_t c = 0; c < table->column_count; c++) {
        export_csv_field(csv, table->columns[c].name);
        g_string_append_c(csv, c + 1 < table->column_count ? ',' : '\n');
    }
    for (size_t r = 0; r < table->row_count; r++) {
        for (size_t c = 0; c < table->column_count; c++) {
            export_csv_field(csv, table_cell(table, r, c));
            g_string_append_c(csv, c + 1 < table->column_count ? ',' : '\n');
        }
    }
    return g_string_free(csv, FALSE);
}

/* --- JSON ---------------------------------------------------------------------------------------
 */

static void append_json_string(GString *json, const char *text)
{
    g_autofree char *quoted = script_json_string(text);
    g_string_append(json, quoted);
}

static void append_json_value(GString *json, const struct table_column *column, const char *text)
{
    if (!text || (column->is_number && !isfinite(g_ascii_strtod(text, NULL))))
        g_string_append(json, "null");
    else if (column->is_number)
        g_string_append(json, text);
    else
        append_json_string(json, text);
}

char *export_json(const struct table *table)
{
    GString *json = g_string_new("[");
    for (size_t r = 0; r < table->row_count; r++) {
        g_string_append(json, r ? ",\n  {" : "\n  {");
        for (size_t c = 0; c < table->column_count; c++) {
            if (c)
                g_string_append(json, ", ");
            append_json_string(json, table->columns[c].name);
            g_string_append(json, ": ");
            append_json_value(json, &table->columns[c], table_cell(table, r, c));
        }
        g_string_append_c(json, '}');
    }
    g_string_append(json, "\n]\n");
    return g_string_free(json, FALSE);
}

/* --- gnuplot ------------------------------------------------------------------------------------
 */

char *export_gnuplot(const struct table *table)
{
    GString *tsv = g_string_new(NULL);
    for (size_t r = 0; r < table->row_count; r++) {
        for (size_t c = 0; c < table->column_count; c++) {
            const char *text = table_cell(table, r, c);
            gsize start = tsv->len;
            g_string_append(tsv, text ? text : "NaN");
            for (gsize i = start; i < tsv->len; i++) {
                if (strchr("\t\r\n\"", tsv->str[i]))
                    tsv->str[i] = ' ';
            }
            g_string_append_c(tsv, c + 1 < table->column_count ? '\t' : '\n');
        }
    }
    return g_string_free(tsv, FALSE);
}

char *export_tsv(const struct table *table)
{
    GString *tsv = g_string_new("# ");
    for (size_t c = 0; c < table->column_count; c++)
        g_string_append_printf(tsv, "%s%c", table->columns[c].name,
                               c + 1 < table->column_count ? '\t' : '\n');
    g_autofree char *rows = export_gnuplot(table);
    g_string_append(tsv, rows);
    return g_string_free(tsv, FALSE);
}

/* --- terminal -----------------------------------------------------------------------------------
 */

/* Of a text of several lines the first one. */
static int shown_bytes(const char *text)
{
    return text ? (int)strcspn(text, "\n") : 0;
}

static size_t text_width(const char *text)
{
    return text ? (size_t)g_utf8_strlen(text, shown_bytes(text)) : 0;
}

static void append_cell(GString *out, const char *text, size_t width, bool right, bool last)
{
    size_t padding = width - text_width(text);
    if (right)
        g_string_append_printf(out, "%*s", (int)padding, "");
    g_string_append_len(out, text ? text : "", shown_bytes(text));
    if (!right && !last)
        g_string_append_printf(out, "%*s", (int)padding, "");
    g_string_append(out, last ? "\n" : "  ");
}

char *export_text(const struct table *table)
{
    g_autofree size_t *widths = g_new(size_t, table->column_count + 1);
    for (size_t c = 0; c < table->column_count; c++) {
        widths[c] = text_width(table->columns[c].name);
        for (size_t r = 0; r < table->row_count; r++)
            widths[c] = MAX(widths[c], text_width(table_cell(table, r, c)));
    }
    GString *out = g_string_new(NULL);
    for (size_t r = 0; r <= table->row_count; r++) {
        for (size_t c = 0; c < table->column_count; c++) {
            const char *text = r == 0 ? table->columns[c].name : table_cell(table, r - 1, c);
            append_cell(out, text, widths[c], table->columns[c].is_number,
                        c + 1 == table->column_count);
        }
    }
    return g_string_free(out, FALSE);
}
