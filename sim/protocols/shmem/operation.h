/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the time of a service's operations goes: a listener (core/observe.h) with a histogram for each stage. The
 * stages' times add up to the latency, to the picosecond. */
#pragma once

#include "core/sim.h"

struct operation_log {
    struct sim *sim;
    char *path;
    struct observe_origin origin; /* of observe_begin */
    struct observe_listener listener;
    struct stat_histogram *stages[STAGES_SERVED], *latency; /* since the last observe_reset */
};

/* A log of operations whose callers are work-groups, begun by observe_begin with the log's origin. Its histograms ("posted",
 * ..., "noticed" and "latency", in ps) are registered under `path` in the simulation's statistics. It must outlive the
 * operations. `design` carries them out (struct observe_origin). */
struct operation_log *operation_log_new(struct sim *sim, const char *path,
                                        const struct design *design);
void operation_log_free(struct operation_log *log);
