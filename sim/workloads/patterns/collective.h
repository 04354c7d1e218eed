/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions among parties of the same group, one a place: by recursive doubling, for few bytes, and by two trees (trees.h). */
#pragma once

#include "workloads/patterns/carry.h"
#include "workloads/patterns/trees.h"
#include "workloads/transfer/transfer.h"

/* What goes on: a buffer of each party, `bytes` long, of which every place has the sum in the end. Messages go on
 * `channel`. */
struct collective {
    int64_t places;
    struct transfer_buffer buffer;
    int64_t bytes;             /* of a message; collective_trees sets it */
    int64_t working_set_bytes; /* of the reductions of a place */
    int32_t channel;
    bool
        computes; /* by loops of lane 0 that reduce what has come, where that is more than some words; else it
                      takes no time */
    struct carry *carry; /* NULL: no data */
    bool skips_round;    /* a fault: the last round is left out, or a root's reduction */
};

/* `data`, `count` numbers, or NULL. False if data did not come that should have. */
bool collective_doubling(struct party *party, const struct collective *collective, double *data,
                         int64_t count);

/* What a party reduces by trees: elements of 4 B, in messages of at most `chunk`, the length of the buffer. */
struct tree_share {
    int64_t gpus;   /* of a node */
    int64_t groups; /* parties of a place */
    int64_t first, count, chunk;
};

/* Up the trees and back. `data` are all of the place's elements, or NULL; as above. */
bool collective_trees(struct party *party, const struct collective *collective,
                      const struct tree_share *share, double *data);

/* A rank's or work-group's loop over `bytes` of 4-byte numbers that adds them up: two loads and a store. */
struct transfer_loop collective_loop(int64_t bytes, int64_t working_set_bytes);
