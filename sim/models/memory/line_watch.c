#include "models/memory/line_watch.h"

/* Queues begin at regular distances: the multiplication (Fibonacci hashing) spreads them. */
static struct line_watcher **bucket_of(struct line_watch *watch, cache_line line)
{
    return &watch->buckets[line * UINT64_C(0x9E3779B97F4A7C15) >> 56];
}

void line_watch_add(struct line_watch *watch, cache_line line, struct line_watcher *watcher)
{
    struct line_watcher **bucket = bucket_of(watch, line);
    watcher->line = line;
    watcher->previous = NULL;
    watcher->next = *bucket;
    if (watcher->next != NULL)
        watcher->next->previous = watcher;
    *bucket = watcher;
    watch->count++;
}

void line_watch_remove(struct line_watch *watch, struct line_watcher *watcher)
{
    if (watcher->previous != NULL)
        watcher->previous->next = watcher->next;
    else
        *bucket_of(watch, watcher->line) = watcher->next;
    if (watcher->next != NULL)
        watcher->next->previous = watcher->previous;
    watch->count--;
}

void line_watch_visit(struct line_watch *watch, line_watch_visit_fn *visit, void *argument)
{
    struct line_watcher *next;
    for (size_t i = 0; i < LINE_WATCH_BUCKETS; i++)
        for (struct line_watcher *watcher = watch->buckets[i]; watcher != NULL; watcher = next) {
            next = watcher->next;
            visit(watcher, argument);
        }
}

void line_watch_tell(struct line_watch *watch, cache_line line)
{
    struct line_watcher *next;
    for (struct line_watcher *watcher = *bucket_of(watch, line); watcher != NULL; watcher = next) {
        next = watcher->next; /* it may unwatch itself */
        if (watcher->line == line)
            watcher->changed(watcher);
    }
}
