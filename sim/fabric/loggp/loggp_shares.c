/* SPDX-License-Identifier: BSD-3-Clause */
#include "fabric/loggp/loggp_shares.h"

#include <glib.h>
#include <math.h>

#include "fabric/loggp/loggp_model.h"

enum { OUT, IN, WAYS };

/* A message under way, or a free place. */
struct moving {
    struct loggp_op op;
    double left_ps;    /* that it would still take alone */
    uint64_t at_ps;    /* the time to which left_ps refers */
    uint64_t alone_ps; /* the time at which it would have ended alone */
    uint64_t woken_ps; /* the earliest time told to `wake`; UINT64_MAX: none */
    uint32_t behind;   /* the next message in order between the same ranks; it waits */
    bool in_order;
    uint32_t divided;   /* moves at 1 / divided of its speed; 0: it waits, or is a free place */
    uint32_t way[WAYS]; /* numbers of its ways */
    uint32_t next[WAYS], previous[WAYS]; /* on each way */
};

/* One direction of a NIC. */
struct way {
    uint32_t count, first;
};

struct loggp_shares {
    struct way *ways; /* 2 * NIC: out, 2 * NIC + 1: in */
    struct moving *moving;
    uint32_t count, room, free; /* free: list by next[OUT] */
    void (*wake)(void *state, uint32_t message, uint64_t at_ps);
    void *state;
};

struct loggp_shares *loggp_shares_new(uint32_t nics,
                                      void (*wake)(void *state, uint32_t message, uint64_t at_ps),
                                      void *state)
{
    struct loggp_shares *shares = g_new0(struct loggp_shares, 1);
    shares->ways = g_new(struct way, (size_t)WAYS * nics);
    for (size_t i = 0; i < (size_t)WAYS * nics; i++)
        shares->ways[i] = (struct way){0, LOGGP_NONE};
    shares->free = LOGGP_NONE;
    shares->wake = wake;
    shares->state = state;
    return shares;
}

void loggp_shares_free(struct loggp_shares *shares)
{
    if (shares == NULL)
        return;
    g_free(shares->ways);
    g_free(shares->moving);
    g_free(shares);
}

static uint32_t new_place(struct loggp_shares *shares)
{
    uint32_t place = shares->free;
    if (place != LOGGP_NONE) {
        shares->free = shares->moving[place].next[OUT];
        return place;
    }
    if (shares->count == shares->room) {
        shares->room = MAX(64, 2 * shares->room);
        shares->moving = g_renew(struct moving, shares->moving, shares->room);
    }
    return shares->count++;
}

static void join(struct loggp_shares *shares, uint32_t message, int way)
{
    struct moving *moving = shares->moving, *at = &moving[message];
    struct way *of = &shares->ways[at->way[way]];
    at->next[way] = of->first;
    at->previous[way] = LOGGP_NONE;
    if (of->first != LOGGP_NONE)
        moving[of->first].previous[way] = message;
    of->first = message;
    of->count++;
}

static void leave(struct loggp_shares *shares, uint32_t message, int way)
{
    struct moving *moving = shares->moving, *at = &moving[message];
    struct way *of = &shares->ways[at->way[way]];
    if (at->previous[way] == LOGGP_NONE)
        of->first = at->next[way];
    else
        moving[at->previous[way]].next[way] = at->next[way];
    if (at->next[way] != LOGGP_NONE)
        moving[at->next[way]].previous[way] = at->previous[way];
    of->count--;
}

/* The rounding error of a sum of doubles must not become one picosecond more. */
#define ROUNDING_PS 0.01

/* The time at which the message ends if no other one begins or ends. */
static uint64_t end_of(const struct moving *at)
{
    double rest_ps = ceil(at->left_ps * at->divided - ROUNDING_PS);
    return at->at_ps + (uint64_t)CLAMP(rest_ps, 0.0, 2.0 * LOGGP_MODEL_LAST_PS);
}

