/* SPDX-License-Identifier: BSD-3-Clause */
/* Schedules that are generated during the run: communication patterns of any size, without a text and without operations in
 * memory.
 *
 * Each rank goes through phases. A phase is an optional calculation, then sends and receives, which all become ready when it is
 * done; the next phase begins when all of them are done.
 *
 *   halo3d       a periodic X x Y x Z torus; a phase exchanges with the six neighbours
 *   ring         allreduce on a ring of N: 2 (N - 1) phases, each of which passes one block on
 *   doubling     allreduce by recursive doubling: log2(N) phases that exchange with the rank whose number differs in one bit; if
 *                N is no power of two, the odd ones of the first 2 (N - 2^k) ranks act for two ranks, which costs a phase
 *                before and one after
 *   alltoall     N - 1 phases; in phase k rank r sends to r + k and receives from r - k
 *   permutation  each phase sends along a new random permutation
 *   hierarchical allreduce of L x N ranks, L to a node: reduce-scatter on a ring in the node, doubling among the ranks of equal
 *                place in it, allgather on the ring; each with its L-th part of the bytes
 *   moe          G x N ranks in groups of G: each rank sends a G-th part of its bytes to each other rank of its group
 *                (dispatch), calculates, and receives as much back (combine); six peers in a phase
 *   train        T x E x D x P ranks of tensor, expert, data and pipeline parallelism, the first the closest: a micro-batch
 *                goes forward through the P stages and back, in each through allreduce among T, dispatch, calculation and
 *                combine among E; then allreduce among the D ranks of equal place */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "workloads/goal/goal_schedule.h"

/* The most sends and receives in a phase. */
#define GOAL_PHASE_OPS 12

/* The most collectives in a pattern. */
#define GOAL_SECTIONS 11

struct goal_pattern_spec {
    const struct goal_pattern_kind *kind;
    uint32_t ranks;
    uint32_t shape[4];   /* lengths of the sides; 1 where not given */
    uint64_t iterations; /* how often the whole pattern runs; at most 2^32 - 1 */
    uint64_t bytes;      /* size of each message; hierarchical, moe, train: of a rank's data */
    uint64_t calc_ns;    /* calculation before each phase, or where the pattern has one; 0: none */
    uint64_t seed;       /* permutation */
    uint32_t
        /* the first phase of each collective, then the number of phases of an iteration */
        begins[GOAL_SECTIONS + 1];
};

/* Parses "halo3d:16x16x12,iterations=100,bytes=32768,calc=100000" or "ring:3072,bytes=4KiB". Bytes without a unit are bytes,
 * times are nanoseconds; the defaults are iterations 1, bytes 8, calc 0, seed 1. False and an error (ERROR_USE) of one sentence
 * otherwise. */
bool goal_pattern_parse(const char *text, struct goal_pattern_spec *spec, GError **error);

/* The number of phases of a rank; and the sends and receives of one phase, written to `ops` (at most GOAL_PHASE_OPS), with their
 * number, which may be 0, as the result. */
uint32_t goal_pattern_phases(const struct goal_pattern_spec *spec);
size_t goal_pattern_phase(const struct goal_pattern_spec *spec, uint32_t rank, uint32_t phase,
                          struct loggp_op *ops);

/* Whether the steps, operations and dependencies of all ranks are at most `most`. */
bool goal_pattern_fits(const struct goal_pattern_spec *spec, uint64_t most);

/* The pattern as a schedule in memory: all ranks, or, if `only` < ranks, only that rank (the others do nothing). Runs of pattern
 * and schedule end at the same times. The caller frees it. */
struct goal_schedule *goal_pattern_schedule(const struct goal_pattern_spec *spec, uint32_t only);

/* A run of the pattern; it takes 8 bytes of memory for each rank. */
struct goal_pattern;
struct goal_pattern *goal_pattern_new(const struct goal_pattern_spec *spec);
void goal_pattern_free(struct goal_pattern *pattern);
struct loggp_program goal_pattern_program(struct goal_pattern *pattern);
