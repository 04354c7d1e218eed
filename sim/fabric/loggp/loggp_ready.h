/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations that become ready in one step, and the order in which they take their serials.
 *
 * A step concerns the rank whose operation ran, and at most one other rank, whose rendezvous it ended. */
#pragma once

#include <stddef.h>

#include "fabric/loggp/loggp_record.h"

struct loggp_batch {
    struct loggp_op *ops;
    size_t count, room;
};

/* All zero is empty. */
struct loggp_ready {
    uint32_t rank;                 /* the rank whose step it is */
    struct loggp_batch batches[2]; /* the batch of that rank, and that of the other rank */
};

void loggp_ready_clear(struct loggp_ready *ready);

/* Begins a step of `rank` and forgets the previous step. */
static inline void loggp_ready_begin(struct loggp_ready *ready, uint32_t rank)
{
    ready->rank = rank;
    ready->batches[0].count = ready->batches[1].count = 0;
}

/* Makes room for `more` operations in a batch. */
void loggp_ready_grow(struct loggp_batch *batch, size_t more);

/* loggp_ready_room: where to write the next operations of `rank` that became ready, at most `most`; loggp_ready_added: notes that
 * `count` were written. */
static inline struct loggp_op *loggp_ready_room(struct loggp_ready *ready, uint32_t rank,
                                                size_t most)
{
    struct loggp_batch *batch = &ready->batches[rank != ready->rank];
    if (batch->room - batch->count < most)
        loggp_ready_grow(batch, most);
    return batch->ops + batch->count;
}
static inline void loggp_ready_added(struct loggp_ready *ready, uint32_t rank, size_t count)
{
    ready->batches[rank != ready->rank].count += count;
}

/* The batches in the order of their ranks' numbers, each sorted by kind. Up to 16 operations of one kind keep the order in
 * which they were added; more do not, but they always end in the same order. The batches are valid until the next
 * loggp_ready_begin. */
void loggp_ready_order(struct loggp_ready *ready, const struct loggp_batch *first[2]);
