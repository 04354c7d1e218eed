/* SPDX-License-Identifier: BSD-3-Clause */
/* A process that waits for the completion of a non-posted request: loads and atomics over the bus
 * are the same for a CPU core, a work-group and a command processor. */
#pragma once

#include "fabric/bus.h"
#include "models/memory/load.h"

/* One agent's path to the bus. */
struct bus_path {
    struct bus *bus;
    int slot;             /* the slot of the agent's device */
    sim_time outward_ps;  /* from the agent to the bus port */
    sim_time homeward_ps; /* and back, for completions */
    sim_time shift_ps;    /* of the requests that are started (process_take_shift_over_bus) */
    bool is_flush;        /* its reads only push posted writes */
};

/* A request of `bytes` (<= BUS_DATA_BYTES) at `at`, not sent yet. */
struct bus_request *bus_path_request(const struct bus_path *path, enum bus_op op, address at,
                                     size_t bytes);

/* Reads; performs an atomic and returns the old value. `self` waits until the answer is back. A read takes the process's
 * shift. */
void bus_path_read(const struct bus_path *path, struct process *self, address at, void *data,
                   size_t bytes);
uint64_t bus_path_atomic(const struct bus_path *path, struct process *self, address at,
                         enum atomic_op op, uint64_t operand, uint64_t compare);

/* Several independent reads of `self` under way together: each is started, then waited for. The
 * record and `data` are the caller's until then. */
struct bus_load {
    struct quiescence *quiescence; /* where its event counts as under way */
    void *data;
    size_t bytes;
    struct process *awaiting; /* the process that waits for it now, or NULL */
    bool is_done;
};
void bus_path_start_read(const struct bus_path *path, struct process *self,
                         struct quiescence *quiescence, struct bus_load *load, address at,
                         void *data, size_t bytes);
void bus_path_finish_read(struct bus_load *load, struct process *self);

/* Makes `count` loads, in pieces of at most `step` bytes, at most `window` (<= LOADS_IN_FLIGHT_MAX) pieces at a time, and waits for
 * all of them. The first pieces take the process's shift. */
void bus_path_load_all(struct bus_path path, struct process *self, struct quiescence *quiescence,
                       const struct memory_load *loads, size_t count, size_t step, size_t window);
