/* SPDX-License-Identifier: BSD-3-Clause */
/* Transport by segments: own code, for thousands of GPUs and long runs.
 *
 * A transfer is cut into segments, and each link direction serves one after the other, with the exact
 * remainders of struct bandwidth_line. Segments grow with the transfer: none is cut into more than
 * `segments`. Three rules make that come near max-min shares (Hahne, "Round-robin scheduling for
 * max-min fairness in data networks", IEEE JSAC 9(7), 1991):
 *   - at each link the transfers that have bytes there take turns;
 *   - a turn is as long as the smallest of their segments, so that a small transfer among large ones
 *     does not wait for their segments: when it comes, the turn that is under way is cut at the next
 *     multiple of its own segment. Transfers of a single segment of the smallest size have a line of
 *     their own, and the two lines take turns: such a transfer waits for two segments, if others like it
 *     are not before it;
 *   - a transfer has at most two segments under way, so that one which is slowed down further on does
 *     not fill the links before with segments that only wait.
 *
 * A turn goes on to the next link as soon as it can be sent there without a gap: at once if the
 * next link is not faster, else so late that its last byte has just come when it is due
 * (cut-through without underrun; what a turn that is cut had passed on is not called back). Hence a
 * lone transfer takes bytes / bandwidth of its slowest link, as in flow.c, and only a faster link that
 * follows a slower one before a slower one adds the difference of one segment. Who is alone at a link
 * sends all that he has there in one turn, unless that makes this difference larger.
 *
 * The end of a turn is an event, and links that have nothing else to do and end together with the one
 * before them have it in common: they go along. So a turn takes one event where it waits for others,
 * and none at most other links. A link that both directions share is one station; a fat pipe is a
 * station of its own for every transfer. */
#include <assert.h>
#include <stdbool.h>

#include "core/check.h"
#include "core/list.h"
#include "core/pages.h"
#include "core/pool.h"
#include "core/wait.h"
#include "fabric/transport_kind.h"

/* So many links at most go along with one another. */
enum { ALONG_MOST = 16 };

enum { CACHE_LINE = 64, ROUTE_SIZES = 16 };

/* A link (in one direction) at work: two lines of the cache, since runs of many nodes wait for little else. */
struct station {
    /* The turn under way. */
    struct visit *serving; /* whose it is, NULL if idle */
    int64_t turn_bytes;
    sim_time begins_ps; /* after now, if the link waits for a slower one before it */
    sim_time ends_ps;
    int64_t remainder_before; /* the line's, as the turn began */
    event_handle served;
    struct bandwidth_line line; /* the link's: when it is free */

    struct list lines[2]; /* visits with bytes waiting, whose turn is next: short ones and others */
    int64_t smallest_bytes; /* segment of those in line and of who is served, but for short ones */
    int32_t smallest_count; /* how many of them have it */
    bool was_short;         /* the last turn was a short one's */
    bool own;               /* of one visit, to a fat pipe */
    bool goes_along, leads; /* with the link before it; the one ahead with it */
    struct segment *segment;
    int64_t rate_Bps;
};
static_assert(sizeof(struct station) == 2 * CACHE_LINE, "a station fills its lines");

/* A transfer at one link of its route; at the next link it is the next in memory. A line of the cache, with all that a turn
 * asks for: the transfer's own lines are seldom there. */
struct visit {
    struct station *station;
    int64_t waiting_bytes; /* here and in no turn yet */
    int64_t left_bytes;    /* that have not been sent from here */
    int64_t segment_bytes; /* the transfer's, as is_short and is_smooth */
    struct segment_transfer *transfer;
    struct list_link turn; /* in the station's line */
    platform_hop hop;
    bool is_last, is_short, is_smooth;
    bool is_ahead; /* visit_rest.ahead_bytes > 0 */
};
static_assert(sizeof(struct visit) == CACHE_LINE, "a visit fills its line");

/* What of a visit few turns ask for. */
struct visit_rest {
    int64_t ahead_bytes; /* not sent from here, but passed on: a turn was cut */
    int64_t ready_bytes; /* that are to come from a slower link */
    event_handle ready;
    int64_t unused; /* objects of a pool end with a line */
};
static_assert(4 * sizeof(struct visit_rest) % CACHE_LINE == 0, "four fill their lines");

