/* SPDX-License-Identifier: BSD-3-Clause */
/* Workloads that are files of Lua, benchmarks/parts/workloads/NAME.lua. Such a file begins with `local p = workload { ... }`, which says
 * its parameters (scripted_table.c), and is then run with their values by name: a choice as its name, a flag as a boolean, a quantity as
 * an integer in base units. It makes a world (workloads/transfer/transfer.h) by `run.world`, has its parties do something by
 * `run.parties`, and says by `run.time` and its like what came of it. It is the project's own, so that it has no limits of time and memory.
 *
 * What the words do stands with them: run.* in scripted.c, scripted_world.c and scripted_probe.c, what a party does in
 * party.c and scripted_party.c. */
#pragma once

#include "workloads/interface/workload.h"

/* Takes all of a workload but its name and its `run` from its file, once; what it takes stays. False and an error if the file is not
 * there, or is bad. */
bool scripted_load(struct workload *workload, GError **error);

/* Runs the file of the workload's name, in a Lua of its own; as a workload's `run`. */
bool scripted_run(const struct workload *workload, const struct machine_spec *machine,
                  const void *spec, uint64_t seed, struct workload_result *result, GError **error);
