/* SPDX-License-Identifier: BSD-3-Clause */
/* Line watchers: an agent that polls a line need not simulate each poll to learn that the line has changed.
 *
 * A watcher is told of everything that its next poll could notice: the line's contents were
 * written, it came into the L2 or left it, it was locked or unlocked. What a poll costs is a
 * function of just that (memory_client_poll), so that polls between two calls of `changed` are all
 * alike and can be counted instead of simulated, with the same trajectory. */
#pragma once

#include "core/list.h"
#include "models/memory/cache.h"

/* A watcher of one line; its owner keeps it. */
struct line_watcher {
    /* Called within the event that changes the line, before or after the change itself: it schedules or wakes something, which
     * polls the line later. It may unwatch this watcher, and nothing else. */
    void (*changed)(struct line_watcher *watcher);

    /* the table's */
    cache_line line;
    struct list_link link;
};

/* Several buckets for each line of some hundred queues. */
#define LINE_WATCH_BITS 10
#define LINE_WATCH_BUCKETS (1 << LINE_WATCH_BITS)

/* A hash table of intrusive lists; all zero: empty, and made with the first watcher. Watchers lie on the stacks of sleeping
 * processes. `marks` has a bit for the further hash of each watcher's line, which mostly saves accesses to watchers of other
 * lines. */
struct line_watch_bucket {
    struct list watchers;
    uint64_t marks; /* of those in the list */
};
struct line_watch {
    struct line_watch_bucket *buckets;      /* LINE_WATCH_BUCKETS */
    uint64_t used[LINE_WATCH_BUCKETS / 64]; /* bits: the buckets with watchers */
    size_t count;
};

/* Frees the table; watchers that are still in it are left alone. */
void line_watch_clear(struct line_watch *watch);

/* Any number of watchers may watch a line; they are called in the order of these calls, the last
 * first. */
void line_watch_add(struct line_watch *watch, cache_line line, struct line_watcher *watcher);
void line_watch_remove(struct line_watch *watch, struct line_watcher *watcher);

/* Calls the watchers of `line`, each once; line_watch_changed is cheaper where there is mostly none. */
void line_watch_tell(struct line_watch *watch, cache_line line);

/* Calls `visit` with every watcher, in an order that depends on their lines alone. */
typedef void line_watch_visit_fn(struct line_watcher *watcher, void *argument);
void line_watch_visit(struct line_watch *watch, line_watch_visit_fn *visit, void *argument);

/* Tells the watchers of `line`, if there are any at all. */
static inline void line_watch_changed(struct line_watch *watch, cache_line line)
{
    if (watch->count > 0)
        line_watch_tell(watch, line);
}
