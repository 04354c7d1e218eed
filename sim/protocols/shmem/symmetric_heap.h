/* SPDX-License-Identifier: BSD-3-Clause */
/* The symmetric heap: memory with the same address on every node, so that a work-group can name an
 * object of another node by its own (OpenSHMEM 1.4 section 3; M-064). One heap a process, all of
 * it in one memory, which is the design's: a GPU's for comp-net and dgpu (ComPNet18 section 4.1;
 * N-71). */
#pragma once

#include "protocols/design.h"

struct symmetric_heap;

/* A heap of `bytes` (>= 0) on each node of `cluster`, in the memory where `design` keeps it. Both
 * outlive the heap; what was allocated stays as long as the cluster. Costs no simulated time, as
 * all start-up. */
struct symmetric_heap *symmetric_heap_new(struct cluster *cluster, const struct design *design,
                                          int64_t bytes);
static inline void symmetric_heap_free(struct symmetric_heap *heap)
{
    g_free(heap);
}

/* Address of `bytes` (> 0) of new memory on every node, all zero, aligned to a line. It takes whole lines. Returns ADDRESS_NONE
 * if it does not fit into the rest of the heap or of its memory. `kind`: STORE_FINE_GRAINED for words that are polled,
 * STORE_PAYLOAD for what is only moved. Nodes need not have allocated the same before. */
address symmetric_allocate(struct symmetric_heap *heap, int64_t bytes, enum store_kind kind);

/* The bytes that an allocation of `bytes` takes up in the heap of each node. */
static inline int64_t symmetric_size(int64_t bytes)
{
    return (bytes + CACHE_LINE_BYTES - 1) / CACHE_LINE_BYTES * CACHE_LINE_BYTES;
}
