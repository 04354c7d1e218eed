/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of measurements joined to the points of a study (views/measured.lua). */
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "study/model/measured.h"
#include "study/model/study.h"

/* Whether the file has the columns and rows that the study says, and a column for each axis; false and one sentence with
 * file:line. */
bool measured_check(const struct study *study, const struct measured *measured, GError **error);

/* Adds to the rows of a study (which may be without measures) the values measured at their points: to each measure that a file
 * has, say latency, "latency_measured", the median of the file's rows, and "latency_error_percent", how much the simulated
 * value is above it. *told (NULL: not wanted), which the caller frees, has a line for each file and measure: how many points
 * have both values, median and 90th percentile of the error's size, and which rows of the file are not used. False and one
 * sentence if a file has none of the measures, or a cell is no such value. */
bool measured_join(const struct study *study, struct row *const *rows, size_t row_count,
                   char **told, GError **error);

struct lua_State;

/* Pushes the study, its points (of which there may be none) and the files as views/measured.lua gets them. Returns 3. */
int measured_push(struct lua_State *L, const struct study *study, const struct measured *files,
                  size_t file_count, struct row *const *rows, size_t row_count);
