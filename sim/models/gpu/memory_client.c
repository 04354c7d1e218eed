/* SPDX-License-Identifier: BSD-3-Clause */
/* During a load or an atomic its process sleeps from one point to the next: the L1, the L2 (device_memory_access), the far end
 * of the bus. A store is a record of its own that travels as events while the process goes on. */
#include "models/gpu/memory_client.h"

#include <glib.h>
#include <string.h>

#include "core/check.h"
#include "models/gpu/gpu.h"

/* A store on its way. */
struct client_store {
    struct device_memory *memory;
    struct memory_client *client; /* waits for the acknowledgement, so it outlives the store */
    struct line_waiter waiter;
    address at;
    size_t bytes;
    bool is_locked;
    sim_time acknowledge_ps; /* time from the write until the client knows of it */
    uint8_t data[CACHE_LINE_BYTES];
};

size_t memory_client_store_bytes(void)
{
    return sizeof(struct client_store);
}

void memory_client_init(struct memory_client *client, struct device_memory *memory,
                        struct cache *l1, sim_time l1_latency_ps, enum l2_requester kind)
{
    *client = (struct memory_client){
        .memory = memory,
        .l1 = l1,
        .l1_latency_ps = l1_latency_ps,
        .kind = kind,
        .turn = POLL_TURN_WORK_GROUPS,
        .unflushed = ADDRESS_NONE,
    };
}

static struct sim *sim_of(const struct memory_client *client)
{
    return client->memory->sim;
}

static void check_within_line(address at, size_t bytes)
{
    check_release(bytes <= CACHE_LINE_BYTES &&
                      at / CACHE_LINE_BYTES == (at + bytes - 1) / CACHE_LINE_BYTES,
                  "an access of %zu bytes at offset %llx crosses a line", bytes,
                  (unsigned long long)address_offset(at));
}

struct bus_path memory_client_bus_path(const struct memory_client *client)
{
    const struct device_memory *memory = client->memory;
    sim_time homeward_ps =
        memory->half_way_ps + GPU_READ(memory, bus_outbound_ps) + client->port_offset_ps;
    GPU_NOTE(memory, clock_Hz);
    GPU_NOTE(memory, l2.latency_cycles);
    if (client->kind == L2_FROM_CU) {
        GPU_NOTE(memory, l1.latency_cycles);
        if (client->is_spread)
            GPU_NOTE(memory, port_spread_ps);
    }
    return (struct bus_path){
        memory->bus, memory->slot, client->l1_latency_ps + homeward_ps, homeward_ps, 0, false};
}

static struct client_store *new_store(struct memory_client *client, address at, const void *data,
                                      size_t bytes)
{
    struct client_store *store = pool_take(&client->memory->stores);
    store->memory = client->memory;
    store->client = client;
    store->at = at;
    store->bytes = bytes;
    if (bytes > 0)
        memcpy(store->data, data, bytes);
    return store;
}

static void free_store(struct client_store *store)
{
    pool_give(&store->memory->stores, store);
}

/* Waits for the rest of an answer's way back to the client. Nothing changes on this way, so a client that shares no L1 goes on
 * at once, ahead of time. */
static void return_after(struct memory_client *client, sim_time delay_ps)
{
    if (client->runs_ahead)
        process_run_ahead(client->process, delay_ps);
    else
        process_sleep(client->process, delay_ps);
}

/* --- loads and atomics ------------------------------------------------------------------------- */

/* The process has arrived at the L2: it waits until the line is not locked. */
static void wait_for_line(struct memory_client *client, address at)
{
    struct line_waiter waiter = {.process = client->process};
    while (device_memory_make_wait(client->memory, at, &waiter))
        process_suspend(client->process, "a locked line of the L2");
}

/* `wait_ps` is the time from arrival at the L2 to the data. Waits until the contents are read (at the directory on a miss on an
 * APU's host memory) and returns the rest of the wait. */
static sim_time wait_until_read(struct memory_client *client, address at, sim_time wait_ps)
{
    sim_time back_ps = device_memory_visible_after(client->memory, at);
    if (back_ps == 0 || wait_ps <= back_ps)
        return wait_ps;
    process_sleep(client->process, wait_ps - back_ps);
    return back_ps;
}

