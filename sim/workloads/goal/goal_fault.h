/* SPDX-License-Identifier: BSD-3-Clause */
/* What is wrong with a schedule that could be read and cannot be run, and where it stands. */
#ifndef GPUNETSIM_WORKLOADS_GOAL_GOAL_FAULT_H
#define GPUNETSIM_WORKLOADS_GOAL_GOAL_FAULT_H

#include <glib.h>

#include "workloads/goal/goal_schedule.h"

/* Where a program comes from. */
struct goal_source {
    const char *name;                     /* of its file, or the pattern as written */
    const struct goal_schedule *schedule; /* NULL: a pattern, which has no lines */
};

/* True if there is no fault. Else false and an error of one sentence (ERROR_USE), "NAME:LINE: ...":
 * `last` is the latest time that the machine takes, in ticks, `ticks_per_ns` of them. */
bool goal_fault_fail(const struct loggp_fault *fault, const struct goal_source *source,
                     int64_t last, uint64_t ticks_per_ns, GError **error);

#endif
