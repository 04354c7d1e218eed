/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory channels: a latency, and a bandwidth that all accesses share, line after line. */
#ifndef GPUNETSIM_MODELS_MEMORY_DRAM_H
#define GPUNETSIM_MODELS_MEMORY_DRAM_H

#include "core/simtime.h"
#include "core/wait.h"

struct dram {
    sim_time latency_ps;
    struct bandwidth_server channels; /* all channels as one server: lines interleave over them */
};

/* `rate_Bps` is the sum over the channels. */
void dram_init(struct dram *dram, sim_time latency_ps, int64_t rate_Bps);

/* A read or write of `bytes` that arrives at `now_ps`; returns when its data are there. Calls come
 * with times that do not go back. */
sim_time dram_access(struct dram *dram, sim_time now_ps, int64_t bytes);

#endif