/* A private line that was written moves from the L1 to the L2. No process waits for it or reads it. */
static void spill_reaches_l2(void *argument)
{
    struct client_store *spill = argument;
    device_memory_access(spill->memory, L2_FROM_CP_PRIVATE, spill->at, true);
    free_store(spill);
}

static cache_way insert_into_l1(struct memory_client *client, cache_line line)
{
    struct cache_victim victim;
    cache_way way = cache_insert(client->l1, line, &victim);
    if (victim.dirty) {
        struct client_store *spill = new_store(client, victim.line * CACHE_LINE_BYTES, NULL, 0);
        event_schedule(sim_of(client)->events,
                       process_now(client->process) + client->l1_latency_ps +
                           client->memory->half_way_ps,
                       spill_reaches_l2, spill);
    }
    return way;
}

const uint8_t *memory_client_read_line(struct memory_client *client, address at)
{
    cache_line line = at / CACHE_LINE_BYTES;
    cache_way way = cache_find(client->l1, line);
    if (way == CACHE_MISS)
        way = insert_into_l1(client, line);
    uint8_t *data = cache_data(client->l1, way);
    device_memory_read(client->memory, line * CACHE_LINE_BYTES, data, CACHE_LINE_BYTES);
    return data;
}

/* Crosses to the L2 and back; `line_data` gets the line's contents at the L2. They are put into the L1 when they are read at
 * the L2, so an acquire by another work-group of the CU drops the line even before it is back. */
static void fetch_line(struct memory_client *client, address at, uint8_t *line_data)
{
    struct device_memory *memory = client->memory;
    process_sleep(client->process, client->l1_latency_ps + memory->half_way_ps);
    wait_for_line(client, at);
    sim_time wait_ps = device_memory_access(memory, client->kind, at, false);
    wait_ps = wait_until_read(client, at, wait_ps);
    memcpy(line_data, memory_client_read_line(client, at), CACHE_LINE_BYTES);
    return_after(client, wait_ps + memory->half_way_ps);
}

/* A read pushes earlier posted writes ahead of it: those to the same device have been performed when the read is back. */
static void read_over_bus(struct memory_client *client, address at, void *data, size_t bytes,
                          bool is_flush)
{
    struct bus_path path = memory_client_bus_path(client);
    path.is_flush = is_flush;
    sim_time start_ps = process_now(client->process);
    bus_path_read(&path, client->process, at, data, bytes);
    client->round_trip_ps = process_now(client->process) - start_ps;
    if (client->unflushed != ADDRESS_NONE && address_slot(client->unflushed) == address_slot(at))
        client->unflushed = ADDRESS_NONE;
}

void memory_client_load(struct memory_client *client, address at, void *data, size_t bytes)
{
    check_within_line(at, bytes);
    if (!device_memory_serves(client->memory, at)) {
        read_over_bus(client, at, data, bytes, false);
        return;
    }
    uint8_t line_data[CACHE_LINE_BYTES];
    cache_way way = cache_find(client->l1, at / CACHE_LINE_BYTES);
    if (way != CACHE_MISS) {
        memcpy(line_data, cache_data(client->l1, way), CACHE_LINE_BYTES);
        return_after(client, client->l1_latency_ps);
    } else {
        fetch_line(client, at, line_data);
    }
    memcpy(data, line_data + at % CACHE_LINE_BYTES, bytes);
}

/* A hit takes no time of its own, since a core's sustained instruction rate includes its L1 hits. */
void memory_client_touch(struct memory_client *client, address at, bool is_write)
{
    struct device_memory *memory = client->memory;
    cache_line line = at / CACHE_LINE_BYTES;
    cache_way way = cache_find(client->l1, line);
    bool hit = way != CACHE_MISS;
    if (!hit) {
        way = insert_into_l1(client, line);
        cache_set_private(client->l1, way);
    }
    if (is_write)
        cache_set_dirty(client->l1, way);
    if (hit)
        return;
    process_sleep(client->process, client->l1_latency_ps + memory->half_way_ps);
    sim_time wait_ps = device_memory_access(memory, L2_FROM_CP_PRIVATE, at, false);
    return_after(client, wait_ps + memory->half_way_ps);
}

