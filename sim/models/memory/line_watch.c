/* SPDX-License-Identifier: BSD-3-Clause */
#include "models/memory/line_watch.h"

/* Hashes a line by multiplication (Fibonacci hashing), which spreads queues that begin at regular distances. */
static uint64_t hash_of(cache_line line)
{
    return line * UINT64_C(0x9E3779B97F4A7C15);
}

static size_t number_of(cache_line line)
{
    return (size_t)(hash_of(line) >> (64 - LINE_WATCH_BITS));
}

static struct line_watch_bucket *bucket_of(struct line_watch *watch, cache_line line)
{
    return &watch->buckets[number_of(line)];
}

/* Notes whether the bucket has watchers. */
static void note_use(struct line_watch *watch, const struct line_watch_bucket *bucket, bool is_used)
{
    size_t number = (size_t)(bucket - watch->buckets);
    uint64_t bit = UINT64_C(1) << number % 64, *word = &watch->used[number / 64];
    *word = is_used ? *word | bit : *word & ~bit;
}

/* A bit chosen by the six bits of the hash that follow the bucket's. */
static uint64_t mark_of(cache_line line)
{
    return UINT64_C(1) << (hash_of(line) >> (64 - LINE_WATCH_BITS - 6) & 63);
}

void line_watch_clear(struct line_watch *watch)
{
    g_free(watch->buckets);
    *watch = (struct line_watch){0};
}

void line_watch_add(struct line_watch *watch, cache_line line, struct line_watcher *watcher)
{
    if (watch->buckets == NULL)
        watch->buckets = g_new0(struct line_watch_bucket, LINE_WATCH_BUCKETS);
    struct line_watch_bucket *bucket = bucket_of(watch, line);
    watcher->line = line;
    list_prepend(&bucket->watchers, &watcher->link);
    bucket->marks |= mark_of(line);
    note_use(watch, bucket, true);
    watch->count++;
}

/* Computes the bucket's marks anew: few watchers are left, and its neighbours in the list have just been touched. */
void line_watch_remove(struct line_watch *watch, struct line_watcher *watcher)
{
    struct line_watch_bucket *bucket = bucket_of(watch, watcher->line);
    list_remove(&bucket->watchers, &watcher->link);
    bucket->marks = 0;
    LIST_EACH (const struct line_watcher, left, &bucket->watchers, link)
        bucket->marks |= mark_of(left->line);
    note_use(watch, bucket, bucket->marks != 0);
    watch->count--;
}

void line_watch_visit(struct line_watch *watch, line_watch_visit_fn *visit, void *argument)
{
    for (size_t i = 0; i < LINE_WATCH_BUCKETS; i++) {
        uint64_t rest = watch->used[i / 64] >> i % 64; /* read again, since a visit may change it */
        if (rest == 0) {
            i |= 63; /* no further bucket of this word is used */
            continue;
        }
        i += (size_t)__builtin_ctzll(rest);
        LIST_EACH (struct line_watcher, watcher, &watch->buckets[i].watchers, link)
            visit(watcher, argument);
    }
}

/* The bits come first: beside streams, whose lines hash to all buckets, most buckets have no watcher, and the table of buckets
 * is as large as a first-level cache of the machine that simulates. */
void line_watch_tell(struct line_watch *watch, cache_line line)
{
    size_t number = number_of(line);
    if ((watch->used[number / 64] >> number % 64 & 1) == 0)
        return;
    const struct line_watch_bucket *bucket = &watch->buckets[number];
    if ((bucket->marks & mark_of(line)) == 0)
        return;
    struct line_watcher *next;
    struct line_watcher *watcher = LIST_FIRST(&bucket->watchers, struct line_watcher, link);
    for (; watcher != NULL; watcher = next) {
        next = LIST_NEXT(watcher, struct line_watcher, link); /* the watcher may remove itself */
        if (watcher->line == line)
            watcher->changed(watcher);
    }
}