struct segment_transfer {
    struct transfer base;
    struct visit *visits;     /* one a link */
    struct visit_rest *rests; /* the same */
    int64_t segment_bytes;    /* of each but the last */
    int64_t window_bytes;     /* that may be under way */
    int64_t injected_bytes;
    int32_t links_left; /* that have not sent all of it */
};

struct segment {
    struct transport *transport;
    struct sim *sim;
    int64_t shortest_bytes; /* the smallest segment */
    size_t station_count;
    struct station *stations;        /* by lane */
    struct pool visits[ROUTE_SIZES]; /* of routes of up to so many times 4 links */
    struct pool own_stations;
};

/* At the next link, NULL if there is none. */
static struct visit *onward_of(struct visit *visit)
{
    return visit->is_last ? NULL : visit + 1;
}

static struct visit_rest *rest_of(const struct visit *visit)
{
    return &visit->transfer->rests[visit - visit->transfer->visits];
}

/* Those that go along with the station's turn: before it and behind it, NULL if there is none. */
static struct station *back_of(const struct station *station)
{
    return station->goes_along ? (station->serving - 1)->station : NULL;
}

static struct station *along_of(const struct station *station)
{
    return station->leads ? (station->serving + 1)->station : NULL;
}

/* What station_served will ask for, in two steps: whose turn it is and who comes next; then the link that goes along. */
static void fetch_station(const void *argument, int step)
{
    const struct station *station = argument;
    if (station->serving == NULL)
        return;
    if (step == 0) {
        __builtin_prefetch(station->serving);
        __builtin_prefetch(station->serving + 1);
        __builtin_prefetch(station->lines[0].first);
        __builtin_prefetch(station->lines[1].first);
        return;
    }
    const struct station *along = along_of(station);
    __builtin_prefetch(along);
    __builtin_prefetch((const char *)along + CACHE_LINE);
    __builtin_prefetch(station->serving->transfer);
}

static void station_served(void *argument);

static void station_init(struct segment *segment, struct station *station, int64_t rate_Bps)
{
    station->segment = segment;
    station->rate_Bps = rate_Bps;
}

static void *open_segment(struct transport *transport)
{
    struct platform *platform = transport_platform(transport);
    struct segment *segment = g_new0(struct segment, 1);
    segment->transport = transport;
    segment->sim = transport_sim(transport);
    event_queue_fetch_by(segment->sim->events, station_served, fetch_station);
    segment->shortest_bytes = transport_spec(transport)->segment_bytes;
    segment->station_count = 2 * platform_link_count(platform);
    segment->stations = pages_new(segment->station_count * sizeof(struct station));
    for (size_t i = 0; i < segment->station_count; i++)
        station_init(segment, &segment->stations[i], platform_link(platform, i / 2)->bandwidth_Bps);
    for (size_t size = 0; size < ROUTE_SIZES; size++)
        pool_init(&segment->visits[size], ((sizeof(struct visit) + sizeof(struct visit_rest)) * 4)
                                              << size);
    pool_init(&segment->own_stations, sizeof(struct station));
    return segment;
}

/* --- who is at a station ---------------------------------------------------------------------- */

enum { SHORT_LINE, LONG_LINE };

static bool waits_in(const struct station *station, int line)
{
    return !list_is_empty(&station->lines[line]);
}

static bool somebody_waits(const struct station *station)
{
    return waits_in(station, SHORT_LINE) || waits_in(station, LONG_LINE);
}

static void line_up(struct station *station, struct visit *visit)
{
    list_append(&station->lines[visit->is_short ? SHORT_LINE : LONG_LINE], &visit->turn);
}

/* A short one if the last was not, or nobody else waits. */
static struct visit *next_turn(struct station *station)
{
    bool is_short =
        waits_in(station, SHORT_LINE) && (!station->was_short || !waits_in(station, LONG_LINE));
    station->was_short = is_short;
    return LIST_TAKE(&station->lines[is_short ? SHORT_LINE : LONG_LINE], struct visit, turn);
}

