/* SPDX-License-Identifier: BSD-3-Clause */
#include "models/gpu/load_batch.h"

#include <string.h>

struct load_batch {
    struct memory_client *client;
    struct line_load *awaited; /* the load that the process waits for; not read yet */
};

/* A load on its way, on the stack of the process that waits for it. */
struct line_load {
    struct load_batch *batch;
    const struct memory_load *load;
    size_t together; /* if it is the first: how many loads reach the L2 together */
    struct line_waiter waiter;
    bool is_read;
    sim_time back_ps; /* when it is back; set when it is read */
};

static void take_data(const struct memory_load *load, const uint8_t *line_data)
{
    memcpy(load->data, line_data + load->at % CACHE_LINE_BYTES, load->bytes);
}

/* Reads the line of a load that has reached the L2, unless the line is locked. */
static void read_line(struct line_load *line_load)
{
    struct memory_client *client = line_load->batch->client;
    struct device_memory *memory = client->memory;
    address at = line_load->load->at;
    if (line_load->is_read || device_memory_make_wait(memory, at, &line_load->waiter))
        return;
    sim_time wait_ps = device_memory_access(memory, client->kind, at, false);
    take_data(line_load->load, memory_client_read_line(client, at));
    line_load->is_read = true;
    line_load->back_ps = sim_now(memory->sim) + wait_ps + memory->half_way_ps;
}

/* Wakes the process once its load has been read. Nothing changes on the way back, so the process goes on ahead of time. */
static void wake_if_read(struct load_batch *batch)
{
    if (batch->awaited == NULL || !batch->awaited->is_read)
        return;
    batch->awaited = NULL;
    batch->client->memory->sim->quiescence.waiting_for_it--;
    process_wake_at_once(batch->client->process);
}

static void comes_again(void *argument)
{
    struct line_load *line_load = argument;
    read_line(line_load);
    wake_if_read(line_load->batch);
}

static void reach_l2(void *argument)
{
    struct line_load *first = argument;
    struct load_batch *batch = first->batch;
    batch->client->memory->sim->quiescence.under_way--;
    for (size_t i = 0; i < first->together; i++)
        read_line(&first[i]);
    wake_if_read(batch);
}

static void look_into_l1(struct line_load *line_load, struct load_batch *batch,
                         const struct memory_load *load)
{
    struct memory_client *client = batch->client;
    *line_load = (struct line_load){
        .batch = batch, .load = load, .waiter.arrives = comes_again, .waiter.argument = line_load};
    cache_way way = cache_find(client->l1, load->at / CACHE_LINE_BYTES);
    if (way == CACHE_MISS)
        return;
    take_data(load, cache_data(client->l1, way));
    line_load->is_read = true;
    line_load->back_ps = process_now(client->process) + client->l1_latency_ps;
}

/* Starts `count` loads together. */
static void start(struct line_load *line_loads, struct load_batch *batch,
                  const struct memory_load *loads, size_t count)
{
    struct memory_client *client = batch->client;
    struct sim *sim = client->memory->sim;
    bool all_read = true;
    for (size_t i = 0; i < count; i++) {
        look_into_l1(&line_loads[i], batch, &loads[i]);
        all_read = all_read && line_loads[i].is_read;
    }
    if (all_read)
        return;
    line_loads->together = count;
    sim->quiescence.under_way++;
    event_schedule(sim->events,
                   process_now(client->process) + client->l1_latency_ps +
                       client->memory->half_way_ps,
                   reach_l2, line_loads);
}

/* Waits until the load is back. */
static void finish(struct line_load *line_load)
{
    struct load_batch *batch = line_load->batch;
    struct process *process = batch->client->process;
    sim_time own_ps = process_now(process); /* the process may be woken before this time */
    if (!line_load->is_read) {
        batch->awaited = line_load;
        batch->client->memory->sim->quiescence.waiting_for_it++;
        process_take_local_offset(process);
        process_suspend(process, "a load");
    }
    if (own_ps < line_load->back_ps)
        own_ps = line_load->back_ps;
    process_run_ahead(process, own_ps - process_now(process));
}

void memory_client_load_all(struct memory_client *client, const struct memory_load *loads,
                            size_t count, int64_t in_flight)
{
    struct load_batch batch = {.client = client};
    struct line_load line_loads[LOAD_BATCH_MAX];
    size_t window = (size_t)in_flight;
    check_release(in_flight >= 1 && window <= LOAD_BATCH_MAX, "%lld loads at a time",
                  (long long)in_flight);
    bool is_served = count > 0 && device_memory_serves(client->memory, loads[0].at);
    if (window == 1 || count == 1 || !is_served) {
        for (size_t i = 0; i < count; i++)
            memory_client_load(client, loads[i].at, loads[i].data, loads[i].bytes);
        return;
    }
    check_release(client->runs_ahead, "loads in flight of a client that shares its L1");
    start(line_loads, &batch, loads, count < window ? count : window);
    for (size_t i = 0; i < count; i++) {
        finish(&line_loads[i % window]);
        if (i + window < count)
            start(&line_loads[i % window], &batch, &loads[i + window], 1);
    }
}

/* --- blocks -------------------------------------------------------------------------------------- */

void block_store(struct memory_client *client, const struct block_store *store)
{
    struct bus_path path = memory_client_bus_path(client);
    process_sync(client->process);
    struct bus_request *request =
        bus_path_request(&path, BUS_WRITE, store->at, (size_t)store->bytes);
    request->packets = cache_lines_of(store->bytes);
    request->flow = store->flow;
    request->flowed_bytes = store->flowed_bytes;
    memory_client_note_posted(client, request);
    client->unflushed_ps = process_now(client->process);
    bus_send(path.bus, request, path.outward_ps);
}

struct bus_flow *block_flow_begin(struct memory_client *client, address at, int64_t bytes,
                                  sim_time duration_ps, sim_time delay_ps)
{
    struct bus_path path = memory_client_bus_path(client);
    struct bus_flow_plan plan = {path.slot, at, bytes, cache_lines_of(bytes), duration_ps};
    return bus_flow_begin(path.bus, &plan, delay_ps + path.outward_ps);
}

sim_time block_load(struct memory_client *client, address at, int64_t bytes)
{
    struct device_memory *memory = client->memory;
    int64_t lines = cache_lines_of(bytes);
    process_sleep(client->process, client->l1_latency_ps + memory->half_way_ps);
    return device_memory_access_block(memory, client->kind, at, lines, lines, false) +
           memory->half_way_ps;
}
