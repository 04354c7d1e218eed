/* SPDX-License-Identifier: BSD-3-Clause */
/* The messages of a ring allreduce, in which blocks go around a circle of places, phase by phase. The phases of a place are made by
 * benchmarks/parts/rings.lua. Sizes are in elements.
 *
 * Work-groups send in chunks: the first chunk of a step is sent while the last one of the step before is still arriving, and the
 * work-group reduces what it receives. A rank sends a whole block and receives one without blocking, and reduces it afterwards
 * (Baidu's allreduce).
 *
 * In C for its speed: as a file of Lua, with the same results, bench_applications took 0.9 to 1.6 us more a message, of 1.0 to
 * 5.2. */
#pragma once

#include "workloads/patterns/steady_stop.h"
#include "workloads/transfer/transfer.h"

#define RING_ELEMENT_BYTES 4

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

/* Who wants to know which elements go where, in order to carry data along: called for each message after its send, and after it
 * was received, for step number `step` of a phase. */
struct ring_listener {
    void (*sent)(void *argument, int64_t to, struct ring_range range);
    void (*received)(void *argument, int64_t from, struct ring_range range, bool reduces,
                     int64_t step);
    void *argument;
};

/* A party's part of an allreduce. */
struct ring {
    struct ring_phase phases[RING_PHASES_MOST];
    int count;
    bool has_chunks; /* of work-groups; ranks send whole blocks */
    struct transfer_buffer buffer;
    int64_t working_set_bytes; /* bytes that the reductions of a place touch */
    int64_t in_flight_bytes;   /* of a wavefront that reduces, as in struct gpu_work */
};

/* Runs the party's part. `stops`, one for each phase, say how many of a phase's steps are run and get the times
 * of the first party of place 0; NULL: all steps are run. `listener` may be NULL. */
void ring_run(struct party *party, const struct ring *ring, struct steady_stop *const *stops,
              const struct ring_listener *listener);

/* Steps of a phase, and messages of a step: the same for all places. */
int64_t ring_phase_steps(const struct ring_phase *phase);
int64_t ring_phase_chunks(const struct ring_phase *phase);

/* The elements that a message takes in a place's buffer; the last message of a block may be empty. */
struct ring_range ring_sent(const struct ring_phase *phase, int64_t step, int64_t chunk);
struct ring_range ring_received(const struct ring_phase *phase, int64_t step, int64_t chunk);
