#include "models/memory/directory.h"

#include "core/check.h"

void directory_init(struct directory *directory, struct sim *sim, int slot,
                    int64_t last_level_bytes, int64_t last_level_ways,
                    sim_time last_level_latency_ps, sim_time dram_latency_ps, int64_t dram_rate_Bps)
{
    *directory = (struct directory){
        .sim = sim,
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
}

void directory_add_cache(struct directory *directory, struct cache *cache, int owner)
{
    check_always(directory->coherent_count < DIRECTORY_MAX_CACHES,
                 "a directory keeps at most %d caches coherent", DIRECTORY_MAX_CACHES);
    directory->coherent[directory->coherent_count++] = (struct directory_cache){cache, owner};
}

sim_time directory_access(struct directory *directory, address at)
{
    cache_line line = at / CACHE_LINE_BYTES;
    sim_time ready_ps = directory->last_level_latency_ps;
    if (cache_find(directory->last_level, line) == CACHE_MISS) {
        sim_time now_ps = sim_now(directory->sim);
        ready_ps += dram_access(&directory->dram, now_ps, CACHE_LINE_BYTES) - now_ps;
        cache_insert(directory->last_level, line, NULL);
    }
    return ready_ps;
}

void directory_observe(struct directory *directory, void (*written)(void *observer, address at),
                       void *observer)
{
    directory->written = written;
    directory->observer = observer;
}

static void drop_other_copies(struct directory *directory, int writer, address at)
{
    if (directory->written != NULL)
        directory->written(directory->observer, at);
    line_watch_changed(&directory->watch, at / CACHE_LINE_BYTES);
    for (int i = 0; i < directory->coherent_count; i++)
        if (directory->coherent[i].owner != writer)
            cache_drop(directory->coherent[i].cache, at / CACHE_LINE_BYTES);
}

bool directory_others_hold(const struct directory *directory, int owner, address at)
{
    for (int i = 0; i < directory->coherent_count; i++)
        if (directory->coherent[i].owner != owner &&
            cache_peek(directory->coherent[i].cache, at / CACHE_LINE_BYTES) != CACHE_MISS)
            return true;
    return false;
}

void directory_write(struct directory *directory, int writer, address at, const void *data,
                     size_t bytes)
{
    drop_other_copies(directory, writer, at);
    store_write(directory->store, at, data, bytes);
}

uint64_t directory_atomic(struct directory *directory, int writer, address at, enum atomic_op op,
                          uint64_t operand, uint64_t compare)
{
    drop_other_copies(directory, writer, at);
    return store_atomic(directory->store, at, op, operand, compare);
}
