/* SPDX-License-Identifier: BSD-3-Clause */
/* Transport by flows: transfers share the links' bandwidth by max-min fairness, each as a SimGrid
 * communication over links without latency.
 *
 * A transfer that has all links of its route for itself needs no sharing: it goes alone, without SimGrid, and ends exactly
 * after bytes / bandwidth. When another transfer uses one of its links, the rest of it is handed over to SimGrid. Transfers
 * without a common link do not influence each other, so the others' shares are the same either way.
 *
 * Two clocks run side by side. Ours is the master. SimGrid's next completion is kept as one event
 * of ours, the tick; SimGrid is advanced only there and where flows start. The tick is set anew
 * after that, once for all flows that start at the same time, since asking for the next completion
 * makes SimGrid share out the bandwidth again.
 *
 * SimGrid's clock is in seconds, as a double, and goes on from one simulation to the next: time t of ours is its base + t,
 * rounded to the nearest double. A completion's time is rounded up to the next picosecond, as every other duration here is,
 * less a tolerance of ROUNDING_PS: a double of a minute is exact to 0.007 ps, and SimGrid itself joins times within 0.1 ps.
 * Another base than 0 rounds differently, so identical runs need a process each. */
#include <math.h>

#include "core/check.h"
#include "fabric/platform_private.h"
#include "fabric/simgrid_adapter.h"
#include "fabric/transport_kind.h"

#define ROUNDING_PS 0.125

/* The most bytes that adapter_flow_start takes: longer transfers share in pieces, one right after the other. */
#define PIECE_BYTES 0x1p46

/* The tick is set after all events of the same time that may start flows, but before observers. */
#define SET_TICK_PRIORITY (EVENT_LATE - 1)

struct flow_transfer {
    struct transfer base;
    struct adapter_flow *flow; /* in SimGrid */
    double later_bytes;        /* bytes after the piece that is in SimGrid */
    double end_s;
    event_handle lone_end; /* its end if it goes alone, since start_ps */
    sim_time start_ps;
};

/* The transfers on a link in one direction. */
struct occupancy {
    int transfers;
    struct flow_transfer *lone; /* the only one, if it goes alone */
};

struct flow {
    struct sim *sim;
    struct occupancy *links; /* by hop */
    double base_s;
    event_handle tick;     /* SimGrid's next completion */
    event_handle set_tick; /* pending if flows have started now: the tick has to be set anew */
    GPtrArray *ended;      /* transfers that have ended in one advance */
};

/* There is one SimGrid in a process, so only one transport may be open. */
static bool flow_open;

static void *open_flow(struct transport *transport)
{
    check_always(!flow_open, "a second transport of kind flow in one process");
    flow_open = true;
    struct flow *flow = g_new0(struct flow, 1);
    flow->sim = transport->sim;
    flow->links = g_new0(struct occupancy, 2 * platform_link_count(transport->platform));
    flow->base_s = adapter_now_s() - (double)sim_now(flow->sim) / (double)PS_PER_S;
    flow->ended = g_ptr_array_new();
    return flow;
}

static void drop_flow(void *kind, struct transfer *base)
{
    struct flow *flow = kind;
    struct flow_transfer *transfer = (struct flow_transfer *)base;
    if (!event_cancel(flow->sim->events, transfer->lone_end) && transfer->flow)
        adapter_flow_cancel(transfer->flow);
}

static void close_flow(void *kind)
{
    struct flow *flow = kind;
    adapter_advance(adapter_now_s(), NULL, NULL);
    event_cancel(flow->sim->events, flow->tick);
    event_cancel(flow->sim->events, flow->set_tick);
    g_ptr_array_free(flow->ended, TRUE);
    g_free(flow->links);
    g_free(flow);
    flow_open = false;
}

/* --- the two clocks --------------------------------------------------------------------------- */

static double to_simgrid(const struct flow *flow, sim_time at_ps)
{
    return flow->base_s + (double)at_ps / (double)PS_PER_S;
}

/* Converts SimGrid's time to ours. It is never before now: SimGrid's clock may be ahead of ours by less than ROUNDING_PS. */
static sim_time from_simgrid(const struct flow *flow, double at_s)
{
    double at_ps = (at_s - flow->base_s) * (double)PS_PER_S;
    if (at_ps > (double)SIM_TIME_LAST)
        return SIM_TIME_NEVER;
    return MAX(sim_now(flow->sim), (sim_time)ceil(at_ps - ROUNDING_PS));
}

/* --- who is on the links ---------------------------------------------------------------------- */

/* Whether no transfer is on the links of `route`. */
static bool route_free(const struct flow *flow, const struct platform_route *route)
{
    for (size_t i = 0; i < route->count; i++) {
        if (flow->links[route->hops[i]].transfers > 0)
            return false;
    }
    return true;
}

static void enter_links(struct flow *flow, struct flow_transfer *transfer, bool alone)
{
    const struct platform_route *route = transfer->base.route;
    for (size_t i = 0; i < route->count; i++) {
        struct occupancy *link = &flow->links[route->hops[i]];
        link->transfers++;
        link->lone = alone ? transfer : NULL;
    }
}

static void leave_links(struct flow *flow, struct flow_transfer *transfer)
{
    const struct platform_route *route = transfer->base.route;
    for (size_t i = 0; i < route->count; i++) {
        struct occupancy *link = &flow->links[route->hops[i]];
        transfer->base.transport->link_bytes[route->hops[i]] += transfer->base.bytes;
        link->transfers--;
        link->lone = NULL;
    }
    transport_leave_links(&transfer->base);
}