void memory_client_poll(struct memory_client *client, address at, void *data, size_t bytes,
                        enum poll_place from)
{
    check_within_line(at, bytes);
    struct process *process = client->process;
    if (!device_memory_serves(client->memory, at)) {
        memory_client_load(client, at, data, bytes);
        return;
    }
    sim_time way_ps = client->l1_latency_ps + client->memory->half_way_ps;
    if (from == POLL_WHOLE) {
        sim_time shift_ps = CLAMP(process_take_shift(process), -way_ps, way_ps);
        process_sleep_until_turn(process, process_now(process) + way_ps + shift_ps, client->turn);
    }
    memory_client_poll_at_l2(client, at, data, bytes);
}

bool memory_client_poll_rhythm(const struct memory_client *client, address at, sim_time loop_ps,
                               struct poll_rhythm *rhythm)
{
    const struct device_memory *memory = client->memory;
    sim_time looked_ps = loop_ps + client->l1_latency_ps + memory->half_way_ps;
    *rhythm =
        (struct poll_rhythm){loop_ps, looked_ps, looked_ps + memory->half_way_ps, client->turn};
    return client->runs_ahead && address_slot(at) == memory->slot && !store_is_fine_grained(at) &&
           rhythm->period_ps > 0;
}

void memory_client_poll_at_l2(struct memory_client *client, address at, void *data, size_t bytes)
{
    struct device_memory *memory = client->memory;
    wait_for_line(client, at);
    cache_drop(client->l1,
               at / CACHE_LINE_BYTES); /* a later load must not see older data than this one */
    sim_time wait_ps = device_memory_poll(memory, client->kind, at);
    wait_ps = wait_until_read(client, at, wait_ps);
    device_memory_read(memory, at, data, bytes);
    return_after(client, wait_ps + memory->half_way_ps);
}

bool memory_client_look(struct memory_client *client, address at, struct line_waiter *waiter,
                        sim_time *wait_ps)
{
    struct device_memory *memory = client->memory;
    if (device_memory_make_wait(memory, at, waiter))
        return false;
    cache_drop(client->l1, at / CACHE_LINE_BYTES);
    sim_time one_ps = device_memory_poll(memory, client->kind, at);
    *wait_ps = MAX(*wait_ps, one_ps);
    return true;
}

void memory_client_poll_words_across_bus(struct memory_client *client, const address *at,
                                         size_t count, uint64_t *words)
{
    struct bus_load loads[WAIT_WORDS_MAX];
    struct bus_path path = memory_client_bus_path(client);
    if (count == 1) {
        read_over_bus(client, at[0], &words[0], sizeof words[0], false);
        return;
    }
    path.shift_ps = process_take_shift_over_bus(client->process);
    for (size_t i = 0; i < count; i++)
        bus_path_start_read(&path, client->process, &sim_of(client)->quiescence, &loads[i], at[i],
                            &words[i], sizeof words[i]);
    for (size_t i = 0; i < count; i++)
        bus_path_finish_read(&loads[i], client->process);
}

bool memory_client_poll_is_still(const struct memory_client *client, address at, uint64_t *word)
{
    struct device_memory *memory = client->memory;
    if (cache_peek(client->l1, at / CACHE_LINE_BYTES) != CACHE_MISS ||
        !device_memory_poll_is_still(memory, client->kind, at))
        return false;
    device_memory_read(memory, at, word, sizeof *word);
    return true;
}

/* A read-modify-write of a CP core. */
struct modification {
    struct memory_client *client;
    address at;
    enum atomic_op op;
    uint64_t old, operand, compare;
    struct line_lock lock;
    struct line_waiter waiter;
    sim_time way_home_ps; /* from the write until the process knows */
};

/* The new value has reached the L2. */
static void write_back(void *argument)
{
    struct modification *modification = argument;
    struct device_memory *memory = modification->client->memory;
    address at = modification->at;
    uint64_t value = store_atomic_result(modification->op, modification->old, modification->operand,
                                         modification->compare);
    device_memory_write(memory, at, &value, sizeof value);
    modification->way_home_ps =
        device_memory_write_unlocking(memory, &modification->lock, at) + memory->half_way_ps;
    process_wake_at_once(modification->client->process);
}

