/* SPDX-License-Identifier: BSD-3-Clause */
#include "models/memory/dram.h"

#include <glib.h>

void dram_init(struct dram *dram, sim_time latency_ps, int64_t rate_Bps)
{
    dram->latency_ps = latency_ps;
    bandwidth_server_init(&dram->channels, rate_Bps);
    dram_set_wavefronts(dram, (double)rate_Bps, 1);
}

void dram_set_wavefronts(struct dram *dram, double wave_Bps, int64_t places)
{
    shared_rate_init(&dram->flows, (double)dram->channels.rate_Bps, wave_Bps);
    dram->places = (double)places;
}

sim_time dram_access(struct dram *dram, sim_time now_ps, int64_t bytes)
{
    return bandwidth_server_serve(&dram->channels, now_ps, bytes) + dram->latency_ps;
}

void dram_flow_begin(struct dram_flow *flow, struct dram *dram, sim_time now_ps, int64_t bytes,
                     int64_t rate_Bps)
{
    flow->dram = dram;
    if (dram == NULL)
        return;
    double rate = (double)rate_Bps / (double)PS_PER_S;
    double weight = MAX(rate / dram->flows.most, rate / dram->flows.rate * dram->places);
    shared_rate_begin(&dram->flows, &flow->job, now_ps, (double)bytes, weight);
}

sim_time dram_flow_end_ps(struct dram_flow *flow, sim_time now_ps)
{
    if (flow->dram == NULL)
        return now_ps;
    return shared_rate_end_ps(&flow->dram->flows, &flow->job, now_ps);
}
