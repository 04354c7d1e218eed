/* SPDX-License-Identifier: BSD-3-Clause */
/* OSU's form is one measure over the message size, in a column of 10 and one of 18 characters; a
 * study may have several series, which follow each other. */
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

static void append_series(GString *text, const struct table *pivot, size_t series,
                          const char *title, const char *measure)
{
    g_autofree char *shown_title = shown_text(title);
    g_autofree char *name = shown_text(pivot->columns[series].name);
    g_string_append_printf(text, "%s# %s: %s\n# %-8s%18s\n", text->len ? "\n" : "", shown_title,
                           name, "Size", measure);
    for (size_t r = 0; r < pivot->row_count; r++) {
        const char *value = table_cell(pivot, r, series);
        char number[G_ASCII_DTOSTR_BUF_SIZE];
        if (!value)
            continue;
        g_ascii_formatd(number, sizeof number, "%.2f", g_ascii_strtod(value, NULL));
        g_string_append_printf(text, "%-10s%18s\n", table_cell(pivot, r, 0), number);
    }
}

char *osu_text(const struct experiment *experiment, GError **error)
{
    const struct study *study = experiment->study;
    const struct plot_spec *plot = study->plot_count ? &study->plots[0] : NULL;
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
