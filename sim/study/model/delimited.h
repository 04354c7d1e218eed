/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of measurements as text: a row a line, its fields separated by tabs, by semicolons or by commas, whichever of them the first
 * row has, in this order; a field may be in double quotes, with "" for one of them. Lines that begin with # and empty lines are left
 * out. The columns' names are the first row; or, if that has a field that begins with a digit, the comment right before it, as in
 * the tables of the probe. */
#ifndef GPUNETSIM_STUDY_MODEL_DELIMITED_H
#define GPUNETSIM_STUDY_MODEL_DELIMITED_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/text_file.h"

struct delimited_row {
    size_t line;   /* in the file, from 1 */
    char **fields; /* as many as there are columns, without blanks around them; NULL-ended */
};

struct delimited {
    char *path;        /* as shown */
    char **columns;    /* different names; NULL-ended */
    size_t names_line; /* where they stand */
    struct delimited_row *rows;
    size_t row_count;
};
void delimited_clear(struct delimited *table);

/* What such a file may be (core/text_file.h). */
extern const struct text_kind delimited_file;

/* Reads `text` into `table`, whose path is set; it is to be cleared in any case. False and one sentence with file:line for a row
 * with fewer or more fields than there are columns, columns without a name, with a number for it or with the name of another one, names that
 * come a second time, and quotes that do not end. There may be no rows. */
bool delimited_parse(struct delimited *table, const char *text, GError **error);

#endif
