/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the two files of the transport by segments: segment.c (a transfer from start to end) and segment_turns.c (whose
 * turn it is at a link). */
#pragma once

#include <assert.h>
#include <stdbool.h>

#include "core/list.h"
#include "core/pool.h"
#include "core/wait.h"
#include "fabric/transport_kind.h"

/* The most links that can go along with one another. */
enum { ALONG_MOST = 16 };

enum { CACHE_LINE = 64, ROUTE_SIZES = 16 };

/* A link (in one direction) at work: two lines of the cache, since runs of many nodes wait for little else. */
struct station {
    /* The turn under way. */
    struct visit *serving; /* whose it is, NULL if idle */
    int64_t turn_bytes;
    sim_time begins_ps; /* later than now, if the link waits for a slower one before it */
    sim_time ends_ps;
    int64_t remainder_before; /* the line's, as the turn began */
    event_handle served;
    struct bandwidth_line line; /* the link's: when it is free */

    struct list lines
        [2]; /* visits with waiting bytes, in the order of their turns: short ones, and others */
    int64_t
        smallest_bytes; /* smallest segment of those in line and the one served, short ones left out */
    int32_t smallest_count; /* how many of them have that segment size */
    bool was_short;         /* the last turn was a short one's */
    bool goes_along, leads; /* with the link before it; the one ahead with it */
    struct segment *segment;
    int64_t rate_Bps;
};
static_assert(sizeof(struct station) == 2 * CACHE_LINE, "a station fills its lines");

/* A transfer at one link of its route; at the next link it is the next in memory. A line of the cache, with all that a turn
 * asks for: the transfer's own lines are seldom there. */
struct visit {
    struct station *station;
    int64_t waiting_bytes; /* bytes that are here and in no turn yet */
    int64_t left_bytes;    /* bytes that have not been sent from here */
    int64_t segment_bytes; /* the transfer's, as is_short and is_smooth */
    struct segment_transfer *transfer;
    struct list_link turn; /* in the station's line */
    platform_hop hop;
    uint32_t place : 20; /* of the link in the route */
    uint32_t size : 4; /* the pool that the visits are from: of 4 << size visits and their rests */
    bool is_last : 1, is_short : 1, is_smooth : 1;
    bool is_ahead : 1; /* visit_rest.ahead_bytes > 0 */
};
static_assert(sizeof(struct visit) == CACHE_LINE, "a visit fills its line");

/* The part of a visit that few turns need. */
struct visit_rest {
    int64_t ahead_bytes; /* bytes passed on although not sent from here, since a turn was cut */
    int64_t ready_bytes; /* bytes that are to come from a slower link */
    event_handle ready;
    int64_t unused; /* objects of a pool end with a line */
};
static_assert(4 * sizeof(struct visit_rest) % CACHE_LINE == 0, "four fill their lines");

struct segment_transfer {
    struct transfer base;
    struct visit *visits;  /* one a link; behind the last of their pool's object are their rests */
    int64_t segment_bytes; /* bytes of each segment but the last */
    int64_t window_bytes;  /* bytes that may be under way */
    int64_t injected_bytes;
    int32_t links_left; /* that have not sent all of it */
};

struct segment {
    struct transport *transport;
    struct sim *sim;
    int64_t shortest_bytes; /* the smallest segment */
    size_t station_count;
    struct station *stations;        /* by hop */
    struct pool visits[ROUTE_SIZES]; /* of routes of up to so many times 4 links */
};

/* The same transfer's visit at the next link, NULL if there is none. */
static inline struct visit *onward_of(struct visit *visit)
{
    return visit->is_last ? NULL : visit + 1;
}

static inline struct visit_rest *rest_of(struct visit *visit)
{
    void *rests = visit - visit->place + ((size_t)4 << visit->size);
    return (struct visit_rest *)rests + visit->place;
}

/* The stations that go along with this station's turn, before it and behind it; NULL if there is none. */
static inline struct station *back_of(const struct station *station)
{
    return station->goes_along ? (station->serving - 1)->station : NULL;
}

static inline struct station *along_of(const struct station *station)
{
    return station->leads ? (station->serving + 1)->station : NULL;
}

/* The event at the end of a station's turn; `argument` is the station. */
void segment_station_served(void *argument);

/* The event at which bytes have come from a slower link; `argument` is the visit. */
void segment_bytes_ready(void *argument);

/* Says that `bytes` more of the transfer have come to the visit's link and may take their turn there. */
void segment_visit_ready(struct visit *visit, int64_t bytes);

/* Puts a visit that has bytes waiting at the end of its line. */
void segment_line_up(struct station *station, struct visit *visit);

/* Takes a visit out of the counts of a station: it no longer waits and is not served. */
void segment_count_out(struct station *station, const struct visit *visit);

/* Whether any visit is in line; and starts the next turn, if the station is idle. */
bool segment_somebody_waits(const struct station *station);
void segment_serve_next(struct station *station);
