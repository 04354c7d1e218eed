/* Transport by segments: own code, for thousands of GPUs and long runs.
 *
 * A transfer is cut into segments; each link direction serves one segment after the other, with the
 * exact remainders of a bandwidth server. Two rules make that come near max-min shares (Hahne,
 * "Round-robin scheduling for max-min fairness in data networks", IEEE JSAC 9(7), 1991):
 *   - at each link the transfers that have segments there take turns, one segment each;
 *   - a transfer has at most one segment more under way than its route has links, so that one which
 *     is slowed down further on does not fill the links before with segments that only wait.
 *
 * A segment goes on to the next link as soon as it can be sent there without a gap: at once if the
 * next link is not faster, else so late that its last byte has just come when it is due
 * (cut-through without underrun). Hence a lone transfer takes bytes / bandwidth of its slowest
 * link, as in flow.c, and only a faster link that follows a slower one before that adds the
 * difference of one segment.
 *
 * Each service of each segment is one event. A link that both directions share is one station; a
 * fat pipe is a station of its own for every transfer. */
#include <stdbool.h>

#include "core/check.h"
#include "core/list.h"
#include "core/pool.h"
#include "core/wait.h"
#include "fabric/transport_kind.h"

/* A link (in one direction) at work. */
struct station {
    struct segment *segment;
    struct bandwidth_server server;
    struct visit *serving; /* whose segment is being sent, NULL if idle */
    struct list turns;     /* visits with segments waiting: whose turn is next */
    event_handle served;
    bool own; /* of one visit, to a fat pipe */
};

/* A transfer at one link of its route. */
struct visit {
    struct segment_transfer *transfer;
    struct station *station;
    platform_hop hop;
    struct visit *onward;  /* at the next link */
    struct list_link turn; /* at the station */
    int64_t waiting;       /* segments here and not yet begun */
    int64_t begun, ended;  /* segments sent from here */
    event_handle ready;    /* the next segment's coming from a slower link */
};

struct segment_transfer {
    struct transfer base;
    struct visit *first;
    int64_t segments, injected;
    int64_t services_left; /* segments times links */
};

struct segment {
    struct transport *transport;
    struct sim *sim;
    int64_t segment_bytes;
    size_t station_count;
    struct station *stations; /* by lane */
    struct pool visits, own_stations;
};

static void station_init(struct segment *segment, struct station *station, int64_t rate_Bps)
{
    station->segment = segment;
    bandwidth_server_init(&station->server, rate_Bps);
}

static void *open_segment(struct transport *transport)
{
    struct platform *platform = transport_platform(transport);
    struct segment *segment = g_new0(struct segment, 1);
    segment->transport = transport;
    segment->sim = transport_sim(transport);
    segment->segment_bytes = transport_spec(transport)->segment_bytes;
    segment->station_count = 2 * platform_link_count(platform);
    segment->stations = g_new0(struct station, segment->station_count);
    for (size_t i = 0; i < segment->station_count; i++)
        station_init(segment, &segment->stations[i], platform_link(platform, i / 2)->bandwidth_Bps);
    pool_init(&segment->visits, sizeof(struct visit));
    pool_init(&segment->own_stations, sizeof(struct station));
    return segment;
}

/* --- stations and their turns ----------------------------------------------------------------- */

static void line_up(struct station *station, struct visit *visit)
{
    list_append(&station->turns, &visit->turn);
}

static struct visit *next_turn(struct station *station)
{
    return LIST_TAKE(&station->turns, struct visit, turn);
}

/* Size of a transfer's segment `number`, from 0: all alike but the last. */
static int64_t bytes_of(const struct segment_transfer *transfer, int64_t number, int64_t full)
{
    return number < transfer->segments - 1 ? full : transfer->base.bytes - number * full;
}

/* When the next service begins. The event at its end comes up to a picosecond after the exact end
 * of a service; the next one follows that without a gap. */
static sim_time begin_ps(const struct bandwidth_server *server, sim_time now_ps)
{
    sim_time free_ps = server->line.free_at_ps;
    return now_ps <= free_ps + (server->line.remainder > 0) ? free_ps : now_ps;
}

static void station_served(void *argument);
static void visit_ready(struct visit *visit);

static void segment_ready(void *argument)
{
    visit_ready(argument);
}

/* The segment that is being sent until `end_ps` is passed on to the next link of its route. */
static void pass_on(struct segment *segment, struct visit *onward, int64_t bytes, sim_time end_ps)
{
    sim_time ready_ps = end_ps - transfer_ps(bytes, onward->station->server.rate_Bps);
    if (ready_ps <= sim_now(segment->sim))
        visit_ready(onward);
    else
        onward->ready = event_schedule(segment->sim->events, ready_ps, segment_ready, onward);
}

