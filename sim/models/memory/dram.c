/* SPDX-License-Identifier: BSD-3-Clause */
#include "models/memory/dram.h"

void dram_init(struct dram *dram, sim_time latency_ps, int64_t rate_Bps)
{
    dram->latency_ps = latency_ps;
    bandwidth_server_init(&dram->channels, rate_Bps);
}

sim_time dram_access(struct dram *dram, sim_time now_ps, int64_t bytes)
{
    return bandwidth_server_serve(&dram->channels, now_ps, bytes) + dram->latency_ps;
}
