/* SPDX-License-Identifier: BSD-3-Clause */
#include "fabric/lane.h"

#include <glib.h>
#include <stddef.h>

/* The state of the lane behind a stop. */
static struct lane_server *after(struct lane *lane, struct lane_stop *stop)
{
    struct lane_stop *next = LIST_NEXT(stop, struct lane_stop, link);
    return next != NULL ? &next->before : &lane->after;
}

static void unlink_stop(struct lane *lane, struct lane_stop *stop)
{
    *after(lane, stop) = stop->before;
    list_remove(&lane->stops, &stop->link);
    lane->stop_count--;
    stop->is_waiting = false;
}

static bool comes_before(const struct lane_stop *one, const struct lane_stop *other)
{
    if (one->arrives_ps != other->arrives_ps)
        return one->arrives_ps < other->arrives_ps;
    return one->number < other->number;
}

/* Inserts the stop, looking for its place from before `next` on in both directions; NULL: from the end, where most stops
 * belong. A stop that was waiting moves only a little, so its old place is a better start than the end of a full lane,
 * thousands of stops away. */
static void link_stop(struct lane *lane, struct lane_stop *stop, struct list_link *next)
{
    struct list_link *previous = next != NULL ? next->previous : lane->stops.last;
    while (previous != NULL && comes_before(stop, LIST_ITEM(previous, struct lane_stop, link))) {
        next = previous;
        previous = previous->previous;
    }
    while (next != NULL && comes_before(LIST_ITEM(next, struct lane_stop, link), stop))
        next = next->next;
    list_insert(&lane->stops, &stop->link, next);
    lane->stop_count++;
    stop->is_waiting = true;
    stop->before = *after(lane, stop);
}

/* Where a new stop looks for its place: from the first stop, if its arrival is nearer to the first's than to the last's. A stop
 * that was announced just before its arrival has a full lane of stops behind it. */
static struct list_link *nearer_end(const struct lane *lane, const struct lane_stop *stop)
{
    const struct lane_stop *first = LIST_FIRST(&lane->stops, struct lane_stop, link),
                           *last = LIST_LAST(&lane->stops, struct lane_stop, link);
    bool is_early =
        first != NULL && stop->arrives_ps - first->arrives_ps < last->arrives_ps - stop->arrives_ps;
    return is_early ? lane->stops.first : NULL;
}

static bool is_same(const struct lane_server *one, const struct lane_server *other)
{
    return one->line.free_at_ps == other->line.free_at_ps &&
           one->line.remainder == other->line.remainder && one->flows_Bps == other->flows_Bps;
}

/* Adds the bytes that flows have brought up to the stop behind those that waited, and the stop's own flow to the flows. */
static __attribute__((noinline)) void let_flows_come(struct lane_server *server,
                                                     const struct lane_stop *stop)
{
    uint64_t rate_Bps = (uint64_t)stop->lane->rate_Bps;
    struct bandwidth_line *line = &server->line;
    if (server->flows_Bps > 0) {
        if (line->free_at_ps < server->at_ps)
            *line = (struct bandwidth_line){server->at_ps, 0};
        sim_uint128 work = product_128(server->flows_Bps, stop->arrives_ps - server->at_ps) +
                           (uint64_t)line->remainder;
        line->remainder = (int64_t)(work % rate_Bps);
        line->free_at_ps = moment_after(line->free_at_ps, duration_ps(work / rate_Bps));
    }
    server->flows_Bps += stop->flow_Bps;
}

/* Serves the stop; returns the time at which its last byte has left. */
static inline sim_time serve(struct lane_server *server, const struct lane_stop *stop)
{
    sim_time arrives_ps = stop->arrives_ps;
    if (__builtin_expect((server->flows_Bps | stop->flow_Bps) != 0, 0))
        let_flows_come(server, stop);
    server->at_ps = arrives_ps;
    sim_time sent_ps =
        bandwidth_line_work(&server->line, stop->lane->rate_Bps, arrives_ps, stop->work);
    if (__builtin_expect(stop->spread_ps > 0, 0))
        sent_ps = MAX(sent_ps, moment_after(arrives_ps, stop->spread_ps));
    return sent_ps;
}

/* Works out when each stop from `stop` on is sent, up to the first that leaves the lane as it did
 * before. */
static void serve_from(struct lane *lane, struct lane_stop *stop, lane_moved_fn *moved,
                       void *argument)
{
    struct lane_server server = stop->before;
    for (; stop != NULL; stop = LIST_NEXT(stop, struct lane_stop, link)) {
        sim_time sent_ps = serve(&server, stop);
        bool stays = stop->is_known && stop->sent_ps == sent_ps;
        struct lane_server *left = after(lane, stop);
        if (stays && is_same(&server, left))
            return;
        *left = server;
        stop->sent_ps = sent_ps;
        stop->is_known = true;
        if (!stays)
            moved(argument, stop);
    }
}

bool lane_announce_last(struct lane_stop *stop, sim_time now_ps)
{
    struct lane *lane = stop->lane;
    if (stop->arrives_ps < lane->after.at_ps || lane_is_full(lane, now_ps))
        return false;
    stop->before = lane->after;
    stop->sent_ps = serve(&lane->after, stop);
    list_append(&lane->stops, &stop->link);
    lane->stop_count++;
    stop->is_waiting = stop->is_known = true;
    return true;
}

void lane_announce(struct lane_stop *stop, sim_time now_ps, lane_moved_fn *moved, void *argument)
{
    struct lane *lane = stop->lane;
    struct lane_stop *behind = stop->is_waiting ? LIST_NEXT(stop, struct lane_stop, link) : NULL;
    if (stop->is_waiting)
        unlink_stop(lane, stop);
    stop->is_known = false;
    lane_forget(lane, now_ps);
    link_stop(lane, stop,
              behind != NULL && behind->is_waiting ? &behind->link : nearer_end(lane, stop));
    serve_from(lane, stop, moved, argument);
    if (behind != NULL && behind->is_waiting)
        serve_from(lane, behind, moved, argument);
}
