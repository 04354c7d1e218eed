/* Set-associative tags with least-recently-used replacement, one entry a line of 64 bytes; used for
 * every cache there is: a CU's L1, the GPU's L2, a CP's D-cache, a CPU core's caches.
 *
 * Tags only, and, where a cache is not coherent (CU and CP L1), a copy of each line's bytes, so that
 * a reader without acquire really sees stale data (ComPNet18 section 2; M-059). */
#ifndef GPUNETSIM_MODELS_MEMORY_CACHE_H
#define GPUNETSIM_MODELS_MEMORY_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CACHE_LINE_BYTES 64

/* A line's number: its address divided by CACHE_LINE_BYTES. */
typedef uint64_t cache_line;

struct cache;

/* `bytes` must be sets * ways * 64 with a whole number (>= 1) of sets. `with_data`: keep copies. */
struct cache *cache_new(int64_t bytes, int64_t ways, bool with_data);
void cache_free(struct cache *cache);

/* A cache_way names where a line is held; valid until the next insertion or invalidation. */
typedef int64_t cache_way;
#define CACHE_MISS ((cache_way)-1)

/* Where the line is held, most recently used from now on; CACHE_MISS if it is not. */
cache_way cache_find(struct cache *cache, cache_line line);

/* The same without touching the order of use. */
cache_way cache_peek(const struct cache *cache, cache_line line);

/* What an insertion has pushed out. */
struct cache_victim {
    bool valid; /* a line was pushed out */
    bool dirty; /* and has to be written back */
    cache_line line;
};

/* Takes a line in, as the most recently used, clean and unlocked. Returns its place, or CACHE_MISS if
 * every way of its set is locked. The line must not be held already. `victim` may be NULL. */
cache_way cache_insert(struct cache *cache, cache_line line, struct cache_victim *victim);

void cache_set_dirty(struct cache *cache, cache_way way);
bool cache_is_dirty(const struct cache *cache, cache_way way);

/* A locked line is not chosen as a victim (ComPNet18 section 4.2.3; M-074). */
void cache_set_locked(struct cache *cache, cache_way way, bool locked);
bool cache_is_locked(const struct cache *cache, cache_way way);

/* The bytes of a held line (with_data only), CACHE_LINE_BYTES of them. */
uint8_t *cache_data(struct cache *cache, cache_way way);

/* Drops one line, if held; returns whether it was. */
bool cache_drop(struct cache *cache, cache_line line);

/* Drops all lines at once: an acquire in a cache that is not coherent. Takes constant time. */
void cache_drop_all(struct cache *cache);

/* Whether `bytes` and `ways` make a cache, for the check of a machine file. */
bool cache_shape_valid(int64_t bytes, int64_t ways);

#endif
