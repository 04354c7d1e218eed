/* SPDX-License-Identifier: BSD-3-Clause */
/* Sharers: who may have a line in private caches, as a directory keeps it. A bit a sharer; a line
 * that has left a cache by itself leaves its bit behind, so the set is never too small. */
#pragma once

#include <stdint.h>

#include "core/map.h"
#include "models/memory/cache.h"

/* All zero is an empty one. */
struct sharers {
    struct map lines; /* the set of those that may have it, a bit each */
};
void sharers_clear(struct sharers *sharers);

/* Those who may have `line`, bit by bit. */
uint64_t sharers_of(const struct sharers *sharers, cache_line line);

/* `sharer` (0 .. 63) may have it from now on; only those of `set` may, of those who might before. */
void sharers_add(struct sharers *sharers, cache_line line, int sharer);
void sharers_keep(struct sharers *sharers, cache_line line, uint64_t set);