static void count_in(struct station *station, const struct visit *visit)
{
    int64_t bytes = visit->segment_bytes;
    if (visit->is_short)
        return;
    if (station->smallest_count == 0 || bytes < station->smallest_bytes) {
        station->smallest_bytes = bytes;
        station->smallest_count = 0;
    }
    station->smallest_count += bytes == station->smallest_bytes;
}

/* Nobody is served meanwhile. With the last one of the smallest segment the others are looked
 * through, which happens once for each size that is there. */
static void count_out(struct station *station, const struct visit *visit)
{
    if (visit->is_short || visit->segment_bytes > station->smallest_bytes ||
        --station->smallest_count > 0)
        return;
    LIST_EACH (struct visit, left, &station->lines[LONG_LINE], turn)
        count_in(station, left);
}

/* How long a turn is when others wait. */
static int64_t longest_turn(const struct station *station)
{
    return waits_in(station, SHORT_LINE) ? station->segment->shortest_bytes
                                         : station->smallest_bytes;
}

/* --- turns ------------------------------------------------------------------------------------ */

/* When the next turn begins. The event at its end comes up to a picosecond after the exact end
 * of a turn; the next one follows that without a gap. */
static sim_time begin_ps(const struct bandwidth_line *line, sim_time now_ps)
{
    return now_ps <= line->free_at_ps + (line->remainder > 0) ? line->free_at_ps : now_ps;
}

static void visit_ready(struct visit *visit, int64_t bytes);

static void bytes_ready(void *argument)
{
    struct visit *visit = argument;
    struct visit_rest *rest = rest_of(visit);
    int64_t bytes = rest->ready_bytes;
    rest->ready_bytes = 0;
    visit_ready(visit, bytes);
}

/* A turn's bytes come to the next link, from `from_ps` on and all of them until `end_ps`. */
static void pass_on(struct segment *segment, struct visit *onward, int64_t bytes, sim_time from_ps,
                    sim_time end_ps)
{
    sim_time now_ps = sim_now(segment->sim);
    sim_time ready_ps = end_ps - transfer_ps(bytes, onward->station->rate_Bps);
    ready_ps = MAX(ready_ps, from_ps);
    if (ready_ps <= now_ps) {
        visit_ready(onward, bytes);
        return;
    }
    struct visit_rest *rest = rest_of(onward);
    rest->ready_bytes = bytes;
    rest->ready = event_schedule(segment->sim->events, ready_ps, bytes_ready, onward);
}

/* The turn of a visit, which begins at `begins_ps`. */
static void take_turn(struct station *station, struct visit *visit, int64_t bytes,
                      sim_time begins_ps)
{
    station->serving = visit;
    station->turn_bytes = bytes;
    station->begins_ps = begins_ps;
    station->remainder_before = begins_ps > station->line.free_at_ps ? 0 : station->line.remainder;
    station->goes_along = station->leads = false;
}

/* Whether the link ahead is idle and ends a turn when this one does. */
static bool can_go_along(const struct station *station, const struct station *ahead)
{
    return !ahead->serving && !somebody_waits(ahead) && !ahead->own && !station->own &&
           ahead->rate_Bps >= station->rate_Bps;
}

/* Whether it is free by the beginning of its turn, exactly. */
static bool is_free_by(const struct bandwidth_line *line, sim_time at_ps, int64_t remainder)
{
    return line->free_at_ps < at_ps || (line->free_at_ps == at_ps && line->remainder <= remainder);
}

/* The next link goes along, if it can. */
static bool go_along(struct station *station, struct visit *onward)
{
    struct station *ahead = onward->station;
    if (!can_go_along(station, ahead))
        return false;
    bool is_alike = ahead->rate_Bps == station->rate_Bps;
    sim_time begins_ps = station->begins_ps;
    if (!is_alike)
        begins_ps =
            MAX(begins_ps, station->ends_ps - transfer_ps(station->turn_bytes, ahead->rate_Bps));
    if (!is_free_by(&ahead->line, begins_ps, is_alike ? station->remainder_before : 0))
        return false;
    count_in(ahead, onward);
    take_turn(ahead, onward, station->turn_bytes, begins_ps);
    ahead->ends_ps = station->ends_ps;
    ahead->line = is_alike ? station->line : (struct bandwidth_line){station->ends_ps, 0};
    ahead->goes_along = station->leads = true;
    return true;
}

