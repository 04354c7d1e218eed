/* SPDX-License-Identifier: BSD-3-Clause */
#include "study/results_text.h"

#include <string.h>

#include "study/table/terminal.h"

#define MOST_ROWS 500   /* of a table */
#define MOST_REASONS 10 /* why points failed */

/* --- what a plot shows ------------------------------------------------------------------------ */

static void append_axis(GString *names, const char *name)
{
    g_string_append_printf(names, "%s%s", names->len ? ", " : "", name);
}

/* The axes that tell the columns apart: `by`, then those that take several values and are neither x nor joined. */
static char *column_axes(const struct study *study, const struct plot_spec *plot)
{
    GString *names = g_string_new(plot->by);
    for (size_t i = 0; i < study->axis_count; i++) {
        const struct axis *axis = &study->axes[i];
        bool is_chosen = false;
        for (size_t k = 0; k < plot->only_count; k++)
            is_chosen |= strcmp(plot->only[k].axis, axis->name) == 0;
        if (axis->count > 1 && !is_chosen && strcmp(axis->name, plot->x) != 0 &&
            g_strcmp0(axis->name, plot->by) != 0 && g_strcmp0(axis->name, plot->over) != 0)
            append_axis(names, axis->name);
    }
    return g_string_free(names, FALSE);
}

/* "latency,hit_rate", or "latency_us,hit_rate", as "latency (us), hit_rate". */
static char *measure_heads(const char *names, const struct table *table)
{
    g_auto(GStrv) heads = g_strsplit(names, ",", -1);
    for (char **name = heads; *name; name++) {
        int column = table_find(table, *name);
        char *head = terminal_head(column >= 0 ? table->columns[column].name : *name);
        g_free(*name);
        *name = head;
    }
    return g_strjoinv(", ", heads);
}

/* "latency (us); rows: bytes; columns: design": which axes a plot's table shows. */
static char *plot_heading(const struct study *study, const struct plot_spec *plot,
                          const struct table *table)
{
    bool is_turned = g_strcmp0(plot->style, "heatmap") == 0 && plot->by;
    g_autofree char *across = is_turned ? g_strdup(plot->x) : column_axes(study, plot);
    g_autofree char *measures = measure_heads(plot->y, table);
    GString *heading = g_string_new(measures);
    g_string_append_printf(heading, "; rows: %s", is_turned ? plot->by : plot->x);
    if (*across)
        g_string_append_printf(heading, "; columns: %s", across);
    if (plot->over)
        g_string_append_printf(heading, "; mean, least and most over %s", plot->over);
    for (size_t i = 0; i < plot->only_count; i++) {
        int axis = table_find(table, plot->only[i].axis);
        g_autofree char *value = terminal_value(&table->columns[axis], plot->only[i].text);
        g_string_append_printf(heading, "; only %s = %s", plot->only[i].axis, value);
    }
    return g_string_free(heading, FALSE);
}

static void append_plot(GString *text, const struct experiment *experiment,
                        const struct plot_spec *plot, size_t width)
{
    struct table *pivot = plot_table(plot, experiment->table, NULL);
    if (!pivot)
        return;
    g_autofree char *heading = plot_heading(experiment->study, plot, experiment->table);
    g_autofree char *rows = terminal_text(pivot, width, MOST_ROWS);
    g_string_append(text, text->len ? "\n" : "");
    terminal_wrap(text, heading, width);
    g_string_append(text, rows);
    table_free(pivot);
}

/* --- chosen columns --------------------------------------------------------------------------- */

static bool is_named(const char *const *names, const struct table_column *column)
{
    for (; *names; names++) {
        if (strcmp(*names, "all") == 0 || strcmp(*names, column->name) == 0 ||
            strcmp(*names, column->key) == 0)
            return true;
    }
    return false;
}

static bool is_failure(const struct experiment *experiment, size_t column)
{
    return experiment->failed > 0 && column + 1 == experiment->table->column_count;
}

/* A column, followed by its spread, unless it has been chosen. */
static void choose_column(const struct table *table, size_t column, size_t *chosen, size_t *count)
{
    for (size_t i = 0; i < *count; i++)
        if (chosen[i] == column)
            return;
    chosen[(*count)++] = column;
    if (table->columns[column].spread > 0)
        choose_column(table, table->columns[column].spread, chosen, count);
}

/* The axes, then the measures that are `named`; all measures if that is NULL. */
static struct table *select_columns(const struct experiment *experiment, const char *const *named)
{
    const struct table *table = experiment->table;
    g_autofree size_t *chosen = g_new(size_t, table->column_count + 1);
    size_t count = 0;
    for (size_t c = 0; c < table->column_count; c++) {
        const struct table_column *column = &table->columns[c];
        if (!is_failure(experiment, c) && (column->is_axis || !named || is_named(named, column)))
            choose_column(table, c, chosen, &count);
    }
    return table_select(table, chosen, count);
}

