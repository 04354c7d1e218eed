/* SPDX-License-Identifier: BSD-3-Clause */
/* Measurements beside a study: a table (delimited.h) whose rows are joined to the study's points by the columns of its axes, and whose
 * other columns are what was measured (script/views/measured.h).
 *
 * A column is an axis or a measure by its name, as in the study's own tables, "bytes", "latency_us", or with another unit of the
 * kind, "latency_ns", "size_KiB" ("/" is "p": "rate_GBps"); or because the study says so. Each axis has a column, unless the study says
 * that rows are of every value of it. Cells are decimal numbers in the column's unit, or quantities with one of their own ("8B"); an
 * empty cell, "-", "NaN", "NA" and "n/a" are none. */
#ifndef GPUNETSIM_STUDY_MODEL_MEASURED_H
#define GPUNETSIM_STUDY_MODEL_MEASURED_H

#include <stddef.h>

#include "study/model/delimited.h"

/* What a study says of a file's columns. */
struct measured_name {
    char *name;   /* of an axis or a measure; of `only`: a column of the file */
    char *column; /* of the file; of `only`: the text that it has to have */
    char *unit;   /* of the column's numbers; NULL: as the column's name says */
};

struct measured {
    struct delimited table;
    struct measured_name *names; /* may be NULL */
    size_t name_count;
    struct measured_name *only; /* rows that are meant; NULL: all */
    size_t only_count;
    char **
        every; /* axes that the file has no column of: rows are of all of their values; may be NULL */
};
void measured_clear(struct measured *measured);

#endif
