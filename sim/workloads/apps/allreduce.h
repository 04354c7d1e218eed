/* SPDX-License-Identifier: BSD-3-Clause */
/* The allreduce, for workloads that are built on it. */
#pragma once

#include <glib.h>

#include "workloads/interface/shared_rows.h"
#include "workloads/interface/workload.h"

/* Where the buffers of ranks lie: where the design keeps them; in host memory; in GPU memory with copies to the host and back. */
enum allreduce_memory { MEMORY_OF_DESIGN, MEMORY_OF_HOST, MEMORY_COPIED };

enum allreduce_algorithm {
    ALGORITHM_AUTO,
    ALGORITHM_RING,
    ALGORITHM_HIERARCHICAL,
    ALGORITHM_DOUBLING,
    ALGORITHM_TREE,
    ALGORITHM_ONE_SHOT,
    ALGORITHM_TWO_SHOT,
    ALGORITHM_ONE_SHOT_GET,
    ALGORITHM_TWO_SHOT_GET,
    ALGORITHMS,
};

/* Faults are injected into the carried data, and the check must find them (carry.h). */
enum allreduce_check { CHECK_NONE, CHECK_TRUE, FAULT_LOST_CHUNK, FAULT_WRONG_BLOCK };

/* The parameters of workload "allreduce"; its table describes them. */
struct allreduce_spec {
    struct shared_places places;
    int64_t bytes, algorithm, rings, chunk_bytes, threads, memory;
    int64_t repeats, warmup;
    double tolerance;
    int64_t check;
};
extern struct param_table allreduce_params;

/* Runs the workload; `result` gets its measures, first the "duration" of one allreduce. True, or false with one sentence. */
bool allreduce_run(const struct machine_spec *machine, const struct allreduce_spec *spec,
                   uint64_t seed, struct workload_result *result, GError **error);

/* The same with one given algorithm (not auto), which the machine and the design support. */
bool allreduce_simulate(const struct machine_spec *machine, const struct allreduce_spec *spec,
                        int64_t algorithm, uint64_t seed, struct workload_result *result,
                        GError **error);
