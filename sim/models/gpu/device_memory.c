/* SPDX-License-Identifier: BSD-3-Clause */
/* The L2's latency is split in halves: a request reaches its bank after the first, the answer is back after the second; tags
 * and contents change between them. A bank takes one access in each cycle. */
#include "models/gpu/device_memory.h"

#include <glib.h>

#include "core/check.h"
#include "core/pages.h"
#include "models/gpu/gpu.h"
#include "models/gpu/memory_client.h"

/* After this number of lines read from memory (64 KiB) a copy of a line of the other partition has been replaced. Measured on
 * an H200 (loads_beside_streams.tsv): at the next load, 270 ns later, a tenth of the copies is gone beside the stream of one
 * SM, half beside those of four, four fifths beside those of eight. */
#define COPIES_LINES 1024

static const struct stat_info hit_info[L2_REQUESTERS] = {
    [L2_FROM_CU] = {"l2_hits_cu", "1", "accesses of compute units that hit in the L2"},
    [L2_FROM_CP] = {"l2_hits_cp", "1", "accesses of command processors that hit in the L2"},
    [L2_FROM_CP_PRIVATE] =
        {"l2_hits_cp_private", "1",
         "accesses of command processors to data of their own that hit in the L2"},
    [L2_FROM_BUS] = {"l2_hits_bus", "1", "accesses over the bus that hit in the L2"},
};
static const struct stat_info miss_info[L2_REQUESTERS] = {
    [L2_FROM_CU] = {"l2_misses_cu", "1", "accesses of compute units that missed in the L2"},
    [L2_FROM_CP] = {"l2_misses_cp", "1", "accesses of command processors that missed in the L2"},
    [L2_FROM_CP_PRIVATE] = {"l2_misses_cp_private", "1",
                            "accesses of command processors to data of their own that missed in "
                            "the L2"},
    [L2_FROM_BUS] = {"l2_misses_bus", "1", "accesses over the bus that missed in the L2"},
};
static const struct stat_info poll_hit_info[L2_POLLERS] = {
    [L2_FROM_CU] = {"l2_poll_hits_cu", "1", "polls of compute units that hit in the L2"},
    [L2_FROM_CP] = {"l2_poll_hits_cp", "1", "polls of command processors that hit in the L2"},
};
static const struct stat_info poll_miss_info[L2_POLLERS] = {
    [L2_FROM_CU] = {"l2_poll_misses_cu", "1", "polls of compute units that missed in the L2"},
    [L2_FROM_CP] = {"l2_poll_misses_cp", "1", "polls of command processors that missed in the L2"},
};

static void make_counters(struct device_memory *memory, const char *path)
{
    struct stat_registry *stats = memory->sim->stats;
    for (int from = 0; from < L2_REQUESTERS; from++) {
        memory->hits[from] = stat_counter_new(stats, path, &hit_info[from]);
        memory->misses[from] = stat_counter_new(stats, path, &miss_info[from]);
    }
    for (int from = 0; from < L2_POLLERS; from++) {
        memory->poll_hits[from] = stat_counter_new(stats, path, &poll_hit_info[from]);
        memory->poll_misses[from] = stat_counter_new(stats, path, &poll_miss_info[from]);
    }
    memory->writebacks = stat_counter_new(
        stats, path, STAT("l2_writebacks", "1", "dirty lines written to device memory"));
}

/* Tells the watchers of a line of an APU's host memory, which changes at its directory. */
static void host_memory_is_written(void *observer, address at)
{
    struct device_memory *memory = observer;
    line_watch_changed(&memory->watch, at / CACHE_LINE_BYTES);
}

static void watch_directory(struct device_memory *memory, struct directory *directory)
{
    memory->directory_number =
        directory_add_sharer(directory, DIRECTORY_GPU(memory->slot), NULL, memory->l2);
    directory_observe(directory, host_memory_is_written, memory);
}

static struct cache *new_l2(struct sim *sim, const struct gpu_spec *spec, const char *path)
{
    if (spec->l2_model == L2_LINES)
        return cache_new(spec->l2.size_bytes, spec->l2.ways, false);
    struct rng chance;
    char *name = g_strconcat(path, ".l2", NULL);
    rng_init(&chance, sim->seed, name);
    g_free(name);
    return cache_new_statistical(spec->l2.size_bytes, spec->l2.ways, &chance);
}

