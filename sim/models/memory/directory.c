/* SPDX-License-Identifier: BSD-3-Clause */
#include "models/memory/directory.h"

void directory_init(struct directory *directory, struct sim *sim, int slot,
                    int64_t last_level_bytes, int64_t last_level_ways,
                    sim_time last_level_latency_ps, sim_time dram_latency_ps, int64_t dram_rate_Bps)
{
    *directory = (struct directory){
        .sim = sim,
        .slot = slot,
        .store = store_new(slot),
        .last_level = cache_new(last_level_bytes, last_level_ways, false),
        .last_level_latency_ps = last_level_latency_ps,
    };
    dram_init(&directory->dram, dram_latency_ps, dram_rate_Bps);
}

void directory_clear(struct directory *directory)
{
    store_free(directory->store);
    cache_free(directory->last_level);
    map_clear(&directory->sharers);
    line_watch_clear(&directory->watch);
}

int directory_add_sharer(struct directory *directory, int owner, struct cache *inner,
                         struct cache *outer)
{
    check_always(directory->coherent_count < DIRECTORY_MAX_SHARERS,
                 "a directory keeps the caches of at most %d sharers coherent",
                 DIRECTORY_MAX_SHARERS);
    directory->coherent[directory->coherent_count] = (struct directory_sharer){owner, inner, outer};
    return directory->coherent_count++;
}

static void note(const struct directory *directory, uint64_t bits)
{
    if (directory->used != NULL)
        *directory->used |= bits;
}

sim_time directory_access(struct directory *directory, address at)
{
    cache_line line = at / CACHE_LINE_BYTES;
    sim_time ready_ps = directory->last_level_latency_ps;
    note(directory, directory->near_bits);
    if (cache_find(directory->last_level, line) == CACHE_MISS) {
        note(directory, directory->far_bits);
        sim_time now_ps = sim_now(directory->sim);
        ready_ps += dram_access(&directory->dram, now_ps, CACHE_LINE_BYTES) - now_ps;
        cache_insert(directory->last_level, line, NULL);
    }
    return ready_ps;
}

void directory_pass_by(struct directory *directory, address at)
{
    note(directory, directory->near_bits | directory->far_bits);
    cache_drop(directory->last_level, at / CACHE_LINE_BYTES);
    dram_access(&directory->dram, sim_now(directory->sim), CACHE_LINE_BYTES);
}

void directory_observe(struct directory *directory, void (*written)(void *observer, address at),
                       void *observer)
{
    check_always(directory->observer_count < DIRECTORY_MAX_SHARERS,
                 "a directory has at most %d observers", DIRECTORY_MAX_SHARERS);
    directory->observers[directory->observer_count++] =
        (struct directory_observer){written, observer};
}

cache_way directory_fill(struct directory *directory, int number, cache_line line,
                         struct cache_victim *victim)
{
    map_at(&directory->sharers, line)->number |= UINT64_C(1) << number;
    return cache_insert(directory->coherent[number].outer, line, victim);
}

static void drop(const struct directory_sharer *sharer, cache_line line)
{
    cache_drop(sharer->outer, line);
    if (sharer->inner != NULL)
        cache_drop(sharer->inner, line);
}

static bool holds(const struct directory_sharer *sharer, cache_line line)
{
    return cache_peek(sharer->outer, line) != CACHE_MISS ||
           (sharer->inner != NULL && cache_peek(sharer->inner, line) != CACHE_MISS);
}

static void tell(struct directory *directory, address at)
{
    for (int i = 0; i < directory->observer_count; i++)
        directory->observers[i].written(directory->observers[i].observer, at);
    line_watch_changed(&directory->watch, at / CACHE_LINE_BYTES);
}

void directory_take_away(struct directory *directory, int writer, address at)
{
    cache_line line = at / CACHE_LINE_BYTES;
    tell(directory, at);
    union map_value *sharers = map_find(&directory->sharers, line);
    uint64_t own = 0;
    for (uint64_t left = sharers != NULL ? sharers->number : 0; left != 0; left &= left - 1) {
        const struct directory_sharer *sharer = &directory->coherent[__builtin_ctzll(left)];
        if (sharer->owner == writer)
            own |= left & -left;
        else
            drop(sharer, line);
    }
    if (sharers != NULL)
        sharers->number = own;
}

bool directory_others_hold(const struct directory *directory, int owner, address at)
{
    cache_line line = at / CACHE_LINE_BYTES;
    const union map_value *sharers = map_find(&directory->sharers, line);
    for (uint64_t left = sharers != NULL ? sharers->number : 0; left != 0; left &= left - 1) {
        const struct directory_sharer *sharer = &directory->coherent[__builtin_ctzll(left)];
        if (sharer->owner != owner && holds(sharer, line))
            return true;
    }
    return false;
}

void directory_write(struct directory *directory, int writer, address at, const void *data,
                     size_t bytes)
{
    directory_take_away(directory, writer, at);
    store_write(directory->store, at, data, bytes);
}

void directory_update(struct directory *directory, address at, const void *data, size_t bytes)
{
    tell(directory, at);
    store_write(directory->store, at, data, bytes);
}

uint64_t directory_atomic(struct directory *directory, int writer, address at, enum atomic_op op,
                          uint64_t operand, uint64_t compare)
{
    directory_take_away(directory, writer, at);
    return store_atomic(directory->store, at, op, operand, compare);
}
