/* Holders: which caches may hold a line, as a directory keeps it. A bit a cache; a line that has left
 * a cache by itself leaves its bit behind, so the set is never too small. */
#ifndef GPUNETSIM_MODELS_MEMORY_HOLDERS_H
#define GPUNETSIM_MODELS_MEMORY_HOLDERS_H

#include <stddef.h>
#include <stdint.h>

#include "models/memory/cache.h"

/* A hash table of lines. All zero is an empty one. */
struct holders {
    struct line_holders {
        cache_line line;
        uint64_t caches;
    } * places;
    size_t size, count; /* `size` is 0 or a power of two */
};
void holders_clear(struct holders *holders);

/* The caches that may hold `line`, bit by bit. */
uint64_t holders_of(const struct holders *holders, cache_line line);

/* Cache number `cache` (0 .. 63) may hold it from now on; only those of `caches` may, which held it
 * before. */
void holders_add(struct holders *holders, cache_line line, int cache);
void holders_keep(struct holders *holders, cache_line line, uint64_t caches);

#endif
