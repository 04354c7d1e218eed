/* Simulated time: integer picoseconds, and the exact conversions into it.
 *
 * A rate is never turned into "picoseconds per byte" or a clock into "picoseconds per cycle": both
 * would be rounded once and wrong ever after (900 GB/s is 1.11 ps a byte). Every conversion below
 * multiplies first, in 128 bits, and rounds up once. */
#ifndef GPUNETSIM_CORE_SIMTIME_H
#define GPUNETSIM_CORE_SIMTIME_H

#include <stdint.h>

/* A point in simulated time or a duration, in picoseconds. Points are never negative. */
typedef int64_t sim_time;

#define SIM_TIME_MAX INT64_MAX

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

/* ceil(a * b / divisor) without overflow in between. All >= 0, divisor > 0; the result must fit
 * 63 bits (about 106 days as picoseconds). */
static inline int64_t muldiv_ceil(int64_t a, int64_t b, int64_t divisor)
{
    uint64_t by = (uint64_t)divisor;
    return (int64_t)((product_128(a, b) + (by - 1)) / by);
}

/* Duration of `cycles` (>= 0) periods of a clock of `clock_Hz` (> 0), rounded up to a picosecond. */
static inline sim_time cycles_ps(int64_t cycles, int64_t clock_Hz)
{
    return muldiv_ceil(cycles, PS_PER_S, clock_Hz);
}

/* Time to move `bytes` (>= 0) at `rate_Bps` (> 0), rounded up to a picosecond. For a server that
 * moves one packet after the other use struct bandwidth_server (core/wait.h), which carries the
 * remainder along. */
static inline sim_time transfer_ps(int64_t bytes, int64_t rate_Bps)
{
    return muldiv_ceil(bytes, PS_PER_S, rate_Bps);
}

#endif
