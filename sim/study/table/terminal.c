/* SPDX-License-Identifier: BSD-3-Clause */
#include "study/table/terminal.h"

#include <math.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/shown.h"
#include "core/units.h"
#include "study/model/value.h"

#define USUAL_WIDTH 80
#define LEAST_WIDTH 20
#define MOST_WIDTH 100000
#define GAP 2    /* between columns */
#define DIGITS 6 /* of a number, at most, where it has a fraction */

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

/* --- heads -------------------------------------------------------------------------------------- */

/* Of the ends of columns' names, which stand in files. */
static const struct {
    const char *suffix, *unit;
} units[] = {{"_us", "us"},   {"_ns", "ns"}, {"_ms", "ms"}, {"_GBps", "GB/s"},
             {"_GHz", "GHz"}, {"_W", "W"},   {"_uJ", "uJ"}, {"_percent", "%"}};

char *terminal_head(const char *name)
{
    size_t length = strcspn(name, " "); /* "latency_us least" */
    while (length > 0 && name[length] != '\0' &&
           name[length - 1] == ',') /* "comp-net, latency_us" */
        length += 1 + strcspn(name + length + 1, " ");
    g_autofree char *first = g_strndup(name, length);
    for (size_t i = 0; i < G_N_ELEMENTS(units); i++)
        if (g_str_has_suffix(first, units[i].suffix) && !strstr(first, "_per_"))
            return g_strdup_printf("%.*s (%s)%s", (int)(length - strlen(units[i].suffix)), name,
                                   units[i].unit, name + length);
    return g_strdup(name);
}

static bool has_sizes(const struct table_column *column)
{
    return column->kind == VALUE_QUANTITY && column->unit == UNIT_BYTES;
}

static char *head_text(const struct table_column *column)
{
    const char *name = column->name;
    if (!column->is_number)
        return g_strdup(name);
    if (has_sizes(column) && g_str_has_suffix(name, "_bytes")) /* each cell has its unit */
        return g_strndup(name, strlen(name) - strlen("_bytes"));
    return terminal_head(name);
}

/* --- cells -------------------------------------------------------------------------------------- */

static size_t digits_of(const char *number)
{
    size_t digits = 0;
    for (const char *c = number + strspn(number, "-0."); *c != '\0' && *c != 'e'; c++)
        digits += g_ascii_isdigit(*c);
    return digits;
}

/* A fraction with at most six significant digits; whole numbers, and what is no number, as they are. */
static char *short_number(const char *text)
{
    char *end, number[G_ASCII_DTOSTR_BUF_SIZE];
    double value = g_ascii_strtod(text, &end);
    if (*end != '\0' || strpbrk(text, ".e") == NULL || digits_of(text) <= DIGITS)
        return g_strdup(text);
    const char *format = value > -1e6 && value < 1e6 ? "%.6g" : "%.0f";
    return g_strdup(g_ascii_formatd(number, sizeof number, format, value));
}

/* Of a very small number two digits. */
static char *with_decimals(double value, int decimals)
{
    char format[16], text[G_ASCII_DTOSTR_BUF_SIZE];
    g_snprintf(format, sizeof format, decimals > DIGITS ? "%%.2g" : "%%.%df", MAX(decimals, 0));
    return g_strdup(g_ascii_formatd(text, sizeof text, format, value));
}

/* Digits of a number that stand before its point, 0 or less if it is below 1: 3 of 123, -1 of 0.012. */
static int whole_digits(double value)
{
    return value == 0 ? 1 : (int)floor(log10(fabs(value))) + 1;
}

/* "3.21 ±0.05": the spread with two digits and the mean down to the last of them. */
static char *spread_cell(const char *mean_text, const char *spread_text)
{
    double mean = g_ascii_strtod(mean_text, NULL), spread = g_ascii_strtod(spread_text, NULL);
    int decimals = MIN(2 - whole_digits(spread), DIGITS - whole_digits(mean));
    if (spread <= 0 || !isfinite(spread) || decimals > DIGITS) {
        g_autofree char *number = short_number(mean_text), *rest = short_number(spread_text);
        return g_strdup_printf("%s ±%s", number, rest);
    }
    g_autofree char *number = with_decimals(mean, decimals);
    g_autofree char *rest = with_decimals(spread, 2 - whole_digits(spread));
    return g_strdup_printf("%s ±%s", number, rest);
}

char *terminal_value(const struct table_column *column, const char *text)
{
    bool is_value = column->is_number && column->kind != VALUE_TEXT && unit_is_number(text);
    if (!is_value)
        return g_strdup(text ? text : "");
    return has_sizes(column) ? value_size_text(g_ascii_strtoll(text, NULL, 10))
                             : short_number(text);
}

