/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests that come to host memory over the bus, and the ownership of lines that devices and cores both use.
 *
 * A device's write needs its line at the port. The port asks for the line when the first write to it comes, and has it when it
 * has arrived from the core that holds it (host.bounced_line, and host.mesh_hop for each hop to the line's home); a line that
 * no core holds it has at once. Lines are fetched side by side, and writes are performed in the order in which they came, each
 * as soon as its line is there: so all writes to a line that have come by then are performed together. A core that looks at the
 * line waits for it, and takes it from the port:
 *
 * - if no write has been performed: half of host.handed_line after the line's arrival, or when the core's request comes, if
 *   that is later;
 * - if a write has been performed: as soon as the port has to wait for another line, or has no more writes;
 * - never before the first waiting write has been performed.
 *
 * The core has the line after the other half. If writes to it still wait, the port then fetches it again. A device's read of a
 * line that a core takes in this way is served when the line has come back, by when the core may have answered.
 *
 * host.atomic_gap    atomics on one line follow one another
 * host.atomic_turn   atomics on any lines follow one another
 *
 * Source of the shape: probe/predicted_lines.md and probe/tables/h200x2/host_queues.tsv: with posts of several stores, more
 * host threads that poll make a queue slower, with one store they make it faster. With host.bounced_line 0, the default, the
 * port has every line. */
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
    struct map lines;         /* struct inbound_line, for each line that a device has written to */
    struct map atomics;       /* line_gap.h */
    sim_time atomics_free_ps; /* when an atomic on any line may follow */
    struct list waiting;      /* struct inbound_request, in the order of arrival */
    struct pool requests, line_pool;
};

/* Initialises a struct whose fields down to `owner` are filled in and whose others are zero. */
void inbound_init(struct inbound *inbound);
void inbound_clear(struct inbound *inbound);

/* Takes a request that has arrived: `perform` is called now, or when the requests before it have been performed and its line is
 * there. */
void inbound_arrives(struct inbound *inbound, struct bus_request *request);

/* Says that a core has written the line. */
void inbound_core_writes(struct inbound *inbound, address at);

/* How much longer a core waits that asks for a line at `from_ps` and would otherwise have it `way_ps` later. */
sim_time inbound_core_asks(struct inbound *inbound, address at, sim_time from_ps, sim_time way_ps);

/* Whether a core that has asked for the line gets it with the write that is performed now. */
bool inbound_core_waits(const struct inbound *inbound, address at);

/* How long a read of `at` that is performed now waits because a core takes the line; and an atomic for the atomics before it. */
sim_time inbound_read_wait(const struct inbound *inbound, address at);
sim_time inbound_atomic_wait(struct inbound *inbound, address at);