static size_t copied_bytes(const struct device_memory *memory)
{
    return (size_t)cache_way_count(memory->l2) * sizeof *memory->copied;
}

void device_memory_init(struct device_memory *memory, struct sim *sim, const struct gpu_spec *spec,
                        struct bus *bus, int slot, struct dram *dram, struct directory *directory,
                        const char *path)
{
    *memory = (struct device_memory){
        .sim = sim,
        .spec = spec,
        .used = param_use_of(&sim->uses, &gpu_params),
        .bus = bus,
        .slot = slot,
        .directory = directory,
        .dram = dram,
        .store = store_new(slot),
        .l2 = new_l2(sim, spec, path),
        .bank_service_ps = cycles_ps(1, spec->clock_Hz),
        .half_way_ps = cycles_ps(spec->l2.latency_cycles, spec->clock_Hz) / 2,
    };
    if (spec->far_partition_ps > 0)
        memory->copied = pages_sparse_new(copied_bytes(memory));
    gather_init(&memory->flushes, spec->fence_gather_ps);
    make_counters(memory, path);
    line_locks_init(&memory->locks, sim, memory->l2, path);
    pool_init(&memory->stores, memory_client_store_bytes());
    if (directory != NULL)
        watch_directory(memory, directory);
}

void device_memory_clear(struct device_memory *memory)
{
    store_free(memory->store);
    line_locks_clear(&memory->locks);
    map_clear(&memory->atomics);
    line_watch_clear(&memory->watch);
    pages_sparse_free(memory->copied, copied_bytes(memory));
    cache_free(memory->l2);
    pool_clear(&memory->stores);
}

static bool is_own(const struct device_memory *memory, address at)
{
    return address_slot(at) == memory->slot;
}

static bool is_fine_grained(const struct device_memory *memory, address at)
{
    return is_own(memory, at) && store_is_fine_grained(at);
}

bool device_memory_serves(const struct device_memory *memory, address at)
{
    return is_own(memory, at) ||
           (memory->directory != NULL && address_slot(at) == memory->directory->slot);
}

/* Notes the parameters that every access to the L2 uses: the way there, and whether the line is held. */
static void note_way(const struct device_memory *memory)
{
    GPU_NOTE(memory, clock_Hz);
    GPU_NOTE(memory, l2.latency_cycles);
    GPU_NOTE(memory, l2.size_bytes);
    GPU_NOTE(memory, l2.ways);
    GPU_NOTE(memory, l2_model);
}

/* Takes a turn of the line's bank; returns how long the access waits for it. */
static sim_time take_bank(struct device_memory *memory, cache_line line)
{
    sim_time now_ps = sim_now(memory->sim);
    note_way(memory);
    GPU_NOTE(memory, l2_banks);
    sim_time *free_ps = &memory->bank_free_ps[line % (cache_line)memory->spec->l2_banks];
    sim_time start_ps = *free_ps > now_ps ? *free_ps : now_ps;
    *free_ps = start_ps + memory->bank_service_ps;
    return start_ps - now_ps;
}

static void count_read(struct device_memory *memory, int64_t lines)
{
    memory->lines_read += lines;
    memory->read_ps = sim_now(memory->sim);
}

/* Whether copies may be replaced: enough lines have been read from memory, one of them in the last microsecond. */
static bool is_reading(const struct device_memory *memory)
{
    return memory->lines_read >= COPIES_LINES &&
           sim_now(memory->sim) - memory->read_ps <= PS_PER_US;
}

/* A load of a line of the L2's other partition (here: of odd parity) leaves a copy on its own side. The next load finds the
 * copy there, unless lines read from memory have replaced it. `way` is where the line is held. */
static sim_time way_to_home(struct device_memory *memory, cache_line line, cache_way way)
{
    if (way == CACHE_MISS || __builtin_parityll(line) == 0)
        return 0;
    bool is_replaced = is_reading(memory);
    if (memory->copied != NULL) {
        is_replaced &= memory->lines_read - memory->copied[way] >= COPIES_LINES;
        memory->copied[way] = memory->lines_read;
    }
    return is_replaced ? GPU_READ(memory, far_partition_ps) : 0;
}