/* The read has reached the L2. Never lets the process go on. */
static bool read_and_lock(void *argument)
{
    struct modification *modification = argument;
    struct device_memory *memory = modification->client->memory;
    address at = modification->at;
    if (device_memory_make_wait(memory, at, &modification->waiter))
        return false;
    sim_time wait_ps = device_memory_read_locking(memory, &modification->lock, at);
    device_memory_read(memory, at, &modification->old, sizeof modification->old);
    event_schedule(memory->sim->events, sim_now(memory->sim) + wait_ps + 2 * memory->half_way_ps,
                   write_back, modification);
    return false;
}

static void modification_arrives(void *argument)
{
    read_and_lock(argument);
}

/* The atomic of a CP core: the line crosses to the core and back, and is locked meanwhile. Instructions include the core's work. */
static uint64_t read_modify_write(struct memory_client *client, address at, enum atomic_op op,
                                  uint64_t operand, uint64_t compare)
{
    struct process *process = client->process;
    struct modification modification = {
        .client = client, .at = at, .op = op, .operand = operand, .compare = compare};
    modification.waiter =
        (struct line_waiter){.process = process, .acts = read_and_lock, .argument = &modification};
    event_schedule(sim_of(client)->events, process_now(process) + client->memory->half_way_ps,
                   modification_arrives, &modification);
    process_take_local_offset(process); /* it is woken after its own time */
    process_suspend(process, "an atomic");
    return_after(client, modification.way_home_ps);
    return modification.old;
}

uint64_t memory_client_atomic(struct memory_client *client, address at, enum atomic_op op,
                              uint64_t operand, uint64_t compare)
{
    check_within_line(at, sizeof operand);
    struct device_memory *memory = client->memory;
    cache_drop(client->l1, at / CACHE_LINE_BYTES);
    if (!device_memory_serves(memory, at)) {
        struct bus_path path = memory_client_bus_path(client);
        return bus_path_atomic(&path, client->process, at, op, operand, compare);
    }
    if (client->kind == L2_FROM_CP && address_slot(at) == memory->slot)
        return read_modify_write(client, at, op, operand, compare);
    process_sleep(client->process, memory->half_way_ps);
    wait_for_line(client, at);
    sim_time wait_ps = device_memory_access(memory, client->kind, at, true) +
                       device_memory_atomic_wait(memory, at, GPU_READ(memory, atomic_gap_ps)) +
                       GPU_READ(memory, atomic_ps);
    sim_time visible_ps = device_memory_visible_after(memory, at);
    if (visible_ps > 0) /* otherwise at once, so that no other access comes in between */
        process_sleep(client->process, visible_ps);
    uint64_t old = device_memory_atomic(memory, at, op, operand, compare);
    return_after(client, wait_ps - visible_ps + memory->half_way_ps);
    return old;
}

/* --- stores ------------------------------------------------------------------------------------ */

/* Counts one store less as under way. The client knows at `stored_ps` that it was performed. */
static void store_is_known(struct memory_client *client, sim_time stored_ps)
{
    if (client->stored_ps < stored_ps)
        client->stored_ps = stored_ps;
    if (--client->stores_in_flight == 0 && client->is_draining)
        process_wake_until(client->process, client->stored_ps, EVENT_NORMAL);
}

/* Performs the store. From now on it is known when the client will know of it. */
static void store_is_performed(void *argument)
{
    struct client_store *store = argument;
    struct memory_client *client = store->client;
    sim_time stored_ps = sim_now(sim_of(client)) + store->acknowledge_ps;
    device_memory_write(client->memory, store->at, store->data, store->bytes);
    free_store(store);
    store_is_known(client, stored_ps);
}

static void store_reaches_l2(void *argument)
{
    struct client_store *store = argument;
    struct memory_client *client = store->client;
    struct device_memory *memory = client->memory;
    store->waiter = (struct line_waiter){.arrives = store_reaches_l2, .argument = store};
    if (device_memory_make_wait(memory, store->at, &store->waiter))
        return;
    sim_time wait_ps = device_memory_access(memory, client->kind, store->at, true);
    if (store->is_locked)
        device_memory_pin(memory, store->at);
    sim_time visible_ps = device_memory_visible_after(memory, store->at);
    store->acknowledge_ps = wait_ps - visible_ps + memory->half_way_ps;
    if (visible_ps == 0)
        store_is_performed(store);
    else
        event_schedule(memory->sim->events, sim_now(memory->sim) + visible_ps, store_is_performed,
                       store);
}