/* Passes a turn on to the links ahead: `bytes` of it are new to them. */
static void lead_on(struct station *station, int64_t bytes)
{
    struct visit *onward = onward_of(station->serving);
    for (int links = 1; links < ALONG_MOST && onward && bytes == station->turn_bytes; links++) {
        if (!go_along(station, onward))
            break;
        station = onward->station;
        onward = onward_of(onward);
    }
    if (onward && bytes > 0)
        pass_on(station->segment, onward, bytes, station->begins_ps, station->ends_ps);
}

/* What the first in line may send now. */
static int64_t turn_of(const struct station *station, const struct visit *visit)
{
    if (visit->is_short)
        return visit->waiting_bytes;
    if (somebody_waits(station))
        return MIN(visit->waiting_bytes, longest_turn(station));
    return visit->is_smooth ? visit->waiting_bytes
                            : MIN(visit->waiting_bytes, visit->segment_bytes);
}

static void pass_ahead(struct visit *visit, int64_t bytes)
{
    rest_of(visit)->ahead_bytes += bytes;
    visit->is_ahead = rest_of(visit)->ahead_bytes > 0;
}

/* Of a turn's bytes those that had been passed on before. */
static int64_t take_ahead(struct visit *visit, int64_t bytes)
{
    if (!visit->is_ahead)
        return 0;
    int64_t known_bytes = MIN(bytes, rest_of(visit)->ahead_bytes);
    pass_ahead(visit, -known_bytes);
    return known_bytes;
}

static void serve_next(struct station *station)
{
    struct segment *segment = station->segment;
    struct visit *visit = next_turn(station);
    int64_t bytes = turn_of(station, visit);
    take_turn(station, visit, bytes, begin_ps(&station->line, sim_now(segment->sim)));
    station->ends_ps =
        bandwidth_line_serve(&station->line, station->rate_Bps, station->begins_ps, bytes);
    station->served =
        event_schedule(segment->sim->events, station->ends_ps, station_served, station);
    visit->waiting_bytes -= bytes;
    lead_on(station, bytes - take_ahead(visit, bytes));
}

/* --- when another one comes ------------------------------------------------------------------- */

/* A link that waits for a slower one before it is free until then, and those ahead that go along with
 * it are, too. Its turn becomes bytes that are to come. */
static void retreat(struct station *station)
{
    struct event_queue *events = station->segment->sim->events;
    struct visit *visit = station->serving, *last = NULL;
    sim_time now_ps = sim_now(station->segment->sim);
    back_of(station)->leads = false;
    rest_of(visit)->ready_bytes = station->turn_bytes;
    rest_of(visit)->ready = event_schedule(events, station->begins_ps, bytes_ready, visit);
    for (struct station *next; station; station = next) {
        next = along_of(station);
        last = station->serving;
        station->line = (struct bandwidth_line){MIN(station->begins_ps, now_ps), 0};
        station->serving = NULL;
        station->goes_along = station->leads = false;
        count_out(station, last);
    }
    if (!last->is_last)
        event_cancel(events, rest_of(onward_of(last))->ready);
}

/* From now on the station's turn ends by an event of its own, and so does that of those ahead. */
static void part(struct station *station)
{
    struct event_queue *events = station->segment->sim->events;
    struct station *ahead = along_of(station);
    if (ahead) {
        ahead->goes_along = station->leads = false;
        ahead->served = event_schedule(events, ahead->ends_ps, station_served, ahead);
    }
    if (station->goes_along) {
        back_of(station)->leads = false;
        station->goes_along = false;
        station->served = event_schedule(events, station->ends_ps, station_served, station);
    }
}

