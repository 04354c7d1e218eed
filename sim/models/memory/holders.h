/* Holders: who may have a line in private caches, as a directory keeps it. A bit a holder; a line
 * that has left a cache by itself leaves its bit behind, so the set is never too small. */
#ifndef GPUNETSIM_MODELS_MEMORY_HOLDERS_H
#define GPUNETSIM_MODELS_MEMORY_HOLDERS_H

#include <stddef.h>
#include <stdint.h>

#include "models/memory/cache.h"

/* A hash table of lines. All zero is an empty one. */
struct holders {
    struct line_holders {
        cache_line line;
        uint64_t set;
    } * places;
    size_t size, count; /* `size` is 0 or a power of two */
};
void holders_clear(struct holders *holders);

/* Those who may have `line`, bit by bit. */
uint64_t holders_of(const struct holders *holders, cache_line line);

/* `holder` (0 .. 63) may have it from now on; only those of `set` may, of those who might before. */
void holders_add(struct holders *holders, cache_line line, int holder);
void holders_keep(struct holders *holders, cache_line line, uint64_t set);

#endif
