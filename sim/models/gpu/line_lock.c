/* SPDX-License-Identifier: BSD-3-Clause */
#include "models/gpu/line_lock.h"

#include "core/sim.h"

static const struct stat_info residency_info = {
    "l2_lock_residency", "ps",
    "time from a locked store to the access of a CP that unlocks the line"};
static const struct stat_info pinned_info = {"l2_locked_lines", "1",
                                             "lines that locked stores hold in the L2"};
static const struct stat_info fallback_info = {
    "l2_lock_fallbacks", "1", "locked stores that found every way of their set locked"};
static const struct stat_info wait_info = {
    "l2_lock_waits", "1", "accesses that waited for the end of a read-modify-write of a CP"};

void line_locks_init(struct line_locks *locks, struct sim *sim, struct cache *l2, const char *path)
{
    *locks = (struct line_locks){
        .sim = sim,
        .l2 = l2,
        .residency = stat_histogram_new(sim->stats, path, &residency_info),
        .pinned = stat_level_new(sim->stats, path, &pinned_info, sim_now(sim)),
        .fallbacks = stat_counter_new(sim->stats, path, &fallback_info),
        .waits = stat_counter_new(sim->stats, path, &wait_info),
    };
}

/* --- read-modify-write ------------------------------------------------------------------------- */

static struct line_lock *find(const struct line_locks *locks, cache_line line)
{
    LIST_EACH (struct line_lock, lock, &locks->taken, link)
        if (lock->line == line)
            return lock;
    return NULL;
}

bool line_locks_hold(const struct line_locks *locks, cache_line line)
{
    return find(locks, line) != NULL;
}

bool line_locks_make_wait_slowly(struct line_locks *locks, cache_line line,
                                 struct line_waiter *waiter)
{
    struct line_lock *lock = find(locks, line);
    if (lock == NULL)
        return false;
    stat_count(locks->waits, 1);
    locks->sim->quiescence.held++;
    waiter->locks = locks;
    waiter->line = line;
    list_append(&lock->waiters, &waiter->link);
    return true;
}

void line_lock_take(struct line_locks *locks, struct line_lock *lock, cache_line line)
{
    check_release(find(locks, line) == NULL, "line %llu is locked twice", (unsigned long long)line);
    *lock = (struct line_lock){.line = line};
    list_prepend(&locks->taken, &lock->link);
}

/* The next waiter. Waiters that are let in form no list, since its head went with the lock, but each has a link to the next. */
static struct line_waiter *behind(const struct line_waiter *waiter)
{
    return LIST_NEXT(waiter, struct line_waiter, link);
}

static void wait_again(struct line_lock *lock, struct line_waiter *first)
{
    struct line_waiter *next;
    for (struct line_waiter *waiter = first; waiter != NULL; waiter = next) {
        next = behind(waiter);
        stat_count(waiter->locks->waits, 1);
        list_append(&lock->waiters, &waiter->link);
    }
}

/* Lets processes act one after the other, up to one that goes on itself; behind that one the others follow directly. If the line
 * has been locked again meanwhile, all that are left wait again without being woken. */
static void let_in(void *argument)
{
    struct line_waiter *first = argument, *next;
    struct line_locks *locks = first->locks;
    for (; first != NULL; first = next) {
        struct line_lock *lock = find(locks, first->line);
        if (lock != NULL) {
            wait_again(lock, first);
            return;
        }
        next = behind(first);
        locks->sim->quiescence.held--;
        if (first->acts == NULL || first->acts(first->argument))
            break;
    }
    if (first == NULL)
        return;
    if (next != NULL)
        event_schedule_priority(locks->sim->events, sim_now(locks->sim), EVENT_EARLY, let_in, next);
    process_wake_at_once(first->process);
}

/* Waiters that are not processes arrive at once; processes go on after all events that are due now. */
static void let_arrive(void *argument)
{
    struct line_waiter *next = argument;
    struct list processes = {NULL, NULL};
    struct sim *sim = next->locks->sim;
    for (struct line_waiter *waiter = next; waiter != NULL; waiter = next) {
        next = behind(waiter);
        if (waiter->process == NULL) {
            sim->quiescence.held--;
            waiter->arrives(waiter->argument);
            continue;
        }
        list_append(&processes, &waiter->link);
    }
    if (!list_is_empty(&processes))
        event_schedule(sim->events, sim_now(sim), let_in,
                       LIST_FIRST(&processes, struct line_waiter, link));
}

void line_lock_give(struct line_locks *locks, struct line_lock *lock)
{
    list_remove(&locks->taken, &lock->link);
    if (!list_is_empty(&lock->waiters))
        event_schedule(locks->sim->events, sim_now(locks->sim), let_arrive,
                       LIST_FIRST(&lock->waiters, struct line_waiter, link));
}

/* --- locked stores ----------------------------------------------------------------------------- */

static void count_pinned(struct line_locks *locks, int64_t change)
{
    locks->pinned_count += change;
    stat_level_set(locks->pinned, sim_now(locks->sim), locks->pinned_count);
}

void line_pin(struct line_locks *locks, cache_way way)
{
    if (way == CACHE_MISS) {
        stat_count(locks->fallbacks, 1);
        return;
    }
    if (cache_is_locked(locks->l2, way))
        return;
    cache_set_locked(locks->l2, way, true);
    if (locks->pinned_ps == NULL)
        locks->pinned_ps = g_new0(sim_time, (gsize)cache_way_count(locks->l2));
    locks->pinned_ps[way] = sim_now(locks->sim);
    count_pinned(locks, 1);
}

void line_unpin(struct line_locks *locks, cache_way way)
{
    cache_set_locked(locks->l2, way, false);
    stat_record(locks->residency, sim_now(locks->sim) - locks->pinned_ps[way]);
    count_pinned(locks, -1);
}
