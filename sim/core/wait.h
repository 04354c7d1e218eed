/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes wait for these: signals, first come, first served; and the bandwidth server. Both are structs in their owner. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/list.h"
#include "core/process.h"
#include "core/simtime.h"

/* --- signal: processes wait, somebody signals ------------------------------------------------- */

struct signal {
    struct list waiters;
};

void signal_init(struct signal *signal);

/* Waits for the next signal. `reason` is shown by the deadlock report. */
void signal_wait(struct signal *signal, struct process *self, const char *reason);

/* signal_one wakes the process that has waited longest, signal_all wakes all. Both return how many were woken. */
size_t signal_one(struct signal *signal);
size_t signal_all(struct signal *signal);

/* --- bandwidth server: one packet after the other at a rate ----------------------------------- */

/* The state of a bandwidth server, in two words, so that it can be kept for each packet. All zero: free at time 0. */
struct bandwidth_line {
    sim_time free_at_ps; /* the time at which it is free, in whole picoseconds, rounded down */
    int64_t remainder;   /* in byte*ps/s, beyond free_at_ps: 0 <= remainder < rate_Bps */
};

/* What so many bytes take of a server at its rate: whole picoseconds, and the rest in byte*ps/s, below the rate. */
struct bandwidth_work {
    sim_time whole_ps;
    int64_t rest;
};

/* Packets up to here are divided in 64 bits: bytes * PS_PER_S stays below 2^63. A division of 128 bits takes several times as
 * long. */
#define BANDWIDTH_SMALL_BYTES (INT64_MAX / PS_PER_S)

/* The work of `bytes` (>= 0) at `rate_Bps` (> 0). */
static inline struct bandwidth_work bandwidth_work(int64_t rate_Bps, int64_t bytes)
{
    uint64_t rate = (uint64_t)rate_Bps;
    if (__builtin_expect(bytes <= BANDWIDTH_SMALL_BYTES, 1)) {
        uint64_t work = (uint64_t)bytes * (uint64_t)PS_PER_S;
        return (struct bandwidth_work){duration_ps(work / rate), (int64_t)(work % rate)};
    }
    sim_uint128 work = product_128(bytes, PS_PER_S);
    return (struct bandwidth_work){duration_ps(work / rate), (int64_t)(work % rate)};
}

/* Serves work at `rate_Bps` (> 0) in the order of the calls, from `now_ps` on; returns when the last byte has left, rounded up to
 * a picosecond, at most SIM_TIME_NEVER. The fraction of a picosecond that a packet leaves over is carried to the next one
 * of the same busy period, so that 10^9 odd-sized packets add up exactly. */
static inline sim_time bandwidth_line_work(struct bandwidth_line *line, int64_t rate_Bps,
                                           sim_time now_ps, struct bandwidth_work work)
{
    if (now_ps > line->free_at_ps)
        *line = (struct bandwidth_line){now_ps, 0};
    uint64_t rest = (uint64_t)line->remainder + (uint64_t)work.rest;
    bool is_whole = rest >= (uint64_t)rate_Bps;
    line->remainder = (int64_t)(is_whole ? rest - (uint64_t)rate_Bps : rest);
    line->free_at_ps = moment_after(line->free_at_ps, work.whole_ps + is_whole);
    return moment_after(line->free_at_ps, line->remainder > 0);
}

/* The same for `bytes` (>= 0). */
static inline sim_time bandwidth_line_serve(struct bandwidth_line *line, int64_t rate_Bps,
                                            sim_time now_ps, int64_t bytes)
{
    return bandwidth_line_work(line, rate_Bps, now_ps, bandwidth_work(rate_Bps, bytes));
}

/* A bandwidth server with its rate, and counts of what it has served. */
struct bandwidth_server {
    int64_t rate_Bps;
    struct bandwidth_line line;
    int64_t bytes_served;
    sim_time busy_ps; /* in whole picoseconds: less than 1 ps too short for each busy period */
};

/* `rate_Bps` > 0. */
void bandwidth_server_init(struct bandwidth_server *server, int64_t rate_Bps);

/* Calls come with times that do not go back. */
sim_time bandwidth_server_serve(struct bandwidth_server *server, sim_time now_ps, int64_t bytes);
