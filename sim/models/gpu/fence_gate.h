/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the fences of a compute unit meet: a few are under way together, those that come while they are wait until
 * all of these have ended and then go together.
 *
 * With one at a time, those that begin within a moment of each other go as one and end together, as a GPU's do that flushes for all
 * of them: of warps of an SM that begin 200 ns apart, the first ends after 1.42 us, the others together 1.3 us later
 * (probe/tables/h200x2/fence_turns.tsv).
 *
 * Source of the shape: on an H200, system fences of 128, 256, 480 and 1,056 work-groups over 132 compute units take
 * 1.6, 1.9, 3.8 and 3.9 us (probe/tables/h200x2/scaling.tsv): two of a unit side by side, more in turns of which
 * each waits for one, however many they are. */
#ifndef GPUNETSIM_MODELS_GPU_FENCE_GATE_H
#define GPUNETSIM_MODELS_GPU_FENCE_GATE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/wait.h"

struct fence_gate {
    int64_t under_way, waiting;
    sim_time began_ps; /* the first of those under way */
    int64_t next;   /* of those that wait: who goes next, once the first of this round has left */
    bool is_ending; /* some of this round have left */
    struct signal turn; /* of those that wait */
    struct signal
        ended; /* where one goes at a time, of those that joined it and are through: they end together */
};

/* All zero but for this. */
void fence_gate_init(struct fence_gate *gate);

/* `self` begins a fence, with at most `most` (>= 1) under way unless they begin together, or within `join_ps`; returns when these
 * began, as if it had with them. Ends it, with the same `most`: those that go as one end together. */
sim_time fence_gate_enter(struct fence_gate *gate, int64_t most, sim_time join_ps,
                          struct process *self);
void fence_gate_leave(struct fence_gate *gate, int64_t most, struct process *self);

/* Whether another fence is under way beside the caller's, or, where one goes at a time, waits for it. */
static inline bool fence_gate_is_shared(const struct fence_gate *gate, int64_t most)
{
    return gate->under_way > 1 || (most == 1 && gate->waiting > 0);
}

#endif
