/* SPDX-License-Identifier: BSD-3-Clause */
#include "models/host/inbound.h"

#include "core/event.h"
#include "models/host/host_parts.h"

#include <stdlib.h>
#define MESH_ROW 8
static sim_time knob(const char *name, sim_time ns)
{
    const char *text = getenv(name);
    return (text != NULL ? atoi(text) : ns) * 1000;
}
#include <stdio.h>
static long n_write,n_wait,n_lost,n_fetch,n_joint,n_look,n_lookwait,n_takes; static double head_wait;
static void report(void){ FILE *f = getenv("REP") ? fopen(getenv("REP"),"a") : NULL; if(f) fprintf(f,"writes %ld waiting %ld lost_at_head %ld fetched %ld joint %ld looks %ld lookwait %ld headwait_us %.2f\n",n_write,n_wait,n_lost,n_fetch,n_joint,n_look,n_lookwait,head_wait/1e6), fclose(f);}
static sim_time hand_ps, slack_ps, eager, part_ps, free_ps; static int keep;
/* One that waits. */
struct inbound_request {
    struct bus_request *request;
    struct list_link link;
    struct inbound_line *line; /* that a write needs; NULL: it only keeps its place */
};

struct inbound_line {
    sim_time written_ps; /* by a device, + 1; 0: a core has written since */
    sim_time ready_ps;   /* the port has it from then on */
    sim_time lost_ps;    /* and until then */
    size_t waiting;
    bool is_begun; /* a write has been performed since the port has it */
    bool is_scheduled;
    address at;
    struct inbound *inbound;
};

void inbound_init(struct inbound *inbound)
{
    pool_init(&inbound->requests, sizeof(struct inbound_request));
    pool_init(&inbound->line_pool, sizeof(struct inbound_line));
    static int once; once++;
    hand_ps = knob("HAND", 50); slack_ps = knob("SLACK", 20); free_ps = knob("FREE", 0); eager = knob("EAGER", 1); part_ps = knob("PART", 0); keep = (int)(knob("KEEP", 0)/1000);
}

void inbound_clear(struct inbound *inbound)
{
    if (inbound->spec->bounced_line_ps > 0 && n_write > 1000) report();
    map_clear(&inbound->lines);
    line_gap_clear(&inbound->atomics);
    pool_clear(&inbound->requests);
    pool_clear(&inbound->line_pool);
}

static struct inbound_line *find_line(const struct inbound *inbound, address at)
{
    const union map_value *line = map_find(&inbound->lines, at / CACHE_LINE_BYTES);
    return line == NULL ? NULL : line->pointer;
}

static struct inbound_line *line_of(struct inbound *inbound, address at)
{
    union map_value *value = map_at(&inbound->lines, at / CACHE_LINE_BYTES);
    if (value->pointer == NULL) {
        struct inbound_line *line = value->pointer = pool_take(&inbound->line_pool);
        *line = (struct inbound_line){.at = at, .inbound = inbound};
    }
    return value->pointer;
}

static void perform(struct inbound *inbound, struct bus_request *request)
{
    if (request->op == BUS_WRITE)
        line_of(inbound, request->at)->written_ps = sim_now(inbound->sim) + 1;
    inbound->perform(inbound->owner, request);
}

/* Of the way to a core, or to nobody's copy. */
static sim_time way_ps(const struct inbound *inbound, int core)
{
    return HOST_READ(inbound, bounced_line_ps) +
           (core >= 0 ? core % MESH_ROW + core / MESH_ROW : 0) * HOST_READ(inbound, mesh_hop_ps);
}

/* The port asks for the line unless it has it or has asked. */
static void take_line(struct inbound *inbound, struct inbound_line *line, address at)
{
    sim_time now_ps = sim_now(inbound->sim);
    if (line->lost_ps > now_ps)
        return;
    int core = directory_other_holder(inbound->directory, DIRECTORY_DEVICE, at);
    sim_time from_ps = MAX(now_ps, line->lost_ps + hand_ps);
    if (line->lost_ps == 0) from_ps = now_ps;
    line->ready_ps = core == DIRECTORY_NOBODY ? now_ps + free_ps : from_ps + way_ps(inbound, core);
    line->lost_ps = INT64_MAX;
    line->is_begun = false;
    directory_take_away(inbound->directory, DIRECTORY_DEVICE, at);
}

