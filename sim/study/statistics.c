/* SPDX-License-Identifier: BSD-3-Clause */
#include "study/statistics.h"

#include <string.h>

enum { FIELDS = 6, VALUE = FIELDS - 1 };

/* The lines of one point, behind the texts of its axes, which are there already. */
static void append_point(struct table *table, const char **texts, size_t axes, const char *stats)
{
    g_auto(GStrv) lines = g_strsplit(stats, "\n", -1);
    guint call = 1;
    for (char **line = lines; *line; line++) {
        g_auto(GStrv) fields = g_strsplit(*line, "\t", -1);
        if (g_strv_length(fields) != FIELDS) {
            call++; /* an empty line ends a call */
            continue;
        }
        g_autofree char *number = g_strdup_printf("%u", call);
        texts[axes] = number;
        memcpy(&texts[axes + 1], fields, FIELDS * sizeof *fields);
        table_append(table, texts);
    }
}

struct table *statistics_table(const struct experiment *experiment)
{
    static const char *const own[] = {"call",        "path",  "name", "unit",
                                      "description", "field", "value"};
    const struct study *study = experiment->study;
    size_t axes = study->axis_count, columns = axes + G_N_ELEMENTS(own);
    g_autofree const char **texts = g_new0(const char *, columns);
    for (size_t i = 0; i < axes; i++)
        texts[i] = study->axes[i].name;
    memcpy(&texts[axes], own, sizeof own);
    struct table *table = table_of_texts(texts, columns);
    table->columns[axes].is_number = table->columns[axes + 1 + VALUE].is_number = true;
    for (size_t i = 0; i < experiment->row_count; i++) {
        const struct row *row = experiment->rows[i];
        for (size_t axis = 0; axis < axes; axis++)
            texts[axis] = study->axes[axis].values[row->axis_index[axis]].text;
        if (row->stats)
            append_point(table, texts, axes, row->stats);
    }
    return table;
}
