/* SPDX-License-Identifier: BSD-3-Clause */
/* The stores of a core that others do not see yet, in order.
 *
 * host.owned_at_once     how many lines a core can ask for at a time. A store is seen once its line is the core's own. It is when the
 *                        core has just fetched it; but a device's read of the line, as by a work-group that polls for the
 *                        answer, makes it shared again, and then the core has to ask for it once more, which takes as long as a
 *                        miss. 0: a line stays the core's own
 * host.stores_under_way  the most stores that wait; with more, the core waits
 *
 * A thread that is busy enough is therefore bistable: the longer stores wait, the more of their lines are read meanwhile, and
 * the longer the next ones wait.
 *
 * Source of the shape: probe/tables/h200x2_fourth/host_windows.tsv, and what probe/README.md says under "A host thread at its
 * limit". */
#pragma once

#include "core/list.h"
#include "core/process.h"
#include "fabric/port.h"
#include "models/memory/cache.h"

struct host;

struct store_buffer {
    struct list stores;  /* struct pending */
    size_t count, asked; /* how many lines have been asked for */
    struct process
        *waits; /* the process that waits for room, or until all stores are seen; or NULL */
};

/* A store on its way to be seen by others; its own core sees it at once. Records are reused. */
struct pending {
    struct list_link link; /* of its core */
    struct host *host;
    int core; /* that stores */
    address at;
    size_t bytes;
    bool is_due;   /* when it has executed and its line has come */
    bool is_asked; /* its line is asked for again */
    uint8_t data[CACHE_LINE_BYTES];
};

/* Adds a store of `bytes` <= 64 within one line, which others may see from `ready_ps` >= now on. */
void store_buffer_add(struct host *host, int64_t core, address at, const void *data, size_t bytes,
                      sim_time ready_ps);

/* Waits while the buffer is full; or until all stores that wait for their lines are seen. */
void store_buffer_wait_for_room(struct host *host, int64_t core, struct process *process);
void store_buffer_wait_until_seen(struct host *host, int64_t core, struct process *process);

/* Says that a core has asked for a line, which comes at `at_ps`; and that a device reads the line now. */
void store_buffer_line_comes(struct host *host, cache_line line, sim_time at_ps);
void store_buffer_device_reads(struct host *host, cache_line line);