/* Time for what lies behind the L2: device memory, or an APU's directory there and back. */
static sim_time own_memory(struct device_memory *memory, int64_t bytes)
{
    sim_time now_ps = sim_now(memory->sim);
    GPU_NOTE(memory, memory_latency_ps);
    GPU_NOTE(memory, memory_rate_Bps);
    return dram_access(memory->dram, now_ps, bytes) - now_ps;
}

static sim_time fetch_behind(struct device_memory *memory, address at)
{
    if (is_own(memory, at))
        return own_memory(memory, CACHE_LINE_BYTES);
    return 2 * GPU_READ(memory, directory_latency_ps) + directory_access(memory->directory, at);
}

/* The flows of the memory that kernels use. */
static struct shared_rate *flows_of(const struct device_memory *memory)
{
    return memory->directory != NULL ? &memory->directory->dram.flows : &memory->dram->flows;
}

static void tell_if_gone(struct line_watcher *watcher, void *argument)
{
    struct device_memory *memory = argument;
    if (!cache_expect_death(memory->l2, watcher->line))
        watcher->changed(watcher);
}

/* Tells the watchers of lines that passing lines have pushed out of the L2. */
static void tell_pushed_out(struct device_memory *memory)
{
    if (memory->watch.count == 0 || !cache_death_is_due(memory->l2))
        return;
    cache_forget_deaths(memory->l2);
    line_watch_visit(&memory->watch, tell_if_gone, memory);
}

static void push_out(void *memory);

/* Schedules an event for the time at which enough lines will have passed to push out a watched line, since watchers do not
 * notice that their line leaves. */
static void expect_push_out(struct device_memory *memory)
{
    double rate = shared_rate_counted(flows_of(memory)) / CACHE_LINE_BYTES; /* lines a picosecond */
    uint64_t lines = cache_until_death(memory->l2);
    if (rate <= 0 || memory->watch.count == 0 || lines == UINT64_MAX)
        return;
    double wait_ps = (double)lines / rate + 1;
    if (wait_ps >= (double)SIM_TIME_LAST ||
        event_time(memory->sim->events, memory->push_out) != SIM_TIME_MAX)
        return;
    memory->push_out =
        event_schedule(memory->sim->events, moment_after(sim_now(memory->sim), (sim_time)wait_ps),
                       push_out, memory);
}

/* Lets the lines that kernels' flows have moved until now pass through the L2. */
static void let_flows_pass(struct device_memory *memory)
{
    struct shared_rate *flows = flows_of(memory);
    if (flows->counted_weight <= 0 && flows->counted - memory->passed_bytes < CACHE_LINE_BYTES)
        return;
    shared_rate_advance(flows, sim_now(memory->sim));
    int64_t lines = (int64_t)((flows->counted - memory->passed_bytes) / CACHE_LINE_BYTES);
    if (lines == 0)
        return;
    memory->passed_bytes += (double)(lines * CACHE_LINE_BYTES);
    count_read(memory, lines);
    cache_pass_through(memory->l2, lines);
    tell_pushed_out(memory);
}

static void push_out(void *argument)
{
    struct device_memory *memory = argument;
    let_flows_pass(memory);
    expect_push_out(memory);
}

void device_memory_flow_begins(struct device_memory *memory)
{
    let_flows_pass(memory);
    if (memory->watch.count > 0)
        line_watch_visit(&memory->watch, tell_if_gone, memory);
    expect_push_out(memory);
}

static cache_way insert(struct device_memory *memory, cache_line line, struct cache_victim *victim)
{
    if (is_own(memory, line * CACHE_LINE_BYTES))
        return cache_insert(memory->l2, line, victim);
    return directory_fill(memory->directory, memory->directory_number, line, victim);
}

