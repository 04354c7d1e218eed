/* SPDX-License-Identifier: BSD-3-Clause */
/* What is wrong with a schedule that could be read and cannot be run, and where it stands. */
#pragma once

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

/* What is left when a schedule can go no further: how much of `what` ("receives"), and the first of it. */
struct goal_leftover {
    const char *what;
    size_t count;
    uint32_t rank;
    bool is_receive; /* else a message to the rank that no receive has met */
    struct loggp_entry entry;
};

/* True if nothing is left. Else false and an error of one sentence (ERROR_RUN), "NAME:LINE: ...". */
bool goal_leftover_fail(const struct goal_leftover *leftover, const struct goal_source *source,
                        GError **error);

/* The same for a machine after its run. What waits for ever: a rendezvous in a circle, or wildcards that took each other's messages. */
bool goal_check_end(const struct loggp *machine, const struct goal_source *source, GError **error);
