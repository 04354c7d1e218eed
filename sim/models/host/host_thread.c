/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads on CPU cores. A core's private caches hold tags only: the directory drops a line from them the
 * moment another agent's write to it is performed, so a hit is never stale and contents are taken
 * from the store, and from the core's own stores that others do not see yet. A load is one sleep for as long as its
 * level takes; it reads the contents at its end, but a poll that hits reads those at its beginning. */
#include <string.h>

#include "core/clock.h"
#include "models/host/host_parts.h"

void host_thread_init(struct host_thread *thread, struct host *host, int64_t core,
                      struct process *process)
{
    check_always(core >= 0 && core < host->spec->cores, "CPU core %lld of %lld", (long long)core,
                 (long long)host->spec->cores);
    HOST_NOTE(host, cores);
    *thread = (struct host_thread){.host = host, .core = core, .process = process};
    struct core *own = &host->cores[core];
    own->number = directory_add_sharer(&host->directory, (int)core, own->l1, own->l2);
}

/* --- host memory -------------------------------------------------------------------------------
 */

sim_time host_fetch_into_caches(struct host_thread *thread, address at)
{
    struct host *host = thread->host;
    struct core *core = &host->cores[thread->core];
    cache_line line = at / CACHE_LINE_BYTES;
    sim_time time_ps = host->l1_latency_ps;
    HOST_NOTE(host, core.clock_Hz);
    HOST_NOTE(host, l1.latency_cycles);
    HOST_NOTE(host, l1.size_bytes);
    HOST_NOTE(host, l1.ways);
    if (cache_find(core->l1, line) != CACHE_MISS)
        return time_ps;
    time_ps += host->l2_latency_ps;
    HOST_NOTE(host, l2.latency_cycles);
    HOST_NOTE(host, l2.size_bytes);
    HOST_NOTE(host, l2.ways);
    if (cache_find(core->l2, line) == CACHE_MISS) {
        sim_time from_ps = process_now(thread->process) + time_ps;
        sim_time way_ps = directory_access(&host->directory, at);
        time_ps += way_ps + inbound_core_asks(&host->inbound, at, from_ps, way_ps);
        if (host->coherent_gpu)
            time_ps += 2 * HOST_READ(host, directory_latency_ps);
        directory_fill(&host->directory, core->number, line, NULL);
        store_buffer_line_comes(host, line, process_now(thread->process) + time_ps);
    }
    struct cache_victim victim;
    cache_insert(core->l1, line, &victim);
    if (victim.valid)
        line_watch_changed(&host->directory.watch, victim.line);
    return time_ps;
}

static bool is_own_memory(const struct host *host, address at)
{
    return address_slot(at) == host->path.slot;
}

/* The contents of host memory as the core sees them: its own stores come first, though others do not see them yet.
 * Otherwise a server that has marked an entry could find it ready once more. */
static void read_contents(const struct host_thread *thread, address at, void *data, size_t bytes)
{
    struct host *host = thread->host;
    store_read(host->directory.store, at, data, bytes);
    LIST_EACH (struct pending, store, &host->cores[thread->core].stores.stores, link) {
        address first = MAX(at, store->at), end = MIN(at + bytes, store->at + store->bytes);
        if (first < end)
            memcpy((uint8_t *)data + (first - at), store->data + (first - store->at), end - first);
    }
}

/* When a store issued now is seen by others: after the line has been made the core's own, which on
 * an APU takes the way to the directory if another cache holds it, and not before the stores ahead
 * of it. */
static sim_time next_visible_ps(struct host_thread *thread, address at)
{
    struct host *host = thread->host;
    sim_time seen_ps = process_now(thread->process) + host_fetch_into_caches(thread, at);
    if (host->coherent_gpu && directory_others_hold(&host->directory, (int)thread->core, at))
        seen_ps += HOST_READ(host, directory_latency_ps);
    if (seen_ps < thread->stores_visible_ps)
        seen_ps = thread->stores_visible_ps;
    thread->stores_visible_ps = seen_ps;
    return seen_ps;
}

/* --- device memory and registers over the bus --------------------------------------------------
 */

