#include "models/memory/line_watch.h"

/* Queues begin at regular distances: the multiplication (Fibonacci hashing) spreads them. */
static struct list *bucket_of(struct line_watch *watch, cache_line line)
{
    return &watch->buckets[line * UINT64_C(0x9E3779B97F4A7C15) >> (64 - LINE_WATCH_BITS)];
}

void line_watch_add(struct line_watch *watch, cache_line line, struct line_watcher *watcher)
{
    watcher->line = line;
    list_prepend(bucket_of(watch, line), &watcher->link);
    watch->count++;
}

void line_watch_remove(struct line_watch *watch, struct line_watcher *watcher)
{
    list_remove(bucket_of(watch, watcher->line), &watcher->link);
    watch->count--;
}

void line_watch_visit(struct line_watch *watch, line_watch_visit_fn *visit, void *argument)
{
    for (size_t i = 0; i < LINE_WATCH_BUCKETS; i++)
        LIST_EACH (struct line_watcher, watcher, &watch->buckets[i], link)
            visit(watcher, argument);
}

void line_watch_tell(struct line_watch *watch, cache_line line)
{
    struct line_watcher *next;
    struct line_watcher *watcher = LIST_FIRST(bucket_of(watch, line), struct line_watcher, link);
    for (; watcher != NULL; watcher = next) {
        next = LIST_NEXT(watcher, struct line_watcher, link); /* it may unwatch itself */
        if (watcher->line == line)
            watcher->changed(watcher);
    }
}
