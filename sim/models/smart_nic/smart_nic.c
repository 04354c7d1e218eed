/* SPDX-License-Identifier: BSD-3-Clause */
#include "models/smart_nic/smart_nic.h"

#include <string.h>

#include "core/clock.h"
#include "models/memory/bus_wait.h"

/* All values are estimated, for want of measurements, from the class of BlueField-2 and -3; the ranges in brackets seem
 * possible. Cores: 8 Arm A72 at 2.0 to 2.5 GHz or 16 A78 at about 2 to 3 GHz, where network code sustains 1 to 2 instructions a
 * cycle. A load of the board's memory mostly hits a shared cache that the NIC writes into (20 to 150 ns); a register of the own
 * NIC is behind an on-chip switch (50 to 300 ns), as is the node's bus (50 to 300 ns). Power: 10 to 40 W for all cores and
 * their memory. */
PARAM_TABLE_OF_SHARING(smart_nic_params, "smart_nic", struct smart_nic_spec, SMART_NIC_ROWS,
                       "A SmartNIC: cores and memory on the NIC's board.");

struct smart_nic {
    struct sim *sim;
    const struct smart_nic_spec *spec;
    struct bus_path path; /* from a core to the bus */
    struct endpoint nic;  /* the NIC's own endpoint, for its registers */
    struct store *store;
    struct pool pending;
};

/* A store of a core on its way to the board's memory. Records are reused. */
struct smart_nic_request {
    struct smart_nic *smart_nic;
    address at;
    size_t bytes;
    uint8_t data[CACHE_LINE_BYTES];
};

/* --- what comes in ----------------------------------------------------------------------------- */

static void request_arrives(void *device, struct bus_request *request)
{
    struct smart_nic *smart_nic = device;
    if (address_is_register(request->at)) {
        smart_nic->nic.arrive(smart_nic->nic.device, request);
        return;
    }
    if (request->op == BUS_WRITE)
        store_write(smart_nic->store, request->at, request->data, (size_t)request->bytes);
    else if (request->op == BUS_READ)
        store_read(smart_nic->store, request->at, request->data, (size_t)request->bytes);
    else if (request->op == BUS_ATOMIC)
        request->operand = store_atomic(smart_nic->store, request->at, request->atomic,
                                        request->operand, request->compare);
    bus_performed(smart_nic->path.bus, request,
                  request->op == BUS_WRITE ? 0 : smart_nic->spec->memory_latency_ps);
}

struct smart_nic *smart_nic_new(struct sim *sim, const struct smart_nic_spec *spec, struct bus *bus,
                                int slot)
{
    struct smart_nic *smart_nic = g_new0(struct smart_nic, 1);
    smart_nic->sim = sim;
    smart_nic->spec = spec;
    smart_nic->path =
        (struct bus_path){bus, slot, spec->bus_latency_ps, spec->bus_latency_ps, 0, false};
    smart_nic->store = store_new(slot);
    pool_init(&smart_nic->pending, sizeof(struct smart_nic_request));
    struct endpoint endpoint = {request_arrives, smart_nic, 0};
    smart_nic->nic = bus_replace(bus, slot, &endpoint);
    return smart_nic;
}

void smart_nic_free(struct smart_nic *smart_nic)
{
    if (smart_nic == NULL)
        return;
    pool_clear(&smart_nic->pending);
    store_free(smart_nic->store);
    g_free(smart_nic);
}

struct store *smart_nic_store(struct smart_nic *smart_nic)
{
    return smart_nic->store;
}

/* --- what a thread calls ----------------------------------------------------------------------- */

void smart_nic_thread_init(struct smart_nic_thread *thread, struct smart_nic *smart_nic,
                           int64_t core, struct process *process)
{
    check_always(core >= 0 && core < smart_nic->spec->cores, "SmartNIC core %lld of %lld",
                 (long long)core, (long long)smart_nic->spec->cores);
    param_uses_all_but(&smart_nic->sim->uses, &smart_nic_params, "loads_in_flight", "active_power",
                       "polling_power", "stalled_power", "idle_power", NULL);
    *thread = (struct smart_nic_thread){.smart_nic = smart_nic, .process = process};
}

static bool is_own(const struct smart_nic *smart_nic, address at)
{
    return address_slot(at) == smart_nic->path.slot;
}

