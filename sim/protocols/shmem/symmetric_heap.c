/* SPDX-License-Identifier: BSD-3-Clause */
#include "protocols/shmem/symmetric_heap.h"

struct symmetric_heap {
    struct cluster *cluster;
    enum node_memory memory;
    int64_t free_bytes; /* of a node's */
};

struct symmetric_heap *symmetric_heap_new(struct cluster *cluster, const struct design *design,
                                          int64_t bytes)
{
    check_always(bytes >= 0, "a heap of %lld bytes", (long long)bytes);
    struct symmetric_heap *heap = g_new0(struct symmetric_heap, 1);
    *heap = (struct symmetric_heap){cluster, (enum node_memory)design->heap, bytes};
    return heap;
}

address symmetric_allocate(struct symmetric_heap *heap, int64_t bytes, enum store_kind kind)
{
    int64_t size = symmetric_size(bytes);
    check_always(bytes > 0, "an allocation of %lld bytes", (long long)bytes);
    if (size > heap->free_bytes)
        return ADDRESS_NONE;
    address at = cluster_allocate(heap->cluster, heap->memory, size, kind);
    if (at != ADDRESS_NONE)
        heap->free_bytes -= size;
    return at;
}
