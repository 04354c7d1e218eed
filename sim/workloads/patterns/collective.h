/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions among the parties of one group number, one at each place: by recursive doubling, for few bytes, and by two trees
 * (trees.h). */
#pragma once

#include "workloads/patterns/carry.h"
#include "workloads/patterns/trees.h"
#include "workloads/transfer/transfer.h"

/* A reduction: each party has a buffer of `bytes`, and in the end every place has the sum. Messages use `channel`. */
struct collective {
    int64_t places;
    struct transfer_buffer buffer;
    int64_t bytes;             /* bytes of a message; collective_trees sets it */
    int64_t working_set_bytes; /* bytes that the reductions of a place touch */
    int32_t channel;
    /* reducing more than a few received words takes loops of lane 0; else it takes no time */
    bool computes;
    struct carry *carry; /* NULL: no data */
    bool skips_round;    /* an injected fault: the last round, or a root's reduction, is left out */
};

/* `data` has `count` numbers, or is NULL. False if expected data did not come. */
bool collective_doubling(struct party *party, const struct collective *collective, double *data,
                         int64_t count);

/* The share that a party reduces by trees: elements of 4 B, in messages of at most `chunk` elements, the length of the buffer. */
struct tree_share {
    int64_t gpus;   /* of a node */
    int64_t groups; /* parties at a place */
    int64_t first, count, chunk;
};

/* Reduces up the trees and distributes the sum down. `data` has all elements of the place, or is NULL; result as above. */
bool collective_trees(struct party *party, const struct collective *collective,
                      const struct tree_share *share, double *data);

/* A rank's or work-group's loop over `bytes` of 4-byte numbers that adds them up: two loads and a store. */
struct transfer_loop collective_loop(int64_t bytes, int64_t working_set_bytes);
