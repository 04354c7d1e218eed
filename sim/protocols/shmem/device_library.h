/* SPDX-License-Identifier: BSD-3-Clause */
/* The device library: what a work-group's program calls (ComPNet18 section 4.1; M-061, M-062, M-064). It
 * follows OpenSHMEM; every call is a collective of the work-group and ends with its barrier. Addresses
 * are those of the node's symmetric heap: the same offset means the same object on every node. */
#pragma once

#include "protocols/shmem/peer.h"
#include "protocols/shmem/service.h"

/* A work-group's private context, in its LDS: its own queue, so that it waits for nothing but its own operations; or, where
 * work-groups serve themselves, its use of the network library. One context a work-group and service at a time. */
struct device_context {
    struct service *service;
    struct agent agent;
    struct ring_producer producer;  /* where a server takes its queue's entries */
    struct shmem shmem;             /* or where it serves itself */
    struct trigger_queue *triggers; /* or where it pulls triggers; else NULL */
    struct peer_path peer;          /* to GPUs of its node, if the design has a way of its own */
    int64_t work_group;
    uint64_t
        operation; /* the operation that calls are part of (core/observe.h), by device_begin; 0: each call is an operation */
    uint64_t called;   /* number of the last operation that a call has waited for */
    enum stage posted; /* what the last call to post did: an entry, a command, or the copy itself */
};
void device_context_create(struct device_context *context, struct service *service,
                           struct work_group *wg);

/* Begins the operation that the next calls are part of, and returns its number; the first that blocks ends it. */
uint64_t device_begin(struct device_context *context);

/* What a call moves between this node and another. Each call says which fields it reads. */
struct device_transfer {
    int64_t node;
    address local, remote; /* the payload's places, here and there */
    int64_t bytes;         /* >= 1 */
    address signal;        /* on that node */
    uint64_t value;
};
typedef void device_call(struct device_context *context, const struct device_transfer *what);

/* Blocking calls: device_get returns when the payload has arrived here, device_put when it has arrived in the memory of
 * `node`. Puts of less than the inline limit travel in the queue entry. */
device_call device_get, device_put;

/* A typed put of `value`, of `bytes` < 8 bytes, to `remote`. Blocking. */
device_call device_p;

/* A put, then behind its payload a store of the 8-byte word `value` to `signal`. Blocking. */
device_call device_put_signal;

/* An atomic on the 8-byte word (at a multiple of 8) at `remote` on `node`, carried out by that node's NIC and memory
 * (OpenSHMEM 1.4 section 9.7). They are atomic to each other, from whatever node and work-group they come, and to atomics of
 * that node's own kernels. Blocking: returns when the word has been changed, with what it was. `compare` is ATOMIC_COMPARE_SWAP's,
 * which writes `operand` if the word is that. */
uint64_t device_atomic(struct device_context *context, int64_t node, address remote,
                       enum atomic_op op, uint64_t operand, uint64_t compare);

/* Non-blocking: return when the operation is posted. */
device_call device_get_nbi, device_put_nbi, device_put_signal_nbi;

/* `count` (1 .. DEVICE_LANES) equal puts to one place, one for each of as many lanes. Where work-groups serve themselves, all have
 * one reservation and one doorbell. */
#define DEVICE_LANES 64
void device_put_lanes_nbi(struct device_context *context, const struct device_transfer *what,
                          int64_t count);

/* Sets the word at `remote` to `value` without a payload, such as a signal whose payload was sent before. Who stores it there is
 * the design's business (word_set_by); it is not ordered behind what was posted before. */
device_call device_set_nbi;

/* Waits until everything that this context has posted is complete. */
void device_quiet(struct device_context *context);

/* What this context posts from now on does not overtake what it posted before. Does not wait. */
void device_fence(struct device_context *context);

/* Waits until the 8-byte word at `local` (fine-grained, in the heap of this node) compares with `value` as asked: for
 * COMPARE_GREATER, until it is greater. */
void device_wait_until(struct device_context *context, address local,
                       enum word_comparison comparison, uint64_t value);

/* The same where it is known that work-group `work_group` of `node` will write the word: the report of a deadlock then says who
 * waits for whom. */
void device_wait_until_from(struct device_context *context, address local,
                            enum word_comparison comparison, uint64_t value, int64_t node,
                            int64_t work_group);

/* An empty operation: the server marks the entry as done as soon as it has seen it (ComPNet18 Fig 4). */
void device_nop(struct device_context *context);

/* Posts `count` (1 .. DEVICE_NOPS_MOST, at most the queue's entries) empty operations with one release, then waits for them one by
 * one. Each is an operation of its own, from this call until it is seen done. */
#define DEVICE_NOPS_MOST 64
void device_nops(struct device_context *context, int64_t count);
