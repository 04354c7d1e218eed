/* SPDX-License-Identifier: BSD-3-Clause */
/* Allreduce of work-groups that access each other's memory directly: the one-shot and two-shot kernels of TensorRT-LLM
 * (customAllReduceKernels.cu) and vLLM (custom_all_reduce.cuh).
 *
 *   one-shot   every place gets the whole buffer of every other place, and adds them up
 *   two-shot   every place gets and adds up one part of the buffers, of as many as there are places; then it gets the sums of
 *              the other parts
 *
 * Puts write the data into a slot at each peer, which has one slot for each place; after all puts follows a fence, then a flag to
 * each peer. Gets have flags first, and flags again at the end, since only then may a place change its buffer; only sums of parts
 * have a fence before their flags. Two sets of flags are used in turn, since no place can be ahead by two. A work-group handles
 * one peer after the other; real kernels look at all flags, and load from all peers, at once, and take less time from the third
 * GPU on. */
#pragma once

#include "workloads/patterns/carry.h"
#include "workloads/transfer/transfer.h"

struct direct {
    int64_t places;
    /* slots for the data of each place, each of direct_slot_bytes */
    struct transfer_buffer *slots;
    struct transfer_signals signals; /* direct_signal_count of them */
    bool is_two_shot, gets;
    int64_t working_set_bytes; /* bytes that a place's reductions touch */
    struct carry *carry;       /* NULL: no data */
    bool loses_peer;           /* an injected fault: the data of one peer are not added */
};

int64_t direct_signal_count(int64_t places);

/* Allreduce number `turn`, from 1 on, of `count` > 0 elements of 4 B, for the party's group number; `data` has the elements, or
 * is NULL. False if expected data did not come. */
bool direct_allreduce(struct party *party, const struct direct *direct, uint64_t turn, double *data,
                      int64_t count);
