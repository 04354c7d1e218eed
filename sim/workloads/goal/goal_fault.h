/* SPDX-License-Identifier: BSD-3-Clause */
/* Errors of a schedule that was read but cannot be run, with their places in the file. */
#pragma once

#include <glib.h>

#include "workloads/goal/goal_schedule.h"

/* The source of a program. */
struct goal_source {
    const char *name;                     /* the file's name, or the pattern as written */
    const struct goal_schedule *schedule; /* NULL: the program is a pattern, which has no lines */
};

/* True if there is no fault. Else false and an error of one sentence (ERROR_USE), "NAME:LINE: ...": `last` is the latest time
 * that the machine allows, in ticks (`ticks_per_ns` to a nanosecond). */
bool goal_fault_fail(const struct loggp_fault *fault, const struct goal_source *source,
                     int64_t last, uint64_t ticks_per_ns, GError **error);

/* What is left over when a schedule cannot go on: how many of `what` ("receives"), and the first one. */
struct goal_leftover {
    const char *what;
    size_t count;
    uint32_t rank;
    bool is_receive; /* else a message to the rank without a matching receive */
    struct loggp_entry entry;
};

/* True if nothing is left. Else false and an error of one sentence (ERROR_RUN), "NAME:LINE: ...". */
bool goal_leftover_fail(const struct goal_leftover *leftover, const struct goal_source *source,
                        GError **error);

/* The same for a machine after its run. Operations may wait for ever because of a cycle of rendezvous, or because wildcards
 * took each other's messages. */
bool goal_check_end(const struct loggp *machine, const struct goal_source *source, GError **error);
