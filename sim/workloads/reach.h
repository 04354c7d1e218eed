/* SPDX-License-Identifier: BSD-3-Clause */
/* Which parameters of the machine a run can read, determined before the run. */
#pragma once

#include <stddef.h>

#include "core/param_use.h"
#include "models/node.h"
#include "protocols/design.h"
#include "workloads/interface/workload.h"

/* Adds to `may` all parameters of the machine except those that no run with these designs can read: those of runtimes and servers
 * that the designs do not use (`has_servers`: servers may still be added), and of links and switches that the machine does not
 * have. Without designs, runtimes and servers are unknown, and their parameters are added. */
void reach_of_designs(const struct machine_spec *machine, const struct design *const *designs,
                      size_t count, bool has_servers, struct param_use *may);

/* The same for a run of a workload with that spec. */
void reach_of_workload(const struct machine_spec *machine, const struct workload *workload,
                       const void *spec, struct param_use *may);

/* The same if nothing is known: adds all parameters. */
void reach_of_unknown(const struct machine_spec *machine, struct param_use *may);
