/* SPDX-License-Identifier: BSD-3-Clause */
/* Transport by segments: own code, for thousands of GPUs and long runs.
 *
 * A transfer is cut into segments, and each link direction serves one after the other, with the exact remainders of struct
 * bandwidth_line. Segments grow with the transfer: no transfer is cut into more than `segments`. Three rules bring the shares
 * near max-min fairness (Hahne, "Round-robin scheduling for max-min fairness in data networks", IEEE JSAC 9(7), 1991):
 *   - at each link the transfers that have bytes there take turns;
 *   - a turn is as long as the smallest of their segments, so that a small transfer among large ones
 *     does not wait for their segments: when the small transfer comes, the turn that is under way is
 *     cut at the next multiple of the small one's segment. Transfers of a single segment of the smallest
 *     size have a line of their own, and the two lines take turns: such a transfer waits for at most two
 *     segments, unless transfers of its own line are ahead of it;
 *   - a transfer has at most two segments under way, so that a transfer which is slowed down later on
 *     its route does not fill the earlier links with segments that only wait.
 *
 * A turn goes on to the next link as soon as it can be sent there without a gap: at once if the next link is not faster, else
 * just so late that its last byte has arrived when it has to be sent (cut-through without underrun; bytes that a turn had
 * passed on before it was cut are not called back). Hence a lone transfer takes bytes / bandwidth of its slowest link, as in
 * flow.c, and only a faster link that follows a slower one before a slower one adds the difference of one segment. A transfer
 * that is alone at a link sends all its bytes there in one turn, unless that makes this difference larger.
 *
 * The end of a turn is an event. Links that have no other turn to serve and end together with the link before them share its
 * event: they go along. So a turn takes one event where it waits for others, and none at most other links. */
#include "core/check.h"
#include "core/pages.h"
#include "fabric/segment_parts.h"

/* Prefetches the station of a visit, if there is one. */
static void fetch_station_of(const struct visit *visit)
{
    if (visit != NULL)
        event_fetch(visit->station, sizeof *visit->station);
}

/* Prefetches data for segment_station_served: the visit served and the next ones, each with the one behind it in memory, at the
 * next link; then the links there. */
static void fetch_served(const void *argument, int step)
{
    const struct station *station = argument;
    const struct visit *visits[] = {station->serving,
                                    LIST_FIRST(&station->lines[0], struct visit, turn),
                                    LIST_FIRST(&station->lines[1], struct visit, turn)};
    if (station->serving == NULL)
        return;
    for (size_t i = 0; i < G_N_ELEMENTS(visits); i++)
        if (visits[i] != NULL && step == 0)
            event_fetch(visits[i], 2 * sizeof *visits[i]);
        else if (visits[i] != NULL && step == 1)
            fetch_station_of(onward_of((struct visit *)(gsize)visits[i]));
    if (step == 1)
        event_fetch(station->serving->transfer, CACHE_LINE);
}

/* The same for segment_bytes_ready. */
static void fetch_ready(const void *argument, int step)
{
    struct visit *visit = (struct visit *)(gsize)argument;
    if (step == 0)
        event_fetch(rest_of(visit), sizeof(struct visit_rest));
    if (step < 2)
        fetch_station_of(step == 0 ? visit : onward_of(visit));
}

static void *open_segment(struct transport *transport)
{
    struct platform *platform = transport->platform;
    struct segment *segment = g_new0(struct segment, 1);
    segment->transport = transport;
    segment->sim = transport->sim;
    event_queue_fetch_by(segment->sim->events, segment_station_served, fetch_served);
    event_queue_fetch_by(segment->sim->events, segment_bytes_ready, fetch_ready);
    segment->shortest_bytes = transport->spec.segment_bytes;
    segment->station_count = 2 * platform_link_count(platform);
    segment->stations = pages_new(segment->station_count * sizeof(struct station));
    for (size_t i = 0; i < segment->station_count; i++) {
        segment->stations[i].segment = segment;
        segment->stations[i].rate_Bps = platform_link(platform, i / 2)->bandwidth_Bps;
    }
    for (size_t size = 0; size < ROUTE_SIZES; size++)
        pool_init(&segment->visits[size], ((sizeof(struct visit) + sizeof(struct visit_rest)) * 4)
                                              << size);
    return segment;
}

/* --- a transfer's life ------------------------------------------------------------------------ */

/* The pool for routes of `links` links. */
static size_t size_for(size_t links)
{
    size_t size = 0;
    while ((size_t)4 << size < links)
        size++;
    check_always(size < ROUTE_SIZES, "a route of %zu links", links);
    return size;
}

/* Initialises the transfer's visit at the link in `place` of its route, from the pool for `size`. */
static void init_visit(struct segment *segment, struct segment_transfer *transfer, size_t size,
                       size_t place)
{
    const struct platform_route *route = transfer->base.route;
    struct station *station = &segment->stations[route->hops[place]];
    __builtin_prefetch(station);
    transfer->visits[place] =
        (struct visit){.transfer = transfer,
                       .hop = route->hops[place],
                       .station = station,
                       .left_bytes = transfer->base.bytes,
                       .segment_bytes = transfer->segment_bytes,
                       .place = (uint32_t)place & 0xfffff,
                       .size = size & 15,
                       .is_short = transfer->base.bytes <= segment->shortest_bytes,
                       .is_last = place + 1 == route->count};
    *rest_of(&transfer->visits[place]) = (struct visit_rest){.ahead_bytes = 0};
}

