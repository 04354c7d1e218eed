/* SPDX-License-Identifier: BSD-3-Clause */
/* What comes to host memory over the bus, and who owns the lines that devices and cores both use.
 *
 * A device's write needs its line at the port. The port asks for it when the first write to it comes and has it once it
 * has come from the core that holds it (host.bounced_line, and host.mesh_hop for each hop to the line's home); it has a line that no
 * core holds at once. Lines are fetched side by side, and writes are performed in the order in which they came, each as soon as its line is
 * there: so all writes to a line that came meanwhile are performed together. A core that looks at the line waits for it, and takes
 * it from the port:
 *
 * - half of host.handed_line behind the line's arrival, or when its request comes, if no write has been performed;
 * - once one has been performed, as soon as the port has to wait for another line, or has nothing left;
 * - never before the first of those that wait has been performed.
 *
 * The core has the line after the other half. If writes to it still wait, the port then fetches it again. A device's read of a line that
 * a core takes like this is served when the line has come back, so that the core may even have answered.
 *
 * host.atomic_gap    atomics on one line follow one another
 * host.atomic_turn   atomics on any lines follow one another
 *
 * Source of the shape: probe/predicted_lines.md and probe/tables/h200x2/host_queues.tsv: with posts of several stores, more host threads that
 * poll make a queue slower, with one store they make it faster. With host.bounced_line 0, the default, the port has every line. */
#pragma once

#include "core/list.h"
#include "core/map.h"
#include "core/pool.h"
#include "core/sim.h"
#include "fabric/bus.h"
#include "models/memory/directory.h"
#include "models/memory/line_gap.h"

struct host_spec;
struct inbound {
    struct sim *sim;
    struct directory *directory;
    const struct host_spec *spec;
    uint64_t *used;                                            /* of the spec */
    void (*perform)(void *owner, struct bus_request *request); /* in the order of arrival */
    void *owner;
    struct map lines; /* struct inbound_line, of those that a device has written to */
    struct line_gap atomics;
    sim_time atomics_free_ps; /* when an atomic on any line may follow */
    struct list waiting;      /* of struct inbound_request */
    struct pool requests, line_pool;
};

/* Filled in down to `owner`, else all zero. */
void inbound_init(struct inbound *inbound);
void inbound_clear(struct inbound *inbound);

/* A request has come: `perform` is called, now or when those before it have let it pass. */
void inbound_arrives(struct inbound *inbound, struct bus_request *request);

/* A core has written the line. */
void inbound_core_writes(struct inbound *inbound, address at);

/* A core that does not have the line asks for it at `from_ps`, and would have it `way_ps` later: how much longer it waits. */
sim_time inbound_core_asks(struct inbound *inbound, address at, sim_time from_ps, sim_time way_ps);

/* Whether a core that has asked for the line is to have it as it is after a write that is performed now. */
bool inbound_core_waits(const struct inbound *inbound, address at);

/* How long a read of `at` that is performed now waits for a core that takes the line; an atomic for those before it. */
sim_time inbound_read_wait(const struct inbound *inbound, address at);
sim_time inbound_atomic_wait(struct inbound *inbound, address at);