/* The link ahead gets `bytes` less of the turn, whose end has moved, if it has not begun with it. */
static void call_back(struct station *station, int64_t bytes)
{
    struct visit *visit = station->serving, *onward = onward_of(visit);
    struct event_queue *events = station->segment->sim->events;
    if (!onward)
        return;
    struct visit_rest *rest = rest_of(onward);
    int64_t back_bytes = 0;
    if (event_time(events, rest->ready) != SIM_TIME_MAX) {
        back_bytes = MIN(bytes, rest->ready_bytes - 1);
        rest->ready_bytes -= back_bytes;
        sim_time ready_ps =
            station->ends_ps - transfer_ps(rest->ready_bytes, onward->station->rate_Bps);
        event_reschedule(events, rest->ready, MAX(ready_ps, sim_now(station->segment->sim)));
    }
    pass_ahead(visit, bytes - back_bytes);
}

/* The turn ends at the next multiple of what turns are from now on. */
static void cut(struct station *station)
{
    sim_time now_ps = sim_now(station->segment->sim);
    sim_uint128 work = product_128(now_ps - station->begins_ps, station->rate_Bps);
    int64_t least = longest_turn(station);
    int64_t gone_bytes = (int64_t)(work / (sim_uint128)PS_PER_S) / least * least;
    int64_t left_bytes = station->turn_bytes - gone_bytes - least;
    if (left_bytes <= 0)
        return;
    struct station *ahead = along_of(station);
    if (ahead && ahead->begins_ps > now_ps)
        retreat(ahead);
    part(station);
    station->turn_bytes -= left_bytes;
    station->line = (struct bandwidth_line){station->begins_ps, station->remainder_before};
    station->ends_ps = bandwidth_line_serve(&station->line, station->rate_Bps, station->begins_ps,
                                            station->turn_bytes);
    event_reschedule(station->segment->sim->events, station->served, MAX(station->ends_ps, now_ps));
    station->serving->waiting_bytes += left_bytes;
    call_back(station, left_bytes);
}

/* Bytes wait at their station, whose turn under way is not theirs. */
static void come(struct station *station, struct visit *visit)
{
    line_up(station, visit);
    count_in(station, visit);
    if (station->serving && station->begins_ps > sim_now(station->segment->sim))
        retreat(station);
    if (!station->serving)
        serve_next(station);
    else if (station->turn_bytes > longest_turn(station))
        cut(station);
}

