/* SPDX-License-Identifier: BSD-3-Clause */
#include "models/memory/dram.h"

#include <glib.h>
#include <math.h>

void dram_init(struct dram *dram, sim_time latency_ps, int64_t rate_Bps)
{
    dram->latency_ps = latency_ps;
    bandwidth_server_init(&dram->channels, rate_Bps);
    dram_set_wavefronts(dram, muldiv_ceil(rate_Bps, MAX(latency_ps, 1), PS_PER_S), latency_ps, 1);
}

void dram_set_wavefronts(struct dram *dram, int64_t wave_bytes, sim_time latency_ps, int64_t places)
{
    dram->flow_latency_ps = (double)MAX(latency_ps, 1);
    dram->places = (double)places;
    shared_rate_init(&dram->flows, (double)dram->channels.rate_Bps,
                     (double)wave_bytes * (double)PS_PER_S / dram->flow_latency_ps);
    /* while no wavefront is at work a device gets its own rate, from which its weight was made */
    dram->flows.most_uncounted = MIN(dram->flows.most, dram->flows.rate / dram->places);
}

/* The queue now, which was `before_ps` long `since_ps` ago: while flows send, it grows by A T / (C (T + queue)) of the time,
 * and it shrinks by the time (one implicit Euler step, whose limit is A T / C - T). */
static double queue_ps(const struct dram *dram, double before_ps, double since_ps)
{
    double latency_ps = dram->flow_latency_ps;
    double under_way_ps = dram->flows.asked * latency_ps / dram->flows.rate;
    double half = (latency_ps - before_ps + since_ps) / 2;
    double square = half * half + latency_ps * (before_ps - since_ps) + since_ps * under_way_ps;
    return MAX(sqrt(MAX(square, 0)) - half, 0);
}

/* Lets an access stand at the end of the queue: the channels are free for it when the queue has passed. */
static void stand_in_line(struct dram *dram, sim_time now_ps)
{
    struct bandwidth_line *line = &dram->channels.line;
    double before_ps = (double)MAX(line->free_at_ps - dram->line_ps, 0);
    double ahead_ps = queue_ps(dram, before_ps, (double)(now_ps - dram->line_ps));
    *line = (struct bandwidth_line){now_ps + (sim_time)ahead_ps, 0};
}

sim_time dram_access(struct dram *dram, sim_time now_ps, int64_t bytes)
{
    if (!list_is_empty(&dram->flows.jobs)) {
        shared_rate_advance(&dram->flows, now_ps);
        stand_in_line(dram, now_ps);
        shared_rate_take(&dram->flows, (double)bytes);
    }
    dram->line_ps = now_ps;
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
    flow->job.asks = rate;
    shared_rate_begin(&dram->flows, &flow->job, now_ps, (double)bytes, weight);
}

sim_time dram_flow_end_ps(struct dram_flow *flow, sim_time now_ps)
{
    if (flow->dram == NULL)
        return now_ps;
    return shared_rate_end_ps(&flow->dram->flows, &flow->job, now_ps);
}
