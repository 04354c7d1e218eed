/* SPDX-License-Identifier: BSD-3-Clause */
/* The sends and receives of each place in a ring allreduce, as phases. In a phase, blocks go around a circle of places.
 *
 *   ring          reduce-scatter, then allgather, around one circle of all places
 *   hierarchical  reduce-scatter among the GPUs of a node; reduce-scatter and allgather of each GPU's part with the GPUs of
 *                 its number on the other nodes; allgather among the GPUs of a node
 *
 * With `rotates`, each ring through several nodes starts at a different GPU of the node and goes through every second node
 * backwards: so it crosses between nodes only between GPUs of the same number (a rail), and the rings use all rails. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Places are numbered node by node. Sizes are in elements. */
struct ring_plan {
    int64_t places, gpus; /* number of all places; GPUs of a node */
    bool rotates, is_hierarchical;
    int64_t elements, slice; /* elements of a buffer; elements of a ring's slice */
    int64_t chunk;           /* most elements of a message; 0: messages are whole blocks */
};

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

/* Fills in the phases of a place in a ring, and returns their number. */
int ring_phases(const struct ring_plan *plan, int64_t place, int64_t ring,
                struct ring_phase phases[RING_PHASES_MOST]);

/* Steps of a phase, and messages of a step: the same for all places. */
int64_t ring_phase_steps(const struct ring_phase *phase);
int64_t ring_phase_chunks(const struct ring_phase *phase);

/* The elements that a message takes in a place's buffer (the last message of a block may be empty); the elements of a ring. */
struct ring_range ring_sent(const struct ring_phase *phase, int64_t step, int64_t chunk);
struct ring_range ring_slice(const struct ring_plan *plan, int64_t ring);
struct ring_range ring_received(const struct ring_phase *phase, int64_t step, int64_t chunk);