/* Takes the line in. If every way of its set is locked, the line is not kept (CACHE_MISS). */
static cache_way fill(struct device_memory *memory, cache_line line)
{
    struct cache_victim victim;
    cache_way way = insert(memory, line, &victim);
    if (victim.valid)
        line_watch_changed(&memory->watch, victim.line);
    tell_pushed_out(memory);
    if (way != CACHE_MISS)
        line_watch_changed(&memory->watch, line);
    if (way != CACHE_MISS && memory->copied != NULL)
        memory->copied[way] = memory->lines_read;
    if (victim.dirty) {
        stat_count(memory->writebacks, 1);
        own_memory(memory, CACHE_LINE_BYTES);
    }
    return way;
}

static void tell(struct line_watcher *watcher, void *argument)
{
    (void)argument;
    watcher->changed(watcher);
}

/* The locked `way` is about to be unlocked. If its whole set is locked, polls that found no place there may now find one. */
static void tell_of_room(struct device_memory *memory, cache_way way)
{
    if (cache_set_is_locked(memory->l2, way))
        line_watch_visit(&memory->watch, tell, NULL);
}

static void unpin(struct device_memory *memory, cache_line line, cache_way way)
{
    if (!cache_is_locked(memory->l2, way))
        return;
    tell_of_room(memory, way);
    line_unpin(&memory->locks, way);
    line_watch_changed(&memory->watch, line);
}

/* The rest of an access that hit in `way`. */
static sim_time access_hit(struct device_memory *memory, enum l2_requester from, address at,
                           bool is_write, cache_way way)
{
    if (from == L2_FROM_CP)
        unpin(memory, at / CACHE_LINE_BYTES, way);
    if (!is_write)
        return from == L2_FROM_CU ? way_to_home(memory, at / CACHE_LINE_BYTES, way) : 0;
    if (!is_own(memory, at))
        return 2 * GPU_READ(memory, directory_latency_ps);
    cache_set_dirty(memory->l2, way);
    return 0;
}

/* The rest of an access that missed. A write fetches nothing from behind the L2, since bytes are masked. Accesses of the bus
 * allocate a line only if gpu.bus_allocates says so. */
static sim_time access_miss(struct device_memory *memory, enum l2_requester from, address at,
                            bool is_write)
{
    sim_time wait_ps = 0;
    if (!is_write) {
        count_read(memory, 1);
        wait_ps = fetch_behind(memory, at);
    } else if (!is_own(memory, at)) {
        wait_ps = 2 * GPU_READ(memory, directory_latency_ps);
    }
    if (from == L2_FROM_BUS && !GPU_READ(memory, bus_allocates))
        return wait_ps;
    cache_way way = fill(memory, at / CACHE_LINE_BYTES);
    if (!is_write || !is_own(memory, at))
        return wait_ps;
    if (way != CACHE_MISS)
        cache_set_dirty(memory->l2, way);
    else
        own_memory(memory, CACHE_LINE_BYTES);
    return wait_ps;
}

sim_time device_memory_access(struct device_memory *memory, enum l2_requester from, address at,
                              bool is_write)
{
    cache_line line = at / CACHE_LINE_BYTES;
    if (from == L2_FROM_CU) {
        GPU_NOTE(memory, l1.latency_cycles);
        GPU_NOTE(memory, l1.size_bytes);
        GPU_NOTE(memory, l1.ways);
    }
    sim_time wait_ps = take_bank(memory, line);
    if (is_fine_grained(memory, at))
        return wait_ps + fetch_behind(memory, at);
    let_flows_pass(memory);
    cache_way way = cache_find(memory->l2, line);
    stat_count(way != CACHE_MISS ? memory->hits[from] : memory->misses[from], 1);
    if (way != CACHE_MISS)
        return wait_ps + access_hit(memory, from, at, is_write, way);
    return wait_ps + access_miss(memory, from, at, is_write);
}

/* --- blocks --- */

/* Whether no hit takes the way to the other partition, now and as long as all accesses are hits. */
static bool is_quiet(const struct device_memory *memory)
{
    return !is_reading(memory) || GPU_READ(memory, far_partition_ps) == 0;
}

