/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables for a terminal: no line is longer than it is wide. */
#ifndef GPUNETSIM_STUDY_TABLE_TERMINAL_H
#define GPUNETSIM_STUDY_TABLE_TERMINAL_H

#include <glib.h>
#include <stddef.h>
#include <stdio.h>

#include "study/table/table.h"

/* Columns of the terminal behind `stream`; else what COLUMNS says; else 80. */
size_t terminal_width(FILE *stream);

/* The table as aligned text. Columns that have no room beside the others follow below, with the axes again; a text
 * of more than half a line is cut. Of a longer table the first `most_rows` rows are there, and a line that says how
 * many are not. The caller frees it with g_free. */
char *terminal_text(const struct table *table, size_t width, size_t most_rows);

/* Appends a sentence as lines that are no longer than `width`, all but the first indented; words stay whole. */
void terminal_wrap(GString *text, const char *sentence, size_t width);

/* How many of the columns fit beside each other in `width`, counted from the first; at least 1. */
size_t terminal_fitting(const struct table *table, size_t width, size_t most_rows);

#endif
