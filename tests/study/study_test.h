/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows made by hand, for tests that need no script: sizes 8 B and 64 B by designs a and b. */
#pragma once

#include <glib.h>
#include <lauxlib.h>

#include "script/study/point.h"
#include "script/values/values.h"
#include "script/views/table_lua.h"
#include "script/views/units_lua.h"
#include "script/views/views.h"
#include "study/model/study.h"

static struct value test_sizes[] = {
    {.kind = VALUE_QUANTITY, .unit = UNIT_BYTES, .quantity = 8, .text = (char[]){"8B"}},
    {.kind = VALUE_QUANTITY, .unit = UNIT_BYTES, .quantity = 64, .text = (char[]){"64B"}},
};
static struct value test_designs[] = {
    {.kind = VALUE_TEXT, .text = (char[]){"a"}},
    {.kind = VALUE_TEXT, .text = (char[]){"b, the \"other\""}},
};
static const struct axis test_axes[] = {
    {.name = (char[]){"bytes"}, .values = test_sizes, .count = 2},
    {.name = (char[]){"design"}, .values = test_designs, .count = 2},
};
#define TEST_AXES 2
#define TEST_POINTS 4

/* The latency of a point: 1.5 us and a picosecond for each point before it. */
static inline int64_t test_latency_ps(size_t point)
{
    return 1500000 + (int64_t)point;
}

/* A row as study_run_point would give it, with a latency and a hit rate of a third. */
static inline struct row *test_row(size_t point)
{
    struct row *row = g_new0(struct row, 1);
    row->axis_index = g_new0(size_t, TEST_AXES);
    row->axis_index[0] = point / 2;
    row->axis_index[1] = point % 2;
    row->measure_count = 2;
    row->measures = g_new0(struct measure, 2);
    row->measures[0].name = g_strdup("latency");
    row->measures[0].value = (struct value){.kind = VALUE_QUANTITY,
                                            .unit = UNIT_TIME,
                                            .quantity = test_latency_ps(point),
                                            .text = g_strdup("latency as text")};
    row->measures[1].name = g_strdup("hit_rate");
    row->measures[1].value =
        (struct value){.kind = VALUE_NUMBER, .number = 1.0 / 3.0, .text = g_strdup("0.333")};
    return row;
}

/* A table of rows, which it owns, or of plain texts (NULL: no value), whose columns a test may change. */
struct table_column {
    const char *name;
    bool is_axis, is_number;
    size_t group;
    enum value_kind kind;
    enum unit_kind unit;
};

struct table {
    struct row *rows[TEST_POINTS]; /* not of texts */
    struct table_column *columns;  /* of texts; else NULL */
    char **cells;
    size_t column_count, row_count;
};

static inline struct table *table_of_rows(struct row *const *rows, size_t row_count)
{
    struct table *table = g_new0(struct table, 1);
    for (size_t i = 0; i < row_count; i++)
        table->rows[i] = rows[i];
    table->row_count = row_count;
    return table;
}

static inline struct table *table_of_texts(const char *const *names, size_t column_count)
{
    struct table *table = g_new0(struct table, 1);
    table->column_count = column_count;
    table->columns = g_new0(struct table_column, column_count);
    for (size_t i = 0; i < column_count; i++)
        table->columns[i].name = names[i];
    return table;
}

static inline void table_append(struct table *table, const char *const *texts)
{
    size_t used = table->column_count * table->row_count;
    table->row_count++;
    table->cells = g_renew(char *, table->cells, used + table->column_count);
    for (size_t i = 0; i < table->column_count; i++)
        table->cells[used + i] = g_strdup(texts[i]);
}

static inline void table_free(struct table *table)
{
    for (size_t i = 0; i < table->row_count && !table->columns; i++)
        row_free(table->rows[i]);
    for (size_t i = 0; i < table->column_count * table->row_count; i++)
        g_free(table->cells[i]);
    g_free(table->columns);
    g_free(table->cells);
    g_free(table);
}

