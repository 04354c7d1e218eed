/* SPDX-License-Identifier: BSD-3-Clause */
/* Who exchanges with whom. Everything is a function of rank, iteration and phase, so that nothing
 * needs to be kept. */
#include "workloads/goal/goal_pattern_kinds.h"

#include <glib.h>

#include "workloads/goal/goal_pattern_groups.h"

/* All ranks, as `rank` sees them. */
static inline struct goal_group everyone(const struct goal_pattern_spec *spec, uint32_t rank)
{
    return (struct goal_group){.first = 0, .stride = 1, .count = spec->ranks, .place = rank};
}

static uint32_t one_phase(const struct goal_pattern_spec *spec)
{
    (void)spec;
    return 1;
}

/* --- halo3d ----------------------------------------------------------------------------------- */

/* The neighbour in direction 2 d (up) or 2 d + 1 (down) of dimension d. */
static uint32_t neighbour(const uint32_t shape[3], uint32_t rank, uint32_t direction)
{
    uint32_t place[3] = {rank % shape[0], rank / shape[0] % shape[1], rank / shape[0] / shape[1]};
    uint32_t d = direction / 2;
    place[d] = (place[d] + (direction % 2 ? shape[d] - 1 : 1)) % shape[d];
    return place[0] + shape[0] * (place[1] + shape[1] * place[2]);
}

/* A message is tagged with the direction in which it goes: what comes from above goes down. */
static size_t halo_phase(const struct goal_pattern_spec *spec, uint32_t rank, uint32_t iteration,
                         uint32_t phase, struct loggp_op *ops)
{
    (void)iteration, (void)phase;
    const struct goal_group group = everyone(spec, rank);
    for (uint32_t d = 0; d < 6; d++) {
        uint32_t peer = neighbour(spec->shape, rank, d);
        goal_group_put(&group, LOGGP_SEND, peer, spec->bytes, d, &ops[d]);
        goal_group_put(&group, LOGGP_RECEIVE, peer, spec->bytes, d ^ 1, &ops[6 + d]);
    }
    return 12;
}

/* --- ring ------------------------------------------------------------------------------------- */

static uint32_t ring_phases(const struct goal_pattern_spec *spec)
{
    return 2 * (spec->ranks - 1);
}

static size_t ring_phase(const struct goal_pattern_spec *spec, uint32_t rank, uint32_t iteration,
                         uint32_t phase, struct loggp_op *ops)
{
    (void)iteration;
    const struct goal_group group = everyone(spec, rank);
    return goal_group_away(&group, 1, spec->bytes, phase, ops);
}

/* --- doubling --------------------------------------------------------------------------------- */

static uint32_t doubling_phases(const struct goal_pattern_spec *spec)
{
    return goal_group_doubling_phases(spec->ranks);
}

static size_t doubling_phase(const struct goal_pattern_spec *spec, uint32_t rank,
                             uint32_t iteration, uint32_t phase, struct loggp_op *ops)
{
    (void)iteration;
    const struct goal_group group = everyone(spec, rank);
    return goal_group_doubling(&group, spec->bytes, phase, phase, ops);
}

/* --- alltoall --------------------------------------------------------------------------------- */

static uint32_t alltoall_phases(const struct goal_pattern_spec *spec)
{
    return spec->ranks - 1;
}

static size_t alltoall_phase(const struct goal_pattern_spec *spec, uint32_t rank,
                             uint32_t iteration, uint32_t phase, struct loggp_op *ops)
{
    (void)iteration;
    const struct goal_group group = everyone(spec, rank);
    return goal_group_away(&group, phase + 1, spec->bytes, phase, ops);
}

/* --- permutation ------------------------------------------------------------------------------ */

#define ROUNDS 4

/* Mixes 64 bits (Stafford's thirteenth variant of MurmurHash3's finisher). */
static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* One round of a Feistel network on two halves of `bits` bits, or its undoing: the half that is
 * changed depends on the other alone. */
static uint32_t feistel_round(uint32_t value, unsigned bits, uint64_t key, uint32_t round)
{
    uint32_t mask = (1u << bits) - 1, high = value >> bits, low = value & mask;
    uint32_t f = (uint32_t)mix(key + ((uint64_t)round << 32) + (round % 2 ? high : low)) & mask;
    if (round % 2)
        low ^= f;
    else
        high ^= f;
    return high << bits | low;
}

/* A random permutation of [0, n), or its inverse: a Feistel network permutes the numbers up to the
 * next power of four, and going on until one falls below n permutes those below n. */
static uint32_t permute(uint32_t value, uint32_t n, uint64_t key, bool inverse)
{
    unsigned bits = n > 1 ? goal_group_log2(n - 1) / 2 + 1 : 1;
    do {
        for (uint32_t round = 0; round < ROUNDS; round++)
            value = feistel_round(value, bits, key, inverse ? ROUNDS - 1 - round : round);
    } while (value >= n);
    return value;
}

/* A rank that is its own image rests. */
static size_t permutation_phase(const struct goal_pattern_spec *spec, uint32_t rank,
                                uint32_t iteration, uint32_t phase, struct loggp_op *ops)
{
    uint64_t key = mix(spec->seed + UINT64_C(0x9e3779b97f4a7c15) * (iteration + UINT64_C(1)));
    uint32_t to = permute(rank, spec->ranks, key, false);
    uint32_t from = permute(rank, spec->ranks, key, true);
    const struct goal_group group = everyone(spec, rank);
    return to == rank ? 0
                      : goal_group_exchange(&group, from, to, spec->bytes, iteration + phase, ops);
}

const struct goal_pattern_kind goal_pattern_kinds[] = {
    {"halo3d", 3, one_phase, halo_phase, NULL},
    {"ring", 1, ring_phases, ring_phase, NULL},
    {"doubling", 1, doubling_phases, doubling_phase, NULL},
    {"alltoall", 1, alltoall_phases, alltoall_phase, NULL},
    {"permutation", 1, one_phase, permutation_phase, NULL},
    {"hierarchical", 2, goal_hierarchical_phases, goal_hierarchical_phase,
     goal_hierarchical_calculates},
    {"moe", 2, goal_moe_phases, goal_moe_phase, goal_moe_calculates},
    {"train", 4, goal_train_phases, goal_train_phase, goal_train_calculates},
};
const size_t goal_pattern_kind_count = G_N_ELEMENTS(goal_pattern_kinds);