/* Uncached loads are not combined: each is a round trip of its own. */
static void load_over_bus(struct host_thread *thread, const struct memory_load *loads, size_t count)
{
    struct host *host = thread->host;
    bus_path_load_all(host->path, thread->process, &host->sim->quiescence, loads, count,
                      (size_t)HOST_READ(host, uncached_load_bytes),
                      (size_t)HOST_READ(host, device_loads_in_flight));
}

static void store_over_bus(struct host_thread *thread, address at, const uint8_t *data,
                           size_t bytes)
{
    struct host *host = thread->host;
    size_t step =
        CACHE_LINE_BYTES; /* the bytes that write combining gathers, unless something flushes them earlier */
    process_sync(thread->process); /* stores do not wait: a row of them would run far ahead */
    store_buffer_wait_until_seen(host, thread->core, thread->process);
    for (size_t done = 0; done < bytes; done += step) {
        size_t part = bytes - done < step ? bytes - done : step;
        struct bus_request *request = bus_path_request(&host->path, BUS_WRITE, at + done, part);
        memcpy(request->data, data + done, part);
        sim_time leaves_ps = process_now(thread->process) + HOST_READ(host, bus_latency_ps);
        if (leaves_ps < thread->stores_visible_ps)
            leaves_ps = thread->stores_visible_ps;
        thread->stores_visible_ps = leaves_ps;
        bus_send(host->path.bus, request, leaves_ps - process_now(thread->process));
    }
}

/* --- what a thread calls -----------------------------------------------------------------------
 */

void host_thread_load(struct host_thread *thread, address at, void *data, size_t bytes)
{
    struct host *host = thread->host;
    if (!is_own_memory(host, at)) {
        load_over_bus(thread, &(struct memory_load){at, data, bytes}, 1);
        return;
    }
    process_sync(thread->process);
    process_sleep(thread->process, host_fetch_into_caches(thread, at));
    read_contents(thread, at, data, bytes);
}

/* The time of a load by a poll. */
static sim_time poll_ps(struct host_thread *thread, address at)
{
    return thread->ahead != NULL && thread->ahead->places > 0 ? look_ahead_wait_ps(thread, at)
                                                              : host_fetch_into_caches(thread, at);
}

static int16_t turn_of(const struct host_thread *thread)
{
    return (int16_t)(POLL_TURN_CORES + thread->core);
}

/* The rest of a poll, whose load takes `load_ps`. A poll that hits in the L1 reads the contents at its beginning: the next poll
 * sees a device's write that takes the line away meanwhile. */
static void poll_load(struct host_thread *thread, sim_time load_ps, address at, void *data,
                      size_t bytes)
{
    bool is_hit = load_ps <= thread->host->l1_latency_ps;
    if (is_hit)
        read_contents(thread, at, data, bytes);
    if (load_ps > 0)
        process_sleep_until_turn(thread->process, process_now(thread->process) + load_ps,
                                 turn_of(thread));
    if (!is_hit)
        read_contents(thread, at, data, bytes);
}

void host_thread_poll(struct host_thread *thread, address at, void *data, size_t bytes,
                      enum poll_place from)
{
    struct host *host = thread->host;
    struct process *process = thread->process;
    if (!is_own_memory(host, at)) {
        load_over_bus(thread, &(struct memory_load){at, data, bytes}, 1);
        return;
    }
    if (from == POLL_WHOLE)
        process_sleep_until_turn(process, process_now(process), turn_of(thread));
    poll_load(thread, poll_ps(thread, at), at, data, bytes);
}

bool host_thread_poll_rhythm(const struct host_thread *thread, address at, sim_time loop_ps,
                             struct poll_rhythm *rhythm)
{
    const struct host *host = thread->host;
    sim_time period_ps = loop_ps + host->l1_latency_ps;
    *rhythm = (struct poll_rhythm){loop_ps, loop_ps, period_ps, turn_of(thread)};
    return is_own_memory(host, at) && host->l1_latency_ps > 0;
}