/* Takes the banks of lines that arrive together; returns how long the last line waits. */
static sim_time take_banks(struct device_memory *memory, cache_line line, int64_t lines)
{
    int64_t banks = memory->spec->l2_banks;
    sim_time now_ps = sim_now(memory->sim), wait_ps = 0;
    for (int64_t i = 0; i < MIN(lines, banks); i++) {
        sim_time *free_ps = &memory->bank_free_ps[(line + (cache_line)i) % (cache_line)banks];
        int64_t served = lines / banks + (i < lines % banks);
        *free_ps = MAX(*free_ps, now_ps) + served * memory->bank_service_ps;
        wait_ps = MAX(wait_ps, *free_ps - memory->bank_service_ps - now_ps);
    }
    note_way(memory);
    GPU_NOTE(memory, l2_banks);
    return wait_ps;
}

sim_time device_memory_banks_ps(const struct device_memory *memory, int64_t lines)
{
    return (lines - 1) / memory->spec->l2_banks * memory->bank_service_ps;
}

/* Uses the lines as a block and returns true if this is possible, and if lines that are not held need no further work. */
static bool use_block(struct device_memory *memory, enum l2_requester from, address at,
                      int64_t lines, bool is_write)
{
    let_flows_pass(memory);
    int64_t held = cache_use_block(memory->l2, at / CACHE_LINE_BYTES, lines, is_write);
    bool passes = is_write && from == L2_FROM_BUS;
    if (held < lines && (held < 0 || !passes || GPU_READ(memory, bus_allocates)))
        return false;
    stat_count(memory->hits[from], held);
    stat_count(memory->misses[from], lines - held);
    return true;
}

sim_time device_memory_access_block(struct device_memory *memory, enum l2_requester from,
                                    address at, int64_t lines, int64_t together, bool is_write)
{
    sim_time wait_ps = 0;
    if ((is_write || is_quiet(memory)) && use_block(memory, from, at, lines, is_write))
        return take_banks(memory, at / CACHE_LINE_BYTES + (cache_line)(lines - together), together);
    for (int64_t i = 0; i < lines; i++) {
        address line = at + (address)(i * CACHE_LINE_BYTES);
        sim_time one_ps = device_memory_access(memory, from, line, is_write);
        wait_ps = MAX(wait_ps, one_ps);
    }
    return wait_ps;
}

bool device_memory_loads_block(struct device_memory *memory, address at, int64_t lines)
{
    return is_quiet(memory) && use_block(memory, L2_FROM_CU, at, lines, false);
}

/* Accesses lines that pass through. They are read or written once: each is a miss, and a written one is written back later. */
static sim_time pass_through(struct device_memory *memory, address at, int64_t lines, bool is_write)
{
    sim_time wait_ps = 0;
    for (int64_t i = 0; i < lines; i++) {
        sim_time bank_ps = take_bank(memory, at / CACHE_LINE_BYTES + (cache_line)i);
        wait_ps = MAX(wait_ps, bank_ps);
    }
    stat_count(memory->misses[L2_FROM_CU], lines);
    if (is_write)
        stat_count(memory->writebacks, lines);
    else
        count_read(memory, lines);
    cache_pass_through(memory->l2, lines);
    tell_pushed_out(memory);
    sim_time memory_ps = own_memory(memory, lines * CACHE_LINE_BYTES);
    return is_write ? wait_ps : wait_ps + memory_ps;
}

sim_time device_memory_stream(struct device_memory *memory, address at, int64_t lines,
                              bool is_write)
{
    if (memory->spec->l2_model == L2_STATISTICAL)
        return pass_through(memory, at, lines, is_write);
    check_release(lines == 1, "%lld lines at once", (long long)lines);
    sim_time wait_ps = device_memory_access(memory, L2_FROM_CU, at, is_write);
    if (is_write)
        line_watch_changed(&memory->watch, at / CACHE_LINE_BYTES);
    return wait_ps;
}

/* While the line is locked, its way is locked, too, so that it cannot be replaced between the two halves. */
sim_time device_memory_read_locking(struct device_memory *memory, struct line_lock *lock,
                                    address at)
{
    cache_line line = at / CACHE_LINE_BYTES;
    line_lock_take(&memory->locks, lock, line);
    sim_time wait_ps = device_memory_access(memory, L2_FROM_CP, at, false);
    cache_way way = cache_peek(memory->l2, line);
    if (way != CACHE_MISS)
        cache_set_locked(memory->l2, way, true);
    line_watch_changed(&memory->watch, line);
    return wait_ps;
}

