/* SPDX-License-Identifier: BSD-3-Clause */
/* The host: its parameters, its memory as devices see it over the bus, and its cores' caches. What a thread on
 * a core does is in host_thread.c. */
#include "models/host/host.h"

#include <glib.h>

#include "core/clock.h"
#include "models/host/host_parts.h"

/* In the order of enum device_writes. */
static const char *const device_writes[] = {"last_level", "memory", NULL};

#define SPEC struct host_spec
static const struct param params[] = {
    PARAM_COUNT(cores, SPEC, "16", "1", "32", "CPU cores of a socket."),
    PARAM_SHARE("", core, SPEC, &core_rows,
                "clock=4GHz,instructions_per_cycle=2.0,active_power=10W,stalled_power=6W,"
                "polling_power=8W,idle_power=3W",
                ""),
    PARAM_FREQUENCY(software_rate, SPEC, "8GHz", "1MHz", "100GHz",
                    "Instructions per second (clock times instructions per cycle) of the core for "
                    "which the times of ranks' software (network libraries, runtimes) are given; "
                    "slower cores take proportionally longer."),
    PARAM_SHARE("l1_", l1, SPEC, &cache_rows, "ways=2,latency_cycles=2",
                "L1 data cache of a core: "),
    PARAM_SHARE("l2_", l2, SPEC, &cache_rows, "size=2MiB,ways=8,latency_cycles=8",
                "L2 of a core: "),
    PARAM_SHARE("l3_", l3, SPEC, &cache_rows, "size=16MiB,latency_cycles=20",
                "L3 shared by all cores, on the memory side: "),
    PARAM_ENUM(device_writes, SPEC, "last_level", device_writes,
               "Where devices' writes over the bus land: in the L3 (as with Intel's DDIO), or "
               "in memory."),
    PARAM_TIME(memory_latency, SPEC, "60ns", "0ns", "10us", "Host memory behind an L3 miss."),
    PARAM_RATE(memory_rate, SPEC, "153.6GB/s", "1MB/s", "100TB/s",
               "Bandwidth of host memory, all channels together."),
    PARAM_TIME(atomic_gap, SPEC, "0ns", "0ns", "100us",
               "Minimum time between two atomics of devices on one line of host memory."),
    PARAM_TIME(
        atomic_turn, SPEC, "0ns", "0ns", "100us",
        "Minimum time between any two atomics of devices on host memory, whatever their lines."),
    PARAM_TIME(
        written_line, SPEC, "0ns", "0ns", "100us",
        "Minimum time from a device's write to a line until a device's read of the line is answered."),
    PARAM_TIME(
        bounced_line, SPEC, "0ns", "0ns", "100us",
        "Time in which a device's write fetches a line that a core's cache holds; later writes of devices are performed after it."),
    PARAM_TIME(
        mesh_hop, SPEC, "0ns", "0ns", "1us",
        "Additional time of bounced_line for each hop between that core and the bus, on a mesh with rows of 8 and the bus at a corner. bounced_line alone would make all cores equally far."),
    PARAM_TIME(bus_latency, SPEC, "20ns", "0ns", "10us",
               "Latency between a core or host memory and the bus port, each way."),
    PARAM_COUNT(
        reorder_instructions, SPEC, "512", "1", "10000",
        "Reorder window of an out-of-order core: how many instructions a service thread runs ahead of a poll that waits for its line (poll_loop = ahead)."),
    PARAM_COUNT(
        mispredict_cycles, SPEC, "0", "0", "1000",
        "Cycles that an out-of-order core loses when a poll has another outcome than predicted (poll_loop = ahead). 0: nothing is lost, and the core stays ahead."),
    PARAM_COUNT(
        owned_at_once, SPEC, "0", "0", "64",
        "How many cache lines a core can regain at a time for its stores, after reads by a device have made the lines shared. 0: such a read does not make a line shared."),
    PARAM_COUNT(
        stores_under_way, SPEC, "56", "1", "1000",
        "Store-buffer capacity of a core: when it is full of stores that wait for ownership of their lines (owned_at_once), the core stalls."),
    PARAM_COUNT(device_loads_in_flight, SPEC, "1", "1", "16",
                "Independent loads of device memory over the bus that a core keeps in flight."),
    PARAM_BYTES(uncached_load, SPEC, "8B", "1B", "64B",
                "Bytes that one load of device memory over the bus fetches."),
    PARAM_TIME(directory_latency, SPEC, "60ns", "0ns", "10us",
               "On an APU: latency from a core to the directory, one way."),
    PARAM_COUNT(flops_per_cycle, SPEC, "8", "1", "1024",
                "Floating-point operations per cycle of a core in a vectorised loop."),
    PARAM_COUNT(bytes_per_cycle, SPEC, "64", "1", "4096",
                "Bytes per cycle between a core and its L1 in such a loop."),
    PARAM_TIME(parallel_region, SPEC, "1us", "0ns", "1ms",
               "Beginning and end of a loop that is divided among all cores: threads are woken"
               " and synchronise."),
};
#undef SPEC
PARAM_TABLE_SHARING(host_params, "host", struct host_spec, params,
                    "The host: CPU cores, their caches, host memory.");

/* A device's read that waits for its line. */
struct host_read {
    struct host *host;
    struct bus_request *request;
};

/* --- what comes in over the bus ----------------------------------------------------------------
 */

static void answer_read(struct host *host, struct bus_request *request)
{
    sim_time ready_ps = directory_access(&host->directory, request->at);
    if (!request->is_flush)
        store_buffer_device_reads(host, request->at / CACHE_LINE_BYTES);
    store_read(host->directory.store, request->at, request->data, (size_t)request->bytes);
    bus_performed(host->path.bus, request, ready_ps + HOST_READ(host, bus_latency_ps));
}

