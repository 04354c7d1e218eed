/* SPDX-License-Identifier: BSD-3-Clause */
/* Parameters that the user set and no workload read, with sentences on them (views/settings.lua has the words); and parameters that
 * were read but not given: defaults of the program, which have no source. */
#pragma once

#include "core/param_use.h"
#include "study/model/study.h"

/* Fills row->read and row->unread for a point that ran on `machine` and whose workloads could read `uses`. A point without
 * workloads gets no unread parameters. `of_all`: takes all parameters, not only those that the user set. */
void settings_note(const struct machine *machine, const struct param_use *uses, bool of_all,
                   struct row *row);

/* Appends paths (NULL: none) to a list of paths, which is NULL at first; the caller frees it with g_free. */
void settings_add(char **list, const char *path);

/* Adds the axes of the design of the point's last workload, with their values, to the read parameters: "design.queue.memory=gpu". */
void settings_note_design(const struct design *design, struct row *row);

/* Fills row->read_defaults and row->read_given for a point that ran on `machine` and whose workloads could read `uses`. */
void settings_note_defaults(const struct machine *machine, const struct param_use *uses,
                            struct row *row);

/* Fails with "nic.fetch_depth was set, but no queue of this run is fetched" if a run on `machine` could read only the
 * parameters in `uses`, and another one was set. */
bool settings_refuse(const struct machine *machine, const struct param_use *uses, GError **error);
