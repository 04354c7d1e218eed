/* SPDX-License-Identifier: BSD-3-Clause */
/* Random streams: xoshiro256**, seeded by name. Each component owns its stream, so adding a NIC
 * leaves the GPU's draws alone. Frozen: the same seed and path give the same numbers for ever. */
#pragma once

#include <stdint.h>

struct rng {
    uint64_t state[4];
};

/* Seeds `rng` from the run's seed and a component path such as "node0.gpu". */
void rng_init(struct rng *rng, uint64_t seed, const char *path);

/* The seed of run number `run` of several runs that differ only in their random numbers; run 0 has `seed` itself. */
uint64_t rng_seed_of_run(uint64_t seed, uint64_t run);

/* 64 random bits. */
uint64_t rng_next(struct rng *rng);

/* Uniform in [0, bound), bound > 0, without modulo bias. */
uint64_t rng_below(struct rng *rng, uint64_t bound);

/* Uniform in [0, 1) with 53 bits. */
static inline double rng_double(struct rng *rng)
{
    return (double)(rng_next(rng) >> 11) * 0x1p-53;
}

/* Numbers 0 to count - 1 in a random order. */
void rng_order(struct rng *rng, uint32_t *numbers, uint32_t count);

/* Exponential with the given mean (> 0), in picoseconds, rounded to the nearest; at most SIM_TIME_NEVER. Drawn by an
 * integer-only method, so that every compiler and libm give the same bytes. */
int64_t rng_exponential_ps(struct rng *rng, int64_t mean_ps);
