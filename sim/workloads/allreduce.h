/* The allreduce for workloads that are made of it. */
#ifndef GPUNETSIM_WORKLOADS_ALLREDUCE_H
#define GPUNETSIM_WORKLOADS_ALLREDUCE_H

#include <glib.h>

#include "workloads/workload.h"

/* What workload "allreduce" takes; its table says what each is. */
struct allreduce_spec {
    struct design design;
    int64_t nodes, gpus_per_node, bytes, algorithm, small_limit, rings, chunk_bytes, threads,
        memory;
    int64_t repeats, warmup;
    double tolerance;
    int64_t check, fault;
};
extern const struct param_table allreduce_params;

/* Runs it; `result` gets its measures, "duration" of one first. True, or false with one sentence. */
bool allreduce_run(const struct machine_spec *machine, const struct allreduce_spec *spec,
                   uint64_t seed, struct workload_result *result, GError **error);

#endif