/* A read that waited for its line. */
static void read_again(void *argument)
{
    struct host_read *read = argument;
    struct host *host = read->host;
    struct bus_request *request = read->request;
    pool_give(&host->reads, read);
    answer_read(host, request);
}

static void read_arrives(struct host *host, struct bus_request *request)
{
    sim_time wait_ps = request->is_flush ? 0 : inbound_read_wait(&host->inbound, request->at);
    if (wait_ps == 0) {
        answer_read(host, request);
        return;
    }
    struct host_read *read = pool_take(&host->reads);
    *read = (struct host_read){host, request};
    event_schedule(host->sim->events, sim_now(host->sim) + wait_ps, read_again, read);
}

static void perform_request(void *owner, struct bus_request *request)
{
    struct host *host = owner;
    struct directory *directory = &host->directory;
    if (request->op == BUS_WRITE) {
        if (HOST_READ(host, device_writes) == DEVICE_WRITES_MEMORY)
            directory_pass_by(directory, request->at);
        else
            directory_access(directory, request->at);
        directory_write(directory, DIRECTORY_DEVICE, request->at, request->data,
                        (size_t)request->bytes);
        bus_performed(host->path.bus, request, 0);
        return;
    }
    if (request->op == BUS_READ) {
        read_arrives(host, request);
        return;
    }
    sim_time ready_ps = directory_access(directory, request->at);
    if (request->op == BUS_ATOMIC) {
        ready_ps += inbound_atomic_wait(&host->inbound, request->at);
        request->operand = directory_atomic(directory, DIRECTORY_DEVICE, request->at,
                                            request->atomic, request->operand, request->compare);
    }
    bus_performed(host->path.bus, request, ready_ps + HOST_READ(host, bus_latency_ps));
}

static void request_arrives(void *device, struct bus_request *request)
{
    struct host *host = device;
    inbound_arrives(&host->inbound, request);
}

/* --- start and end -----------------------------------------------------------------------------
 */

/* What an access to the directory reads of the spec. */
static void note_directory(struct host *host)
{
    struct directory *directory = &host->directory;
    directory->used = host->used;
    PARAM_NOTE(&directory->near_bits, host->spec, l3.size_bytes);
    PARAM_NOTE(&directory->near_bits, host->spec, l3.ways);
    PARAM_NOTE(&directory->near_bits, host->spec, l3.latency_cycles);
    PARAM_NOTE(&directory->near_bits, host->spec, core.clock_Hz);
    PARAM_NOTE(&directory->far_bits, host->spec, memory_latency_ps);
    PARAM_NOTE(&directory->far_bits, host->spec, memory_rate_Bps);
}

struct host *host_new(struct sim *sim, const struct host_spec *spec, struct bus *bus, int slot,
                      bool coherent_gpu)
{
    struct host *host = g_new0(struct host, 1);
    host->sim = sim;
    host->spec = spec;
    host->used = param_use_of(&sim->uses, &host_params);
    host->path = (struct bus_path){bus, slot, spec->bus_latency_ps, spec->bus_latency_ps, 0, false};
    host->l1_latency_ps = cycles_ps(spec->l1.latency_cycles, spec->core.clock_Hz);
    host->l2_latency_ps = cycles_ps(spec->l2.latency_cycles, spec->core.clock_Hz);
    host->window_ps = instructions_ps(spec->reorder_instructions, spec->core.instructions_per_cycle,
                                      spec->core.clock_Hz);
    host->mispredict_ps = cycles_ps(spec->mispredict_cycles, spec->core.clock_Hz);
    host->coherent_gpu = coherent_gpu;
    pool_init(&host->pending, sizeof(struct pending));
    pool_init(&host->reads, sizeof(struct host_read));
    host->inbound =
        (struct inbound){.sim = sim,
                         .directory = &host->directory,
                         .spec = spec,
                         .used = host->used,
                         .look_ps = host->l1_latency_ps + host->l2_latency_ps + spec->mesh_hop_ps,
                         .perform = perform_request,
                         .owner = host};
    inbound_init(&host->inbound);
    directory_init(&host->directory, sim, slot, spec->l3.size_bytes, spec->l3.ways,
                   cycles_ps(spec->l3.latency_cycles, spec->core.clock_Hz), spec->memory_latency_ps,
                   spec->memory_rate_Bps);
    note_directory(host);
    host->cores = g_new0(struct core, (gsize)spec->cores);
    for (int64_t i = 0; i < spec->cores; i++) {
        host->cores[i].l1 = cache_new(spec->l1.size_bytes, spec->l1.ways, false);
        host->cores[i].l2 = cache_new(spec->l2.size_bytes, spec->l2.ways, false);
    }
    struct endpoint endpoint = {request_arrives, host, spec->bus_latency_ps};
    bus_attach(bus, slot, &endpoint);
    return host;
}

void host_free(struct host *host)
{
    if (host == NULL)
        return;
    for (int64_t i = 0; i < host->spec->cores; i++) {
        cache_free(host->cores[i].l1);
        cache_free(host->cores[i].l2);
    }
    g_free(host->cores);
    pool_clear(&host->pending);
    pool_clear(&host->reads);
    map_clear(&host->owned);
    inbound_clear(&host->inbound);
    directory_clear(&host->directory);
    g_free(host);
}

struct directory *host_directory(struct host *host)
{
    return &host->directory;
}
