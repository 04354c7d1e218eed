/* SPDX-License-Identifier: BSD-3-Clause */
/* A table of texts with the rows of a study, from which CSV, JSON, terminal output and figures are made. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

#include "study/model/study.h"

/* Columns about a mean NAME: its uncertainty NAME_spread, the medians NAME_lower and NAME_upper of two groups of runs, and the first
 * one's share, NAME_lower_share. */
#define TABLE_BESIDE                                                                               \
    {                                                                                              \
        "spread", "lower", "upper", "lower_share"                                                  \
    }
#define TABLE_BESIDE_COUNT 4

struct table_column {
    char *key;  /* name of the axis or measure: "latency" */
    char *name; /* the name with its unit, as used in files: "latency_us" */
    bool is_axis, is_number;
    /* for a mean: the numbers of the columns about it, in the order of TABLE_BESIDE; 0: none */
    size_t beside[TABLE_BESIDE_COUNT];
    size_t group; /* for an axis: axes of one group advance together */
    enum value_kind kind;
    enum unit_kind unit; /* VALUE_QUANTITY */
};

struct table {
    struct table_column *columns; /* axes first, then measures as they first appear */
    size_t column_count;
    char **cells; /* row by row; NULL: no value */
    size_t row_count;
};

/* A column `failure` exists only if a point failed. */
struct table *table_new(const struct axis *axes, size_t axis_count, struct row *const *rows,
                        size_t row_count);
void table_free(struct table *table);

/* The text of a cell. NULL: no value, or a value that is not modelled. */
const char *table_cell(const struct table *table, size_t row, size_t column);

/* The text of a cell for display, which says if a value is not modelled. */
const char *table_shown_cell(const struct table *table, size_t row, size_t column);
