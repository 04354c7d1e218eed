/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables as texts for others to read (views/export.lua). */
#pragma once

#include "study/table/table.h"

/* The table in a format: "csv", tidy, with a line of column names; "json", an array of objects, one a line; "tsv", columns for gnuplot.
 * It ends with a newline; the caller frees it with g_free. */
char *export_text(const struct table *table, const char *format);
