#include "models/gpu/load_batch.h"

#include <string.h>

#include "core/check.h"

/* A load on its way, on the stack of the process that waits for it. */
struct line_load {
    struct memory_client *client;
    const struct memory_load *load;
    struct line_waiter waiter;
    bool is_done, is_awaited;
};

static void is_back(void *argument)
{
    struct line_load *line_load = argument;
    struct standstill *standstill = &line_load->client->memory->sim->standstill;
    line_load->is_done = true;
    standstill->under_way--;
    if (!line_load->is_awaited)
        return;
    standstill->waiting_for_it--;
    process_wake(line_load->client->process);
}

static void schedule(struct line_load *line_load, sim_time delay_ps, event_fn *fn)
{
    struct sim *sim = line_load->client->memory->sim;
    event_schedule(sim->events, sim_now(sim) + delay_ps, fn, line_load);
}

static void take_data(const struct memory_load *load, const uint8_t *line_data)
{
    memcpy(load->data, line_data + load->at % CACHE_LINE_BYTES, load->bytes);
}

static void reaches_l2(void *argument)
{
    struct line_load *line_load = argument;
    struct memory_client *client = line_load->client;
    struct device_memory *memory = client->memory;
    address at = line_load->load->at;
    line_load->waiter = (struct line_waiter){reaches_l2, line_load, NULL};
    if (device_memory_make_wait(memory, at, &line_load->waiter))
        return;
    sim_time wait_ps = device_memory_access(memory, client->kind, at, false);
    uint8_t line_data[CACHE_LINE_BYTES];
    device_memory_read(memory, at / CACHE_LINE_BYTES * CACHE_LINE_BYTES, line_data,
                       CACHE_LINE_BYTES);
    memory_client_keep_line(client, at, line_data);
    take_data(line_load->load, line_data);
    schedule(line_load, wait_ps + memory->half_way_ps, is_back);
}

static void start(struct line_load *line_load, struct memory_client *client,
                  const struct memory_load *load)
{
    *line_load = (struct line_load){.client = client, .load = load};
    client->memory->sim->standstill.under_way++;
    cache_way way = cache_find(client->l1, load->at / CACHE_LINE_BYTES);
    if (way == CACHE_MISS) {
        schedule(line_load, client->l1_latency_ps + client->memory->half_way_ps, reaches_l2);
        return;
    }
    take_data(load, cache_data(client->l1, way));
    schedule(line_load, client->l1_latency_ps, is_back);
}

static void finish(struct line_load *line_load)
{
    if (line_load->is_done)
        return;
    line_load->is_awaited = true;
    line_load->client->memory->sim->standstill.waiting_for_it++;
    process_suspend(line_load->client->process, "a load");
}

void memory_client_load_all(struct memory_client *client, const struct memory_load *loads,
                            size_t count, int64_t in_flight)
{
    struct line_load line_loads[LOADS_IN_FLIGHT_MAX];
    size_t window = (size_t)in_flight;
    check_release(in_flight >= 1 && window <= LOADS_IN_FLIGHT_MAX, "%lld loads at a time",
                  (long long)in_flight);
    bool is_home = count > 0 && address_slot(loads[0].at) == client->memory->slot;
    if (window == 1 || count == 1 || !is_home) {
        for (size_t i = 0; i < count; i++)
            memory_client_load(client, loads[i].at, loads[i].data, loads[i].bytes);
        return;
    }
    process_catch_up(client->process);
    for (size_t i = 0; i < count; i++) {
        if (i >= window)
            finish(&line_loads[i % window]);
        start(&line_loads[i % window], client, &loads[i]);
    }
    for (size_t i = count > window ? count - window : 0; i < count; i++)
        finish(&line_loads[i % window]);
}