sim_time device_memory_write_unlocking(struct device_memory *memory, struct line_lock *lock,
                                       address at)
{
    cache_way way = cache_peek(memory->l2, lock->line);
    if (way != CACHE_MISS) {
        tell_of_room(memory, way);
        cache_set_locked(memory->l2, way, false);
    }
    sim_time wait_ps = device_memory_access(memory, L2_FROM_CP, at, true);
    line_lock_give(&memory->locks, lock);
    line_watch_changed(&memory->watch, lock->line);
    return wait_ps;
}

void device_memory_pin(struct device_memory *memory, address at)
{
    if (!is_own(memory, at) || is_fine_grained(memory, at) || !GPU_READ(memory, l2_locking))
        return;
    line_pin(&memory->locks, cache_peek(memory->l2, at / CACHE_LINE_BYTES));
    line_watch_changed(&memory->watch, at / CACHE_LINE_BYTES);
}

/* The unloaded memory time of a poll that finds no line and leaves none. */
static sim_time idle_memory_ps(const struct device_memory *memory)
{
    return GPU_READ(memory, memory_latency_ps) +
           transfer_ps(CACHE_LINE_BYTES, GPU_READ(memory, memory_rate_Bps));
}

sim_time device_memory_poll(struct device_memory *memory, enum l2_requester from, address at)
{
    cache_line line = at / CACHE_LINE_BYTES;
    note_way(memory);
    if (from == L2_FROM_CU)
        GPU_NOTE(memory, l1.latency_cycles);
    if (is_fine_grained(memory, at))
        return idle_memory_ps(memory);
    let_flows_pass(memory);
    cache_way way = cache_peek(memory->l2, line);
    stat_count(way != CACHE_MISS ? memory->poll_hits[from] : memory->poll_misses[from], 1);
    if (way == CACHE_MISS)
        return fill(memory, line) != CACHE_MISS ? fetch_behind(memory, at) : idle_memory_ps(memory);
    if (from == L2_FROM_CP)
        unpin(memory, line, way);
    return from == L2_FROM_CU ? way_to_home(memory, line, way) : 0;
}

bool device_memory_poll_is_still(const struct device_memory *memory, enum l2_requester from,
                                 address at)
{
    cache_line line = at / CACHE_LINE_BYTES;
    cache_way way = is_fine_grained(memory, at) ? CACHE_MISS : cache_peek(memory->l2, line);
    return way != CACHE_MISS && !line_locks_hold(&memory->locks, line) &&
           (from != L2_FROM_CP || !cache_is_locked(memory->l2, way));
}

void device_memory_count_polls(struct device_memory *memory, enum l2_requester from, address at,
                               int64_t polls)
{
    if (!is_fine_grained(memory, at))
        stat_count(memory->poll_hits[from], polls);
}

void device_memory_watch(struct device_memory *memory, address at, struct line_watcher *watcher)
{
    line_watch_add(&memory->watch, at / CACHE_LINE_BYTES, watcher);
    if (shared_rate_counted(flows_of(memory)) <= 0)
        return;
    cache_expect_death(memory->l2, at / CACHE_LINE_BYTES);
    expect_push_out(memory);
}

sim_time device_memory_visible_after(const struct device_memory *memory, address at)
{
    return is_own(memory, at) ? 0 : GPU_READ(memory, directory_latency_ps);
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
        directory_write(memory->directory, DIRECTORY_GPU(memory->slot), at, data, bytes);
    cache_line first = at / CACHE_LINE_BYTES, last = (at + bytes - 1) / CACHE_LINE_BYTES;
    for (cache_line line = first; line <= last; line++)
        line_watch_changed(&memory->watch, line);
}

uint64_t device_memory_atomic(struct device_memory *memory, address at, enum atomic_op op,
                              uint64_t operand, uint64_t compare)
{
    line_watch_changed(&memory->watch, at / CACHE_LINE_BYTES);
    if (is_own(memory, at))
        return store_atomic(memory->store, at, op, operand, compare);
    return directory_atomic(memory->directory, DIRECTORY_GPU(memory->slot), at, op, operand,
                            compare);
}
