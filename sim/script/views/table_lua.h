/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of results for the files in views/, from which they make CSV, JSON, terminal output and figures. */
#pragma once

#include "study/model/study.h"

struct lua_State;

/* Pushes a table of
 *   columns                the axes, then measures as they first appear, and `failure` if a point failed. Each has a key ("latency"), a
 *                          name as in files ("latency_us"), the kind and unit of its values, is_axis, is_number, for an axis its
 *                          group (axes of one group advance together), and for a mean the numbers of the columns about it: spread
 *                          (its uncertainty), lower and upper (medians of two groups of runs), lower_share (the first one's share)
 *   count                  of its rows
 *   cell(row, column)      the text of a cell; nil: no value, or a value that is not modelled
 *   shown(row, column)     the same for display, which says if a value is not modelled
 * The axes and the rows have to be there as long as it. */
void table_lua_push(struct lua_State *L, const struct axis *axes, size_t axis_count,
                    struct row *const *rows, size_t row_count);
