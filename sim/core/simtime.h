/* SPDX-License-Identifier: BSD-3-Clause */
/* Simulated time: integer picoseconds, and the exact conversions into it.
 *
 * A rate is never turned into "picoseconds per byte" or a clock into "picoseconds per cycle": both
 * would be rounded once and wrong ever after (900 GB/s is 1.11 ps a byte). Every conversion below
 * multiplies first, in 128 bits, and rounds up once. */
#pragma once

#include <stdint.h>

/* A point in simulated time or a duration, in picoseconds. Points are never negative. */
typedef int64_t sim_time;

#define SIM_TIME_MAX INT64_MAX

/* The clock ends at SIM_TIME_LAST, 26 days; events that are due later do not happen, and the run says so (SIM_TOO_LONG in
 * core/sim.h). A duration beyond the end of the clock is SIM_TIME_NEVER. Between that and SIM_TIME_MAX is room for the sum of a
 * moment and two such durations. */
#define SIM_TIME_NEVER (INT64_C(1) << 61)
#define SIM_TIME_LAST (SIM_TIME_NEVER - 1)

#define PS_PER_NS INT64_C(1000)
#define PS_PER_US INT64_C(1000000)
#define PS_PER_MS INT64_C(1000000000)
#define PS_PER_S INT64_C(1000000000000)

__extension__ typedef unsigned __int128 sim_uint128;

/* a * b in 128 bits; both >= 0. */
static inline sim_uint128 product_128(int64_t a, int64_t b)
{
    sim_uint128 factor = (uint64_t)a;
    return factor * (uint64_t)b;
}

/* ceil(a * b / divisor) without overflow in between. All >= 0, divisor > 0; at most INT64_MAX. */
static inline int64_t muldiv_ceil(int64_t a, int64_t b, int64_t divisor)
{
    uint64_t by = (uint64_t)divisor;
    sim_uint128 quotient = (product_128(a, b) + (by - 1)) / by;
    return quotient < INT64_MAX ? (int64_t)quotient : INT64_MAX;
}

/* A duration, or SIM_TIME_NEVER if it is longer than that. */
static inline sim_time duration_ps(sim_uint128 exact_ps)
{
    return exact_ps < SIM_TIME_NEVER ? (sim_time)exact_ps : SIM_TIME_NEVER;
}

/* The moment `after_ps` after another moment. Both are at most SIM_TIME_NEVER, and so is the result. */
static inline sim_time moment_after(sim_time moment_ps, sim_time after_ps)
{
    sim_time sum_ps = moment_ps + after_ps;
    return sum_ps < SIM_TIME_NEVER ? sum_ps : SIM_TIME_NEVER;
}

/* Duration of `cycles` (>= 0) periods of a clock of `clock_Hz` (> 0), rounded up to a picosecond. */
static inline sim_time cycles_ps(int64_t cycles, int64_t clock_Hz)
{
    return duration_ps((uint64_t)muldiv_ceil(cycles, PS_PER_S, clock_Hz));
}

/* Time to move `bytes` (>= 0) at `rate_Bps` (> 0), rounded up to a picosecond. For a server that
 * moves one packet after the other use struct bandwidth_server (core/wait.h), which carries the
 * remainder along. */
static inline sim_time transfer_ps(int64_t bytes, int64_t rate_Bps)
{
    return duration_ps((uint64_t)muldiv_ceil(bytes, PS_PER_S, rate_Bps));
}
