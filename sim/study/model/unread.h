/* SPDX-License-Identifier: BSD-3-Clause */
/* Parameters that the user set and nothing read, and values that were read and nobody gave: defaults of the program, which have no
 * source. script/views/settings.h says what is wrong with them. */
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

/* Fills row->read_defaults and row->read_given for a point that ran on `machine` and whose workloads could read `uses`. */
void unread_note_defaults(const struct machine *machine, const struct param_use *uses,
                          struct row *row);