/* A posted write has arrived at its target. The time until the GPU knows of it is part of system_fence. */
static void posted_write_arrives(struct bus_request *request, void *argument)
{
    struct memory_client *client = argument;
    (void)request;
    store_is_known(client, sim_now(sim_of(client)));
}

/* Notes a write of memory over the bus, which a later release to the system has to wait for. */
void memory_client_note_posted(struct memory_client *client, struct bus_request *request)
{
    const struct device_memory *memory = client->memory;
    if (client->kind != L2_FROM_CU ||
        bus_is_link(memory->bus, memory->slot, address_slot(request->at)) ||
        GPU_READ(memory, fence_reads_back)) {
        address end = request->at + (address)(request->flowed_bytes + request->bytes);
        client->unflushed = MAX(request->at, (end - 1) / CACHE_LINE_BYTES * CACHE_LINE_BYTES);
        return;
    }
    client->stores_in_flight++;
    request->done = posted_write_arrives;
    request->argument = client;
}

static void store_over_bus(struct memory_client *client, address at, const void *data, size_t bytes)
{
    struct bus_path path = memory_client_bus_path(client);
    process_sync(
        client->process); /* stores do not wait: many of them would run far ahead of the clock */
    struct bus_request *request = bus_path_request(&path, BUS_WRITE, at, bytes);
    memcpy(request->data, data, bytes);
    if (!address_is_register(at))
        memory_client_note_posted(client, request);
    client->unflushed_ps = process_now(client->process);
    bus_send(path.bus, request, path.outward_ps);
}

static void send_store(struct memory_client *client, address at, const void *data, size_t bytes,
                       bool is_locked)
{
    check_within_line(at, bytes);
    if (!device_memory_serves(client->memory, at)) {
        store_over_bus(client, at, data, bytes);
        return;
    }
    struct client_store *store = new_store(client, at, data, bytes);
    store->is_locked = is_locked;
    sim_time now_ps = process_now(client->process);
    cache_way way = cache_find(client->l1, store->at / CACHE_LINE_BYTES);
    if (way != CACHE_MISS)
        memcpy(cache_data(client->l1, way) + store->at % CACHE_LINE_BYTES, store->data,
               store->bytes);
    client->stores_in_flight++;
    event_schedule(sim_of(client)->events,
                   now_ps + client->l1_latency_ps + client->memory->half_way_ps, store_reaches_l2,
                   store);
}

void memory_client_store(struct memory_client *client, address at, const void *data, size_t bytes)
{
    send_store(client, at, data, bytes, false);
}

void memory_client_store_locked(struct memory_client *client, address at, const void *data,
                                size_t bytes)
{
    send_store(client, at, data, bytes, true);
}

/* --- acquire and release ----------------------------------------------------------------------- */

void memory_client_acquire(struct memory_client *client, enum memory_scope scope)
{
    if (scope == SCOPE_WORK_GROUP)
        return;
    cache_drop_shared(client->l1);
}

/* The least time of a release by a client of a compute unit. */
static sim_time least_fence_ps(const struct memory_client *client, enum memory_scope scope)
{
    const struct device_memory *memory = client->memory;
    if (client->kind != L2_FROM_CU)
        return 0;
    return scope == SCOPE_SYSTEM ? GPU_READ(memory, system_fence_ps)
                                 : GPU_READ(memory, device_fence_ps);
}

static void sleep_up_to(struct process *process, sim_time time_ps)
{
    if (process_now(process) < time_ps)
        process_sleep(process, time_ps - process_now(process));
}

/* Waits until all stores are at the L2 and the client knows it. The process may be woken before its local time. */
static void drain_stores(struct memory_client *client)
{
    struct process *process = client->process;
    sim_time own_ps = process_now(process);
    if (client->stores_in_flight > 0) {
        process_take_local_offset(process);
        client->is_draining = true;
        process_suspend(process, "its stores to reach the L2");
        client->is_draining = false;
    }
    if (own_ps < client->stored_ps)
        own_ps = client->stored_ps;
    sim_time left_ps = own_ps - process_now(process);
    if (left_ps > 0)
        return_after(client, left_ps);
}

