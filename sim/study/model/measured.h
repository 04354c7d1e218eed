/* SPDX-License-Identifier: BSD-3-Clause */
/* Measurements beside a study: a table (delimited.h) whose rows are joined to the study's points by the columns of its axes, and whose
 * other columns are what was measured.
 *
 * A column is an axis or a measure by its name, as in the study's own tables, "bytes", "latency_us", or with another unit of the
 * kind, "latency_ns", "size_KiB" ("/" is "p": "rate_GBps"); or because the study says so. Each axis has a column, unless the study says
 * that rows are of every value of it. Cells are decimal numbers in the column's unit, or quantities with one of their own ("8B"); an
 * empty cell, "-", "NaN", "NA" and "n/a" are none. */
#ifndef GPUNETSIM_STUDY_MODEL_MEASURED_H
#define GPUNETSIM_STUDY_MODEL_MEASURED_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

#include "study/model/delimited.h"
#include "study/model/study.h"

/* What a study says of a file's columns. */
struct measured_name {
    char *name;   /* of an axis or a measure; of `only`: a column of the file */
    char *column; /* of the file; of `only`: the text that it has to have */
    char *unit;   /* of the column's numbers; NULL: as the column's name says */
};

/* A column that is an axis or a measure. */
struct measured_column {
    int at; /* -1: there is none */
    bool is_axis;
    struct value like;  /* without text: what its cells are */
    const char *suffix; /* the unit of its numbers; NULL: none is said */
};

struct measured_row {
    size_t line;
    char *const *fields;
    struct value *axes; /* of the study, where the file has them; else without text */
};

struct measured {
    struct delimited table;
    struct measured_name *names; /* may be NULL */
    size_t name_count;
    struct measured_name *only; /* rows that are meant; NULL: all */
    size_t only_count;
    char **
        every; /* axes that the file has no column of: rows are of all of their values; may be NULL */
    size_t axis_count; /* of the study; */
    struct measured_column *axes;
    struct measured_row *rows;
    size_t row_count;
};
void measured_clear(struct measured *measured);

/* Reads `text` into `measured`, whose table's path, names, only and every are set. False and one sentence with file:line. */
bool measured_parse(struct measured *measured, const struct study *study, const char *text,
                    GError **error);

/* Finds the column for `name`, an axis or a measure whose values are of the kind of `like`; there may be none. False and one sentence if
 * there are two, or if what the study says of its unit cannot be. */
bool measured_find(const struct measured *measured, const char *name, const struct value *like,
                   bool is_axis, struct measured_column *column, GError **error);

/* Whether a cell says that nothing was measured. */
bool measured_is_none(const char *text);

/* The cell of a row as a value like column->like. False if it has none; or with an error if it is no such value. */
bool measured_cell(const struct measured *measured, const struct measured_row *row,
                   const struct measured_column *column, struct value *value, GError **error);

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
