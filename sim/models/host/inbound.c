/* SPDX-License-Identifier: BSD-3-Clause */
#include "models/host/inbound.h"

#include "core/event.h"

/* One that waits. */
struct inbound_request {
    struct bus_request *request;
    struct list_link link;
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

static void device_writes(struct inbound *inbound, address at)
{
    sim_time now_ps = sim_now(inbound->sim);
    union map_value *written = map_at(&inbound->lines, at / CACHE_LINE_BYTES);
    if (written->number != 0 && directory_others_hold(inbound->directory, DIRECTORY_DEVICE, at))
        inbound->free_ps = now_ps + inbound->bounced_line_ps;
    written->number = (uint64_t)now_ps + 1;
}

static void perform(struct inbound *inbound, struct bus_request *request)
{
    bool is_kept = inbound->bounced_line_ps > 0 || inbound->written_line_ps > 0;
    if (request->op == BUS_WRITE && is_kept)
        device_writes(inbound, request->at);
    inbound->perform(inbound->owner, request);
}

static void go_on(void *argument)
{
    struct inbound *inbound = argument;
    while (!list_is_empty(&inbound->waiting) && inbound->free_ps <= sim_now(inbound->sim)) {
        struct inbound_request *first = LIST_TAKE(&inbound->waiting, struct inbound_request, link);
        struct bus_request *request = first->request;
        pool_give(&inbound->requests, first);
        perform(inbound, request);
    }
    if (!list_is_empty(&inbound->waiting))
        event_schedule(inbound->sim->events, inbound->free_ps, go_on, inbound);
}

void inbound_arrives(struct inbound *inbound, struct bus_request *request)
{
    bool is_first = list_is_empty(&inbound->waiting);
    if (is_first && inbound->free_ps <= sim_now(inbound->sim)) {
        perform(inbound, request);
        return;
    }
    struct inbound_request *place = pool_take(&inbound->requests);
    place->request = request;
    list_append(&inbound->waiting, &place->link);
    if (is_first)
        event_schedule(inbound->sim->events, inbound->free_ps, go_on, inbound);
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
    sim_time until_ps = (sim_time)(written->number - 1) + inbound->written_line_ps;
    sim_time now_ps = sim_now(inbound->sim);
    return until_ps > now_ps ? until_ps - now_ps : 0;
}

sim_time inbound_atomic_wait(struct inbound *inbound, address at)
{
    return line_gap_take(&inbound->atomics, at / CACHE_LINE_BYTES, sim_now(inbound->sim),
                         inbound->atomic_gap_ps);
}
