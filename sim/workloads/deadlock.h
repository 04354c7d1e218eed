/* The report of a deadlock among work-groups (ComPNet18 section 4.1; M-076): who waits for whom or for
 * what word, how many work-groups run, were launched and fit, and what would break it. */
#ifndef GPUNETSIM_WORKLOADS_DEADLOCK_H
#define GPUNETSIM_WORKLOADS_DEADLOCK_H

#include <stddef.h>

#include "models/node.h"

/* After sim_run has returned SIM_DEADLOCK: writes to `why` one sentence, then lines; at most `why_size`
 * bytes, about 1000 with names of usual length. */
void deadlock_explain(const struct cluster *cluster, char *why, size_t why_size);

#endif
