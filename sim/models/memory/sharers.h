/* SPDX-License-Identifier: BSD-3-Clause */
/* Sharers: who may have a line in private caches, as a directory keeps it. Each sharer has a bit. When a line leaves a cache by
 * itself its bit stays, so the set may be too large but never too small. */
#pragma once

#include <stdint.h>

#include "core/map.h"
#include "models/memory/cache.h"

/* All zero is empty. */
struct sharers {
    struct map lines; /* the sharers that may have it, one bit for each */
};
void sharers_clear(struct sharers *sharers);

/* The sharers that may have `line`, as bits. */
uint64_t sharers_of(const struct sharers *sharers, cache_line line);

/* Adds `sharer` (0 .. 63) to those that may have the line; the second function keeps only those that are in `set`. */
void sharers_add(struct sharers *sharers, cache_line line, int sharer);
void sharers_keep(struct sharers *sharers, cache_line line, uint64_t set);