/* A cell of a table of texts. Upvalues: the table, and whether the cell is for display. */
static inline int test_cell(lua_State *L)
{
    const struct table *table = lua_touserdata(L, lua_upvalueindex(1));
    size_t row = (size_t)lua_tointeger(L, 1) - 1, column = (size_t)lua_tointeger(L, 2) - 1;
    const char *text = table->cells[row * table->column_count + column];
    bool is_hidden = !lua_toboolean(L, lua_upvalueindex(2)) && table->columns[column].is_number &&
                     g_strcmp0(text, VALUE_ABSENT) == 0;
    lua_pushstring(L, is_hidden ? NULL : text);
    return 1;
}

/* Pushes the table as the files in views/ get it. */
static inline int push_table(lua_State *L, void *context)
{
    struct table *table = context;
    if (!table->columns) {
        table_lua_push(L, test_axes, TEST_AXES, table->rows, table->row_count);
        return 1;
    }
    lua_newtable(L);
    lua_set_integer(L, "count", (lua_Integer)table->row_count);
    lua_newtable(L);
    for (size_t i = 0; i < table->column_count; i++) {
        const struct table_column *column = &table->columns[i];
        lua_newtable(L);
        lua_set_text(L, "key", column->name);
        lua_set_text(L, "name", column->name);
        lua_set_text(L, "kind", units_lua_kind(column->kind));
        lua_set_text(L, "unit", units_lua_unit(column->unit));
        lua_set_flag(L, "is_axis", column->is_axis);
        lua_set_flag(L, "is_number", column->is_number);
        lua_set_integer(L, "group", (lua_Integer)column->group);
        lua_append(L);
    }
    lua_setfield(L, -2, "columns");
    for (int is_shown = 0; is_shown < 2; is_shown++) {
        lua_pushlightuserdata(L, table);
        lua_pushboolean(L, is_shown);
        lua_pushcclosure(L, test_cell, 2);
        lua_setfield(L, -2, is_shown ? "shown" : "cell");
    }
    return 1;
}

/* Calls a function of views/FILE.lua with the table and further arguments. */
static inline char **table_texts(const char *file, const char *function, const struct table *table,
                                 GVariant *arguments, GError **error)
{
    return views_call(file, function, push_table, (void *)(gsize)table, arguments, error);
}

/* A plot as a study's table has it; what is NULL is not there. */
struct plot_spec {
    const char *x, *y, *by, *over, *panels, *style, *title, *x_label, *y_label;
    const char *value, *label; /* what a legend says instead of a value */
    const char *gnuplot;       /* settings */
};

static inline void test_add_text(GVariantDict *fields, const char *name, const char *text)
{
    if (text)
        g_variant_dict_insert_value(fields, name, g_variant_new_bytestring(text));
}

static inline GVariant *plot_value(const struct plot_spec *plot)
{
    const char *const texts[][2] = {{"x", plot->x},
                                    {"y", plot->y},
                                    {"by", plot->by},
                                    {"over", plot->over},
                                    {"panels", plot->panels},
                                    {"style", plot->style},
                                    {"title", plot->title},
                                    {"x_label", plot->x_label},
                                    {"y_label", plot->y_label}};
    GVariantDict fields, look;
    GVariantBuilder labels;
    g_variant_dict_init(&fields, NULL);
    g_variant_dict_init(&look, NULL);
    g_variant_builder_init(&labels, G_VARIANT_TYPE("a(ayay)"));
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++)
        test_add_text(&fields, texts[i][0], texts[i][1]);
    if (plot->label)
        g_variant_builder_add(&labels, "(^ay^ay)", plot->value, plot->label);
    test_add_text(&look, "gnuplot", plot->gnuplot);
    g_variant_dict_insert_value(&fields, "look", g_variant_dict_end(&look));
    g_variant_dict_insert_value(&fields, "labels", g_variant_builder_end(&labels));
    g_variant_dict_insert_value(&fields, "only", g_variant_new("av", NULL));
    g_variant_dict_insert_value(&fields, "marks", g_variant_new("av", NULL));
    return g_variant_dict_end(&fields);
}
