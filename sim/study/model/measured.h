/* SPDX-License-Identifier: BSD-3-Clause */
/* Measurements beside a study: a table (views/delimited.lua) whose rows are joined to the study's points by the columns of its axes, and whose
 * other columns are what was measured (script/views/measured.h).
 *
 * A column is an axis or a measure by its name, as in the study's own tables, "bytes", "latency_us", or with another unit of the
 * kind, "latency_ns", "size_KiB" ("/" is "p": "rate_GBps"); or because the study says so. Each axis has a column, unless the study says
 * that rows are of every value of it. Cells are decimal numbers in the column's unit, or quantities with one of their own ("8B"); an
 * empty cell, "-", "NaN", "NA" and "n/a" are none. */
#pragma once

#include <glib.h>

#include "core/text_file.h"

struct measured {
    char *path;      /* as shown */
    GVariant *value; /* a dictionary: path, text, and what the study says (views/measured.lua) */
};
void measured_clear(struct measured *measured);

/* What such a file may be. */
extern const struct text_kind measured_file;
