/* SPDX-License-Identifier: BSD-3-Clause */
/* The messages of a place in one phase of a ring allreduce, in which blocks go around a circle of places. The phases of a plan are
 * made by benchmarks/parts/rings.lua. Sizes are in elements. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* What a place does in one phase: in each step it sends a block to `next` and receives one from `before`. */
struct ring_phase {
    int64_t members, position; /* places in the circle; this place's position in it */
    int64_t next, before;      /* places */
    /* the elements, which are divided into one block for each member; some blocks may be short or empty */
    int64_t first, end;
    int64_t block, chunk; /* elements */
    bool reduces;         /* received data are added to the buffer; else they replace it */
    bool is_chained;      /* its first send is the last data received in the phase before */
};

#define RING_PHASES_MOST 4

struct ring_range {
    int64_t first, count; /* elements */
};

/* Steps of a phase, and messages of a step: the same for all places. */
int64_t ring_phase_steps(const struct ring_phase *phase);
int64_t ring_phase_chunks(const struct ring_phase *phase);

/* The elements that a message takes in a place's buffer; the last message of a block may be empty. */
struct ring_range ring_sent(const struct ring_phase *phase, int64_t step, int64_t chunk);
struct ring_range ring_received(const struct ring_phase *phase, int64_t step, int64_t chunk);
