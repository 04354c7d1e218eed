/* SPDX-License-Identifier: BSD-3-Clause */
#include "models/cpu/host_copy.h"

PARAM_TABLE_OF(host_copy_params, "host_copy", struct host_copy_spec, HOST_COPY_ROWS,
               "Copies by a CPU core, and the pages of its heap.");

static const int64_t *rate_of(const struct host_copy_spec *spec, enum host_copy_kind kind)
{
    const int64_t *rates_Bps[] = {
        [HOST_COPY_SAME_SOCKET] = &spec->rate_Bps,
        [HOST_COPY_CROSS_SOCKET] = &spec->cross_socket_rate_Bps,
        [HOST_COPY_HANDOFF] = &spec->handoff_rate_Bps,
        [HOST_COPY_CROSS_SOCKET_HANDOFF] = &spec->cross_socket_handoff_rate_Bps,
    };
    return rates_Bps[kind];
}

void host_copy_note(const struct host_copy_spec *spec, enum host_copy_kind kind, uint64_t *used)
{
    param_use_note(used, (const char *)rate_of(spec, kind) - (const char *)spec);
}

sim_time host_copy_ps(const struct host_copy_spec *spec, enum host_copy_kind kind, int64_t bytes)
{
    return spec->call_ps + transfer_ps(bytes, *rate_of(spec, kind));
}

/* Reads a field of `spec` and notes that the heap's process has used it. */
#define READ(heap, field) PARAM_READ((heap)->used, spec, field)

static sim_time touch(const struct heap *heap, const struct host_copy_spec *spec, int64_t bytes,
                      int64_t *pages)
{
    *pages = (bytes + READ(heap, page_bytes) - 1) / spec->page_bytes;
    return *pages * READ(heap, page_fault_ps);
}

static bool has_own_map(int64_t bytes)
{
    return bytes >= HEAP_MAPPED_BYTES;
}

sim_time heap_allocate(struct heap *heap, const struct host_copy_spec *spec, int64_t bytes,
                       bool *is_fresh)
{
    bool is_mapped = has_own_map(bytes);
    int64_t pages = 0;
    sim_time took_ps = READ(heap, allocate_ps);
    if (!is_mapped)
        heap->used_bytes += bytes;
    if (is_mapped || heap->used_bytes > heap->touched_bytes)
        took_ps +=
            touch(heap, spec, is_mapped ? bytes : heap->used_bytes - heap->touched_bytes, &pages);
    if (!is_mapped)
        heap->touched_bytes += pages * spec->page_bytes;
    if (is_fresh)
        *is_fresh = pages > 0;
    return took_ps;
}

void heap_free(struct heap *heap, int64_t bytes)
{
    if (has_own_map(bytes))
        return;
    heap->used_bytes -= bytes;
    heap->largest_bytes = MAX(heap->largest_bytes, bytes);
    check_always(heap->used_bytes >= 0, "a process frees more than it allocated");
    if (heap->touched_bytes - heap->used_bytes > MAX(HEAP_KEPT_BYTES, 2 * heap->largest_bytes))
        heap->touched_bytes = heap->used_bytes;
}