void host_thread_skip_polls(struct host_thread *thread, struct cached_line *lines, size_t count)
{
    cache_use_all(thread->host->cores[thread->core].l1, lines, count);
}

int64_t host_thread_loads_in_flight(const struct host_thread *thread, address at)
{
    const struct host *host = thread->host;
    return is_own_memory(host, at) ? HOST_READ(host, core.loads_in_flight)
                                   : HOST_READ(host, device_loads_in_flight);
}

int64_t host_thread_load_bytes(const struct host_thread *thread, address at)
{
    return is_own_memory(thread->host, at) ? CACHE_LINE_BYTES
                                           : HOST_READ(thread->host, uncached_load_bytes);
}

/* Retires a load, which is ready at `ready_ps`, behind the loads before it. */
static void retire(struct host_thread *thread, const struct memory_load *load, sim_time ready_ps)
{
    if (ready_ps > process_now(thread->process))
        process_sleep_until(thread->process, ready_ps);
    read_contents(thread, load->at, load->data, load->bytes);
}

void host_thread_load_all(struct host_thread *thread, const struct memory_load *loads, size_t count)
{
    if (count == 0)
        return;
    if (!is_own_memory(thread->host, loads[0].at)) {
        load_over_bus(thread, loads, count);
        return;
    }
    sim_time ready_ps[LOADS_IN_FLIGHT_MAX];
    process_sync(thread->process);
    size_t window = (size_t)HOST_READ(thread->host, core.loads_in_flight);
    for (size_t i = 0; i < count; i++) {
        if (i >= window)
            retire(thread, &loads[i - window], ready_ps[i % window]);
        ready_ps[i % window] =
            process_now(thread->process) + host_fetch_into_caches(thread, loads[i].at);
    }
    for (size_t i = count > window ? count - window : 0; i < count; i++)
        retire(thread, &loads[i], ready_ps[i % window]);
}

void host_thread_store(struct host_thread *thread, address at, const void *data, size_t bytes)
{
    struct host *host = thread->host;
    check_release(bytes <= CACHE_LINE_BYTES, "a store of %zu bytes", bytes);
    if (!is_own_memory(host, at)) {
        store_over_bus(thread, at, data, bytes);
        return;
    }
    process_sync(thread->process);
    store_buffer_wait_for_room(host, thread->core, thread->process);
    store_buffer_add(host, thread->core, at, data, bytes, next_visible_ps(thread, at));
}

uint64_t host_thread_atomic(struct host_thread *thread, address at, enum atomic_op op,
                            uint64_t operand, uint64_t compare)
{
    struct host *host = thread->host;
    if (!is_own_memory(host, at))
        return bus_path_atomic(&host->path, thread->process, at, op, operand, compare);
    process_sync(thread->process);
    process_sleep_until(thread->process, next_visible_ps(thread, at));
    store_buffer_wait_until_seen(host, thread->core, thread->process);
    return directory_atomic(&host->directory, (int)thread->core, at, op, operand, compare);
}

sim_time host_thread_time_ps(const struct host_thread *thread, int64_t instructions)
{
    const struct host *host = thread->host;
    return instructions_ps(instructions, HOST_READ(host, core.instructions_per_cycle),
                           HOST_READ(host, core.clock_Hz));
}

void host_thread_execute(struct host_thread *thread, int64_t instructions)
{
    sim_time time_ps = host_thread_time_ps(thread, instructions);
    if (thread->ahead != NULL)
        thread->ahead->executed_ps += time_ps;
    time_ps += noise_delay_ps(&thread->noise, process_now(thread->process), time_ps);
    process_run_ahead(thread->process, time_ps);
}

bool host_thread_owns(const struct host_thread *thread, address at)
{
    return is_own_memory(thread->host, at);
}

/* --- waiting for a word ------------------------------------------------------------------------
 */

/* The thread's place in its polling loop. */
enum loop_place { AT_LOOP, AT_LOAD };

struct host_waiter {
    struct line_watcher watcher; /* must be first: the waiter is found from it */
    struct host_thread *thread;
    const struct host_word_wait *wait;
    sim_time start_ps;     /* of its sleep */
    enum loop_place place; /* where it goes on */
    bool has_looked;
};

