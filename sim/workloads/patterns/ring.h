/* SPDX-License-Identifier: BSD-3-Clause */
/* The messages of a ring allreduce, phase by phase (ring_phases.h).
 *
 * Work-groups send in chunks: the first chunk of a step is sent while the last one of the step before is still arriving, and the
 * work-group reduces what it receives. A rank sends a whole block and receives one without blocking, and reduces it afterwards
 * (Baidu's allreduce). */
#pragma once

#include "workloads/patterns/ring_phases.h"
#include "workloads/patterns/steady_stop.h"
#include "workloads/transfer/transfer.h"

#define RING_ELEMENT_BYTES 4

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