static void take_again(void *argument)
{
    struct inbound_line *line = argument;
    line->is_scheduled = false;
    if (line->waiting > 0 && line->lost_ps <= sim_now(line->inbound->sim))
        take_line(line->inbound, line, line->at);
}

static void lose(struct inbound_line *line, sim_time lost_ps)
{
    line->lost_ps = lost_ps;
    if (line->waiting == 0 || line->is_scheduled || !eager)
        return;
    line->is_scheduled = true;
    event_schedule(line->inbound->sim->events, lost_ps + hand_ps, take_again, line);
}

sim_time inbound_core_takes(struct inbound *inbound, address at, sim_time now_ps, sim_time way)
{
    struct inbound_line *line = find_line(inbound, at);
    if (line == NULL || line->lost_ps <= now_ps)
        return 0;
    sim_time ask_ps = now_ps + way - hand_ps;
    sim_time leaves_ps = ask_ps;
    if (line->waiting > 0 || line->ready_ps > now_ps)
        leaves_ps = MAX(ask_ps, line->ready_ps + (line->is_begun ? 0 : slack_ps));
    n_look++; n_lookwait += line->waiting > 0;
    if (leaves_ps < line->lost_ps)
        lose(line, leaves_ps);
    return MAX(line->lost_ps, ask_ps) - ask_ps;
}

bool inbound_core_is_next(const struct inbound *inbound, address at)
{
    const struct inbound_line *line = find_line(inbound, at);
    return line != NULL && line->lost_ps > 0 && line->lost_ps != INT64_MAX && line->lost_ps + hand_ps > sim_now(inbound->sim);
}

static void go_on(void *argument);

/* Whether the first of those that wait may be performed; if not, its turn comes later. */
static bool is_due(struct inbound *inbound, struct inbound_request *first)
{
    if (first->line == NULL)
        return true;
    if (first->line->lost_ps <= sim_now(inbound->sim)) n_lost++;
    take_line(inbound, first->line, first->request->at);
    if (first->line->ready_ps <= sim_now(inbound->sim))
        return true;
    head_wait += first->line->ready_ps - sim_now(inbound->sim);
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
        list_remove(&inbound->waiting, &first->link);
        inbound->sim->quiescence.held--;
        struct inbound_line *line = first->line;
        if (line != NULL) {
            line->waiting--;
            line->is_begun = true;
        }
        pool_give(&inbound->requests, first);
        perform(inbound, request);
        if (line != NULL && line->waiting > 0 && line->lost_ps != INT64_MAX && line->lost_ps > sim_now(inbound->sim) + part_ps + 1)
            lose(line, sim_now(inbound->sim) + part_ps + 1);
    }
}

void inbound_arrives(struct inbound *inbound, struct bus_request *request)
{
    bool is_first = list_is_empty(&inbound->waiting);
    bool takes = request->op == BUS_WRITE && HOST_READ(inbound, bounced_line_ps) > 0;
    struct inbound_line *line = takes ? line_of(inbound, request->at) : NULL;
    n_write += takes;
    if (takes && line->lost_ps <= sim_now(inbound->sim)) n_fetch++;
    if (takes && line->waiting) n_joint++;
    if (takes)
        take_line(inbound, line, request->at);
    if (is_first && (line == NULL || line->ready_ps <= sim_now(inbound->sim))) {
        perform(inbound, request);
        return;
    }
    struct inbound_request *place = pool_take(&inbound->requests);
    place->request = request;
    place->line = line;
    if (line != NULL)
        line->waiting++;
    list_append(&inbound->waiting, &place->link);
    /* Only the first has an event. Without this, polls whose reads stand behind it would look as if each had one, and the event of
     * somebody who acts as one of theirs. */
    inbound->sim->quiescence.held++;
    if (is_first)
        event_schedule(inbound->sim->events, line->ready_ps, go_on, inbound);
}

void inbound_core_writes(struct inbound *inbound, address at)
{
    struct inbound_line *line = find_line(inbound, at);
    if (line != NULL)
        line->written_ps = 0;
}

sim_time inbound_read_wait(const struct inbound *inbound, address at)
{
    const struct inbound_line *line = find_line(inbound, at);
    if (line == NULL || line->written_ps == 0)
        return 0;
    sim_time until_ps = line->written_ps - 1 + HOST_READ(inbound, written_line_ps);
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
