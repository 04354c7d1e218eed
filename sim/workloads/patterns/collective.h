/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions among parties of the same group, one a place, for few bytes: by recursive doubling, and by a binomial tree and
 * back. They are part of other workloads (the residual of a stencil) and one by themselves. */
#ifndef GPUNETSIM_WORKLOADS_PATTERNS_COLLECTIVE_H
#define GPUNETSIM_WORKLOADS_PATTERNS_COLLECTIVE_H

#include "workloads/patterns/carry.h"
#include "workloads/transfer/transfer.h"

/* What goes on: a buffer of each party, `bytes` long, of which every place has the reduction in the end. Messages go on
 * `channel`. */
struct collective {
    int64_t places;
    struct transfer_buffer buffer;
    int64_t bytes;
    int32_t channel;
    bool
        computes; /* by loops of lane 0 that reduce what has come, where that is more than some words; else it
                      takes no time */
    struct carry *carry; /* NULL: no data */
    bool by_maximum;     /* of the data; else their sum */
    bool skips_round;    /* a fault: the last round is left out */
};

/* `data`, `count` numbers, or NULL. Both return false if data did not come that should have. */
bool collective_doubling(struct party *party, const struct collective *collective, double *data,
                         int64_t count);
bool collective_tree(struct party *party, const struct collective *collective, double *data,
                     int64_t count);

/* A rank's or work-group's loop over `bytes` of 4-byte numbers that adds them up: two loads and a store. */
struct transfer_loop collective_loop(int64_t bytes, int64_t working_set_bytes);

#endif
