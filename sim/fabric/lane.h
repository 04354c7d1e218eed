/* SPDX-License-Identifier: BSD-3-Clause */
/* A lane: one direction of a bus link, first come, first served, for packets that are
 * announced before they come.
 *
 * The sender of a packet knows when it will be at the first lane of its way, and each lane knows when it will have sent it; so
 * the whole way of a packet is known at once and takes one event, its arrival at the end. What is announced later but comes
 * earlier goes in front, and moves those behind it: exactly as if each packet took its place at the moment at which it comes.
 *
 * A flow of small packets, all alike, is two stops: from its first one on it brings bytes at a rate, evenly, and with
 * its last one no more. Between two stops the lane has then got so much work as rates say, and works it off: what any
 * stop waits for is exact for bytes that come evenly. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/list.h"
#include "core/simtime.h"
#include "core/wait.h"

struct packet;

/* A lane with so many stops is full (lane_is_full). Times do not depend on it, but for the order of events at one moment. With
 * more, each stop that comes in front moves more others; with fewer, more packets take an event of their own at a lane. */
#define LANE_STOPS_MOST 64

/* How far a lane is with what it sends. */
struct lane_server {
    struct bandwidth_line line;
    sim_time at_ps;    /* the time of this state: the last stop's arrival */
    int64_t flows_Bps; /* the rate of all flows since then */
};

/* A packet at a lane. The packet holds one of these for each lane of its way. */
struct lane_stop {
    struct packet *packet;
    struct lane *lane;
    uint64_t number;            /* the packet's, by which ties are decided */
    struct bandwidth_work work; /* of its bytes on the wire at the lane's rate */
    int64_t flow_Bps;    /* the rate of a flow that begins with it; below 0: of one that ends */
    sim_time arrives_ps; /* at the lane */
    sim_time behind_ps;  /* the bus's: its last packet its first one */
    sim_time
        spread_ps;    /* how much later its last byte comes, which leaves no sooner than it comes */
    sim_time sent_ps; /* its last byte */

    /* the lane's */
    bool is_waiting; /* in the lane's list */
    bool is_known;   /* sent_ps holds */
    struct list_link link;
    struct lane_server before; /* when all stops in front have been sent */
};

struct lane {
    struct lane_server after; /* when all stops have been sent */
    struct list stops;        /* by arrival and number */
    int32_t stop_count;       /* in the list */
    bool header_free;         /* its rate is that of payloads: they take no headers */
    int64_t rate_Bps;
    sim_time latency_ps; /* to the far end */
};

/* Called for each stop whose sent_ps was set or has changed, in the order of the lane. */
typedef void lane_moved_fn(void *argument, struct lane_stop *stop);

/* Announces that `stop`, whose packet, lane, work and number are set and which waits nowhere, will arrive at
 * stop->arrives_ps (at least `now_ps`); or that the arrival of an announced stop has moved. */
void lane_announce(struct lane_stop *stop, sim_time now_ps, lane_moved_fn *moved, void *argument);

/* The same for a new stop with the greatest number so far, if it comes behind all others, as most do, and the lane is not full:
 * then no other stop moves, and stop->sent_ps is set. Else returns false. */
bool lane_announce_last(struct lane_stop *stop, sim_time now_ps);

/* Lets the lane forget the stops that have arrived at or before `now_ps`: nothing can change them. A stop that arrived must be
 * forgotten before its memory is used for anything else. */
static inline void lane_forget(struct lane *lane, sim_time now_ps)
{
    struct list_link *first = lane->stops.first;
    while (first != NULL && LIST_ITEM(first, struct lane_stop, link)->arrives_ps <= now_ps) {
        LIST_ITEM(first, struct lane_stop, link)->is_waiting = false;
        lane->stop_count--;
        first = first->next;
    }
    list_begin_with(&lane->stops, first);
}

/* Whether so many stops have been announced that another one had better be announced just before it comes, so that stops which are
 * announced meanwhile and come before it do not have to move it. */
static inline bool lane_is_full(struct lane *lane, sim_time now_ps)
{
    if (lane->stop_count < LANE_STOPS_MOST)
        return false;
    lane_forget(lane, now_ps);
    return lane->stop_count >= LANE_STOPS_MOST;
}
