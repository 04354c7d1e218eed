/* Set-associative tags. Least recently used is kept as a stamp a way: sets are small (up to 16 ways
 * in all machines known to us), so looking through a set costs less than keeping a list would.
 *
 * Dropping all lines happens at every acquire, that is at every poll; so lines carry the epoch in
 * which they came and cache_drop_all begins a new epoch. */
#include "models/memory/cache.h"

#include <glib.h>
#include <string.h>

#include "core/check.h"

struct entry {
    cache_line line;
    uint64_t used; /* stamp of the last use */
    uint32_t epoch;
    bool valid, dirty, locked;
};

struct cache {
    struct entry *entries; /* sets * ways */
    uint8_t *data;         /* NULL without copies */
    uint64_t sets, ways;
    uint64_t clock;
    uint32_t epoch;
};

bool cache_shape_valid(int64_t bytes, int64_t ways)
{
    return bytes > 0 && ways > 0 && bytes % (ways * CACHE_LINE_BYTES) == 0;
}

struct cache *cache_new(int64_t bytes, int64_t ways, bool with_data)
{
    check_always(cache_shape_valid(bytes, ways), "%lld bytes do not make whole sets of %lld ways",
                 (long long)bytes, (long long)ways);
    struct cache *cache = g_new0(struct cache, 1);
    cache->ways = (uint64_t)ways;
    cache->sets = (uint64_t)bytes / (cache->ways * CACHE_LINE_BYTES);
    cache->entries = g_new0(struct entry, cache->sets * cache->ways);
    if (with_data)
        cache->data = g_new0(uint8_t, cache->sets * cache->ways * CACHE_LINE_BYTES);
    return cache;
}

void cache_free(struct cache *cache)
{
    if (cache == NULL)
        return;
    g_free(cache->entries);
    g_free(cache->data);
    g_free(cache);
}

static bool holds(const struct cache *cache, const struct entry *entry)
{
    return entry->valid && entry->epoch == cache->epoch;
}

static uint64_t first_of_set(const struct cache *cache, cache_line line)
{
    return line % cache->sets * cache->ways;
}

cache_way cache_peek(const struct cache *cache, cache_line line)
{
    uint64_t first = first_of_set(cache, line);
    for (uint64_t i = first; i < first + cache->ways; i++)
        if (cache->entries[i].line == line && holds(cache, &cache->entries[i]))
            return (cache_way)i;
    return CACHE_MISS;
}

cache_way cache_find(struct cache *cache, cache_line line)
{
    cache_way way = cache_peek(cache, line);
    if (way != CACHE_MISS)
        cache->entries[way].used = ++cache->clock;
    return way;
}

/* The place for a new line in its set: a free way, else the least recently used unlocked one. */
static cache_way choose_place(const struct cache *cache, cache_line line)
{
    uint64_t first = first_of_set(cache, line);
    cache_way oldest = CACHE_MISS;
    for (uint64_t i = first; i < first + cache->ways; i++) {
        const struct entry *entry = &cache->entries[i];
        if (!holds(cache, entry))
            return (cache_way)i;
        if (!entry->locked && (oldest == CACHE_MISS || entry->used < cache->entries[oldest].used))
            oldest = (cache_way)i;
    }
    return oldest;
}

cache_way cache_insert(struct cache *cache, cache_line line, struct cache_victim *victim)
{
    check_debug(cache_peek(cache, line) == CACHE_MISS, "line %llu is held already",
                (unsigned long long)line);
    cache_way way = choose_place(cache, line);
    if (victim != NULL)
        *victim = (struct cache_victim){0};
    if (way == CACHE_MISS)
        return CACHE_MISS;
    struct entry *entry = &cache->entries[way];
    if (victim != NULL && holds(cache, entry))
        *victim = (struct cache_victim){true, entry->dirty, entry->line};
    *entry = (struct entry){
        .line = line, .used = ++cache->clock, .epoch = cache->epoch, .valid = true};
    return way;
}

void cache_set_dirty(struct cache *cache, cache_way way)
{
    cache->entries[way].dirty = true;
}

bool cache_is_dirty(const struct cache *cache, cache_way way)
{
    return cache->entries[way].dirty;
}

void cache_set_locked(struct cache *cache, cache_way way, bool locked)
{
    cache->entries[way].locked = locked;
}

bool cache_is_locked(const struct cache *cache, cache_way way)
{
    return cache->entries[way].locked;
}

uint8_t *cache_data(struct cache *cache, cache_way way)
{
    check_debug(cache->data != NULL, "this cache keeps tags only");
    return cache->data + (size_t)way * CACHE_LINE_BYTES;
}

bool cache_drop(struct cache *cache, cache_line line)
{
    cache_way way = cache_peek(cache, line);
    if (way == CACHE_MISS)
        return false;
    cache->entries[way].valid = false;
    return true;
}

void cache_drop_all(struct cache *cache)
{
    /* After 2^32 epochs an old line could seem alive: wipe them once in that time. */
    if (++cache->epoch == 0)
        memset(cache->entries, 0, cache->sets * cache->ways * sizeof(struct entry));
}
