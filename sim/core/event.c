/* SPDX-License-Identifier: BSD-3-Clause */
/* The event queue on a timing wheel (core/wheel.h says where an event of a time waits).
 *
 * Invariant: whenever no function of this file is at work, each pending event is where place(t,
 * now) says. `now` moves from n to m (n <= m <= every pending time) in two ways only, and each
 * keeps it:
 *   1. m is the time of a slot of level 0, or of the only event of the lowest slot. m then agrees
 *      with n above that slot's level L. Events of higher levels keep level and slot. Events in
 *      other slots of level L agree with m above L and differ from it in byte L. No others exist.
 *   2. m is the base of the lowest slot, of level L > 0 (bytes below L are 0). Other events keep
 *      their place as in 1; those of the slot itself are placed anew, now below L.
 *
 * Ties: as its place depends on its time only, two events of equal time always share a slot. The
 * one scheduled first is appended first, and handing down (2) goes through the list in order; so
 * it is in front at every level, and it leaves first. At level 0, where priorities begin to matter,
 * an event is inserted behind the last one whose priority is not greater: the order is (priority,
 * sequence) without a sequence number being kept.
 *
 * Lists are doubly linked and a place can be computed at any time, which makes cancelling O(1). */
#include "core/event.h"

#include <glib.h>
#include <string.h>

#include "core/check.h"
#include "core/pages.h"
#include "core/wheel.h"

#define CACHE_LINE 64
#define FETCH_LINES 3
#define FETCH_AHEAD 512
#define FETCH_STEPS 3
#define FETCH_FROM 512 /* pending events: what fewer are about stays in a core's cache */
#define FIRST_CAPACITY 256

/* Index of a node in the pool; 0 is none. */
typedef uint32_t node_index;

struct event_node {
    sim_time time_ps;
    event_fn *fn;
    void *argument;
    node_index previous;
    uint32_t generation; /* part of a handle: counts the events that have used this node */
    node_index next;     /* also links the free nodes */
    int16_t priority;
    bool pending;
};

struct event_queue {
    struct wheel wheel; /* must be first: event_now_pointer */
    struct event_node *nodes;
    node_index free; /* first free node */
    size_t pending;
    uint64_t executed;
    bool stopped;
    uint32_t capacity; /* of `nodes` */
    struct event_fetcher {
        event_fn *fn;
        event_fetch_fn *fetch;
    } fetchers[EVENT_FETCHES];
    int fetcher_count;
    struct event_fetch { /* prefetches under way for a slot that is handed down */
        event_fetch_fn *fetch;
        const void *argument;
    } fetches[FETCH_AHEAD];
};

_Static_assert(offsetof(struct event_queue, wheel.now) == 0, "event_now_pointer points there");

/* --- nodes ------------------------------------------------------------------------------------ */

/* Doubles the pool and chains the new nodes, lowest first. Node 0 is never handed out. */
static __attribute__((noinline)) void nodes_grow(struct event_queue *queue)
{
    uint32_t before = queue->capacity;
    uint32_t after = before ? 2 * before : FIRST_CAPACITY;
    check_always(after > before, "more than %u events are pending", before);
    struct event_node *nodes = pages_new(after * sizeof *nodes);
    if (before)
        memcpy(nodes, queue->nodes, before * sizeof *nodes);
    for (node_index i = after - 1; i >= MAX(before, 1); i--) {
        nodes[i] = (struct event_node){.next = queue->free};
        queue->free = i;
    }
    pages_free(queue->nodes, before * sizeof *nodes);
    queue->nodes = nodes;
    queue->capacity = after;
}

static node_index node_take(struct event_queue *queue)
{
    if (__builtin_expect(queue->free == 0, 0))
        nodes_grow(queue);
    node_index taken = queue->free;
    queue->free = queue->nodes[taken].next;
    return taken;
}

/* Gives the node back; its handles are stale from here on. */
static void node_release(struct event_queue *queue, node_index index)
{
    struct event_node *node = &queue->nodes[index];
    node->pending = false;
    node->generation++;
    node->next = queue->free;
    queue->free = index;
}

/* The node that the handle names, or 0 if the handle is stale. */
static node_index node_of(const struct event_queue *queue, event_handle handle)
{
    node_index index = (node_index)handle;
    if (index == 0 || index >= queue->capacity)
        return 0;
    const struct event_node *node = &queue->nodes[index];
    return node->pending && node->generation == (uint32_t)(handle >> 32) ? index : 0;
}

/* --- slots ------------------------------------------------------------------------------------ */

/* Links the node into a slot of level 0 that is not empty, before the nodes of greater priority. It takes one step for each of
 * them; few events are expected to have the same time. */
static void insert_by_priority(struct event_queue *queue, struct wheel_slot *slot, node_index index)
{
    struct event_node *nodes = queue->nodes;
    node_index previous = slot->last, next = 0;
    while (previous && nodes[previous].priority > nodes[index].priority) {
        next = previous;
        previous = nodes[previous].previous;
    }
    nodes[index].previous = previous;
    nodes[index].next = next;
    *(previous ? &nodes[previous].next : &slot->first) = index;
    *(next ? &nodes[next].previous : &slot->last) = index;
}

