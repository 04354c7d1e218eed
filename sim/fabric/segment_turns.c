/* SPDX-License-Identifier: BSD-3-Clause */
/* Which transfer has its turn at a link, how long the turn is, and which links go along (segment.c states the rules). */
#include "fabric/segment_parts.h"

/* --- who is at a station ---------------------------------------------------------------------- */

enum { SHORT_LINE, LONG_LINE };

static bool waits_in(const struct station *station, int line)
{
    return !list_is_empty(&station->lines[line]);
}

bool segment_somebody_waits(const struct station *station)
{
    return waits_in(station, SHORT_LINE) || waits_in(station, LONG_LINE);
}

void segment_line_up(struct station *station, struct visit *visit)
{
    list_append(&station->lines[visit->is_short ? SHORT_LINE : LONG_LINE], &visit->turn);
}

/* Takes the next visit: a short one if the last was not short, or if no long one waits. */
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

/* Counts a visit out, while none is served. With the last visit of the smallest segment the others are searched for the next
 * size, which happens once for each size. */
void segment_count_out(struct station *station, const struct visit *visit)
{
    if (visit->is_short || visit->segment_bytes > station->smallest_bytes ||
        --station->smallest_count > 0)
        return;
    LIST_EACH (struct visit, left, &station->lines[LONG_LINE], turn)
        count_in(station, left);
}

/* How many bytes a turn may have if others wait. */
static int64_t longest_turn(const struct station *station)
{
    return waits_in(station, SHORT_LINE) ? station->segment->shortest_bytes
                                         : station->smallest_bytes;
}

/* --- turns ------------------------------------------------------------------------------------ */

/* When the next turn begins. The event at the end of a turn comes up to a picosecond after its exact end, which the next turn
 * follows without a gap. */
static sim_time begin_ps(const struct bandwidth_line *line, sim_time now_ps)
{
    return now_ps <= line->free_at_ps + (line->remainder > 0) ? line->free_at_ps : now_ps;
}

void segment_bytes_ready(void *argument)
{
    struct visit *visit = argument;
    struct visit_rest *rest = rest_of(visit);
    int64_t bytes = rest->ready_bytes;
    rest->ready_bytes = 0;
    segment_visit_ready(visit, bytes);
}

/* Passes a turn's bytes on to the next link, where they arrive from `from_ps` on until `end_ps`. */
static void pass_on(struct segment *segment, struct visit *onward, int64_t bytes, sim_time from_ps,
                    sim_time end_ps)
{
    sim_time now_ps = sim_now(segment->sim);
    sim_time ready_ps = end_ps - transfer_ps(bytes, onward->station->rate_Bps);
    ready_ps = MAX(ready_ps, from_ps);
    if (ready_ps <= now_ps) {
        segment_visit_ready(onward, bytes);
        return;
    }
    struct visit_rest *rest = rest_of(onward);
    rest->ready_bytes = bytes;
    rest->ready = event_schedule(segment->sim->events, ready_ps, segment_bytes_ready, onward);
}

/* Begins the turn of a visit at `begins_ps`. */
static void take_turn(struct station *station, struct visit *visit, int64_t bytes,
                      sim_time begins_ps)
{
    station->serving = visit;
    station->turn_bytes = bytes;
    station->begins_ps = begins_ps;
    station->remainder_before = begins_ps > station->line.free_at_ps ? 0 : station->line.remainder;
    station->goes_along = station->leads = false;
}

/* Whether the link ahead is idle, and fast enough to end a turn when this one does. */
static bool can_go_along(const struct station *station, const struct station *ahead)
{
    return !ahead->serving && !segment_somebody_waits(ahead) &&
           ahead->rate_Bps >= station->rate_Bps;
}

/* Whether a link is free exactly by the beginning of its turn. */
static bool is_free_by(const struct bandwidth_line *line, sim_time at_ps, int64_t remainder)
{
    return line->free_at_ps < at_ps || (line->free_at_ps == at_ps && line->remainder <= remainder);
}

/* Lets the next link go along, if it can. */
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

