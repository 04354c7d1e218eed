/* SPDX-License-Identifier: BSD-3-Clause */
/* What can be known of a run's reading before it runs: which parameters of the machine it cannot read, whatever it does. */
#pragma once

#include <stddef.h>

#include "core/param_use.h"
#include "models/node.h"
#include "protocols/design.h"
#include "workloads/interface/workload.h"

/* Adds to `may` all parameters of the machine but those that no run with these designs can read: of runtimes that they do not
 * have, of servers that they do not have (`has_servers`: unless some may be added), of links and switches that the machine does not
 * have. Without designs runtimes and servers are unknown, and their parameters are added. */
void reach_of_designs(const struct machine_spec *machine, const struct design *const *designs,
                      size_t count, bool has_servers, struct param_use *may);

/* The same for a workload with that spec. */
void reach_of_workload(const struct machine_spec *machine, const struct workload *workload,
                       const void *spec, struct param_use *may);

/* The same if nothing is known: all. */
void reach_of_unknown(const struct machine_spec *machine, struct param_use *may);
