/* SPDX-License-Identifier: BSD-3-Clause */
/* Workloads whose course is a file of Lua. Such a workload is a table of parameters, as any other one, and a file
 * benchmarks/parts/workloads/NAME.lua, which is called with their values by name: a choice as its name, a flag as a boolean, a quantity as an
 * integer in base units. The file makes a world (workloads/transfer/transfer.h) by `run.world`, has its parties do something by
 * `run.parties`, and says by `run.time` and its like what came of it. It is the project's own, so that it has no limits of time and memory.
 *
 * What the words do stands with them: run.* in scripted.c, scripted_world.c and scripted_probe.c, what a party does in
 * party.c and scripted_party.c. */
#pragma once

#include "workloads/interface/workload.h"

/* Runs the file of the workload's name, in a Lua of its own; as a workload's `run`. */
bool scripted_run(const struct workload *workload, const struct machine_spec *machine,
                  const void *spec, uint64_t seed, struct workload_result *result, GError **error);

/* Defines NAME_workload, whose parameters are NAME_params; more fields may follow. */
#define SCRIPTED_WORKLOAD(called, ...)                                                             \
    extern const struct workload called##_workload;                                                \
    static bool run_##called(const struct machine_spec *machine, const void *spec, uint64_t seed,  \
                             struct workload_result *result, GError **error)                       \
    {                                                                                              \
        return scripted_run(&called##_workload, machine, spec, seed, result, error);               \
    }                                                                                              \
    const struct workload called##_workload = {                                                    \
        .name = #called, .params = &called##_params, .run = run_##called, __VA_ARGS__}
