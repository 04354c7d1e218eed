#include "protocols/symmetric_heap.h"

#include <glib.h>

#include "core/check.h"

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
    *heap = (struct symmetric_heap){cluster, design->heap_memory, bytes};
    return heap;
}

void symmetric_heap_free(struct symmetric_heap *heap)
{
    g_free(heap);
}

int64_t symmetric_size(int64_t bytes)
{
    return (bytes + CACHE_LINE_BYTES - 1) / CACHE_LINE_BYTES * CACHE_LINE_BYTES;
}

/* Nodes that have allocated less so far are behind: each gets as much more as brings the end of
 * its allocation to the end of the furthest one's. Allocations of one memory and kind follow each
 * other. */
address symmetric_allocate(struct symmetric_heap *heap, int64_t bytes, enum store_kind kind)
{
    struct cluster *cluster = heap->cluster;
    int64_t nodes = cluster->spec->nodes, size = symmetric_size(bytes);
    check_always(bytes > 0, "an allocation of %lld bytes", (long long)bytes);
    if (size > heap->free_bytes)
        return ADDRESS_NONE;
    heap->free_bytes -= size;
    address *at = g_new(address, (gsize)nodes), furthest = 0;
    for (int64_t node = 0; node < nodes; node++) {
        at[node] = node_allocate(cluster, node, heap->memory, size, kind);
        furthest = MAX(furthest, at[node]);
    }
    for (int64_t node = 0; node < nodes; node++) {
        if (at[node] == furthest)
            continue;
        address behind =
            node_allocate(cluster, node, heap->memory, (int64_t)(furthest - at[node]), kind);
        check_always(behind == at[node] + (address)size, "a node's allocations are not in a row");
    }
    g_free(at);
    return furthest;
}
