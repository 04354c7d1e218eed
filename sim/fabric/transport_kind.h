/* SPDX-License-Identifier: BSD-3-Clause */
/* Between a transport (fabric/transport.c) and its kinds (flow.c, segment.c): the part that all
 * kinds share keeps the transfers, counts bytes and lets the latency pass; a kind says only when a
 * transfer's last byte has left the links of its route. */
#pragma once

#include "core/list.h"
#include "core/pool.h"
#include "fabric/link_use.h"
#include "fabric/transport.h"

struct transport {
    struct sim *sim;
    struct platform *platform;
    struct transport_spec spec;
    const struct transport_kind_ops *ops;
    void *kind;                /* the kind's state, which `open` returned */
    struct adaptive *adaptive; /* NULL: routes are static */
    struct pool transfers;
    struct list transfers_alive;
    uint64_t next_number;
    int64_t *link_bytes; /* by hop: bytes that have passed the link in its direction */
    struct link_use use;
    int64_t bytes_sent, bytes_arrived; /* the difference is in flight */
    uint32_t *tracks; /* tracks of spans, by port; NULL until somebody asks for spans */
};

/* First member of what a kind keeps for each transfer. */
struct transfer {
    struct transport *transport;
    const struct platform_route *route;
    int from, to;
    int64_t bytes;
    sim_time sent_ps; /* if observers ask for spans */
    uint64_t number;  /* in the order of sending, from 0 */
    struct transport_calls calls;
    event_handle arrival;     /* while its latency passes */
    struct link_share *share; /* of links that a bus\'s packets use, too; else NULL */
    struct list_link
        link; /* in the list of transfers that have not arrived, in the order of sending */
};

struct transport_kind_ops {
    size_t transfer_bytes; /* size of the kind's transfers, which begin with struct transfer */
    void *(*open)(struct transport *transport);

    /* Takes what the transfer occupies. The route has at least one hop; bytes are at least 1. */
    void (*occupy)(void *kind, struct transfer *transfer);

    /* Forgets a transfer that occupies links still; called for each of them before `close`. */
    void (*drop)(void *kind, struct transfer *transfer);
    void (*close)(void *kind);
};
extern const struct transport_kind_ops flow_ops, segment_ops;

/* The last byte has left the last link, now: what is left is the route's latency. */
void transport_leave_links(struct transfer *transfer);

/* The transfer arrives at `at_ps` >= now. */
void transport_arrive_at(struct transfer *transfer, sim_time at_ps);