/* Wakes a sleeper whose line changes now. Polls whose load began earlier find nothing; one that begins at this very moment
 * finds the change, since polls come after everything else of their time (and after those of cores with smaller numbers). */
static void wake_sleeper(struct host_waiter *waiter)
{
    struct host_thread *thread = waiter->thread;
    sim_time poll_ps = waiter->wait->loop_ps + thread->host->l1_latency_ps;
    sim_time first_ps = waiter->start_ps + waiter->wait->loop_ps;
    sim_time passed_ps = process_now(thread->process) - first_ps;
    sim_time polls = passed_ps > 0 ? (passed_ps + poll_ps - 1) / poll_ps : 0;
    waiter->place = AT_LOAD;
    poller_wakes(waiter->wait->poller);
    process_wake_until(thread->process, first_ps + polls * poll_ps, turn_of(thread));
}

static void line_changed(struct line_watcher *watcher)
{
    struct host_waiter *waiter = (struct host_waiter *)watcher;
    if (waiter->wait->poller->is_asleep)
        wake_sleeper(waiter);
}

/* Whether the next look would hit in its own cache and find nothing, and so would later ones while the line stays as it is. */
static bool looks_in_vain(const struct host_waiter *waiter)
{
    const struct host_thread *thread = waiter->thread;
    const struct host_word_wait *wait = waiter->wait;
    struct cache *l1 = thread->host->cores[thread->core].l1;
    uint64_t word;
    if (!wait->skip || !waiter->has_looked || thread->host->l1_latency_ps == 0 ||
        cache_find(l1, wait->at / CACHE_LINE_BYTES) == CACHE_MISS)
        return false;
    read_contents(thread, wait->at, &word, sizeof word);
    return !word_meets(wait->until, word);
}

/* Sleeps over looks that would find nothing until the line changes. */
static void sleep_until_change(struct host_waiter *waiter)
{
    const struct host_word_wait *wait = waiter->wait;
    struct process *process = waiter->thread->process;
    waiter->start_ps = process_now(process);
    energy_alternate(wait->energy, waiter->start_ps, wait->looping, wait->loop_ps, wait->loading,
                     waiter->thread->host->l1_latency_ps);
    poller_sleeps(wait->poller);
    process_take_local_offset(process); /* the process is not woken before that */
    process_suspend(process, "a word to change");
}

/* The rest of a poll from its place in the loop on, in its turn. */
static uint64_t look(struct host_waiter *waiter)
{
    struct host_thread *thread = waiter->thread;
    const struct host_word_wait *wait = waiter->wait;
    struct process *process = thread->process;
    uint64_t word;
    poller_begins(wait->poller);
    if (waiter->place == AT_LOOP) {
        energy_set_state(wait->energy, process_now(process), wait->looping);
        process_sleep_until_turn(process, process_now(process) + wait->loop_ps, turn_of(thread));
    }
    energy_set_state(wait->energy, process_now(process), wait->loading);
    poll_load(thread, host_fetch_into_caches(thread, wait->at), wait->at, &word, sizeof word);
    return word;
}

void host_thread_wait_word(struct host_thread *thread, const struct host_word_wait *wait)
{
    struct host *host = thread->host;
    struct host_waiter waiter = {
        .watcher.changed = line_changed, .thread = thread, .wait = wait, .place = AT_LOOP};
    cache_line line = wait->at / CACHE_LINE_BYTES;
    line_watch_add(&host->directory.watch, line, &waiter.watcher);
    while (true) {
        sim_time start_ps = process_now(thread->process);
        poller_begins(wait->poller);
        if (looks_in_vain(&waiter))
            sleep_until_change(&waiter);
        if (word_meets(wait->until, look(&waiter)))
            break;
        waiter.place = AT_LOOP;
        waiter.has_looked = true;
        energy_set_state(wait->energy, process_now(thread->process), wait->looping);
        poller_goes_on(wait->poller, thread->process, start_ps);
    }
    poller_leaves(wait->poller);
    line_watch_remove(&host->directory.watch, &waiter.watcher);
}