/* Loads of the board's memory all return at the same time. */
void smart_nic_thread_load_all(struct smart_nic_thread *thread, const struct memory_load *loads,
                               size_t count)
{
    struct smart_nic *smart_nic = thread->smart_nic;
    if (count == 0)
        return;
    if (!is_own(smart_nic, loads[0].at)) {
        bus_path_load_all(smart_nic->path, thread->process, &smart_nic->sim->quiescence, loads,
                          count, CACHE_LINE_BYTES, (size_t)smart_nic->spec->core.loads_in_flight);
        return;
    }
    process_sleep(thread->process, smart_nic->spec->memory_latency_ps);
    for (size_t i = 0; i < count; i++)
        store_read(smart_nic->store, loads[i].at, loads[i].data, loads[i].bytes);
}

int64_t smart_nic_thread_loads_in_flight(const struct smart_nic_thread *thread, address at)
{
    const struct smart_nic *smart_nic = thread->smart_nic;
    return is_own(smart_nic, at) ? LOADS_IN_FLIGHT_MAX : smart_nic->spec->core.loads_in_flight;
}

int64_t smart_nic_thread_load_bytes(const struct smart_nic_thread *thread, address at)
{
    return is_own(thread->smart_nic, at) ? CACHE_LINE_BYTES : 16;
}

/* When a store that is issued now and takes `way_ps` is seen, or leaves: not before the stores ahead of it. */
static sim_time in_order_ps(struct smart_nic_thread *thread, sim_time way_ps)
{
    sim_time seen_ps = process_now(thread->process) + way_ps;
    if (seen_ps < thread->stores_visible_ps)
        seen_ps = thread->stores_visible_ps;
    thread->stores_visible_ps = seen_ps;
    return seen_ps;
}

static void store_is_seen(void *argument)
{
    struct smart_nic_request *pending = argument;
    store_write(pending->smart_nic->store, pending->at, pending->data, pending->bytes);
    pool_give(&pending->smart_nic->pending, pending);
}

static void store_on_board(struct smart_nic_thread *thread, address at, const void *data,
                           size_t bytes)
{
    struct smart_nic *smart_nic = thread->smart_nic;
    struct smart_nic_request *pending = pool_take(&smart_nic->pending);
    pending->smart_nic = smart_nic;
    pending->at = at;
    pending->bytes = bytes;
    memcpy(pending->data, data, bytes);
    event_schedule(smart_nic->sim->events, in_order_ps(thread, smart_nic->spec->memory_latency_ps),
                   store_is_seen, pending);
}

void smart_nic_thread_store(struct smart_nic_thread *thread, address at, const void *data,
                            size_t bytes)
{
    const struct smart_nic *smart_nic = thread->smart_nic;
    bool own = is_own(smart_nic, at);
    check_release(bytes <= CACHE_LINE_BYTES, "a store of %zu bytes", bytes);
    process_sync(thread->process);
    if (own && !address_is_register(at)) {
        store_on_board(thread, at, data, bytes);
        return;
    }
    struct bus_request *request = bus_path_request(&smart_nic->path, BUS_WRITE, at, bytes);
    memcpy(request->data, data, bytes);
    bus_send(smart_nic->path.bus, request,
             in_order_ps(thread, smart_nic->path.outward_ps) - process_now(thread->process));
}

uint64_t smart_nic_thread_atomic(struct smart_nic_thread *thread, address at, enum atomic_op op,
                                 uint64_t operand, uint64_t compare)
{
    struct smart_nic *smart_nic = thread->smart_nic;
    if (!is_own(smart_nic, at))
        return bus_path_atomic(&smart_nic->path, thread->process, at, op, operand, compare);
    process_sync(thread->process);
    process_sleep_until(thread->process, in_order_ps(thread, smart_nic->spec->memory_latency_ps));
    return store_atomic(smart_nic->store, at, op, operand, compare);
}

void smart_nic_thread_execute(struct smart_nic_thread *thread, int64_t instructions)
{
    const struct smart_nic_spec *spec = thread->smart_nic->spec;
    process_run_ahead(
        thread->process,
        instructions_ps(instructions, spec->core.instructions_per_cycle, spec->core.clock_Hz));
}
