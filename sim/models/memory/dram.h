/* SPDX-License-Identifier: BSD-3-Clause */
/* A memory: a latency, and a bandwidth that all its users share.
 *
 *   flows   large amounts, each at up to a rate of its own: a DMA's payload, a copy engine's, what a kernel's
 *           wavefronts load and store. They share in proportion to what they ask for, and cost no events: who owns
 *           a flow asks when it will have ended, and asks again then, since others may have come.
 *   lines   single accesses, one after the other.
 *
 * Flows keep under way what they ask for in the latency T of their accesses (Little's law). What of this the
 * memory does not pass in T stands before it, and a line waits for that: with a sum A of what flows ask for and a rate C,
 * the queue is A T / C - T long, in time, once it has settled. Flows lose what lines take, unless they leave so much unused. */
#pragma once

#include "core/shared_rate.h"
#include "core/simtime.h"
#include "core/wait.h"

struct dram {
    sim_time latency_ps;
    struct bandwidth_server channels; /* all channels as one server: lines interleave over them */
    struct shared_rate flows;         /* a unit of weight is a wavefront */
    double places;                    /* how many wavefronts have room */
    double flow_latency_ps;           /* T */
    sim_time line_ps;                 /* the last line's arrival */
};

/* `rate_Bps` is the sum over the channels. One wavefront has place, which takes all of the rate. */
void dram_init(struct dram *dram, sim_time latency_ps, int64_t rate_Bps);

/* Sets who computes on it: `places` wavefronts, each with at most `wave_bytes` under way for `latency_ps`. Called at the start
 * of a run. */
void dram_set_wavefronts(struct dram *dram, int64_t wave_bytes, sim_time latency_ps,
                         int64_t places);

/* A read or write of `bytes` that arrives at `now_ps`; returns when its data are there. Calls come
 * with times that do not go back. */
sim_time dram_access(struct dram *dram, sim_time now_ps, int64_t bytes);

/* What a device moves to or from a memory: the caller's, in place until it is ended. All zero: nothing. */
struct dram_flow {
    struct dram *dram;
    struct shared_job job;
};

/* Begins a flow of `bytes`, which takes at most `rate_Bps`, now; not at all if `dram` is NULL. Its share of the wavefronts'
 * places is its rate's share of the memory's: when a device and kernels together ask for more than the memory has, all are
 * slowed down alike. */
void dram_flow_begin(struct dram_flow *flow, struct dram *dram, sim_time now_ps, int64_t bytes,
                     int64_t rate_Bps);

/* When it will have ended if no other begins; `now_ps` if it has: then it is taken out. */
sim_time dram_flow_end_ps(struct dram_flow *flow, sim_time now_ps);

/* The memory behind a port of the platform, if bulk to and from there has to share it with others; else NULL. */
typedef struct dram *dram_at_fn(void *argument, int port);