/* How many bytes the first visit in line may send now. */
static int64_t turn_of(const struct station *station, const struct visit *visit)
{
    if (visit->is_short)
        return visit->waiting_bytes;
    if (segment_somebody_waits(station))
        return MIN(visit->waiting_bytes, longest_turn(station));
    return visit->is_smooth ? visit->waiting_bytes
                            : MIN(visit->waiting_bytes, visit->segment_bytes);
}

static void pass_ahead(struct visit *visit, int64_t bytes)
{
    rest_of(visit)->ahead_bytes += bytes;
    visit->is_ahead = rest_of(visit)->ahead_bytes > 0;
}

/* How many of a turn's bytes had been passed on before. */
static int64_t take_ahead(struct visit *visit, int64_t bytes)
{
    if (!visit->is_ahead)
        return 0;
    int64_t known_bytes = MIN(bytes, rest_of(visit)->ahead_bytes);
    pass_ahead(visit, -known_bytes);
    return known_bytes;
}

void segment_serve_next(struct station *station)
{
    struct segment *segment = station->segment;
    struct visit *visit = next_turn(station);
    int64_t bytes = turn_of(station, visit);
    take_turn(station, visit, bytes, begin_ps(&station->line, sim_now(segment->sim)));
    station->ends_ps =
        bandwidth_line_serve(&station->line, station->rate_Bps, station->begins_ps, bytes);
    station->served =
        event_schedule(segment->sim->events, station->ends_ps, segment_station_served, station);
    visit->waiting_bytes -= bytes;
    lead_on(station, bytes - take_ahead(visit, bytes));
}

/* --- when another one comes ------------------------------------------------------------------- */

/* Takes back a turn that has not begun, since its link waits for a slower one before it: the link and those ahead that go along
 * with it are free until then. The turn's bytes become bytes that will arrive. */
static void retreat(struct station *station)
{
    struct event_queue *events = station->segment->sim->events;
    struct visit *visit = station->serving, *last = NULL;
    sim_time now_ps = sim_now(station->segment->sim);
    back_of(station)->leads = false;
    rest_of(visit)->ready_bytes = station->turn_bytes;
    rest_of(visit)->ready = event_schedule(events, station->begins_ps, segment_bytes_ready, visit);
    for (struct station *next; station; station = next) {
        next = along_of(station);
        last = station->serving;
        station->line = (struct bandwidth_line){MIN(station->begins_ps, now_ps), 0};
        station->serving = NULL;
        station->goes_along = station->leads = false;
        segment_count_out(station, last);
    }
    if (!last->is_last)
        event_cancel(events, rest_of(onward_of(last))->ready);
}

/* From now on the turn of the station, and that of the links ahead, end by events of their own. */
static void part(struct station *station)
{
    struct event_queue *events = station->segment->sim->events;
    struct station *ahead = along_of(station);
    if (ahead) {
        ahead->goes_along = station->leads = false;
        ahead->served = event_schedule(events, ahead->ends_ps, segment_station_served, ahead);
    }
    if (station->goes_along) {
        back_of(station)->leads = false;
        station->goes_along = false;
        station->served = event_schedule(events, station->ends_ps, segment_station_served, station);
    }
}

/* Takes `bytes` of the turn, whose end has moved, back from the link ahead, if that has not begun with it. */
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

/* Cuts the turn at the next multiple of the length that turns have from now on. */
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

/* Lets a visit whose bytes have arrived wait at its station, which is not serving it. */
static void come(struct station *station, struct visit *visit)
{
    segment_line_up(station, visit);
    count_in(station, visit);
    if (station->serving && station->begins_ps > sim_now(station->segment->sim))
        retreat(station);
    if (!station->serving)
        segment_serve_next(station);
    else if (station->turn_bytes > longest_turn(station))
        cut(station);
}

/* Adds `bytes` of a transfer that have arrived at a station. */
void segment_visit_ready(struct visit *visit, int64_t bytes)
{
    bool is_new = visit->waiting_bytes == 0 && visit->station->serving != visit;
    visit->waiting_bytes += bytes;
    if (is_new)
        come(visit->station, visit);
}
