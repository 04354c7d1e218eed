/* SPDX-License-Identifier: BSD-3-Clause */
/* Workloads that are files of Lua, benchmarks/parts/workloads/NAME.lua. Such a file begins with `local p = workload { ... }`,
 * which says its parameters (scripted_table.c), and is then run with their values by name: a choice as its name, a flag as a
 * boolean, a quantity as an integer in base units. It makes a world (workloads/transfer/transfer.h) by `run.world`, gives its
 * parties a function by `run.parties`, and reports results by `run.time` and its like. It is the project's own file, so it has
 * no limits of time and memory.
 *
 * The words are described where they are defined: run.* in scripted.c, scripted_world.c and scripted_probe.c, a party's
 * operations in party.c and scripted_party.c. */
#pragma once

#include "workloads/interface/workload.h"

/* Fills in all of a workload but its name and its `run` from its file, once; the data are never freed. False and an error if
 * the file is missing or bad. */
bool scripted_load(struct workload *workload, GError **error);

/* The `settle` of a workload whose table says `settles = true`: runs the file up to run.settle. */
bool scripted_settle(const struct workload *workload, const struct machine_spec *machine,
                     void *spec, uint64_t seed, GError **error);

/* The `run` of such a workload: runs the file of its name in a Lua state of its own. */
bool scripted_run(const struct workload *workload, const struct machine_spec *machine,
                  const void *spec, uint64_t seed, struct workload_result *result, GError **error);
