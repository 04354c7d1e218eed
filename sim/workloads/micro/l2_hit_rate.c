/* SPDX-License-Identifier: BSD-3-Clause */
/* How often a command processor finds in the GPU's L2 what it looks for, while other work-groups stream
 * through it: ComPNet18 section 4.2.3, Fig 7.
 *
 * Node 0 runs one kernel. Its first work-groups do networking, blocking puts and gets of `bytes` in turn. The others stream, each through a large buffer of its own. After `warmup` everything is counted for
 * `duration`; then all come to their end. Every work-group of the grid has a queue, and the service threads
 * poll all of them, whether they network or not (ComPNet18 section 5.1, Fig 5: cpnet_init; M-134); with `queues`
 * otherwise.
 *
 * The difference matters: a work-group that waits polls the line of its entry, and so keeps it in the L2 for the
 * command processor; one that goes on posting does not. */
#include "script/workload/scripted.h"
#include "workloads/interface/shared_rows.h"
#include "workloads/transfer/transfer.h"

struct l2_hit_rate_spec {
    struct design design;
    int64_t networking, streaming;
    int64_t queues; /* of queue_owners */
    int64_t bytes;
    sim_time warmup_ps, duration_ps;
};

static const char *const queue_owners[] = {"grid", "networking", NULL};

#define SPEC struct l2_hit_rate_spec
static const struct param params[] = {
    PARAM_DESIGN(SPEC, NULL, "The design that serves the operations."),
    PARAM_COUNT(networking, SPEC, NULL, "1", "65536", "Work-groups that put and get."),
    PARAM_COUNT(streaming, SPEC, NULL, "0", "65536",
                "Work-groups that stream through a buffer of 16 MiB each, again and again."),
    PARAM_ENUM(
        queues, SPEC, "grid", queue_owners,
        "Which work-groups have a queue that service threads poll: all of the grid, or only those that put and get."),
    SHARED_ROW(bytes, SPEC, "64B"),
    PARAM_TIME(warmup, SPEC, "1ms", "0ns", "1s", "Time after the launch that is not counted."),
    PARAM_TIME(duration, SPEC, "1ms", "1ns", "1s", "Counted."),
};
#undef SPEC
static PARAM_TABLE_SHARING(
    l2_hit_rate_params, "l2_hit_rate", struct l2_hit_rate_spec, params,
    "Hit rate of command processors in the L2 beside streaming work-groups.");

SCRIPTED_WORKLOAD(l2_hit_rate, .accepts = transfer_accepts_kernel);
