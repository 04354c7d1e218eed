/* SPDX-License-Identifier: BSD-3-Clause */
/* The host: its parameters, its memory as devices see it over the bus, and its cores' caches. What a thread on
 * a core does is in host_thread.c. */
#include "models/host/host.h"

#include "core/clock.h"
#include "models/host/host_parts.h"

/* Names in the order of enum device_writes. */
static const char *const device_writes[] = {"last_level", "memory", NULL};

#define SPEC struct host_spec
static const struct param params[] = {HOST_ROWS(PARAM_ENTRY)};
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

/* Performs a read that has waited for its line. */
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
        if (inbound_core_waits(&host->inbound, request->at))
            directory_update(directory, request->at, request->data, (size_t)request->bytes);
        else
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

/* Notes the parameters that an access to the directory reads. */
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
    pool_init(&host->looks, sizeof(struct look_ahead));
    host->inbound = (struct inbound){.sim = sim,
                                     .directory = &host->directory,
                                     .spec = spec,
                                     .used = host->used,
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
    pool_clear(&host->looks);
    map_clear(&host->owned);
    inbound_clear(&host->inbound);
    directory_clear(&host->directory);
    g_free(host);
}

struct directory *host_directory(struct host *host)
{
    return &host->directory;
}

/* --- a loop of a socket's cores ---------------------------------------------------------------- */

/* The rate of the lines that a core keeps in flight, each for `latency_ps`, limited by its load ports. */
static int64_t in_flight_Bps(const struct host_spec *spec, sim_time latency_ps)
{
    int64_t port_Bps = spec->bytes_per_cycle * spec->core.clock_Hz;
    int64_t lines_bytes = spec->core.loads_in_flight * CACHE_LINE_BYTES;
    return latency_ps == 0 ? port_Bps
                           : MIN(port_Bps, muldiv_ceil(lines_bytes, PS_PER_S, latency_ps));
}

int64_t parallel_thread_Bps(const struct host_spec *spec, int64_t part_bytes, int64_t threads,
                            int64_t sharers)
{
    int64_t l2_cycles = spec->l2.latency_cycles, l3_cycles = l2_cycles + spec->l3.latency_cycles;
    sim_time l3_ps = cycles_ps(l3_cycles, spec->core.clock_Hz);
    if (part_bytes <= spec->l1.size_bytes)
        return spec->bytes_per_cycle * spec->core.clock_Hz;
    if (part_bytes <= spec->l2.size_bytes)
        return in_flight_Bps(spec, cycles_ps(l2_cycles, spec->core.clock_Hz));
    if (part_bytes <= spec->l3.size_bytes / (threads * sharers))
        return in_flight_Bps(spec, l3_ps);
    int64_t share_Bps = MAX(spec->memory_rate_Bps / (threads * sharers), 1);
    return MIN(in_flight_Bps(spec, l3_ps + spec->memory_latency_ps), share_Bps);
}

sim_time parallel_loop_ps(const struct host_spec *spec, const struct parallel_loop *loop,
                          int64_t threads, int64_t sharers)
{
    check_release(threads >= 1 && threads <= spec->cores && sharers >= 1,
                  "%lld threads on %lld cores", (long long)threads, (long long)spec->cores);
    int64_t part_bytes = (loop->working_set_bytes + threads - 1) / threads;
    int64_t rate_Bps = parallel_thread_Bps(spec, part_bytes, threads, sharers);
    sim_time bytes_ps = transfer_ps((loop->bytes + threads - 1) / threads, rate_Bps);
    sim_time flops_ps = cycles_ps((loop->flops + threads * spec->flops_per_cycle - 1) /
                                      (threads * spec->flops_per_cycle),
                                  spec->core.clock_Hz);
    return (threads > 1 ? spec->parallel_region_ps : 0) + MAX(bytes_ps, flops_ps);
}
