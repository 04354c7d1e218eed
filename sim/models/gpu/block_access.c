/* SPDX-License-Identifier: BSD-3-Clause */
#include "models/gpu/block_access.h"

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
