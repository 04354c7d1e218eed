/* SPDX-License-Identifier: BSD-3-Clause */
/* What comes to host memory over the bus, where it meets what cores do to the same lines.
 *
 * host.bounced_line  a device writes part of a line that a core has taken since a device last wrote it, as a core does
 *                    that polls a line which is filled by several stores: the line is fetched from the core first.
 *                    Writes that wait fetch theirs side by side, but are performed in their order; and a core that
 *                    looks meanwhile takes its line back, which is then fetched once more when its turn has come. So
 *                    what is rare with few looks stops the way for all with many: looks soon make each write wait
 *                    for its line alone, and waits give more time for looks
 * host.mesh_hop      lines of farther cores come later, so that a write stands behind one whose line is farther away
 * host.written_line  a device's read finds a line that a device wrote no sooner than this after that write: the core
 *                    that polls the line is served first, and may even have answered
 * host.atomic_gap    atomics on one line follow one another
 * host.atomic_turn   atomics on any lines follow one another
 *
 * Source of the shape: probe/tables/h200x2/host_queues.tsv: with posts of several stores, more host threads that poll make
 * a queue slower, with one store they make it faster; a work-group's first look sees an answer that took longer than
 * its read was under way. All three are 0 by default, and then nothing of this is kept. */
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
    uint64_t *used;   /* of the spec */
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

/* A core asks for the line, which takes `way_ps` if nothing is in its way; returns how much longer it waits. */
sim_time inbound_core_takes(struct inbound *inbound, address at, sim_time now_ps, sim_time way_ps);

/* Whether a core waits for the line, which the port has. */
bool inbound_core_is_next(const struct inbound *inbound, address at);

/* A core has written the line. */
void inbound_core_writes(struct inbound *inbound, address at);

/* How long a read of `at` that is performed now waits for what a device wrote there; an atomic for those before it. */
sim_time inbound_read_wait(const struct inbound *inbound, address at);
sim_time inbound_atomic_wait(struct inbound *inbound, address at);