/* Whether the rates of the transfer's links first fall and then rise along its route. */
static bool is_smooth(const struct segment_transfer *transfer)
{
    bool has_risen = false;
    int64_t rate_Bps = INT64_MAX;
    for (size_t i = 0; i < transfer->base.route->count; i++) {
        int64_t next_Bps = transfer->visits[i].station->rate_Bps;
        if (has_risen && next_Bps < rate_Bps)
            return false;
        has_risen = has_risen || next_Bps > rate_Bps;
        rate_Bps = next_Bps;
    }
    return true;
}

/* Makes a visit for each link of the route. */
static void plan(struct segment *segment, struct segment_transfer *transfer)
{
    size_t links = transfer->base.route->count, size = size_for(links);
    transfer->visits = pool_take_unset(&segment->visits[size]);
    for (size_t i = 0; i < links; i++)
        init_visit(segment, transfer, size, i);
    bool smooth = is_smooth(transfer);
    for (size_t i = 0; i < links; i++)
        transfer->visits[i].is_smooth = smooth;
}

/* Lets as many whole segments enter as the window has room for, beside the segments that have not left the last link. */
static void inject(struct segment_transfer *transfer, int64_t left_bytes)
{
    int64_t total = transfer->base.bytes;
    int64_t room = left_bytes + transfer->window_bytes - transfer->injected_bytes;
    int64_t bytes = room / transfer->segment_bytes * transfer->segment_bytes;
    bytes = MIN(bytes, total - transfer->injected_bytes);
    if (bytes <= 0)
        return;
    transfer->injected_bytes += bytes;
    segment_visit_ready(transfer->visits, bytes);
}

static void occupy_segments(void *kind, struct transfer *base)
{
    struct segment *segment = kind;
    struct segment_transfer *transfer = (struct segment_transfer *)base;
    const struct transport_spec *spec = &segment->transport->spec;
    int64_t grown_bytes = (base->bytes - 1) / spec->segments + 1;
    transfer->segment_bytes = MAX(segment->shortest_bytes, grown_bytes);
    plan(segment, transfer);
    transfer->window_bytes = 2 * transfer->segment_bytes;
    transfer->links_left = (int32_t)base->route->count;
    inject(transfer, 0);
}

/* Ends a turn. Returns its visit if it was at its transfer's last link but not the transfer's last turn. */
static struct visit *end_turn(struct station *station)
{
    struct segment *segment = station->segment;
    struct visit *visit = station->serving;
    station->serving = NULL;
    station->goes_along = station->leads = false;
    visit->left_bytes -= station->turn_bytes;
    if (visit->waiting_bytes > 0)
        segment_line_up(station, visit);
    else
        segment_count_out(station, visit);
    if (visit->left_bytes > 0)
        return visit->is_last ? visit : NULL;
    struct segment_transfer *transfer = visit->transfer;
    segment->transport->link_bytes[visit->hop] += transfer->base.bytes;
    if (--transfer->links_left == 0) {
        pool_give(&segment->visits[size_for(transfer->base.route->count)], transfer->visits);
        transport_leave_links(&transfer->base);
        return NULL;
    }
    return visit->is_last ? visit : NULL;
}

/* Ends the turns of a station and of all that went along. All are free before one of them begins its next turn. */
void segment_station_served(void *argument)
{
    struct station *stations[ALONG_MOST];
    struct visit *at_end = NULL;
    int count = 0;
    for (struct station *station = argument, *along; station; station = along) {
        along = along_of(station);
        stations[count++] = station;
        at_end = end_turn(station);
    }
    for (int i = 0; i < count; i++)
        if (!stations[i]->serving && segment_somebody_waits(stations[i]))
            segment_serve_next(stations[i]);
    if (at_end)
        inject(at_end->transfer, at_end->transfer->base.bytes - at_end->left_bytes);
}

/* --- ending early ----------------------------------------------------------------------------- */

static void drop_segments(void *kind, struct transfer *base)
{
    struct segment *segment = kind;
    struct segment_transfer *transfer = (struct segment_transfer *)base;
    for (struct visit *visit = transfer->visits; visit; visit = onward_of(visit))
        event_cancel(segment->sim->events, rest_of(visit)->ready);
}

static void close_segment(void *kind)
{
    struct segment *segment = kind;
    for (size_t i = 0; i < segment->station_count; i++)
        event_cancel(segment->sim->events, segment->stations[i].served);
    for (size_t size = 0; size < ROUTE_SIZES; size++)
        pool_clear(&segment->visits[size]);
    pages_free(segment->stations, segment->station_count * sizeof(struct station));
    g_free(segment);
}

const struct transport_kind_ops segment_ops = {
    .transfer_bytes = sizeof(struct segment_transfer),
    .open = open_segment,
    .occupy = occupy_segments,
    .drop = drop_segments,
    .close = close_segment,
};
