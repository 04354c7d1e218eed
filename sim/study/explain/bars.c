/* SPDX-License-Identifier: BSD-3-Clause */
/* Stacked bars: a bar a point, a part a stage. */
#include "study/explain/bars.h"

#include <string.h>

static void add_column(struct table *table, const char *key, const char *name, bool is_number)
{
    table->columns = g_renew(struct table_column, table->columns, table->column_count + 1);
    table->columns[table->column_count++] =
        (struct table_column){.key = g_strdup(key),
                              .name = g_strdup(name),
                              .is_axis = !is_number,
                              .is_number = is_number,
                              .kind = is_number ? VALUE_QUANTITY : VALUE_TEXT,
                              .unit = UNIT_TIME};
}

static bool is_used(const struct explained_point *points, size_t count, int stage)
{
    for (size_t i = 0; i < count; i++)
        if (points[i].of->stages[stage].sum > 0)
            return true;
    return false;
}

struct table *explained_bars(const struct explained_point *points, size_t count)
{
    struct table *table = g_new0(struct table, 1);
    add_column(table, "point", "point", false);
    for (int stage = 0; stage < STAGES; stage++) {
        g_autofree char *name = g_strdup_printf("%s_us", stage_infos[stage].name);
        if (is_used(points, count, stage))
            add_column(table, stage_infos[stage].name, name, true);
    }
    g_autofree char **texts = g_new0(char *, table->column_count);
    for (size_t i = 0; i < count; i++) {
        size_t column = 0;
        texts[column++] = g_strdup(points[i].name);
        for (int stage = 0; stage < STAGES; stage++)
            if (is_used(points, count, stage))
                texts[column++] = g_strdup_printf(
                    "%.6f", explained_mean_ps(points[i].of, (enum stage)stage) / (double)PS_PER_US);
        table_append(table, (const char *const *)texts);
        for (size_t k = 0; k < column; k++)
            g_free(texts[k]);
    }
    return table;
}

static char *stage_list(const struct table *bars)
{
    GString *text = g_string_new(NULL);
    for (size_t i = 1; i < bars->column_count; i++)
        g_string_append_printf(text, "%s%s", i > 1 ? "," : "", bars->columns[i].key);
    return g_string_free(text, FALSE);
}

struct figure *explained_figure(const struct table *bars, const char *title, GError **error)
{
    g_autofree char *stages = stage_list(bars), *own_title = g_strdup(title);
    char x[] = "point", style[] = "stack", label[] = "Time of an operation (us)", no_label[] = "";
    const struct plot_spec plot = {.x = x,
                                   .y = stages,
                                   .style = style,
                                   .title = own_title,
                                   .x_label = no_label,
                                   .y_label = label};
    return plot_draw(&plot, bars, NULL, 0, error);
}
