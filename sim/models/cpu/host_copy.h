/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies by a CPU core, and the heap whose fresh pages have to be touched first. */
#pragma once

#include "core/param.h"
#include "models/cpu/cpu.h"

/* Component "host_copy" of a machine file. */
#define HOST_COPY_ROWS(ROW)                                                                        \
    ROW(TIME, call, "50ns", "0ns", "1ms", "Fixed time of a copy, without the bytes.")              \
    ROW(RATE, rate, "10GB/s", "1MB/s", "10TB/s",                                                   \
        "Rate of a copy whose source and destination are in the memory of the core's socket.")     \
    ROW(RATE, cross_socket_rate, "5GB/s", "1MB/s", "10TB/s",                                       \
        "Rate of a copy if source or destination is in the memory of another socket.")             \
    ROW(RATE, handoff_rate, "8GB/s", "1MB/s", "10TB/s",                                            \
        "Rate of a copy whose source was just written by another core of the socket.")             \
    ROW(RATE, cross_socket_handoff_rate, "4GB/s", "1MB/s", "10TB/s",                               \
        "Rate of a copy whose source was just written by a core of another socket.")               \
    ROW(TIME, allocate, "100ns", "0ns", "1ms",                                                     \
        "Time to allocate and free a block whose pages were touched before.")                      \
    ROW(BYTES, page, "4KiB", "4KiB", "1GiB", "Size of a page of the operating system.")            \
    ROW(TIME, page_fault, "500ns", "0ns", "1ms",                                                   \
        "Time of the first access to a page: the fault, and clearing the page.")
struct host_copy_spec {
    HOST_COPY_ROWS(PARAM_FIELD)
};
extern const struct param_table host_copy_params;

enum host_copy_kind {
    HOST_COPY_SAME_SOCKET,
    HOST_COPY_CROSS_SOCKET,
    HOST_COPY_HANDOFF,
    HOST_COPY_CROSS_SOCKET_HANDOFF,
    HOST_COPY_KINDS,
};

/* Notes in `used` (core/param_use.h) that the rate of such copies is read. */
void host_copy_note(const struct host_copy_spec *spec, enum host_copy_kind kind, uint64_t *used);

/* How long a core copies `bytes` >= 0. */
sim_time host_copy_ps(const struct host_copy_spec *spec, enum host_copy_kind kind, int64_t bytes);

/* Constants of glibc's malloc: the largest M_MMAP_THRESHOLD that it sets by itself on 64 bits; and the bytes freed during the
 * start of a process, which set M_TRIM_THRESHOLD (estimated, 256 KiB to 64 MiB). */
#define HEAP_MAPPED_BYTES (INT64_C(32) << 20)
#define HEAP_KEPT_BYTES (INT64_C(16) << 20)

/* A process's heap, as glibc's malloc keeps it: freed pages stay with the process up to HEAP_KEPT_BYTES, or twice the largest
 * block freed so far if that is more. Free pages beyond that go back to the system, and the next allocation touches fresh
 * pages. Blocks of HEAP_MAPPED_BYTES and more are mapped one by one, fresh each time (mallopt(3), M_TRIM_THRESHOLD and
 * M_MMAP_THRESHOLD). All zero but `used` is an empty heap. */
struct heap {
    int64_t used_bytes, touched_bytes;
    int64_t largest_bytes; /* the largest block that was freed so far */
    uint64_t *used;        /* notes which values of host_copy_spec were read (core/param_use.h) */
};

/* Takes or gives back a block of `bytes` >= 0; returns the core's time for it, and sets `is_fresh` (may be NULL) to whether its
 * pages are fresh. */
sim_time heap_allocate(struct heap *heap, const struct host_copy_spec *spec, int64_t bytes,
                       bool *is_fresh);
void heap_free(struct heap *heap, int64_t bytes);
