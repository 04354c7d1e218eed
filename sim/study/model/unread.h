/* SPDX-License-Identifier: BSD-3-Clause */
/* Parameters that the user set and nothing read. */
#pragma once

#include <stddef.h>

#include "core/param_use.h"
#include "study/model/study.h"

/* Fills row->read and row->unread for a point that ran on `machine` and whose workloads could read `uses`. A point
 * without workloads reads nothing, and is not blamed for it. `of_all`: all parameters, not only those that the user set. */
void unread_note(const struct machine *machine, const struct param_use *uses, bool of_all,
                 struct row *row);

/* Appends paths to a list of such, which is NULL at first and then the caller's, to be freed with g_free; NULL: none. */
void unread_add(char **list, const char *path);

/* Adds the axes of the design that the point's last workload took to what was read, with their values: "design.queue.memory=gpu". */
void unread_note_design(const struct design *design, struct row *row);

/* Fails with "nic.fetch_depth was set, but no queue of this run is fetched" if a run on `machine` could read only `uses`, and something else was set. */
bool unread_refuse(const struct machine *machine, const struct param_use *uses, GError **error);

/* Fails the points of a study that set a parameter which no point of it could read. A parameter that matters at some
 * points only is no fault: designs are compared on one machine. Rows by point; where some are missing, as in a
 * shard, nothing is known of the others, and nothing fails. */
void unread_judge(struct row *const *rows, size_t count);

/* One sentence on parameters that were set at points which could not read them, while others could; NULL if there
 * are none. Rows are all there. The caller frees it with g_free. */
char *unread_note_text(struct row *const *rows, size_t count);
