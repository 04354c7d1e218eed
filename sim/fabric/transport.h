/* SPDX-License-Identifier: BSD-3-Clause */
/* Transports: how many bytes move from one port to another, and when they have arrived.
 *
 *   flow     SimGrid's exact max-min sharing (fabric/flow.c)
 *   segment  segments that take turns at the links of the same routes (fabric/segment.c)
 *
 * A transfer first occupies the links of its route, all at once, and the route's latency passes
 * afterwards as one event of ours. The links are held from the moment of sending because that is
 * true where transfers meet most, at the sender; a receiver's link is held one latency early. */
#pragma once

#include <stdint.h>

#include "core/param.h"
#include "core/sim.h"
#include "fabric/platform.h"

enum transport_kind { TRANSPORT_FLOW, TRANSPORT_SEGMENT };

/* Component "transport" of a machine file. */
#define TRANSPORT_ROWS(ROW)                                                                         \
    ROW(ENUM, kind, "flow", CHOICES("flow", "segment"), /* enum transport_kind */                   \
        "How transfers share links: flow (by exact max-min shares, up to some dozens of nodes), "   \
        "or segment (by segments taking turns, for thousands).")                                    \
    ROW(BYTES, segment, "4KiB", "64B", "1GiB",                                                      \
        "Smallest size of a segment; smaller ones share links more evenly and take longer to run.") \
    ROW(COUNT, segments, "16", "1", "1000000000",                                                   \
        "Largest number of segments of a transfer; the segments of large transfers grow.")
struct transport_spec {
    TRANSPORT_ROWS(PARAM_FIELD)
};
extern const struct param_table transport_params;

struct transport;

/* A transport for one simulation on `platform`, to be freed before the simulation. At most one
 * `flow` transport lives at a time in a process. Freeing drops unfinished transfers: their `done`
 * is never called. */
struct transport *transport_new(struct sim *sim, struct platform *platform,
                                const struct transport_spec *spec);
void transport_free(struct transport *transport);

/* The functions that a transfer calls. */
struct transport_calls {
    void (*left)(
        void *argument); /* NULL, or when the last byte has left the links: may start no transfer */
    void (*done)(void *argument);
    void *argument;
};

/* Starts a transfer of `bytes` (>= 0) from port to port, through chosen gateways of both nodes, as platform_route_via; -1 for
 * the default. `calls->done` is called as an event when the last byte has arrived: after the route's latency plus the time on the
 * links. A transfer of 0 bytes takes the latency alone. May be called from events, processes and `done` itself. */
void transport_send_via(struct transport *transport, int from, int gateway, int to_gateway, int to,
                        int64_t bytes, const struct transport_calls *calls);

/* The same for bulk data of ranks, which shares links of nodes with the packets of a bus there (fabric/link_use.h). */
void transport_send_bulk(struct transport *transport, int from, int gateway, int to_gateway, int to,
                         int64_t bytes, const struct transport_calls *calls);

/* To be called once for each bus of its platform's nodes. */
struct link_use;
struct link_use *transport_link_use(struct transport *transport);

/* Bytes that a link has carried so far in the direction of `hop`: a transfer counts when it has left the link (with
 * `flow`: all its links). */
int64_t transport_link_bytes(const struct transport *transport, platform_hop hop);