/* Whether a posted write may still be on its way as far as the client can tell: it left less than a round trip ago. */
static bool has_to_flush(const struct memory_client *client)
{
    sim_time passed_ps = process_now(client->process) - client->unflushed_ps;
    return client->unflushed != ADDRESS_NONE &&
           (client->round_trip_ps == 0 || passed_ps < client->round_trip_ps);
}

/* Whether the client's posted writes went over a link between GPUs. These are acknowledged: a flush takes one round trip. */
static bool is_linked(const struct memory_client *client)
{
    const struct device_memory *memory = client->memory;
    return bus_is_link(memory->bus, memory->slot, address_slot(client->unflushed));
}

/* At the GPU's port to the bus, waits until the posted writes of all clients of a batch have arrived. The first client reads
 * for all that have posted to the same device; the others read by themselves. */
static void read_with_others(struct memory_client *client, address at, struct bus_path path)
{
    uint32_t flushed;
    struct device_memory *memory = client->memory;
    struct gather *gather = &memory->flushes;
    bool is_first = gather_enter(gather, client->process);
    if (is_first)
        memory->flushed = at;
    if (is_first || address_slot(memory->flushed) != address_slot(at)) {
        sleep_up_to(client->process, gather->began_ps + gather->window_ps);
        path.outward_ps = path.homeward_ps = 0;
        bus_path_read(&path, client->process, at, &flushed, sizeof flushed);
    }
    gather_leave(gather, client->process);
}

/* Reads behind the client's posted writes, by itself or with other clients. */
static void flush(struct memory_client *client)
{
    uint32_t flushed;
    address at = client->unflushed & ~UINT64_C(3);
    if (client->fences == NULL || is_linked(client)) {
        read_over_bus(client, at, &flushed, sizeof flushed, true);
        return;
    }
    struct bus_path path = memory_client_bus_path(client);
    path.is_flush = true;
    process_sleep(client->process, path.outward_ps);
    read_with_others(client, at, path);
    client->unflushed = ADDRESS_NONE;
    return_after(client, path.homeward_ps);
}

/* How long a release gathers others before it reads behind posted writes. 0 over a link, which acknowledges writes. */
static sim_time gathered_ps(const struct memory_client *client, bool flushes)
{
    return flushes && is_linked(client) ? 0 : client->fences->window_ps;
}

/* Releases of several clients pass together: the GPU gathers them, flushes, and then takes the rest of system_fence. */
static void release_gathered(struct memory_client *client)
{
    struct gather *gather = client->fences;
    struct process *process = client->process;
    gather_enter(gather, process);
    bool flushes = has_to_flush(client), gathers = flushes && !is_linked(client);
    sim_time start_ps = gather->began_ps, gathering_ps = gathered_ps(client, flushes);
    drain_stores(client);
    if (flushes) {
        sleep_up_to(process, start_ps + gathering_ps);
        flush(client);
    }
    if (gather_is_shared(gather) || gathers)
        GPU_NOTE(client->memory, fence_gather_ps);
    if (gather_is_shared(gather))
        start_ps = MAX(start_ps, process_now(process) - gathering_ps);
    sleep_up_to(process, start_ps + least_fence_ps(client, SCOPE_SYSTEM));
    gather_leave(gather, process);
}

void memory_client_release(struct memory_client *client, enum memory_scope scope)
{
    if (scope == SCOPE_WORK_GROUP)
        return;
    if (scope == SCOPE_SYSTEM && client->kind == L2_FROM_CU && client->fences == NULL)
        GPU_NOTE(client->memory, fence_gather_ps); /* that is 0 */
    if (scope == SCOPE_SYSTEM && client->fences != NULL) {
        release_gathered(client);
        return;
    }
    sim_time start_ps = process_now(client->process);
    bool flushes = scope == SCOPE_SYSTEM && has_to_flush(client);
    drain_stores(client);
    if (flushes)
        flush(client);
    sleep_up_to(client->process, start_ps + least_fence_ps(client, scope));
}
