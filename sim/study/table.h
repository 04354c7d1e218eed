/* Rows of a study as a table of texts: what CSV, JSON, the terminal and figures are made from. */
#ifndef GPUNETSIM_STUDY_TABLE_H
#define GPUNETSIM_STUDY_TABLE_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

#include "script/script.h"

struct table_column {
    char *key;  /* name of the axis or measure: "latency" */
    char *name; /* with its unit, as it stands in files: "latency_us" */
    bool is_axis, is_number;
    enum script_value_kind kind;
    enum unit_kind unit; /* SCRIPT_QUANTITY */
};

struct table {
    struct table_column *columns; /* axes first, then measures as they first appear */
    size_t column_count;
    char **cells; /* row by row; NULL: no value */
    size_t row_count;
};

/* A column `failure` is there only if a point failed. */
struct table *table_new(const struct axis *axes, size_t axis_count, struct row *const *rows,
                        size_t row_count);
void table_free(struct table *table);

/* A table of plain texts with `column_count` columns, and a row more for it; NULL: no value. */
struct table *table_of_texts(const char *const *names, size_t column_count);
void table_append(struct table *table, const char *const *texts);

/* May be NULL. */
const char *table_cell(const struct table *table, size_t row, size_t column);

/* The column of this name or key; -1 if there is none. */
int table_find(const struct table *table, const char *name);

/* The table that a figure shows: column 0 is `x`, then one column of `y` a series. A series is a
 * value of axis `by` (-1: none) and of each further axis that takes several values; its column is
 * named after these values. Values stand in the order in which they first appear. */
struct table *table_pivot(const struct table *table, size_t x, size_t y, int by);

#endif