/* A value, with its spread if it has one. */
static char *value_cell(const struct table *table, size_t row, size_t column)
{
    const struct table_column *of = &table->columns[column];
    const char *text = table_shown_cell(table, row, column);
    const char *spread = of->spread > 0 ? table_cell(table, row, of->spread) : NULL;
    bool has_both = unit_is_number(text) && unit_is_number(spread);
    return has_both ? spread_cell(text, spread) : terminal_value(of, text);
}

/* --- lines -------------------------------------------------------------------------------------- */

/* A table being written. */
struct terminal_text {
    GString *out;
    const struct table *table;
    size_t rows, most_cell;
    size_t *widths; /* of the columns; 0: it is not shown */
    size_t *tails;  /* of each the longest part from the decimal point on */
};

/* What is shown of a cell (of row 0 the head): its first line, or the start of it. */
static char *cell_text(const struct terminal_text *text, size_t row, size_t column)
{
    const struct table *table = text->table;
    g_autofree char *whole =
        row == 0 ? head_text(&table->columns[column]) : value_cell(table, row - 1, column);
    g_autofree char *line = g_strndup(whole, strcspn(whole, "\n"));
    return shown_start(line, text->most_cell);
}

/* Numbers of measures stand with their points below each other, those of axes left as texts do. */
static bool is_right(const struct terminal_text *text, size_t column)
{
    return text->table->columns[column].is_number && !text->table->columns[column].is_axis;
}

/* Characters from the decimal point on; of what does not begin with a number as many as the column has. */
static size_t tail_of(const struct terminal_text *text, size_t row, size_t column, const char *cell)
{
    size_t whole = strspn(cell, "+-0123456789");
    if (row == 0 || whole == 0 || !is_right(text, column))
        return text->tails[column];
    return (size_t)g_utf8_strlen(cell + whole, -1);
}

static void measure_column(struct terminal_text *text, size_t column)
{
    for (size_t pass = 0; pass < 2; pass++) /* tails, then widths */
        for (size_t r = 0; r <= text->rows; r++) {
            g_autofree char *cell = cell_text(text, r, column);
            size_t tail = tail_of(text, r, column, cell);
            text->tails[column] = MAX(text->tails[column], tail);
            size_t width = (size_t)g_utf8_strlen(cell, -1) + text->tails[column] - tail;
            text->widths[column] = pass == 0 ? 0 : MAX(text->widths[column], width);
        }
}

static struct terminal_text measure(const struct table *table, size_t width, size_t most_rows)
{
    struct terminal_text text = {.table = table,
                                 .rows = MIN(table->row_count, most_rows),
                                 .most_cell = width / 2,
                                 .widths = g_new0(size_t, table->column_count + 1),
                                 .tails = g_new0(size_t, table->column_count + 1)};
    for (size_t c = 0; c < table->column_count; c++)
        if (!table_is_spread(table, c))
            measure_column(&text, c);
    return text;
}

static void clear(struct terminal_text *text)
{
    g_free(text->widths);
    g_free(text->tails);
}

static void append_cell(const struct terminal_text *text, size_t row, size_t column)
{
    if (table_is_spread(text->table, column))
        return;
    g_autofree char *cell = cell_text(text, row, column);
    size_t after = text->tails[column] - tail_of(text, row, column, cell);
    size_t before = text->widths[column] - (size_t)g_utf8_strlen(cell, -1) - after;
    if (!is_right(text, column)) {
        after += before;
        before = 0;
    }
    g_string_append_printf(text->out, "%*s%s%*s", (int)before, "", cell, (int)after + GAP, "");
}

/* The first `fixed` columns, then those from `from` to before `to`. */
static void append_block(const struct terminal_text *text, size_t fixed, size_t from, size_t to)
{
    for (size_t r = 0; r <= text->rows; r++) {
        for (size_t c = 0; c < fixed; c++)
            append_cell(text, r, c);
        for (size_t c = from; c < to; c++)
            append_cell(text, r, c);
        while (text->out->len > 0 && text->out->str[text->out->len - 1] == ' ')
            g_string_truncate(text->out, text->out->len - 1);
        g_string_append_c(text->out, '\n');
    }
}

/* The first column from `from` on that has no room beside the `fixed` ones and those before it; beyond `from`. */
static size_t block_end(const struct terminal_text *text, size_t fixed, size_t from, size_t width)
{
    size_t used = 0, to = from;
    for (size_t c = 0; c < fixed; c++)
        used += text->widths[c] + GAP;
    for (; to < text->table->column_count; to++) {
        if (table_is_spread(text->table, to))
            continue;
        if (to > from && used + text->widths[to] > width) /* one at least */
            break;
        used += text->widths[to] + GAP;
    }
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
    clear(&text);
    return g_string_free(text.out, FALSE);
}

char *terminal_whole(const struct table *table)
{
    return terminal_text(table, SIZE_MAX, SIZE_MAX);
}

size_t terminal_fitting(const struct table *table, size_t width, size_t most_rows)
{
    struct terminal_text text = measure(table, width, most_rows);
    size_t end = block_end(&text, 0, 0, width);
    clear(&text);
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
