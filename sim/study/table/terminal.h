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

/* "latency_us" as "latency (us)", "share_percent" as "share (%)": the name of a column of numbers as a head. The caller frees it
 * with g_free. */
char *terminal_head(const char *name);

/* What is shown of a text in a column: "64 KiB" of a size, at most six digits of a fraction; texts, and numbers of a table of
 * texts, as they are. The caller frees it with g_free. */
char *terminal_value(const struct table_column *column, const char *text);

/* The table as aligned text: axes and texts left, measures right with their decimal points below each other; a fraction has at
 * most six digits, a size its unit ("64 KiB"), a mean its spread behind it ("3.21 ±0.05"). Of a text of several lines the
 * first one stands there, and of a text of more than half a line its start; of all what shown_text makes of it. Columns that
 * have no room beside the others follow below, with the axes again. Of a longer table the first `most_rows` rows are there, and a
 * line that says how many are not. The caller frees it with g_free. */
char *terminal_text(const struct table *table, size_t width, size_t most_rows);

/* The same of all rows, in lines as long as they need to be. */
char *terminal_whole(const struct table *table);

/* Appends a sentence as lines that are no longer than `width`, all but the first indented; words stay whole. */
void terminal_wrap(GString *text, const char *sentence, size_t width);

/* How many of the columns fit beside each other in `width`, counted from the first; at least 1. */
size_t terminal_fitting(const struct table *table, size_t width, size_t most_rows);

#endif