/* "bandwidth_GBps, messages": measures from column `from` on. */
static char *names_from(const struct table *table, size_t from)
{
    GString *names = g_string_new(NULL);
    for (size_t c = from; c < table->column_count; c++)
        if (!table_is_spread(table, c))
            append_axis(names, table->columns[c].name);
    return g_string_free(names, FALSE);
}

/* Measures that have no room are named below. */
static void append_fitting(GString *text, const struct table *all, size_t width)
{
    size_t count = terminal_fitting(all, width, MOST_ROWS);
    while (count < all->column_count && all->columns[count].is_axis)
        count++;
    g_autofree size_t *chosen = g_new(size_t, all->column_count + 1);
    for (size_t c = 0; c < all->column_count; c++)
        chosen[c] = c;
    struct table *shown = table_select(all, chosen, count);
    g_autofree char *rows = terminal_text(shown, width, MOST_ROWS);
    g_string_append(text, rows);
    table_free(shown);
    g_autofree char *others = names_from(all, count);
    g_autofree char *sentence = g_strdup_printf("Not shown: %s. --columns chooses.", others);
    if (*others)
        terminal_wrap(text, sentence, width);
}

static void append_columns(GString *text, const struct experiment *experiment,
                           const struct results_view *view)
{
    struct table *table = select_columns(experiment, view->columns);
    if (view->columns) {
        g_autofree char *rows = terminal_text(table, view->width, MOST_ROWS);
        g_string_append(text, rows);
    } else {
        append_fitting(text, table, view->width);
    }
    table_free(table);
}

/* The axes and the two measures of a plot whose x is a measure. */
static void append_scatter(GString *text, const struct experiment *experiment,
                           const struct plot_spec *plot, size_t width)
{
    const char *const columns[] = {plot->x, plot->y, NULL};
    const struct results_view view = {width, columns};
    g_autofree char *x = terminal_head(plot->x), *y = terminal_head(plot->y);
    g_string_append_printf(text, "%s%s and %s\n", text->len ? "\n" : "", x, y);
    append_columns(text, experiment, &view);
}

/* --- points that failed ----------------------------------------------------------------------- */

/* "Failed at design=dgpu,bytes=8B and 3 others: ..." */
static void append_failure(GString *text, const struct experiment *experiment,
                           const struct row *row, guint count, size_t width)
{
    g_autofree char *point = experiment_point_text(experiment->study, row);
    GString *sentence = g_string_new(NULL);
    g_string_printf(sentence, "Failed at %s", point);
    if (count > 1)
        g_string_append_printf(sentence, " and %u other%s", count - 1, count > 2 ? "s" : "");
    g_string_append_printf(sentence, ": %s", row->failure);
    terminal_wrap(text, sentence->str, width);
    g_string_free(sentence, TRUE);
}

/* A sentence a reason: the first point that failed for it, and how many others did. */
static void append_failures(GString *text, const struct experiment *experiment, size_t width)
{
    g_autoptr(GHashTable) counts = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(GPtrArray) first = g_ptr_array_new();
    for (size_t i = 0; i < experiment->row_count; i++) {
        const struct row *row = experiment->rows[i];
        if (!row->failure)
            continue;
        guint count = GPOINTER_TO_UINT(g_hash_table_lookup(counts, row->failure));
        if (count == 0)
            g_ptr_array_add(first, (gpointer)(gsize)row);
        g_hash_table_insert(counts, row->failure, GUINT_TO_POINTER(count + 1));
    }
    g_string_append(text, first->len ? "\n" : "");
    for (guint i = 0; i < MIN(first->len, MOST_REASONS); i++) {
        const struct row *row = g_ptr_array_index(first, i);
        guint count = GPOINTER_TO_UINT(g_hash_table_lookup(counts, row->failure));
        append_failure(text, experiment, row, count, width);
    }
    if (first->len > MOST_REASONS)
        g_string_append_printf(text, "... and for %u other reasons: column \"failure\"\n",
                               first->len - MOST_REASONS);
}

char *results_text(const struct experiment *experiment, const struct results_view *view)
{
    const struct study *study = experiment->study;
    GString *text = g_string_new(NULL);
    for (size_t i = 0; i < study->plot_count && !view->columns; i++) {
        const struct plot_spec *plot = &study->plots[i];
        (plot->style && plot_is_scatter(plot) ? append_scatter : append_plot)(text, experiment,
                                                                              plot, view->width);
    }
    if (text->len == 0)
        append_columns(text, experiment, view);
    append_failures(text, experiment, view->width);
    return g_string_free(text, FALSE);
}
