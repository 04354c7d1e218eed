/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of CUDA by ranks, in C: what tests of models/cuda run on machines of their own. Users have benchmarks/parts/cuda.lua. */
#pragma once

#include "workloads/interface/workload.h"
#include "workloads/transfer/transfer.h"

extern const struct workload cuda_copy_workload, cuda_copies_workload, kernel_launch_workload;

/* A world from its setup to its end, each step with the same argument: `prepare` (NULL: nothing) makes its buffers, `program` runs
 * as every party, `report` says what came of it. */
struct world_task {
    void (*prepare)(void *argument, struct world *world);
    party_program *program;
    void (*report)(const void *argument, const struct world *world, struct workload_result *result);
};
static inline bool world_run_alone(const struct machine_spec *machine,
                                   const struct world_setup *setup, const struct world_task *task,
                                   void *argument, struct workload_result *result, GError **error)
{
    struct world *world = world_new(machine, setup, error);
    if (world == NULL)
        return false;
    g_autofree void **arguments = g_new(void *, (gsize)setup->place_count);
    for (int64_t i = 0; i < setup->place_count; i++)
        arguments[i] = argument;
    if (task->prepare != NULL)
        task->prepare(argument, world);
    bool good = world_run(world, task->program, arguments, error);
    if (good)
        task->report(argument, world, result);
    world_free(world);
    return good;
}
