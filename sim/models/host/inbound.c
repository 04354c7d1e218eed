/* SPDX-License-Identifier: BSD-3-Clause */
#include "models/host/inbound.h"

#include "core/event.h"
#include "models/host/host_parts.h"

#define MESH_ROW 8

/* One that waits. */
struct inbound_request {
    struct bus_request *request;
    struct list_link link;
    sim_time owned_ps; /* when its line has been taken from the cores */
    sim_time lost_ps;  /* behind this a core may have taken it again */
    bool is_first;     /* of those that wait: nobody takes the line again before it is performed */
};

void inbound_init(struct inbound *inbound)
{
    pool_init(&inbound->requests, sizeof(struct inbound_request));
}

void inbound_clear(struct inbound *inbound)
{
    map_clear(&inbound->lines);
    line_gap_clear(&inbound->atomics);
    pool_clear(&inbound->requests);
}

static void perform(struct inbound *inbound, struct bus_request *request)
{
    if (request->op == BUS_WRITE)
        map_at(&inbound->lines, request->at / CACHE_LINE_BYTES)->number =
            (uint64_t)sim_now(inbound->sim) + 1;
    inbound->perform(inbound->owner, request);
}

/* Whether the request writes a line that a core has taken since a device wrote it. */
static bool is_bounced(const struct inbound *inbound, const struct bus_request *request)
{
    if (request->op != BUS_WRITE || HOST_READ(inbound, bounced_line_ps) == 0)
        return false;
    const union map_value *written = map_find(&inbound->lines, request->at / CACHE_LINE_BYTES);
    return written != NULL && written->number != 0 &&
           directory_others_hold(inbound->directory, DIRECTORY_DEVICE, request->at);
}

/* Of the way to a core, or to nobody's copy. */
static sim_time way_ps(const struct inbound *inbound, int core)
{
    return HOST_READ(inbound, bounced_line_ps) +
           (core >= 0 ? core % MESH_ROW + core / MESH_ROW : 0) * HOST_READ(inbound, mesh_hop_ps);
}

/* From now on the line is on its way from whoever has it; others of those that wait fetch theirs meanwhile. */
static void take_line(struct inbound *inbound, struct inbound_request *place)
{
    address at = place->request->at;
    int core = directory_other_holder(inbound->directory, DIRECTORY_DEVICE, at);
    directory_take_away(inbound->directory, DIRECTORY_DEVICE, at);
    place->owned_ps = sim_now(inbound->sim) + way_ps(inbound, core);
    place->lost_ps = place->owned_ps + inbound->look_ps;
}

static void go_on(void *argument);

/* Whether a core has taken the line again while the request stood behind others. */
static bool is_lost(const struct inbound *inbound, const struct inbound_request *place)
{
    return sim_now(inbound->sim) > place->lost_ps && is_bounced(inbound, place->request);
}

/* Whether the first of those that wait may be performed; if not, its turn comes later. */
static bool is_due(struct inbound *inbound, struct inbound_request *first)
{
    if (!first->is_first && is_lost(inbound, first))
        take_line(inbound, first);
    first->is_first = true;
    if (first->owned_ps <= sim_now(inbound->sim))
        return true;
    event_schedule(inbound->sim->events, first->owned_ps, go_on, inbound);
    return false;
}

static void go_on(void *argument)
{
    struct inbound *inbound = argument;
    while (!list_is_empty(&inbound->waiting)) {
        struct inbound_request *first = LIST_FIRST(&inbound->waiting, struct inbound_request, link);
        if (!is_due(inbound, first))
            return;
        struct bus_request *request = first->request;
        list_remove(&inbound->waiting, &first->link);
        inbound->sim->quiescence.held--;
        pool_give(&inbound->requests, first);
        perform(inbound, request);
    }
}

void inbound_arrives(struct inbound *inbound, struct bus_request *request)
{
    bool is_first = list_is_empty(&inbound->waiting), bounces = is_bounced(inbound, request);
    if (is_first && !bounces) {
        perform(inbound, request);
        return;
    }
    struct inbound_request *place = pool_take(&inbound->requests);
    place->request = request;
    place->owned_ps = sim_now(inbound->sim);
    place->lost_ps = place->owned_ps + HOST_READ(inbound, bounced_line_ps) + inbound->look_ps;
    if (bounces)
        take_line(inbound, place);
    place->is_first = is_first;
    list_append(&inbound->waiting, &place->link);
    /* Only the first has an event. Without this, polls whose reads stand behind it would look as if each had one, and the event of
     * somebody who acts as one of theirs. */
    inbound->sim->quiescence.held++;
    if (is_first)
        event_schedule(inbound->sim->events, place->owned_ps, go_on, inbound);
}

void inbound_core_writes(struct inbound *inbound, address at)
{
    union map_value *written = map_find(&inbound->lines, at / CACHE_LINE_BYTES);
    if (written != NULL)
        written->number = 0;
}

sim_time inbound_read_wait(const struct inbound *inbound, address at)
{
    const union map_value *written = map_find(&inbound->lines, at / CACHE_LINE_BYTES);
    if (written == NULL || written->number == 0)
        return 0;
    sim_time until_ps = (sim_time)(written->number - 1) + HOST_READ(inbound, written_line_ps);
    sim_time now_ps = sim_now(inbound->sim);
    return until_ps > now_ps ? until_ps - now_ps : 0;
}

sim_time inbound_atomic_wait(struct inbound *inbound, address at)
{
    sim_time now_ps = sim_now(inbound->sim);
    sim_time line_ps = line_gap_take(&inbound->atomics, at / CACHE_LINE_BYTES, now_ps,
                                     HOST_READ(inbound, atomic_gap_ps));
    sim_time turn_ps = MAX(inbound->atomics_free_ps - now_ps, 0);
    inbound->atomics_free_ps = now_ps + turn_ps + HOST_READ(inbound, atomic_turn_ps);
    return MAX(line_ps, turn_ps);
}