static void wake_at_end(struct loggp_shares *shares, uint32_t message)
{
    struct moving *at = &shares->moving[message];
    uint64_t end_ps = end_of(at);
    if (end_ps >= at->woken_ps)
        return;
    at->woken_ps = end_ps;
    shares->wake(shares->state, message, end_ps);
}

/* Messages have joined or left the way: the speed of those on it changes, except of those that the other NIC slows down more. */
static void divide(struct loggp_shares *shares, uint32_t of, int way, uint64_t now_ps)
{
    uint32_t message = shares->ways[of].first;
    for (struct moving *at; message != LOGGP_NONE; message = at->next[way]) {
        at = &shares->moving[message];
        uint32_t divided = MAX(shares->ways[at->way[OUT]].count, shares->ways[at->way[IN]].count);
        if (divided == at->divided)
            continue;
        at->left_ps -= (double)(now_ps - at->at_ps) / at->divided;
        at->at_ps = now_ps;
        at->divided = divided;
        wake_at_end(shares, message);
    }
}

static void start(struct loggp_shares *shares, uint32_t message, uint64_t now_ps)
{
    struct moving *at = &shares->moving[message];
    at->at_ps = now_ps;
    at->divided = UINT32_MAX;
    join(shares, message, OUT);
    join(shares, message, IN);
    divide(shares, at->way[OUT], OUT, now_ps);
    divide(shares, at->way[IN], IN, now_ps);
}

/* The last one in order between the same ranks; LOGGP_NONE: there is none. */
static uint32_t last_before(const struct loggp_shares *shares, const struct loggp_op *op,
                            uint32_t from)
{
    const struct moving *moving = shares->moving;
    uint32_t found = shares->ways[WAYS * from + OUT].first;
    while (found != LOGGP_NONE && !(moving[found].in_order && moving[found].op.rank == op->rank &&
                                    moving[found].op.peer == op->peer))
        found = moving[found].next[OUT];
    while (found != LOGGP_NONE && moving[found].behind != LOGGP_NONE)
        found = moving[found].behind;
    return found;
}

bool loggp_shares_begin(struct loggp_shares *shares, const struct loggp_op *op, bool in_order,
                        uint32_t from, uint32_t to, uint64_t takes_ps, uint64_t now_ps)
{
    uint32_t before = in_order ? last_before(shares, op, from) : LOGGP_NONE;
    if (takes_ps == 0 && before == LOGGP_NONE)
        return false;
    uint32_t message = new_place(shares);
    shares->moving[message] = (struct moving){.op = *op,
                                              .left_ps = (double)takes_ps,
                                              .alone_ps = now_ps + takes_ps,
                                              .woken_ps = UINT64_MAX,
                                              .behind = LOGGP_NONE,
                                              .in_order = in_order,
                                              .way = {WAYS * from + OUT, WAYS * to + IN}};
    if (before == LOGGP_NONE)
        start(shares, message, now_ps);
    else
        shares->moving[before].behind = message;
    return true;
}

bool loggp_shares_take(struct loggp_shares *shares, uint32_t message, uint64_t now_ps,
                       struct loggp_op *op, uint64_t *waited_ps)
{
    struct moving *at = &shares->moving[message];
    if (at->divided == 0 || at->woken_ps != now_ps)
        return false; /* it was woken earlier, or is over */
    at->woken_ps = UINT64_MAX;
    if (end_of(at) > now_ps && now_ps <= LOGGP_MODEL_LAST_PS) {
        wake_at_end(shares, message);
        return false;
    }
    *op = at->op;
    *waited_ps = now_ps > at->alone_ps ? now_ps - at->alone_ps : 0;
    leave(shares, message, OUT);
    leave(shares, message, IN);
    at->divided = 0;
    at->next[OUT] = shares->free;
    shares->free = message;
    divide(shares, at->way[OUT], OUT, now_ps);
    divide(shares, at->way[IN], IN, now_ps);
    if (at->behind != LOGGP_NONE)
        start(shares, at->behind, now_ps);
    return true;
}
