/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of measurements joined to the points of a study (views/measured.lua). */
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "study/model/measured.h"
#include "study/model/study.h"

/* Whether the file has the columns and rows that the study says, and a column for each axis; false and one sentence with file:line. */
bool measured_check(const struct study *study, const struct measured *measured, GError **error);

/* Adds to the rows of a study (may be without measures) what was measured at their point: to each measure that a
 * file has, say latency, "latency_measured", the median of the file's rows, and "latency_error_percent", by how much the
 * simulated value is above it. *told, which the caller frees, is a line for each file and measure: how many
 * points have both, median and 90th percentile of the error's size, what of the file is not used. False and one
 * sentence if a file has none of the measures, or a cell is no such value. */
bool measured_join(const struct study *study, struct row *const *rows, size_t row_count,
                   char **told, GError **error);

/* Adds the measured points of a plot to its marks ("av"), as views/sheet.lua takes them. Those of series and panels that the file does not
 * name belong to none and to all. */
void measured_add_marks(const struct study *study, GVariant *plot, struct row *const *rows,
                        size_t row_count, GVariantBuilder *marks);
