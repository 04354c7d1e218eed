/* SPDX-License-Identifier: BSD-3-Clause */
#include "models/host/inbound.h"

#include "models/host/host_parts.h"

#define MESH_HOPS 10 /* the most hops on a mesh of 8 x 4 */

/* A request that waits. */
struct inbound_request {
    struct bus_request *request;
    struct list_link link;
    struct inbound_line *
        line; /* the line that a write needs; NULL: the request only keeps its place in the order */
};

/* A line that a device has written to. */
struct inbound_line {
    struct inbound *inbound;
    address at;
    sim_time ready_ps; /* the port has it from then on */
    sim_time
        lost_ps; /* the port has it until then, when a core takes it; INT64_MAX: no core has asked */
    size_t waiting; /* writes to it that wait */
    bool is_begun;  /* a write has been performed since the port has the line */
    bool
        is_retaken; /* the port will ask for it again as soon as the core has it; the event is scheduled */
    bool is_written; /* a device has written to it since a core last did */
};

void inbound_init(struct inbound *inbound)
{
    pool_init(&inbound->requests, sizeof(struct inbound_request));
    pool_init(&inbound->line_pool, sizeof(struct inbound_line));
}

void inbound_clear(struct inbound *inbound)
{
    map_clear(&inbound->lines);
    map_clear(&inbound->atomics);
    pool_clear(&inbound->requests);
    pool_clear(&inbound->line_pool);
}

static struct inbound_line *find_line(const struct inbound *inbound, address at)
{
    const union map_value *line = map_find(&inbound->lines, at / CACHE_LINE_BYTES);
    return line == NULL ? NULL : line->pointer;
}

/* Finds the line's record, or makes it; NULL if lines have no owners (host.bounced_line is 0). */
static struct inbound_line *keep_line(struct inbound *inbound, address at)
{
    if (HOST_READ(inbound, bounced_line_ps) == 0)
        return NULL;
    union map_value *value = map_at(&inbound->lines, at / CACHE_LINE_BYTES);
    if (value->pointer == NULL) {
        struct inbound_line *line = value->pointer = pool_take(&inbound->line_pool);
        *line = (struct inbound_line){.inbound = inbound, .at = at};
    }
    return value->pointer;
}

static sim_time half_ps(const struct inbound *inbound)
{
    return HOST_READ(inbound, handed_line_ps) / 2;
}

/* The time of a line from a core to the port. A hash of the address chooses the part of the last-level cache that is the line's
 * home. */
static sim_time way_ps(const struct inbound *inbound, address at)
{
    uint64_t hash = at / CACHE_LINE_BYTES * UINT64_C(0x9E3779B97F4A7C15) >> 40;
    return HOST_READ(inbound, bounced_line_ps) +
           (sim_time)(hash % (MESH_HOPS + 1)) * HOST_READ(inbound, mesh_hop_ps);
}

/* Lets the port ask for the line, unless it has it or has asked already. */
static void take_line(struct inbound_line *line)
{
    struct inbound *inbound = line->inbound;
    sim_time now_ps = sim_now(inbound->sim);
    if (line->lost_ps > now_ps)
        return;
    bool is_with_core = directory_others_hold(inbound->directory, DIRECTORY_DEVICE, line->at);
    sim_time core_ps = MAX(now_ps, line->lost_ps + half_ps(inbound));
    line->ready_ps = is_with_core ? core_ps + way_ps(inbound, line->at) : now_ps;
    line->lost_ps = INT64_MAX;
    line->is_begun = false;
    directory_take_away(inbound->directory, DIRECTORY_DEVICE, line->at);
}

static void core_has_line(void *argument)
{
    struct inbound_line *line = argument;
    line->is_retaken = false;
    if (line->waiting > 0)
        take_line(line);
}

static void lose_line(struct inbound_line *line, sim_time lost_ps)
{
    struct inbound *inbound = line->inbound;
    line->lost_ps = MIN(line->lost_ps, lost_ps);
    if (line->waiting == 0 || line->is_retaken)
        return;
    line->is_retaken = true;
    event_schedule(inbound->sim->events, line->lost_ps + half_ps(inbound), core_has_line, line);
}

