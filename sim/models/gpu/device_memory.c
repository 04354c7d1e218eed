/* The L2's latency is split in halves: a request reaches its bank after the first, the answer is back
 * after the second; what happens to tags and contents happens between them. A bank takes one access
 * every `l2_bank_cycles`. */
#include "models/gpu/device_memory.h"

#include <glib.h>

#include "core/check.h"
#include "models/gpu/gpu.h"
#include "models/gpu/memory_client.h"

static const struct stat_info hit_info[L2_REQUESTERS] = {
    [L2_FROM_CU] = {"l2_hits_cu", "1", "accesses of compute units that hit in the L2"},
    [L2_FROM_CP] = {"l2_hits_cp", "1", "accesses of command processors that hit in the L2"},
    [L2_FROM_BUS] = {"l2_hits_bus", "1", "accesses over the bus that hit in the L2"},
};
static const struct stat_info miss_info[L2_REQUESTERS] = {
    [L2_FROM_CU] = {"l2_misses_cu", "1", "accesses of compute units that missed in the L2"},
    [L2_FROM_CP] = {"l2_misses_cp", "1", "accesses of command processors that missed in the L2"},
    [L2_FROM_BUS] = {"l2_misses_bus", "1", "accesses over the bus that missed in the L2"},
};
static const struct stat_info writeback_info = {"l2_writebacks", "1",
                                                "dirty lines written to device memory"};

void device_memory_init(struct device_memory *memory, struct sim *sim, const struct gpu_spec *spec,
                        struct bus *bus, int slot, struct directory *directory, const char *path)
{
    *memory = (struct device_memory){
        .sim = sim,
        .spec = spec,
        .bus = bus,
        .slot = slot,
        .directory = directory,
        .store = store_new(slot),
        .l2 = cache_new(spec->l2_size_bytes, spec->l2_ways, false),
        .bank_service_ps = cycles_ps(spec->l2_bank_cycles, spec->clock_Hz),
        .half_way_ps = cycles_ps(spec->l2_latency_cycles, spec->clock_Hz) / 2,
        .writebacks = stat_counter_new(sim->stats, path, &writeback_info),
    };
    pool_init(&memory->stores, memory_client_store_bytes());
    dram_init(&memory->dram, spec->memory_latency_ps, spec->memory_rate_Bps);
    for (int from = 0; from < L2_REQUESTERS; from++) {
        memory->hits[from] = stat_counter_new(sim->stats, path, &hit_info[from]);
        memory->misses[from] = stat_counter_new(sim->stats, path, &miss_info[from]);
    }
    if (directory != NULL)
        directory_add_cache(directory, memory->l2, DIRECTORY_GPU);
}

void device_memory_clear(struct device_memory *memory)
{
    store_free(memory->store);
    cache_free(memory->l2);
    pool_clear(&memory->stores);
}

static bool is_own(const struct device_memory *memory, address at)
{
    return address_slot(at) == memory->slot;
}

bool device_memory_serves(const struct device_memory *memory, address at)
{
    return is_own(memory, at) || memory->directory != NULL;
}

/* Waits for the line's bank; returns for how long. */
static sim_time take_bank(struct device_memory *memory, cache_line line)
{
    sim_time now_ps = sim_now(memory->sim);
    sim_time *free_ps = &memory->bank_free_ps[line % (cache_line)memory->spec->l2_banks];
    sim_time start_ps = *free_ps > now_ps ? *free_ps : now_ps;
    *free_ps = start_ps + memory->bank_service_ps;
    return start_ps - now_ps;
}

/* Time for what lies behind the L2: device memory, or an APU's directory there and back. */
static sim_time fetch_behind(struct device_memory *memory, address at)
{
    sim_time now_ps = sim_now(memory->sim);
    if (is_own(memory, at))
        return dram_access(&memory->dram, now_ps, CACHE_LINE_BYTES) - now_ps;
    return 2 * memory->spec->directory_latency_ps + directory_access(memory->directory, at);
}

/* Takes the line in. With every way of its set locked it passes by without being kept. */
static cache_way fill(struct device_memory *memory, cache_line line)
{
    struct cache_victim victim;
    cache_way way = cache_insert(memory->l2, line, &victim);
    if (victim.dirty) {
        stat_count(memory->writebacks, 1);
        dram_access(&memory->dram, sim_now(memory->sim), CACHE_LINE_BYTES);
    }
    return way;
}

sim_time device_memory_access(struct device_memory *memory, enum l2_requester from, address at,
                              bool is_write)
{
    cache_line line = at / CACHE_LINE_BYTES;
    sim_time wait_ps = take_bank(memory, line);
    if (is_own(memory, at) && store_is_fine_grained(at))
        return wait_ps + fetch_behind(memory, at);
    cache_way way = cache_find(memory->l2, line);
    stat_count(way != CACHE_MISS ? memory->hits[from] : memory->misses[from], 1);
    if (way == CACHE_MISS) {
        /* A write needs nothing from behind: bytes are masked. The bus does not allocate. */
        if (!is_write)
            wait_ps += fetch_behind(memory, at);
        else if (!is_own(memory, at))
            wait_ps += 2 * memory->spec->directory_latency_ps;
        if (from == L2_FROM_BUS)
            return wait_ps;
        way = fill(memory, line);
    } else if (is_write && !is_own(memory, at)) {
        wait_ps += 2 * memory->spec->directory_latency_ps;
    }
    if (is_write && way != CACHE_MISS && is_own(memory, at))
        cache_set_dirty(memory->l2, way);
    return wait_ps;
}

sim_time device_memory_visible_after(const struct device_memory *memory, address at)
{
    return is_own(memory, at) ? 0 : memory->spec->directory_latency_ps;
}

void device_memory_read(struct device_memory *memory, address at, void *data, size_t bytes)
{
    store_read(is_own(memory, at) ? memory->store : memory->directory->store, at, data, bytes);
}

void device_memory_write(struct device_memory *memory, address at, const void *data, size_t bytes)
{
    if (is_own(memory, at))
        store_write(memory->store, at, data, bytes);
    else
        directory_write(memory->directory, DIRECTORY_GPU, at, data, bytes);
}

uint64_t device_memory_atomic(struct device_memory *memory, address at, enum atomic_op op,
                              uint64_t operand, uint64_t compare)
{
    if (is_own(memory, at))
        return store_atomic(memory->store, at, op, operand, compare);
    return directory_atomic(memory->directory, DIRECTORY_GPU, at, op, operand, compare);
}
