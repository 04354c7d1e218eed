/* SPDX-License-Identifier: BSD-3-Clause */
/* A loop whose iterations the cores of a socket share, like OpenMP's parallel for: a roofline by cache level.
 *
 *   parallel_region                                     the threads are woken, and meet at the end
 *   + the longer of   flops / (threads x flops_per_cycle x clock)
 *                     bytes / (what threads get out of the level that holds their part)
 *
 * Each thread's part of the working set lies in the nearest cache that holds it, if the loop runs again and again: the
 * L1 and L2 of its core, a share of the L3, or memory. A core gets bytes_per_cycle out of its L1, and out of
 * what is behind no more than loads_in_flight lines in that level's latency; all of them no more than
 * memory_rate out of memory. ComPNet18 Table 1; roofline: Williams et al., CACM 2009. */
#pragma once

#include "core/simtime.h"
#include "models/host/host.h"

struct parallel_loop {
    int64_t flops;             /* of all threads together */
    int64_t bytes;             /* loaded and stored */
    int64_t working_set_bytes; /* the bytes that the loop uses again when it runs again */
};

/* How long `threads` (1 .. cores) threads take for the loop. `sharers` (>= 1) such groups of threads use the socket's L3 and
 * memory. */
sim_time parallel_loop_ps(const struct host_spec *spec, const struct parallel_loop *loop,
                          int64_t threads, int64_t sharers);

/* The bytes per second that one thread gets if its part of the working set is `part_bytes`. */
int64_t parallel_thread_Bps(const struct host_spec *spec, int64_t part_bytes, int64_t threads,
                            int64_t sharers);
