/* SPDX-License-Identifier: BSD-3-Clause */
/* Measurements beside a study: a table (views/delimited.lua) whose rows are joined to the study's points by the columns of its
 * axes, and whose other columns hold measured values (script/views/measured.h).
 *
 * A column's name says which axis or measure it is: as in the study's own tables, "bytes", "latency_us", or with another unit
 * of the same kind, "latency_ns", "size_KiB" ("/" is "p": "rate_GBps"); or the study says it. Each axis has a column, unless
 * the study says that rows hold for all of its values. Cells are decimal numbers in the column's unit, or quantities with their
 * own unit ("8B"); an empty cell, "-", "NaN", "NA" and "n/a" are none. */
#pragma once

#include <glib.h>

struct measured {
    char *path; /* as shown in messages */
    /* a dictionary: path, text and the study's own settings (views/measured.lua) */
    GVariant *value;
};
