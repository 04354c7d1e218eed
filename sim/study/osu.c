/* SPDX-License-Identifier: BSD-3-Clause */
/* OSU's form is a measure over the message size, in a column of 10 and one of 18 characters. A plot with a title and no curves by
 * an axis is a benchmark: the title's lines, and all its measures beside each other. If its x is labelled by a word that begins
 * with #, as "#bytes" of perftest, that heads the first column, lines get no mark of a comment, and values are as the study gives
 * them. Of another plot the series follow each other. */
#include "study/osu.h"

#include <string.h>

#include "core/error.h"
#include "core/shown.h"
#include "study/table/terminal.h"

/* "latency_us" as the benchmarks write it: "Latency (us)". */
static char *measure_title(const char *column)
{
    g_autofree char *head = terminal_head(column);
    char *title = shown_text(head);
    title[0] = g_ascii_toupper(title[0]);
    return title;
}

/* With two decimals, or `as_is`. */
static void append_value(GString *text, const char *value, bool as_is)
{
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_formatd(number, sizeof number, "%.2f", g_ascii_strtod(value, NULL));
    g_string_append_printf(text, "%*s", as_is ? 20 : 18, as_is ? value : number);
}

static void append_series(GString *text, const struct table *pivot, size_t series,
                          const char *title, const char *measure)
{
    g_autofree char *shown_title = shown_text(title);
    g_autofree char *name = shown_text(pivot->columns[series].name);
    g_string_append_printf(text, "%s# %s: %s\n# %-8s%18s\n", text->len ? "\n" : "", shown_title,
                           name, "Size", measure);
    for (size_t r = 0; r < pivot->row_count; r++) {
        const char *value = table_cell(pivot, r, series);
        if (!value)
            continue;
        g_string_append_printf(text, "%-10s", table_cell(pivot, r, 0));
        append_value(text, value, false);
        g_string_append_c(text, '\n');
    }
}

static bool has_cells(const struct table *table, size_t row, char **measures)
{
    for (; *measures; measures++) {
        int column = table_find(table, *measures);
        if (column < 0 || !table_cell(table, row, (size_t)column))
            return false;
    }
    return true;
}

/* The points in the study's order; those that failed are left out. If all failed, nothing is written. */
static char *benchmark_text(const struct plot_spec *plot, const struct table *table, int x)
{
    GString *text = g_string_new(NULL);
    g_auto(GStrv) lines = g_strsplit(plot->title, "\n", -1);
    g_auto(GStrv) measures = g_strsplit(plot->y, ",", -1);
    bool is_perftest = plot->x_label && plot->x_label[0] == '#';
    for (char **line = lines; *line; line++) {
        g_autofree char *shown = shown_text(*line);
        g_string_append_printf(text, "%s%s\n", is_perftest ? "" : "# ", shown);
    }
    g_string_append_printf(text, "%-10s", is_perftest ? plot->x_label : "# Size");
    for (char **measure = measures; *measure; measure++)
        g_string_append_printf(text, "%*s", is_perftest ? 20 : 18, *measure);
    for (size_t r = 0; r < table->row_count; r++) {
        if (!has_cells(table, r, measures))
            continue;
        g_string_append_printf(text, "\n%-10s", table_cell(table, r, (size_t)x));
        for (char **measure = measures; *measure; measure++)
            append_value(text, table_cell(table, r, (size_t)table_find(table, *measure)),
                         is_perftest);
    }
    g_string_append_c(text, '\n');
    return g_string_free(text, FALSE);
}

char *osu_text(const struct experiment *experiment, GError **error)
{
    const struct study *study = experiment->study;
    const struct plot_spec *plot = study->plot_count ? &study->plots[0] : NULL;
    int x = plot ? table_find(experiment->table, plot->x) : -1;
    bool is_benchmark = x >= 0 && plot->title && !plot->by;
    if (is_benchmark && experiment->failed == experiment->row_count)
        return g_strdup("");
    if (is_benchmark && experiment->table->columns[x].unit == UNIT_BYTES)
        return benchmark_text(plot, experiment->table, x);
    struct table *pivot = plot ? plot_table(plot, experiment->table, NULL, error) : NULL;
    if (plot && !pivot)
        return NULL;
    if (!pivot || pivot->columns[0].kind != VALUE_QUANTITY ||
        pivot->columns[0].unit != UNIT_BYTES) {
        table_free(pivot);
        error_set(error, "%s: the OSU form needs a plot whose x is a size in bytes", study->path);
        return NULL;
    }
    GString *text = g_string_new(NULL);
    int y = table_find(experiment->table, plot->y);
    g_autofree char *measure = measure_title(y < 0 ? plot->y : experiment->table->columns[y].name);
    for (size_t i = 1; i < pivot->column_count; i++)
        if (!table_is_spread(pivot, i))
            append_series(text, pivot, i, study->title, measure);
    table_free(pivot);
    return g_string_free(text, FALSE);
}
