/* SPDX-License-Identifier: BSD-3-Clause */
/* Measurements beside a study: a file of tab- or comma-separated values, whose rows are joined to the study's
 * points by the axes that the file has a column for, and whose other columns are what was measured.
 *
 * A column is an axis or a measure by its name, as in the study's own tables, "bytes", "latency_us", or with
 * another unit of the kind, "latency_ns", "size_KiB" ("/" is "p": "rate_GBps"); or because the study says so.
 * Cells are numbers in the column's unit, or quantities with one of their own ("8B"); an empty cell, "-" and
 * "NaN" are none. Lines before the columns' names are comments if they begin with #, as those names may. */
#ifndef GPUNETSIM_STUDY_MODEL_MEASURED_H
#define GPUNETSIM_STUDY_MODEL_MEASURED_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

#include "study/model/study.h"

/* What a study says of a file's columns. */
struct measured_name {
    char *name;   /* of an axis or a measure; of `only`: a column of the file */
    char *column; /* of the file; of `only`: the text that it has to have */
};

struct measured_row {
    size_t line;
    char **fields;
    struct value *axes; /* of the study, where the file has them; else without text */
};

struct measured {
    char *path;                  /* as shown */
    struct measured_name *names; /* may be NULL */
    size_t name_count;
    struct measured_name *only; /* rows that are meant; NULL: all */
    size_t only_count;
    char **columns;    /* of the file, NULL-ended */
    size_t axis_count; /* of the study; */
    int *axes;         /* for each its column, or -1 */
    struct measured_row *rows;
    size_t row_count;
};
void measured_clear(struct measured *measured);

/* Reads `text` into `measured`, whose path, names and only are set. False and one sentence with file:line. */
bool measured_parse(struct measured *measured, const struct study *study, const char *text,
                    GError **error);

/* Sets "PATH:LINE: sentence" and returns false. */
bool measured_fail(const struct measured *measured, size_t line, GError **error, const char *format,
                   ...) G_GNUC_PRINTF(4, 5);

/* The column called so; -1 if there is none. */
int measured_find(const struct measured *measured, const char *column);

/* The column for `name`, whose values are of this kind; -1 if there is none. *suffix is its unit, NULL if it
 * has none. */
int measured_column(const struct measured *measured, const char *name, const struct value *like,
                    const char **suffix);

/* The cell of a row as a value like `like`. False if it has none; or with an error if it is none. */
bool measured_cell(const struct measured *measured, const struct measured_row *row, int column,
                   const struct value *like, const char *suffix, struct value *value,
                   GError **error);

/* Adds to the rows of a study (may be without measures) what was measured at their point: to each measure that a
 * file has, say latency, "latency_measured", the median of the file's rows, and "latency_error_percent", by how much the
 * simulated value is above it. *told, which the caller frees, is a line for each file and measure: how many
 * points have both, median and 90th percentile of the error's size, what of the file is not used. False and one
 * sentence if a file has none of the measures, or a cell is no such value. */
bool measured_join(const struct study *study, struct row *const *rows, size_t row_count,
                   char **told, GError **error);

/* The measured points of a plot, as marks: an array that the caller frees with plot_marks_free. Those of series and
 * panels that the file does not name belong to none and to all. */
struct plot_mark *measured_marks(const struct study *study, const struct plot_spec *plot,
                                 struct row *const *rows, size_t row_count, size_t *count);

#endif
