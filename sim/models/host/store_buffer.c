/* SPDX-License-Identifier: BSD-3-Clause */
#include "models/host/store_buffer.h"

#include <string.h>

#include "models/host/host_parts.h"

static bool lines_are_shared(const struct host *host)
{
    return HOST_READ(host, owned_at_once) > 0;
}

void store_buffer_line_comes(struct host *host, cache_line line, sim_time at_ps)
{
    if (lines_are_shared(host))
        map_at(&host->owned, line)->number = (uint64_t)at_ps + 1;
}

void store_buffer_device_reads(struct host *host, cache_line line)
{
    union map_value *owned = map_find(&host->owned, line);
    if (owned != NULL && owned->number <= (uint64_t)sim_now(host->sim) + 1)
        owned->number = 0;
}

static bool is_own(const struct host *host, address at)
{
    const union map_value *owned = map_find(&host->owned, at / CACHE_LINE_BYTES);
    return owned == NULL || owned->number != 0;
}

static void line_is_own(void *argument);

/* Asks for the lines of stores that are due, in their order. */
static void ask_for_lines(struct host *host, struct store_buffer *buffer)
{
    LIST_EACH (struct pending, store, &buffer->stores, link) {
        if (!store->is_due || buffer->asked == (size_t)host->spec->owned_at_once)
            return;
        if (store->is_asked || is_own(host, store->at))
            continue;
        store->is_asked = true;
        buffer->asked++;
        sim_time time_ps = host->l1_latency_ps + host->l2_latency_ps +
                           directory_access(&host->directory, store->at);
        event_schedule(host->sim->events, sim_now(host->sim) + time_ps, line_is_own, store);
    }
}

static void wake(struct store_buffer *buffer)
{
    struct process *process = buffer->waits;
    buffer->waits = NULL;
    process_wake(process);
}

/* Lets others see the stores that are ready, from the first one on. */
static void let_be_seen(struct host *host, struct core *core)
{
    struct store_buffer *buffer = &core->stores;
    while (!list_is_empty(&buffer->stores)) {
        struct pending *store = LIST_FIRST(&buffer->stores, struct pending, link);
        if (!store->is_due || store->is_asked || !is_own(host, store->at))
            break;
        inbound_core_writes(&host->inbound, store->at);
        directory_write(&host->directory, store->core, store->at, store->data, store->bytes);
        list_remove(&buffer->stores, &store->link);
        buffer->count--;
        pool_give(&host->pending, store);
        if (buffer->waits != NULL)
            wake(buffer);
    }
    if (lines_are_shared(host))
        ask_for_lines(host, buffer);
}

static void line_is_own(void *argument)
{
    struct pending *store = argument;
    struct host *host = store->host;
    struct core *core = &host->cores[store->core];
    store->is_asked = false;
    core->stores.asked--;
    store_buffer_line_comes(host, store->at / CACHE_LINE_BYTES, sim_now(host->sim));
    let_be_seen(host, core);
}

static void is_due(void *argument)
{
    struct pending *store = argument;
    store->is_due = true;
    let_be_seen(store->host, &store->host->cores[store->core]);
}

void store_buffer_add(struct host *host, int64_t core, address at, const void *data, size_t bytes,
                      sim_time ready_ps)
{
    struct store_buffer *buffer = &host->cores[core].stores;
    struct pending *store = pool_take(&host->pending);
    store->host = host;
    store->core = (int)core;
    store->at = at;
    store->bytes = bytes;
    store->is_due = store->is_asked = false;
    memcpy(store->data, data, bytes);
    event_schedule(host->sim->events, ready_ps, is_due, store);
    list_append(&buffer->stores, &store->link);
    buffer->count++;
}

static void wait_until_fewer(struct host *host, int64_t core, size_t count, struct process *process)
{
    struct store_buffer *buffer = &host->cores[core].stores;
    while (buffer->count >= count) {
        process_sync(process);
        buffer->waits = process;
        host->sim->quiescence.held++; /* the process has no event of its own meanwhile */
        process_suspend(process, "its stores to be seen");
        host->sim->quiescence.held--;
    }
}

void store_buffer_wait_for_room(struct host *host, int64_t core, struct process *process)
{
    if (lines_are_shared(host))
        wait_until_fewer(host, core, (size_t)HOST_READ(host, stores_under_way), process);
}

void store_buffer_wait_until_seen(struct host *host, int64_t core, struct process *process)
{
    if (lines_are_shared(host))
        wait_until_fewer(host, core, 1, process);
}