static void serve_next(struct station *station)
{
    struct segment *segment = station->segment;
    struct visit *visit = next_turn(station);
    int64_t bytes = bytes_of(visit->transfer, visit->begun, segment->segment_bytes);
    sim_time from_ps = begin_ps(&station->server, sim_now(segment->sim));
    sim_time end_ps = bandwidth_server_serve(&station->server, from_ps, bytes);
    visit->waiting--;
    visit->begun++;
    station->serving = visit;
    station->served = event_schedule(segment->sim->events, end_ps, station_served, station);
    if (visit->onward)
        pass_on(segment, visit->onward, bytes, end_ps);
}

/* One more segment waits at its station. */
static void visit_ready(struct visit *visit)
{
    struct station *station = visit->station;
    if (visit->waiting++ == 0 && station->serving != visit)
        line_up(station, visit);
    if (!station->serving)
        serve_next(station);
}

/* --- a transfer's life ------------------------------------------------------------------------ */

static struct station *own_station(struct segment *segment, platform_hop hop)
{
    struct platform *platform = transport_platform(segment->transport);
    struct station *station = pool_take(&segment->own_stations);
    station_init(segment, station, platform_link(platform, (size_t)hop / 2)->bandwidth_Bps);
    station->own = true;
    return station;
}

/* At the link in `place` of its route. */
static struct visit *new_visit(struct segment *segment, struct segment_transfer *transfer,
                               size_t place)
{
    const struct platform_route *route = transfer->base.route;
    platform_hop lane = route->lanes[place];
    struct visit *visit = pool_take(&segment->visits);
    visit->transfer = transfer;
    visit->hop = route->hops[place];
    visit->station =
        lane == PLATFORM_NO_LANE ? own_station(segment, visit->hop) : &segment->stations[lane];
    return visit;
}

static void occupy_segments(void *kind, struct transfer *base)
{
    struct segment *segment = kind;
    struct segment_transfer *transfer = (struct segment_transfer *)base;
    const struct platform_route *route = base->route;
    struct visit **end = &transfer->first;
    for (size_t i = 0; i < route->count; i++) {
        *end = new_visit(segment, transfer, i);
        end = &(*end)->onward;
    }
    transfer->segments = (base->bytes - 1) / segment->segment_bytes + 1;
    transfer->services_left = transfer->segments * (int64_t)route->count;
    int64_t window = MIN(transfer->segments, (int64_t)route->count + 1);
    while (transfer->injected < window) {
        transfer->injected++;
        visit_ready(transfer->first);
    }
}

static void give_visits(struct segment *segment, struct segment_transfer *transfer)
{
    while (transfer->first) {
        struct visit *visit = transfer->first;
        transfer->first = visit->onward;
        if (visit->station->own)
            pool_give(&segment->own_stations, visit->station);
        pool_give(&segment->visits, visit);
    }
}

/* The end of a service at a link: it may have been the transfer's last, and when the segment has
 * left the last link the next one may enter the first. */
static void segment_sent(struct segment *segment, struct visit *visit)
{
    struct segment_transfer *transfer = visit->transfer;
    bool last_link = !visit->onward;
    transport_count(segment->transport, visit->hop,
                    bytes_of(transfer, visit->ended++, segment->segment_bytes));
    if (visit->waiting > 0)
        line_up(visit->station, visit);
    if (--transfer->services_left == 0) {
        give_visits(segment, transfer);
        transport_leave_links(&transfer->base);
    } else if (last_link && transfer->injected < transfer->segments) {
        transfer->injected++;
        visit_ready(transfer->first);
    }
}

static void station_served(void *argument)
{
    struct station *station = argument;
    struct visit *visit = station->serving;
    bool own = station->own, more = visit->ended + 1 < visit->transfer->segments;
    station->serving = NULL;
    segment_sent(station->segment, visit);
    if (own && !more)
        return; /* the station may have gone with its transfer */
    if (!station->serving && !list_is_empty(&station->turns))
        serve_next(station);
}

/* --- ending early ----------------------------------------------------------------------------- */

static void drop_segments(void *kind, struct transfer *base)
{
    struct segment *segment = kind;
    struct segment_transfer *transfer = (struct segment_transfer *)base;
    for (struct visit *visit = transfer->first; visit; visit = visit->onward) {
        event_cancel(segment->sim->events, visit->ready);
        if (visit->station->own)
            event_cancel(segment->sim->events, visit->station->served);
    }
}

static void close_segment(void *kind)
{
    struct segment *segment = kind;
    for (size_t i = 0; i < segment->station_count; i++)
        event_cancel(segment->sim->events, segment->stations[i].served);
    pool_clear(&segment->visits);
    pool_clear(&segment->own_stations);
    g_free(segment->stations);
    g_free(segment);
}

const struct transport_kind_ops segment_ops = {
    .transfer_bytes = sizeof(struct segment_transfer),
    .open = open_segment,
    .occupy = occupy_segments,
    .drop = drop_segments,
    .close = close_segment,
};
