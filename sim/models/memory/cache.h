/* SPDX-License-Identifier: BSD-3-Clause */
/* Set-associative tags with least-recently-used replacement, one entry a line of 64 bytes; used for
 * every cache there is: a CU's L1, the GPU's L2, a CP's D-cache, a CPU core's caches.
 *
 * Tags only, and, where a cache is not coherent (CU and CP L1), a copy of each line's bytes, so
 * that a reader without acquire really sees stale data (ComPNet18 section 2; M-059). */
#pragma once

#include "core/param.h"
#include "core/rng.h"

#define CACHE_LINE_BYTES 64

/* A line's number: its address divided by CACHE_LINE_BYTES. */
typedef uint64_t cache_line;

/* The number of lines that `bytes` (>= 0) from the start of a line on take up; the last may be partly filled. */
static inline int64_t cache_lines_of(int64_t bytes)
{
    return (bytes + CACHE_LINE_BYTES - 1) / CACHE_LINE_BYTES;
}

/* A cache as a machine file describes it. The tables of all components that have a cache share its rows. */
struct cache_shape {
    int64_t size_bytes, ways, latency_cycles;
};
extern const struct param_record cache_rows;

struct cache;

/* `bytes` must be sets * ways * 64 with a whole number (>= 1) of sets. `with_data`: keep copies. */
struct cache *cache_new(int64_t bytes, int64_t ways, bool with_data);
void cache_free(struct cache *cache);

/* A statistical cache of that shape, for long runs under streams: lines that are used again are kept one by
 * one, those that stream through are only counted (cache_pass_through). A line's life is drawn when it is
 * used: how many other lines have to come until its set has taken in `ways` of them, with every set
 * equally likely (Gamma distributed, the LRU stack under random arrivals). All of this interface works
 * as for the other kind. `chance` is copied.
 *
 * Hit rates of lines that are used at random beside a stream are within 0.03 of the other kind; of lines used
 * periodically they fall from one to nothing over a quarter of the period in which a stream fills the
 * cache, where with a few streams in step they fall at once. */
struct cache *cache_new_statistical(int64_t bytes, int64_t ways, const struct rng *chance);

/* `lines` lines come in, spread evenly over the sets, are used once, and push out others: of the other kind, a line is out when
 * so many have come to its set since it was used that they and those of its set used later fill all ways. */
void cache_pass_through(struct cache *cache, int64_t lines);

/* Lines that others push out in passing leave without notice. These say whether one may have left since cache_forget_deaths;
 * and whether `line` is held, whose end then counts among those to come. */
bool cache_death_is_due(const struct cache *cache);
void cache_forget_deaths(struct cache *cache);
bool cache_expect_death(struct cache *cache, cache_line line);

/* How many lines may pass through until cache_death_is_due; UINT64_MAX: any number. */
uint64_t cache_until_death(const struct cache *cache);

/* A cache_way names where a line is held; valid until the next insertion or invalidation. */
typedef int64_t cache_way;
#define CACHE_MISS ((cache_way)-1)

/* Where the line is held, and makes it the most recently used; CACHE_MISS if it is not held. */
cache_way cache_find(struct cache *cache, cache_line line);

/* The same without touching the order of use. */
cache_way cache_peek(struct cache *cache, cache_line line);

/* Uses of `count` lines from `line` on, one after the other: as cache_find of each, and cache_set_dirty of those that
 * are held, if they are written. Returns how many are held; -1, and nothing is done, in a cache by chance or with
 * copies. Of a block that is used again while no line has come or been dropped the use is only noted: its lines are
 * told before one is pushed out. Until then, lines of the same sets are taken to be pushed down by it as they were
 * before. */
int64_t cache_use_block(struct cache *cache, cache_line line, int64_t count, bool is_write);

/* A line, and the place where it was held when last used; 0 if it was not held. */
struct cached_line {
    cache_line line;
    cache_way way;
};

/* As cache_find of each. All were held until now; one that has just been dropped may be stamped or not. */
void cache_use_all(struct cache *cache, struct cached_line *lines, size_t count);

/* The line that an insertion has pushed out. */
struct cache_victim {
    bool valid; /* a line was pushed out */
    bool dirty; /* and has to be written back */
    cache_line line;
};

/* Takes a line in, as the most recently used, clean, unlocked and shared. Returns its place, or
 * CACHE_MISS if every way of its set is locked. The line must not be held already. `victim` may be
 * NULL. */
cache_way cache_insert(struct cache *cache, cache_line line, struct cache_victim *victim);

void cache_set_dirty(struct cache *cache, cache_way way);
bool cache_is_dirty(const struct cache *cache, cache_way way);

/* A locked line is not chosen as a victim (ComPNet18 section 4.2.3; M-074). */
void cache_set_locked(struct cache *cache, cache_way way, bool locked);
bool cache_is_locked(const struct cache *cache, cache_way way);
bool cache_set_is_locked(const struct cache *cache,
                         cache_way way); /* whether every way of the set of `way` is locked */

/* The bytes of a held line (with_data only), CACHE_LINE_BYTES of them. */
uint8_t *cache_data(struct cache *cache, cache_way way);

/* Drops one line, if held; returns whether it was. */
bool cache_drop(struct cache *cache, cache_line line);

/* A private line belongs to one agent alone and outlives an acquire. */
void cache_set_private(struct cache *cache, cache_way way);

/* Drops all lines but private ones at once: an acquire in a cache that is not coherent. Takes
 * constant time. */
void cache_drop_shared(struct cache *cache);

/* Number of ways in all sets together: a cache_way is below it. */
int64_t cache_way_count(const struct cache *cache);

/* Whether `bytes` and `ways` are the shape of a cache, for the check of a machine file. */
bool cache_shape_valid(int64_t bytes, int64_t ways);
