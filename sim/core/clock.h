/* SPDX-License-Identifier: BSD-3-Clause */
/* How long software takes on a core, from its instruction count: the cost model by which the same
 * service loop is slower on a command processor than on a CPU core (M-082). */
#pragma once

#include "core/simtime.h"

/* Instructions in 1000 s at a sustained `instructions_per_cycle`, as below, on a clock of `clock_Hz`. */
static inline int64_t instructions_in_1000_s(double instructions_per_cycle, int64_t clock_Hz)
{
    return (int64_t)(instructions_per_cycle * 1000.0 + 0.5) * clock_Hz;
}

/* Time of `instructions` (>= 0) at a sustained `instructions_per_cycle` (0.001 .. 1000, taken to the
 * nearest thousandth) on a clock of `clock_Hz` (> 0), rounded up to a picosecond. */
static inline sim_time instructions_ps(int64_t instructions, double instructions_per_cycle,
                                       int64_t clock_Hz)
{
    sim_uint128 divisor = (sim_uint128)instructions_in_1000_s(instructions_per_cycle, clock_Hz);
    sim_uint128 dividend = (sim_uint128)instructions * (sim_uint128)1000 * (sim_uint128)PS_PER_S;
    return duration_ps((dividend + divisor - 1) / divisor);
}