/* `bytes` more of a transfer wait at its station. */
static void visit_ready(struct visit *visit, int64_t bytes)
{
    bool is_new = visit->waiting_bytes == 0 && visit->station->serving != visit;
    visit->waiting_bytes += bytes;
    if (is_new)
        come(visit->station, visit);
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

/* The pool for routes of so many links. */
static size_t size_for(size_t links)
{
    size_t size = 0;
    while ((size_t)4 << size < links)
        size++;
    check_always(size < ROUTE_SIZES, "a route of %zu links", links);
    return size;
}

/* At the link in `place` of its route. */
static void init_visit(struct segment *segment, struct segment_transfer *transfer, size_t place)
{
    const struct platform_route *route = transfer->base.route;
    platform_hop lane = route->lanes[place], hop = route->hops[place];
    struct station *station =
        lane == PLATFORM_NO_LANE ? own_station(segment, hop) : &segment->stations[lane];
    __builtin_prefetch(station);
    transfer->visits[place] =
        (struct visit){.transfer = transfer,
                       .hop = hop,
                       .station = station,
                       .left_bytes = transfer->base.bytes,
                       .segment_bytes = transfer->segment_bytes,
                       .is_short = transfer->base.bytes <= segment->shortest_bytes,
                       .is_last = place + 1 == route->count};
    transfer->rests[place] = (struct visit_rest){.ahead_bytes = 0};
}

/* Whether rates fall and then rise along its route. */
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

/* A visit to each link. */
static void plan(struct segment *segment, struct segment_transfer *transfer)
{
    size_t links = transfer->base.route->count, size = size_for(links);
    transfer->visits = pool_take_unset(&segment->visits[size]);
    transfer->rests = (struct visit_rest *)(void *)(transfer->visits + ((size_t)4 << size));
    for (size_t i = 0; i < links; i++)
        init_visit(segment, transfer, i);
    bool smooth = is_smooth(transfer);
    for (size_t i = 0; i < links; i++)
        transfer->visits[i].is_smooth = smooth;
}

/* Lets whole segments enter, as many as the window has room for beside those that have not left the last
 * link. */
static void inject(struct segment_transfer *transfer, int64_t left_bytes)
{
    int64_t total = transfer->base.bytes;
    int64_t room = left_bytes + transfer->window_bytes - transfer->injected_bytes;
    int64_t bytes = room / transfer->segment_bytes * transfer->segment_bytes;
    bytes = MIN(bytes, total - transfer->injected_bytes);
    if (bytes <= 0)
        return;
    transfer->injected_bytes += bytes;
    visit_ready(transfer->visits, bytes);
}

static void occupy_segments(void *kind, struct transfer *base)
{
    struct segment *segment = kind;
    struct segment_transfer *transfer = (struct segment_transfer *)base;
    const struct transport_spec *spec = transport_spec(segment->transport);
    int64_t grown_bytes = (base->bytes - 1) / spec->segments + 1;
    transfer->segment_bytes = MAX(segment->shortest_bytes, grown_bytes);
    plan(segment, transfer);
    transfer->window_bytes = 2 * transfer->segment_bytes;
    transfer->links_left = (int32_t)base->route->count;
    inject(transfer, 0);
}

static void give_visits(struct segment *segment, struct segment_transfer *transfer)
{
    for (struct visit *visit = transfer->visits; visit; visit = onward_of(visit))
        if (visit->station->own)
            pool_give(&segment->own_stations, visit->station);
    pool_give(&segment->visits[size_for(transfer->base.route->count)], transfer->visits);
}

/* A turn has ended. Returns its visit if it was at its transfer's last link and not its last. */
static struct visit *end_turn(struct station *station)
{
    struct segment *segment = station->segment;
    struct visit *visit = station->serving;
    station->serving = NULL;
    station->goes_along = station->leads = false;
    visit->left_bytes -= station->turn_bytes;
    if (visit->waiting_bytes > 0)
        line_up(station, visit);
    else
        count_out(station, visit);
    if (visit->left_bytes > 0)
        return visit->is_last ? visit : NULL;
    struct segment_transfer *transfer = visit->transfer;
    transport_count(segment->transport, visit->hop, transfer->base.bytes);
    if (--transfer->links_left == 0) {
        give_visits(segment, transfer);
        transport_leave_links(&transfer->base);
        return NULL;
    }
    return visit->is_last ? visit : NULL;
}

/* All that went along are free before one of them begins with the next turn. */
static void station_served(void *argument)
{
    struct station *stations[ALONG_MOST];
    struct visit *at_end = NULL;
    int count = 0;
    for (struct station *station = argument, *along; station; station = along) {
        const struct visit *visit = station->serving;
        along = along_of(station);
        bool is_last = visit->left_bytes == station->turn_bytes;
        if (!station->own || !is_last) /* else it may go with its transfer */
            stations[count++] = station;
        at_end = end_turn(station);
    }
    for (int i = 0; i < count; i++)
        if (!stations[i]->serving && somebody_waits(stations[i]))
            serve_next(stations[i]);
    if (at_end)
        inject(at_end->transfer, at_end->transfer->base.bytes - at_end->left_bytes);
}

/* --- ending early ----------------------------------------------------------------------------- */

static void drop_segments(void *kind, struct transfer *base)
{
    struct segment *segment = kind;
    struct segment_transfer *transfer = (struct segment_transfer *)base;
    for (struct visit *visit = transfer->visits; visit; visit = onward_of(visit)) {
        event_cancel(segment->sim->events, rest_of(visit)->ready);
        if (visit->station->own)
            event_cancel(segment->sim->events, visit->station->served);
    }
}

static void close_segment(void *kind)
{
    struct segment *segment = kind;
    for (size_t i = 0; i < segment->station_count; i++)
        event_cancel(segment->sim->events, segment->stations[i].served);
    for (size_t size = 0; size < ROUTE_SIZES; size++)
        pool_clear(&segment->visits[size]);
    pool_clear(&segment->own_stations);
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
