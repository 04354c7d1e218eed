/* SPDX-License-Identifier: BSD-3-Clause */
/* What simulated micro-benchmarks share: node 0 of a machine, kernels on its GPUs, threads on its cores. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "protocols/agents/agent.h"
#include "workloads/interface/workload.h"

#define PROBE_KERNELS 2

struct probe_run {
    struct sim *sim;
    struct cluster *cluster;
    struct kernel kernels[PROBE_KERNELS];
    int64_t kernel_count;
};

/* False with one sentence if the machine cannot be made, or node 0 has fewer than `gpus` GPUs; then there is nothing to
 * end. */
bool probe_run_start(struct probe_run *run, const struct machine_spec *machine, int64_t gpus,
                     uint64_t seed, GError **error);

/* A line of its own for each of `count`: their address, in the host's memory or a GPU's, where its L2 holds it
 * unless `kind` says otherwise. */
address probe_run_lines(struct probe_run *run, int gpu, enum node_memory memory, int64_t count,
                        enum store_kind kind);

/* Launches a kernel of `work_groups` of 32 work-items that all run at once. False with one sentence if they do not fit. */
bool probe_run_kernel(struct probe_run *run, int gpu, int64_t work_groups, kernel_program *program,
                      void *argument, GError **error);

/* A thread on core `core` of the GPU's socket. */
void probe_run_thread(struct probe_run *run, struct agent *agent, int gpu, int64_t core,
                      process_fn *program, void *argument);

/* Runs until all have ended. False with one sentence if that never happens. */
bool probe_run_finish(struct probe_run *run, GError **error);
void probe_run_end(struct probe_run *run);