sim_time inbound_core_asks(struct inbound *inbound, address at, sim_time from_ps, sim_time way_ps)
{
    struct inbound_line *line = find_line(inbound, at);
    if (line == NULL || line->lost_ps <= from_ps)
        return 0;
    sim_time asks_ps = from_ps + way_ps - half_ps(inbound);
    sim_time kept_ps =
        line->is_begun ? 0 : half_ps(inbound) + 1; /* 1: the first write is performed before that */
    bool is_kept = line->waiting > 0 || line->ready_ps > from_ps;
    lose_line(line, is_kept ? MAX(asks_ps, line->ready_ps + kept_ps) : asks_ps);
    return MAX(line->lost_ps - asks_ps, 0);
}

bool inbound_core_waits(const struct inbound *inbound, address at)
{
    const struct inbound_line *line = find_line(inbound, at);
    return line != NULL && line->lost_ps != INT64_MAX &&
           line->lost_ps + half_ps(inbound) > sim_now(inbound->sim);
}

/* Gives the line to a waiting core now, unless the port performs the next write to it at this very time. */
static void hand_over(struct inbound_line *line)
{
    sim_time next_ps = sim_now(line->inbound->sim) + 1;
    line->is_begun = true;
    if (line->waiting > 0 && line->lost_ps != INT64_MAX && line->lost_ps > next_ps)
        lose_line(line, next_ps);
}

static void perform(struct inbound *inbound, struct bus_request *request, struct inbound_line *line)
{
    if (line != NULL)
        line->is_written = true;
    inbound->perform(inbound->owner, request);
    if (line != NULL)
        hand_over(line);
}

static void go_on(void *argument);

/* Whether the first waiting request may be performed; if not, schedules an event for when its line is there. */
static bool is_due(struct inbound *inbound, const struct inbound_request *first)
{
    if (first->line == NULL)
        return true;
    take_line(first->line);
    if (first->line->ready_ps <= sim_now(inbound->sim))
        return true;
    event_schedule(inbound->sim->events, first->line->ready_ps, go_on, inbound);
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
        struct inbound_line *line = first->line;
        list_remove(&inbound->waiting, &first->link);
        inbound->sim->quiescence.held--;
        pool_give(&inbound->requests, first);
        if (line != NULL)
            line->waiting--;
        perform(inbound, request, line);
    }
}

void inbound_arrives(struct inbound *inbound, struct bus_request *request)
{
    bool is_first = list_is_empty(&inbound->waiting);
    struct inbound_line *line = request->op == BUS_WRITE ? keep_line(inbound, request->at) : NULL;
    if (line != NULL)
        take_line(line);
    if (is_first && (line == NULL || line->ready_ps <= sim_now(inbound->sim))) {
        perform(inbound, request, line);
        return;
    }
    struct inbound_request *place = pool_take(&inbound->requests);
    place->request = request;
    place->line = line;
    if (line != NULL)
        line->waiting++;
    list_append(&inbound->waiting, &place->link);
    /* Only the first request has an event. This tells the search for quiescence that the others have none: otherwise it would
     * take an event of another agent for one of theirs. */
    inbound->sim->quiescence.held++;
    if (is_first)
        event_schedule(inbound->sim->events, line->ready_ps, go_on, inbound);
}

void inbound_core_writes(struct inbound *inbound, address at)
{
    struct inbound_line *line = find_line(inbound, at);
    if (line != NULL)
        line->is_written = false;
}

sim_time inbound_read_wait(const struct inbound *inbound, address at)
{
    const struct inbound_line *line = find_line(inbound, at);
    if (line == NULL || !line->is_written || line->lost_ps == INT64_MAX)
        return 0;
    sim_time back_ps = line->lost_ps + half_ps(inbound) + way_ps(inbound, at);
    return MAX(back_ps - sim_now(inbound->sim), 0);
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
