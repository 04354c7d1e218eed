/* SPDX-License-Identifier: BSD-3-Clause */
/* What each place of a ring allreduce sends and receives, as phases: in each, blocks go around a circle of places.
 *
 *   ring          reduce-scatter, then allgather, around one circle of all places
 *   hierarchical  reduce-scatter among the GPUs of a node; reduce-scatter and allgather of what each of them then has, with the GPUs of
 *                 its number on the other nodes; allgather among the GPUs of a node
 *
 * A ring through several nodes that rotates begins with another GPU of each node than the next ring, and goes through every second
 * node backwards: so it crosses from node to node between GPUs of the same number (a rail), and the rings use all of them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Places are numbered node by node. Sizes are in elements. */
struct ring_plan {
    int64_t places, gpus; /* all; of a node */
    bool rotates, is_hierarchical;
    int64_t elements, slice; /* of a buffer; of a ring */
    int64_t chunk;           /* of a message, at most; 0: messages are whole blocks */
};

/* What a place does in one phase: in step i it sends a block to `next` and gets one from `before`. */
struct ring_phase {
    int64_t members, position; /* of the circle; where this place stands in it */
    int64_t next, before;      /* places */
    int64_t first, end;   /* the elements that are divided into a block for each member; of some
                                  members it may be short or empty */
    int64_t block, chunk; /* elements */
    bool reduces;         /* what comes is added to what is there; else it is the sum */
    bool is_chained;      /* what it sends first came last in the phase before */
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

/* The elements of a message in a place's buffer, of which the last of a block may have none; those of a ring. */
struct ring_range ring_sent(const struct ring_phase *phase, int64_t step, int64_t chunk);
struct ring_range ring_slice(const struct ring_plan *plan, int64_t ring);
struct ring_range ring_received(const struct ring_phase *phase, int64_t step, int64_t chunk);
