/* SPDX-License-Identifier: BSD-3-Clause */
/* Allreduce of work-groups that reach each other's memory: the one-shot and two-shot kernels of TensorRT-LLM
 * (customAllReduceKernels.cu) and vLLM (custom_all_reduce.cuh).
 *
 *   one-shot   every place gets the whole buffer of every other, and adds all up
 *   two-shot   every place gets and adds up one part of the buffers, of as many as there are places; then it gets the sums of
 *              the other parts
 *
 * What moves is put into a slot at each peer, one slot for each place; behind all puts a fence, and behind that a flag to
 * each peer. Or it is got: flags first, and flags at the end, since only then may a place change its buffer; only sums of
 * parts have a fence before their flags. Two sets of flags are used by turns, as no place can be ahead by two.
 *
 * A work-group turns to one peer after the other. Kernels look at all flags, and load from all peers, at once, and take less
 * from the third GPU on. */
#pragma once

#include "workloads/patterns/carry.h"
#include "workloads/transfer/transfer.h"

struct direct {
    int64_t places;
    struct transfer_buffer *slots;   /* for what comes from each place, each of direct_slot_bytes */
    struct transfer_signals signals; /* direct_signal_count of them */
    bool is_two_shot, gets;
    int64_t working_set_bytes; /* of a place's reductions */
    struct carry *carry;       /* NULL: no data */
    bool loses_peer;           /* a fault: what comes of one peer is not added */
};

int64_t direct_signal_count(int64_t places);

/* Allreduce number `turn`, from 1 on, of `count` > 0 elements of 4 B of the party's own group number; `data` are they, or NULL.
 * False if data did not come that should have. */
bool direct_allreduce(struct party *party, const struct direct *direct, uint64_t turn, double *data,
                      int64_t count);