/* --- completions ------------------------------------------------------------------------------ */

static void note_ended(void *cookie, double end_s, void *argument)
{
    struct flow *flow = argument;
    ((struct flow_transfer *)cookie)->end_s = end_s;
    g_ptr_array_add(flow->ended, cookie);
}

/* Orders ended transfers by time, then by the order of sending, since SimGrid's own order is that of its heap. */
static gint compare_ended(gconstpointer a, gconstpointer b)
{
    const struct flow_transfer *one = *(struct flow_transfer *const *)a;
    const struct flow_transfer *other = *(struct flow_transfer *const *)b;
    if (one->end_s != other->end_s)
        return one->end_s < other->end_s ? -1 : 1;
    return one->base.number < other->base.number ? -1 : 1;
}

static void start_piece(struct flow_transfer *transfer)
{
    const struct platform_route *route = transfer->base.route;
    double bytes = fmin(transfer->later_bytes, PIECE_BYTES);
    transfer->later_bytes -= bytes;
    transfer->flow = adapter_flow_start(route->hops, route->count, bytes, transfer);
}

static void advance(struct flow *flow, double to_s)
{
    adapter_advance(to_s, note_ended, flow);
    g_ptr_array_sort(flow->ended, compare_ended);
    for (guint i = 0; i < flow->ended->len; i++) {
        struct flow_transfer *transfer = g_ptr_array_index(flow->ended, i);
        if (transfer->later_bytes > 0)
            start_piece(transfer);
        else
            leave_links(flow, transfer);
    }
    g_ptr_array_set_size(flow->ended, 0);
}

static void tick(void *argument);

static void set_tick(void *argument)
{
    struct flow *flow = argument;
    double next_s = adapter_next_s();
    if (isinf(next_s)) {
        event_cancel(flow->sim->events, flow->tick);
        return;
    }
    sim_time at_ps = from_simgrid(flow, next_s);
    if (!event_reschedule(flow->sim->events, flow->tick, at_ps))
        flow->tick = event_schedule_priority(flow->sim->events, at_ps, EVENT_EARLY, tick, flow);
}

/* SimGrid's next completion is due, possibly with others in the same picosecond. */
static void tick(void *argument)
{
    struct flow *flow = argument;
    double next_s = adapter_next_s();
    while (!isinf(next_s) && from_simgrid(flow, next_s) <= sim_now(flow->sim)) {
        advance(flow, next_s);
        next_s = adapter_next_s();
    }
    set_tick(flow);
}

/* --- starting --------------------------------------------------------------------------------- */

static void lone_ends(void *argument)
{
    struct flow_transfer *transfer = argument;
    leave_links(transfer->base.transport->kind, transfer);
}

static void go_alone(struct flow *flow, struct flow_transfer *transfer)
{
    transfer->start_ps = sim_now(flow->sim);
    sim_time lasts_ps = transfer_ps(transfer->base.bytes, transfer->base.route->bandwidth_Bps);
    sim_time end_ps = moment_after(transfer->start_ps, lasts_ps);
    enter_links(flow, transfer, true);
    transfer->lone_end =
        event_schedule_priority(flow->sim->events, end_ps, EVENT_EARLY, lone_ends, transfer);
}

/* Advances SimGrid to now and hands `bytes` of a transfer over to it. */
static void go_shared(struct flow *flow, struct flow_transfer *transfer, double bytes)
{
    g_autoptr(GError) error = NULL;
    if (!adapter_start(transfer->base.transport->platform->layout, &error)) {
        sim_fail(flow->sim, "%s", error->message);
        return;
    }
    double now_s = to_simgrid(flow, sim_now(flow->sim));
    if (now_s > adapter_now_s())
        advance(flow, now_s);
    transfer->later_bytes = bytes;
    start_piece(transfer);
    if (event_time(flow->sim->events, flow->set_tick) == SIM_TIME_MAX)
        flow->set_tick = event_schedule_priority(flow->sim->events, sim_now(flow->sim),
                                                 SET_TICK_PRIORITY, set_tick, flow);
}

/* Lets a lone transfer share the rest of its bytes from now on. If none are left, its own event ends it now. */
static void join_others(struct flow *flow, struct flow_transfer *transfer)
{
    const struct platform_route *route = transfer->base.route;
    double gone_s = (double)(sim_now(flow->sim) - transfer->start_ps) / (double)PS_PER_S;
    double left = (double)transfer->base.bytes - gone_s * (double)route->bandwidth_Bps;
    if (left <= 0)
        return;
    event_cancel(flow->sim->events, transfer->lone_end);
    for (size_t i = 0; i < route->count; i++) {
        flow->links[route->hops[i]].lone = NULL;
    }
    go_shared(flow, transfer, left);
}

static void occupy_flow(void *kind, struct transfer *base)
{
    struct flow *flow = kind;
    struct flow_transfer *transfer = (struct flow_transfer *)base;
    if (route_free(flow, base->route)) {
        go_alone(flow, transfer);
        return;
    }
    for (size_t i = 0; i < base->route->count; i++) {
        struct occupancy *link = &flow->links[base->route->hops[i]];
        if (link->lone)
            join_others(flow, link->lone);
    }
    enter_links(flow, transfer, false);
    go_shared(flow, transfer, (double)base->bytes);
}

const struct transport_kind_ops flow_ops = {
    .transfer_bytes = sizeof(struct flow_transfer),
    .open = open_flow,
    .occupy = occupy_flow,
    .drop = drop_flow,
    .close = close_flow,
};
