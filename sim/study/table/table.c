/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables. There are few columns (tens), so a linear search finds them. */
#include "study/table/table.h"

#include <string.h>

#include "study/model/study.h"

static size_t add_column(GArray *columns, struct table_column column)
{
    g_array_append_val(columns, column);
    return columns->len - 1;
}

static struct table_column column_of(const char *key, const struct value *value, bool is_axis)
{
    return (struct table_column){.key = g_strdup(key),
                                 .name = value_column(key, value),
                                 .is_axis = is_axis,
                                 .is_number = value->kind != VALUE_TEXT ||
                                              (!is_axis && value_is_absent(value)),
                                 .kind = value->kind,
                                 .unit = value->unit};
}

/* The first modelled value of a column decides what the column holds. */
static void complete_column(struct table_column *column, const struct value *value)
{
    struct table_column known;
    if (!column->is_number || column->kind != VALUE_TEXT || value_is_absent(value))
        return;
    known = column_of(column->key, value, false);
    g_free(column->key);
    g_free(column->name);
    *column = known;
}

static int find_key(const GArray *columns, size_t from, const char *key)
{
    for (size_t i = from; i < columns->len; i++) {
        if (strcmp(g_array_index(columns, struct table_column, i).key, key) == 0)
            return (int)i;
    }
    return -1;
}

static GArray *collect_columns(const struct axis *axes, size_t axis_count, struct row *const *rows,
                               size_t row_count)
{
    GArray *columns = g_array_new(FALSE, FALSE, sizeof(struct table_column));
    bool failed = false;
    for (size_t i = 0; i < axis_count; i++) {
        add_column(columns, column_of(axes[i].name, &axes[i].values[0], true));
        g_array_index(columns, struct table_column, i).group = axes[i].group;
    }
    for (size_t i = 0; i < row_count; i++) {
        failed = failed || rows[i]->failure;
        for (size_t m = 0; m < rows[i]->measure_count; m++) {
            const struct measure *measure = &rows[i]->measures[m];
            int found = find_key(columns, axis_count, measure->name);
            if (found < 0)
                add_column(columns, column_of(measure->name, &measure->value, false));
            else
                complete_column(&g_array_index(columns, struct table_column, found),
                                &measure->value);
        }
    }
    if (failed)
        add_column(columns, (struct table_column){.key = g_strdup("failure"),
                                                  .name = g_strdup("failure"),
                                                  .kind = VALUE_TEXT});
    return columns;
}

static void fill_row(const struct table *table, char **cells, const GArray *columns,
                     const struct axis *axes, size_t axis_count, const struct row *row)
{
    for (size_t i = 0; i < axis_count; i++)
        cells[i] = value_column_text(&axes[i].values[row->axis_index[i]]);
    for (size_t m = 0; m < row->measure_count; m++) {
        const struct measure *measure = &row->measures[m];
        int column = find_key(columns, axis_count, measure->name);
        if (column >= 0 && !cells[column])
            cells[column] = value_column_text(&measure->value);
    }
    if (row->failure)
        cells[table->column_count - 1] = g_strdup(row->failure);
}

/* Each mean finds the columns about it. */
static void link_means(struct table *table)
{
    static const char *const suffixes[TABLE_BESIDE_COUNT] = TABLE_BESIDE;
    for (size_t i = 0; i < table->column_count * TABLE_BESIDE_COUNT; i++) {
        struct table_column *column = &table->columns[i / TABLE_BESIDE_COUNT];
        size_t what = i % TABLE_BESIDE_COUNT;
        g_autofree char *key = g_strjoin("_", column->key, suffixes[what], NULL);
        column->beside[what] = 0;
        for (size_t k = 1; k < table->column_count; k++)
            if (!table->columns[k].is_axis && strcmp(table->columns[k].key, key) == 0)
                column->beside[what] = k;
    }
}

struct table *table_new(const struct axis *axes, size_t axis_count, struct row *const *rows,
                        size_t row_count)
{
    GArray *columns = collect_columns(axes, axis_count, rows, row_count);
    struct table *table = g_new0(struct table, 1);
    table->column_count = columns->len;
    table->row_count = row_count;
    table->cells = g_new0(char *, columns->len *row_count);
    for (size_t i = 0; i < row_count; i++)
        fill_row(table, table->cells + i * columns->len, columns, axes, axis_count, rows[i]);
    table->columns = (struct table_column *)(void *)g_array_free(columns, FALSE);
    link_means(table);
    return table;
}

void table_free(struct table *table)
{
    if (!table)
        return;
    for (size_t i = 0; i < table->column_count; i++) {
        g_free(table->columns[i].key);
        g_free(table->columns[i].name);
    }
    for (size_t i = 0; i < table->column_count * table->row_count; i++)
        g_free(table->cells[i]);
    g_free(table->columns);
    g_free(table->cells);
    g_free(table);
}

const char *table_shown_cell(const struct table *table, size_t row, size_t column)
{
    return table->cells[row * table->column_count + column];
}

const char *table_cell(const struct table *table, size_t row, size_t column)
{
    const char *text = table_shown_cell(table, row, column);
    bool is_absent = table->columns[column].is_number && g_strcmp0(text, VALUE_ABSENT) == 0;
    return is_absent ? NULL : text;
}
