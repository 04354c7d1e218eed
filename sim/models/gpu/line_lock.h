/* SPDX-License-Identifier: BSD-3-Clause */
/* Locked lines of the L2. Two locks, as in ComP-Net (ComPNet18 section 4.2.2, 4.2.3; M-071, M-074):
 *
 *   read-modify-write  the read of a CP's atomic locks the line, its write unlocks it; accesses in between wait, in order, so
 *                      that the two halves are one for CUs, CPs and the bus
 *   locked store       pins the line: it is not replaced until a CP has accessed it; nothing waits
 *
 * A locked store that finds no place in its set, since all its ways are locked, writes through to
 * memory and locks nothing. It must not wait: what would unlock a way may be a CP that waits for
 * this very store. What is lost is only the time of a miss. */
#pragma once

#include "core/event.h"
#include "core/list.h"
#include "core/simtime.h"
#include "core/stat.h"
#include "models/memory/cache.h"

struct sim;

/* An access that waits at a line: a suspended process, or a function that is called. Its owner keeps it until it goes on. */
struct line_waiter {
    struct process *process; /* or NULL */
    event_fn *arrives;       /* does what the access does when it arrives at the L2, in an event */
    /* Acts for the suspended process when its turn comes, and says whether the process goes on now; NULL: the process goes on. */
    bool (*acts)(void *argument);
    void *argument;
    /* the table's */
    struct line_locks *locks;
    cache_line line;
    struct list_link link;
};

/* A read-modify-write under way. Its owner keeps it from line_lock_take to line_lock_give. */
struct line_lock {
    cache_line line;
    struct list waiters;
    struct list_link link; /* the table's */
};

struct line_locks {
    struct sim *sim;
    struct cache *l2;
    struct list taken;   /* only a few: at most one for each CP core */
    sim_time *pinned_ps; /* by way: when it was pinned; only while it is */
    int64_t pinned_count;
    struct stat_histogram *residency;
    struct stat_level *pinned;
    struct stat_counter *fallbacks, *waits;
};

void line_locks_init(struct line_locks *locks, struct sim *sim, struct cache *l2, const char *path);
static inline void line_locks_clear(struct line_locks *locks)
{
    g_free(locks->pinned_ps);
}

/* If another thread's read-modify-write holds `line`, enters `waiter`, which is woken when that is over, and returns
 * true. A process then asks again. */
bool line_locks_make_wait_slowly(struct line_locks *locks, cache_line line,
                                 struct line_waiter *waiter);
static inline bool line_locks_make_wait(struct line_locks *locks, cache_line line,
                                        struct line_waiter *waiter)
{
    return !list_is_empty(&locks->taken) && line_locks_make_wait_slowly(locks, line, waiter);
}

/* Whether a read-modify-write of `line` is under way. */
bool line_locks_hold(const struct line_locks *locks, cache_line line);

/* Locks a line that nobody else has locked, in the L2 or not; unlocks it and lets the waiting accesses go on, in order. */
void line_lock_take(struct line_locks *locks, struct line_lock *lock, cache_line line);
void line_lock_give(struct line_locks *locks, struct line_lock *lock);

/* The line in `way` is pinned from now on; CACHE_MISS: it found no place. A pinned line stays
 * pinned since its first locked store. */
void line_pin(struct line_locks *locks, cache_way way);

/* A CP has accessed the pinned line in `way`. */
void line_unpin(struct line_locks *locks, cache_way way);
