/* SPDX-License-Identifier: BSD-3-Clause */
/* All operations stand in one array, rank by rank, and all waiters in another, operation by
 * operation: a schedule of a million operations is two blocks of memory and no pointers. */
#include "workloads/goal/goal_schedule.h"

#include <glib.h>

#include "core/check.h"

struct goal_node {
    struct goal_op op;
    uint32_t requirements;      /* how many it waits for */
    uint32_t waiters;           /* its first in the rank's waiters */
    uint32_t on_start, on_done; /* how many wait for its start, then for its end */
};

struct rank {
    size_t nodes, waiters; /* where its own begin */
    uint32_t count;
    bool described;
};

/* A line "waiter requires on" while its rank is described. */
struct edge {
    uint32_t waiter, on;
    bool start;
};

struct goal_schedule {
    struct rank *ranks;
    uint32_t rank_count;
    struct goal_node *nodes;
    size_t node_count, node_room;
    uint32_t *waiters;
    size_t waiter_count, waiter_room;
    uint32_t cpus, nics;
    bool empty_messages;

    struct rank *open; /* being described */
    struct edge *edges;
    size_t edge_count, edge_room;

    uint32_t *missing; /* in a run, by node: requirements not yet met */
};

struct goal_schedule *goal_schedule_new(uint32_t ranks)
{
    struct goal_schedule *schedule = g_new0(struct goal_schedule, 1);
    schedule->ranks = g_new0(struct rank, ranks);
    schedule->rank_count = ranks;
    schedule->cpus = schedule->nics = 1;
    return schedule;
}

void goal_schedule_free(struct goal_schedule *schedule)
{
    g_free(schedule->ranks);
    g_free(schedule->nodes);
    g_free(schedule->waiters);
    g_free(schedule->edges);
    g_free(schedule->missing);
    g_free(schedule);
}

/* --- describing ------------------------------------------------------------------------------- */

bool goal_schedule_begin(struct goal_schedule *schedule, uint32_t rank)
{
    struct rank *open = &schedule->ranks[rank];
    if (open->described)
        return false;
    *open = (struct rank){schedule->node_count, schedule->waiter_count, 0, true};
    schedule->open = open;
    schedule->edge_count = 0;
    return true;
}

/* Makes room for one element more. */
#define GROW(array, count, room)                                                                   \
    do {                                                                                           \
        if ((count) == (room)) {                                                                   \
            (room) += MAX((size_t)256, (room) / 4);                                                \
            (array) = g_realloc_n((array), (room), sizeof *(array));                               \
        }                                                                                          \
    } while (0)

uint32_t goal_schedule_add(struct goal_schedule *schedule, const struct goal_op *op)
{
    GROW(schedule->nodes, schedule->node_count, schedule->node_room);
    schedule->nodes[schedule->node_count++] = (struct goal_node){.op = *op};
    schedule->cpus = MAX(schedule->cpus, op->cpu + 1u);
    schedule->nics = MAX(schedule->nics, op->nic + 1u);
    schedule->empty_messages |= op->size == 0 && op->kind != LOGGP_CALCULATE;
    check_always(schedule->open->count < LOGGP_NONE, "a rank has too many operations");
    return schedule->open->count++;
}

void goal_schedule_require(struct goal_schedule *schedule, uint32_t waiter, uint32_t on, bool start)
{
    GROW(schedule->edges, schedule->edge_count, schedule->edge_room);
    schedule->edges[schedule->edge_count++] = (struct edge){waiter, on, start};
}

/* Gives each operation its place among the rank's waiters, and the waiters theirs, in the order in
 * which they were told: those for the start before those for the end. */
static void place_waiters(struct goal_schedule *schedule)
{
    struct goal_node *nodes = schedule->nodes + schedule->open->nodes;
    for (size_t i = 0; i < schedule->edge_count; i++) {
        const struct edge *edge = &schedule->edges[i];
        nodes[edge->waiter].requirements++;
        *(edge->start ? &nodes[edge->on].on_start : &nodes[edge->on].on_done) += 1;
    }
    uint32_t next = 0;
    for (uint32_t i = 0; i < schedule->open->count; i++) {
        nodes[i].waiters = next;
        next += nodes[i].on_start + nodes[i].on_done;
        nodes[i].on_done = nodes[i].on_start; /* from here on: how many are placed */
        nodes[i].on_start = 0;
    }
}

/* Puts the waiters at their places: each operation's `on_start` and `on_done` count up again. */
static void fill_waiters(struct goal_schedule *schedule)
{
    struct goal_node *nodes = schedule->nodes + schedule->open->nodes;
    schedule->waiter_room = MAX(schedule->waiter_room, schedule->waiter_count);
    while (schedule->waiter_room - schedule->waiter_count < schedule->edge_count)
        schedule->waiter_room += MAX((size_t)1024, schedule->waiter_room / 4);
    schedule->waiters = g_renew(uint32_t, schedule->waiters, schedule->waiter_room);
    uint32_t *waiters = schedule->waiters + schedule->open->waiters;
    for (size_t i = 0; i < schedule->edge_count; i++) {
        const struct edge *edge = &schedule->edges[i];
        struct goal_node *on = &nodes[edge->on];
        waiters[on->waiters + (edge->start ? on->on_start++ : on->on_done++)] = edge->waiter;
    }
    for (uint32_t i = 0; i < schedule->open->count; i++)
        nodes[i].on_done -= nodes[i].on_start;
    schedule->waiter_count += schedule->edge_count;
}