/* Puts the node where its time belongs, behind its ties. */
static inline void node_insert(struct event_queue *queue, node_index index)
{
    struct event_node *nodes = queue->nodes;
    unsigned number = wheel_place(&queue->wheel, nodes[index].time_ps);
    struct wheel_slot *slot = &queue->wheel.slots[number];
    node_index last = slot->last;
    if (number < WHEEL_SLOTS && last && nodes[last].priority > nodes[index].priority) {
        insert_by_priority(queue, slot, index);
        return;
    }
    nodes[index].previous = last;
    nodes[index].next = 0;
    slot->last = index;
    if (last) {
        nodes[last].next = index;
    } else {
        slot->first = index;
        wheel_mark(&queue->wheel, number);
    }
}

/* Takes the node out of its slot. */
static inline void node_remove(struct event_queue *queue, unsigned number, node_index index)
{
    struct event_node *nodes = queue->nodes;
    struct wheel_slot *slot = &queue->wheel.slots[number];
    node_index previous = nodes[index].previous, next = nodes[index].next;
    *(previous ? &nodes[previous].next : &slot->first) = next;
    *(next ? &nodes[next].previous : &slot->last) = previous;
    if (slot->first == 0)
        wheel_unmark(&queue->wheel, number);
}

/* --- making, scheduling, cancelling ----------------------------------------------------------- */

struct event_queue *event_queue_new(void)
{
    struct event_queue *queue = g_new0(struct event_queue, 1);
    nodes_grow(queue);
    return queue;
}

void event_queue_free(struct event_queue *queue)
{
    if (!queue)
        return;
    pages_free(queue->nodes, queue->capacity * sizeof *queue->nodes);
    g_free(queue);
}

void event_queue_fetch_by(struct event_queue *queue, event_fn *fn, event_fetch_fn *fetch)
{
    if (queue->fetcher_count < EVENT_FETCHES)
        queue->fetchers[queue->fetcher_count++] = (struct event_fetcher){fn, fetch};
}

event_handle event_schedule_priority(struct event_queue *queue, sim_time at_ps, int16_t priority,
                                     event_fn *fn, void *argument)
{
    check_release(at_ps >= queue->wheel.now, "an event was scheduled %lld ps in the past",
                  (long long)(queue->wheel.now - at_ps));
    node_index index = node_take(queue);
    struct event_node *node = &queue->nodes[index];
    node->time_ps = at_ps;
    node->fn = fn;
    node->argument = argument;
    node->priority = priority;
    node->pending = true;
    queue->pending++;
    node_insert(queue, index);
    return (event_handle)node->generation << 32 | index;
}

event_handle event_schedule(struct event_queue *queue, sim_time at_ps, event_fn *fn, void *argument)
{
    return event_schedule_priority(queue, at_ps, EVENT_NORMAL, fn, argument);
}

bool event_cancel(struct event_queue *queue, event_handle handle)
{
    node_index index = node_of(queue, handle);
    if (index == 0)
        return false;
    node_remove(queue, wheel_place(&queue->wheel, queue->nodes[index].time_ps), index);
    node_release(queue, index);
    queue->pending--;
    return true;
}

bool event_reschedule(struct event_queue *queue, event_handle handle, sim_time at_ps)
{
    check_release(at_ps >= queue->wheel.now, "an event was moved %lld ps into the past",
                  (long long)(queue->wheel.now - at_ps));
    node_index index = node_of(queue, handle);
    if (index == 0)
        return false;
    node_remove(queue, wheel_place(&queue->wheel, queue->nodes[index].time_ps), index);
    queue->nodes[index].time_ps = at_ps;
    node_insert(queue, index);
    return true;
}

sim_time event_time(const struct event_queue *queue, event_handle handle)
{
    node_index index = node_of(queue, handle);
    return index ? queue->nodes[index].time_ps : SIM_TIME_MAX;
}

size_t event_pending(const struct event_queue *queue)
{
    return queue->pending;
}

uint64_t event_executed(const struct event_queue *queue)
{
    return queue->executed;
}

/* --- running ---------------------------------------------------------------------------------- */

/* Prefetches an event's argument into the cache: it will be accessed soon, in an order that no hardware prefetcher predicts.
 * Most arguments take more than one cache line. */
static inline void fetch_argument(const struct event_node *node)
{
    uintptr_t argument = (uintptr_t)node->argument;
    for (int line = 0; line < FETCH_LINES; line++)
        __builtin_prefetch((const void *)(argument + (uintptr_t)line * CACHE_LINE));
}

static inline event_fetch_fn *fetcher_of(const struct event_queue *queue, event_fn *fn)
{
    for (int i = 0; i < queue->fetcher_count; i++)
        if (queue->fetchers[i].fn == fn)
            return queue->fetchers[i].fetch;
    return NULL;
}

