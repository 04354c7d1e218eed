/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables as texts for others to read. All end with a newline; the caller frees them with g_free. */
#pragma once

#include "core/json.h"
#include "study/table/table.h"

/* Appends one CSV field, quoted where RFC 4180 asks for it. NULL is an empty field. A text that a
 * spreadsheet would take for a formula (it begins with = + - @ and is no number) gets an apostrophe before
 * it, and control characters other than ends of lines are replaced as shown_text does; JSON has texts
 * exactly. */
void export_csv_field(GString *csv, const char *text);

/* Tidy CSV: a line of column names, then a line a row. Lines end with a bare newline, as the tools
 * that read such files on Unix expect. */
char *export_csv(const struct table *table);

/* An array of objects, one a line. Numbers are JSON numbers; a missing value is null. */
char *export_json(const struct table *table);

/* The same array as a part of other JSON, without the newline. */
void export_json_rows(const struct table *table, const char *key, struct json *json);

/* Tab-separated columns for gnuplot: the columns' names in a line that it skips, a missing value is NaN.
 * Texts as in CSV; the end of a line is a space. */
char *export_tsv(const struct table *table);