/* Operations that only wait for earlier ones cannot wait in a circle: nearly all schedules are so. */
static bool points_backward(const struct goal_schedule *schedule)
{
    for (size_t i = 0; i < schedule->edge_count; i++) {
        if (schedule->edges[i].on >= schedule->edges[i].waiter)
            return false;
    }
    return true;
}

/* Lets operations become ready in any order that their requirements allow (Kahn 1962). */
static bool find_circle(const struct goal_schedule *schedule, uint32_t *stuck,
                        uint32_t *stuck_count)
{
    const struct goal_node *nodes = schedule->nodes + schedule->open->nodes;
    const uint32_t *waiters = schedule->waiters + schedule->open->waiters;
    uint32_t count = schedule->open->count, ready_count = 0;
    g_autofree uint32_t *missing = g_new(uint32_t, count);
    g_autofree uint32_t *ready = g_new(uint32_t, count);
    for (uint32_t i = 0; i < count; i++) {
        missing[i] = nodes[i].requirements;
        if (missing[i] == 0)
            ready[ready_count++] = i;
    }
    for (uint32_t at = 0; at < ready_count; at++) {
        const struct goal_node *node = &nodes[ready[at]];
        for (uint32_t i = 0; i < node->on_start + node->on_done; i++) {
            uint32_t waiter = waiters[node->waiters + i];
            if (--missing[waiter] == 0)
                ready[ready_count++] = waiter;
        }
    }
    for (*stuck = 0; *stuck < count && missing[*stuck] == 0;)
        ++*stuck;
    *stuck_count = count - ready_count;
    return ready_count < count;
}

bool goal_schedule_end(struct goal_schedule *schedule, uint32_t *stuck, uint32_t *stuck_count)
{
    check_always(schedule->edge_count < LOGGP_NONE, "a rank has too many dependencies");
    place_waiters(schedule);
    fill_waiters(schedule);
    return points_backward(schedule) || !find_circle(schedule, stuck, stuck_count);
}

/* --- what is in it ---------------------------------------------------------------------------- */

uint32_t goal_schedule_ranks(const struct goal_schedule *schedule)
{
    return schedule->rank_count;
}

uint32_t goal_schedule_streams(const struct goal_schedule *schedule, uint32_t *cpus, uint32_t *nics)
{
    *cpus = schedule->cpus;
    *nics = schedule->nics;
    return MAX(*cpus, *nics);
}

uint32_t goal_schedule_count(const struct goal_schedule *schedule, uint32_t rank)
{
    return schedule->ranks[rank].count;
}

static inline const struct goal_node *node_at(const struct goal_schedule *schedule, uint32_t rank,
                                              uint32_t op)
{
    return &schedule->nodes[schedule->ranks[rank].nodes + op];
}

const struct goal_op *goal_schedule_op(const struct goal_schedule *schedule, uint32_t rank,
                                       uint32_t op)
{
    return &node_at(schedule, rank, op)->op;
}

const uint32_t *goal_schedule_waiters(const struct goal_schedule *schedule, uint32_t rank,
                                      uint32_t op, bool start, uint32_t *count)
{
    const struct goal_node *node = node_at(schedule, rank, op);
    size_t first = schedule->ranks[rank].waiters + node->waiters;
    *count = start ? node->on_start : node->on_done;
    return schedule->waiters + first + (start ? 0 : node->on_start);
}

/* --- running ---------------------------------------------------------------------------------- */

static void make_ready(const struct goal_schedule *schedule, uint32_t rank, uint32_t id,
                       struct loggp_ready *ready)
{
    const struct goal_op *op = goal_schedule_op(schedule, rank, id);
    *loggp_ready_room(ready, rank, 1) = (struct loggp_op){.size = op->size,
                                                          .rank = rank,
                                                          .peer = op->peer,
                                                          .tag = op->tag,
                                                          .id = id,
                                                          .cpu = op->cpu,
                                                          .nic = op->nic,
                                                          .kind = op->kind};
    loggp_ready_added(ready, rank, 1);
}

static void start(void *state, uint32_t rank, struct loggp_ready *ready)
{
    const struct goal_schedule *schedule = state;
    for (uint32_t op = 0; op < schedule->ranks[rank].count; op++) {
        if (node_at(schedule, rank, op)->requirements == 0)
            make_ready(schedule, rank, op, ready);
    }
}

static void tell_waiters(struct goal_schedule *schedule, uint32_t rank, uint32_t id, bool on_start,
                         struct loggp_ready *ready)
{
    uint32_t count, *missing = schedule->missing + schedule->ranks[rank].nodes;
    const uint32_t *waiters = goal_schedule_waiters(schedule, rank, id, on_start, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (--missing[waiters[i]] == 0)
            make_ready(schedule, rank, waiters[i], ready);
    }
}

static void started(void *state, uint32_t rank, uint32_t id, struct loggp_ready *ready)
{
    tell_waiters(state, rank, id, true, ready);
}

static void done(void *state, uint32_t rank, uint32_t id, struct loggp_ready *ready)
{
    tell_waiters(state, rank, id, false, ready);
}

struct loggp_program goal_schedule_program(struct goal_schedule *schedule)
{
    schedule->missing = g_renew(uint32_t, schedule->missing, schedule->node_count);
    for (size_t i = 0; i < schedule->node_count; i++)
        schedule->missing[i] = schedule->nodes[i].requirements;
    return (struct loggp_program){schedule->rank_count,
                                  schedule->cpus,
                                  schedule->nics,
                                  schedule->empty_messages,
                                  schedule,
                                  start,
                                  started,
                                  done};
}
