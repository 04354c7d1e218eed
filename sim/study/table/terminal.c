/* SPDX-License-Identifier: BSD-3-Clause */
#include "study/table/terminal.h"

#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/shown.h"

#define USUAL_WIDTH 80
#define LEAST_WIDTH 20
#define MOST_WIDTH 100000
#define GAP 2 /* between columns */

size_t terminal_width(FILE *stream)
{
    struct winsize size;
    guint64 width = 0;
    if (ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        width = size.ws_col;
    else if (!g_ascii_string_to_unsigned(g_getenv("COLUMNS") ? g_getenv("COLUMNS") : "", 10,
                                         LEAST_WIDTH, MOST_WIDTH, &width, NULL))
        width = USUAL_WIDTH;
    return MAX(width, LEAST_WIDTH);
}

/* A table being written. */
struct terminal_text {
    GString *out;
    const struct table *table;
    size_t rows, most_cell;
    size_t *widths; /* of the columns */
};

/* A fraction with at most six significant digits, in `number`; whole numbers, and what is no number, as they are. */
static const char *short_number(const char *text, char number[G_ASCII_DTOSTR_BUF_SIZE])
{
    char *end;
    double value = g_ascii_strtod(text, &end);
    if (*end != '\0' || strpbrk(text, ".e") == NULL)
        return text;
    const char *format = value > -1e6 && value < 1e6 ? "%.6g" : "%.0f";
    return g_ascii_formatd(number, G_ASCII_DTOSTR_BUF_SIZE, format, value);
}

/* What is shown of a cell: its first line, or the start of it. */
static char *cell_text(const struct terminal_text *text, size_t row, size_t column)
{
    const struct table *table = text->table;
    const char *whole =
        row == 0 ? table->columns[column].name : table_shown_cell(table, row - 1, column);
    g_auto(GStrv) lines = g_strsplit(whole ? whole : "", "\n", 2);
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    const char *line = lines[0] ? lines[0] : "";
    if (row > 0 && table->columns[column].is_number)
        line = short_number(line, number);
    return shown_start(line, text->most_cell);
}

static struct terminal_text measure(const struct table *table, size_t width, size_t most_rows)
{
    struct terminal_text text = {.table = table,
                                 .rows = MIN(table->row_count, most_rows),
                                 .most_cell = width / 2,
                                 .widths = g_new0(size_t, table->column_count + 1)};
    for (size_t c = 0; c < table->column_count; c++) {
        for (size_t r = 0; r <= text.rows; r++) {
            g_autofree char *cell = cell_text(&text, r, c);
            text.widths[c] = MAX(text.widths[c], (size_t)g_utf8_strlen(cell, -1));
        }
    }
    return text;
}

static void append_cell(const struct terminal_text *text, size_t row, size_t column, bool is_last)
{
    g_autofree char *cell = cell_text(text, row, column);
    int padding = (int)(text->widths[column] - (size_t)g_utf8_strlen(cell, -1));
    bool is_right = text->table->columns[column].is_number;
    g_string_append_printf(text->out, "%*s%s", is_right ? padding : 0, "", cell);
    if (is_last)
        g_string_append_c(text->out, '\n');
    else
        g_string_append_printf(text->out, "%*s", GAP + (is_right ? 0 : padding), "");
}

/* The first `fixed` columns, then those from `from` to before `to`. */
static void append_block(const struct terminal_text *text, size_t fixed, size_t from, size_t to)
{
    for (size_t r = 0; r <= text->rows; r++) {
        for (size_t c = 0; c < fixed; c++)
            append_cell(text, r, c, c + 1 == fixed && from == to);
        for (size_t c = from; c < to; c++)
            append_cell(text, r, c, c + 1 == to);
    }
}

/* The first column from `from` on that has no room beside the `fixed` ones and those before it; beyond `from`. */
static size_t block_end(const struct terminal_text *text, size_t fixed, size_t from, size_t width)
{
    size_t used = 0, to = from;
    for (size_t c = 0; c < fixed; c++)
        used += text->widths[c] + GAP;
    while (to < text->table->column_count &&
           (to == from || used + text->widths[to] <= width)) /* one at least */
        used += text->widths[to++] + GAP;
    return to;
}

char *terminal_text(const struct table *table, size_t width, size_t most_rows)
{
    struct terminal_text text = measure(table, width, most_rows);
    size_t fixed = 0;
    text.out = g_string_new(NULL);
    while (fixed < table->column_count && table->columns[fixed].is_axis)
        fixed++;
    size_t from = fixed;
    do {
        size_t to = block_end(&text, fixed, from, width);
        if (from > fixed)
            g_string_append_c(text.out, '\n');
        append_block(&text, fixed, from, to);
        from = to;
    } while (from < table->column_count);
    if (text.rows < table->row_count)
        g_string_append_printf(text.out, "... and %zu more rows\n", table->row_count - text.rows);
    g_free(text.widths);
    return g_string_free(text.out, FALSE);
}

size_t terminal_fitting(const struct table *table, size_t width, size_t most_rows)
{
    struct terminal_text text = measure(table, width, most_rows);
    size_t end = block_end(&text, 0, 0, width);
    g_free(text.widths);
    return end;
}

void terminal_wrap(GString *text, const char *sentence, size_t width)
{
    g_autofree char *shown = shown_text(sentence);
    g_auto(GStrv) words = g_strsplit(shown, " ", -1);
    size_t used = 0;
    for (char **word = words; *word; word++) {
        size_t length = (size_t)g_utf8_strlen(*word, -1);
        bool is_first = word == words, fits = used + 1 + length <= width;
        g_string_append_printf(text, "%s%s", is_first ? "" : fits ? " " : "\n  ", *word);
        used = is_first ? length : fits ? used + 1 + length : 2 + length;
    }
    g_string_append_c(text, '\n');
}