/* Calls the prefetch functions of `count` events, for each of `steps` steps. */
static void fetch_further(const struct event_queue *queue, unsigned count, int steps)
{
    for (int step = 0; step < steps; step++)
        for (unsigned i = 0; i < count; i++)
            queue->fetches[i].fetch(queue->fetches[i].argument, step);
}

/* Places the events of a list from `index` on anew, and prefetches what the first FETCH_AHEAD are about: with more, the last would
 * evict the first from the cache. Returns the number of prefetches that have further steps. */
static unsigned place_and_fetch(struct event_queue *queue, node_index index)
{
    unsigned fetches = 0;
    for (unsigned count = 0; index; count++) {
        struct event_node *node = &queue->nodes[index];
        node_index next = node->next;
        __builtin_prefetch(&queue->nodes[next]);
        if (count < FETCH_AHEAD) {
            fetch_argument(node);
            event_fetch_fn *fetch = fetcher_of(queue, node->fn);
            if (fetch != NULL)
                queue->fetches[fetches++] = (struct event_fetch){fetch, node->argument};
        }
        node_insert(queue, index);
        index = next;
    }
    return fetches;
}

/* Empties the lowest slot, of a level above 0, into the levels below it. Events of level 1 are due too soon for a second step of
 * prefetches. */
static __attribute__((noinline)) void hand_down(struct event_queue *queue, unsigned number)
{
    node_index index = queue->wheel.slots[number].first;
    queue->wheel.now = wheel_base(&queue->wheel, number);
    queue->wheel.slots[number] = (struct wheel_slot){0, 0};
    wheel_unmark(&queue->wheel, number);
    if (queue->pending >= FETCH_FROM) {
        unsigned fetches = place_and_fetch(queue, index);
        fetch_further(queue, fetches, number < 2 * WHEEL_SLOTS ? 1 : FETCH_STEPS);
        return;
    }
    while (index) {
        node_index next = queue->nodes[index].next;
        node_insert(queue, index);
        index = next;
    }
}

/* Finds the slot whose first event is the next one of the queue, if its time is <= SIM_TIME_LAST, and returns that event; else
 * 0. */
static inline node_index find_next(struct event_queue *queue, unsigned *number)
{
    while (!wheel_is_empty(&queue->wheel)) {
        *number = wheel_lowest(&queue->wheel);
        const struct wheel_slot *slot = &queue->wheel.slots[*number];
        node_index first = slot->first;
        if ((*number < WHEEL_SLOTS || first == slot->last) &&
            queue->nodes[first].time_ps <= SIM_TIME_LAST)
            return first;
        if (wheel_base(&queue->wheel, *number) > SIM_TIME_LAST)
            return 0;
        hand_down(queue, *number);
    }
    return 0;
}

/* Takes the first event of the slot out; the current time becomes its time. */
static inline void take_first(struct event_queue *queue, unsigned number, node_index first)
{
    struct event_node *nodes = queue->nodes;
    struct wheel_slot *slot = &queue->wheel.slots[number];
    node_index next = nodes[first].next;
    slot->first = next;
    if (next) {
        nodes[next].previous = 0;
    } else {
        slot->last = 0;
        wheel_unmark(&queue->wheel, number);
    }
    queue->wheel.now = nodes[first].time_ps;
    node_release(queue, first);
    queue->pending--;
    queue->executed++;
}

/* Runs the next event, if there is one. */
static inline bool run_next(struct event_queue *queue)
{
    unsigned number;
    node_index first = find_next(queue, &number);
    if (first == 0)
        return false;
    event_fn *fn = queue->nodes[first].fn;
    void *argument = queue->nodes[first].argument;
    take_first(queue, number, first);
    fn(argument);
    return true;
}

bool event_run_one(struct event_queue *queue)
{
    queue->stopped = true; /* event_take_next finds nothing */
    return run_next(queue);
}

void event_run(struct event_queue *queue)
{
    queue->stopped = false;
    while (!queue->stopped && run_next(queue))
        continue;
}

bool event_take_next(struct event_queue *queue, event_fn *fn, void **argument)
{
    unsigned number;
    node_index first = queue->stopped ? 0 : find_next(queue, &number);
    if (first == 0 || queue->nodes[first].fn != fn)
        return false;
    *argument = queue->nodes[first].argument;
    take_first(queue, number, first);
    return true;
}

/* While all events wait in slots above that of the time, none is as early, and each is where it would be with `now` there. */
bool event_pass_to(struct event_queue *queue, sim_time at_ps)
{
    struct wheel *wheel = &queue->wheel;
    if (queue->stopped || at_ps < wheel->now || at_ps > SIM_TIME_LAST)
        return false;
    if (!wheel_is_empty(wheel) && wheel_place(wheel, at_ps) >= wheel_lowest(wheel))
        return false;
    wheel->now = at_ps;
    queue->executed++;
    return true;
}

void event_stop(struct event_queue *queue)
{
    queue->stopped = true;
}
