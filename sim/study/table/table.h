/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of a study as a table of texts: what CSV, JSON, the terminal and figures are made from. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

#include "study/model/study.h"

struct table_column {
    char *key;  /* name of the axis or measure: "latency" */
    char *name; /* with its unit, as it stands in files: "latency_us" */
    bool is_axis, is_number;
    size_t
        spread; /* of a mean: the number of the column NAME_spread, how far it may be off; 0: there is none */
    size_t group; /* of an axis: those of one group advance together */
    enum value_kind kind;
    enum unit_kind unit; /* VALUE_QUANTITY */
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

/* NULL: no value, or one that is not modelled. */
const char *table_cell(const struct table *table, size_t row, size_t column);

/* The same for people: of a value that is not modelled it says so. */
const char *table_shown_cell(const struct table *table, size_t row, size_t column);

/* The column of this name or key; -1 if there is none. */
int table_find(const struct table *table, const char *name);

/* Sets the error, that `option` names a measure that the table has not, and names those with numbers that it has. Returns
 * false. */
bool table_fail_measure(const struct table *table, const char *option, const char *name,
                        GError **error);
