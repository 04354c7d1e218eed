/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of micro-benchmarks: two nodes of two GPUs each, and the time that a workload with `settings` tells of them. */
#pragma once

#include "workload_run.h"

#define NS PS_PER_NS

static inline void init(struct workload_run *run)
{
    workload_run_init(run, 2);
    SOFTWARE(run->machine)->phases = PHASES_FIXED;
    run->machine.node.gpus_per_socket = 2;
    run->machine.node.peer_link = PEER_LINK_NODE;
}

static inline sim_time time_of(struct workload_run *run, const struct workload *workload,
                               const char *settings)
{
    workload_run_good(run, workload, settings);
    return workload_run_measure(run, "time");
}
