/* SPDX-License-Identifier: BSD-3-Clause */
/* Puts the parts of a GPU together: compute units with their L1s, device memory, the bus endpoint
 * and the dispatcher (gpu/dispatch.c). */
#include "models/gpu/gpu.h"

#include "models/gpu/gpu_parts.h"

PARAM_TABLE_OF_SHARING(gpu_params, "gpu", struct gpu_spec, GPU_ROWS,
                       "A GPU: compute units, caches, device memory, kernel launch.");

/* The unit's number, in binary digits read backwards behind the point, is its place between 0 and 1 (number 1: the middle). */
sim_time gpu_port_offset_ps(const struct gpu_spec *spec, int64_t compute_unit)
{
    int64_t place = 0;
    for (int bit = 0; bit < 32; bit++)
        place = place << 1 | ((compute_unit + 1) >> bit & 1);
    sim_time offset_ps = ((spec->port_spread_ps * place) >> 32) - spec->port_spread_ps / 2;
    return MAX(offset_ps,
               -spec->bus_outbound_ps); /* a request leaves no sooner than it is at the port */
}

static void perform_inbound(struct device_memory *memory, struct bus_request *request)
{
    size_t bytes = (size_t)request->bytes;
    if (request->op == BUS_WRITE)
        device_memory_write(memory, request->at, request->data, bytes);
    else if (request->op == BUS_READ)
        device_memory_read(memory, request->at, request->data, bytes);
    else if (request->op == BUS_ATOMIC)
        request->operand = device_memory_atomic(memory, request->at, request->atomic,
                                                request->operand, request->compare);
}

/* Serves a request from the bus that has reached the L2. */
static void serve_inbound(struct gpu *gpu, struct bus_request *request)
{
    struct device_memory *memory = &gpu->memory;
    bool is_write = request->op == BUS_WRITE;
    GPU_NOTE(gpu, bus_inbound_ps); /* on its way here */
    sim_time wait_ps = device_memory_access(memory, L2_FROM_BUS, request->at, is_write);
    if (request->op == BUS_ATOMIC)
        wait_ps += device_memory_atomic_wait(
            memory, request->at,
            MAX(GPU_READ(gpu, atomic_gap_ps), GPU_READ(gpu, peer_atomic_gap_ps)));
    perform_inbound(memory, request);
    sim_time back_ps = is_write ? 0 : memory->half_way_ps + GPU_READ(gpu, bus_inbound_ps);
    bus_performed(memory->bus, request, wait_ps + back_ps);
}

static void come_again(void *argument);

/* Files the request as a waiter if its line is locked. */
static bool make_wait(struct gpu *gpu, struct bus_request *request)
{
    if (!device_memory_has_locks(&gpu->memory))
        return false;
    struct gpu_inbound *inbound = pool_take(&gpu->pools->inbound);
    inbound->gpu = gpu;
    inbound->request = request;
    inbound->waiter = (struct line_waiter){.arrives = come_again, .argument = inbound};
    if (device_memory_make_wait(&gpu->memory, request->at, &inbound->waiter))
        return true;
    pool_give(&gpu->pools->inbound, inbound);
    return false;
}

/* Writes a block. Lines without contents are never locked or polled. */
static void write_block(struct gpu *gpu, struct bus_request *request)
{
    GPU_NOTE(gpu, bus_inbound_ps);
    sim_time wait_ps =
        device_memory_access_block(&gpu->memory, L2_FROM_BUS, request->at,
                                   cache_lines_of(request->flowed_bytes + request->bytes),
                                   cache_lines_of(request->bytes), true);
    bus_performed(gpu->memory.bus, request, wait_ps);
}

static void request_arrives(void *device, struct bus_request *request)
{
    struct gpu *gpu = device;
    if (request->packets > 0)
        write_block(gpu, request);
    else if (!make_wait(gpu, request))
        serve_inbound(gpu, request);
}

static void come_again(void *argument)
{
    struct gpu_inbound *inbound = argument;
    struct gpu *gpu = inbound->gpu;
    struct bus_request *request = inbound->request;
    pool_give(&gpu->pools->inbound, inbound);
    request_arrives(gpu, request);
}

void gpu_pools_init(struct gpu_pools *pools, const struct gpu_spec *spec)
{
    pool_init(&pools->inbound, sizeof(struct gpu_inbound));
    pool_init(&pools->cohorts, gpu_cohort_bytes());
    unit_pools_init(&pools->units);
    pool_init(&pools->counts, (size_t)spec->compute_units * sizeof(struct unit_run));
}

void gpu_pools_clear(struct gpu_pools *pools)
{
    pool_clear(&pools->inbound);
    pool_clear(&pools->cohorts);
    unit_pools_clear(&pools->units);
    pool_clear(&pools->counts);
}

struct gpu *gpu_new(struct sim *sim, const struct gpu_spec *spec, struct gpu_pools *pools,
                    struct bus *bus, int slot, struct dram *dram, struct directory *directory,
                    const char *path)
{
    struct gpu *gpu = g_new0(struct gpu, 1);
    gpu->sim = sim;
    gpu->spec = spec;
    gpu->used = param_use_of(&sim->uses, &gpu_params);
    gpu->pools = pools;
    gpu->path = g_strdup(path);
    device_memory_init(&gpu->memory, sim, spec, bus, slot, dram, directory, path);
    gpu->compute_units = g_new0(struct compute_unit, (gsize)spec->compute_units);
    for (int64_t i = 0; i < spec->compute_units; i++)
        gather_init(&gpu->compute_units[i].fences, spec->fence_gather_ps);
    bool is_apu = directory != NULL;
    compute_init(&gpu->compute, spec, &pools->units, is_apu ? &directory->dram : dram, is_apu);
    gpu_dispatch_init(gpu);
    struct endpoint endpoint = {request_arrives, gpu,
                                spec->bus_inbound_ps + gpu->memory.half_way_ps};
    bus_attach(bus, slot, &endpoint);
    return gpu;
}

void gpu_fetch(const struct gpu *gpu)
{
    event_fetch(gpu, offsetof(struct gpu, memory));
    event_fetch(&gpu->compute, sizeof *gpu - offsetof(struct gpu, compute));
}

void gpu_free(struct gpu *gpu)
{
    if (gpu == NULL)
        return;
    gpu_dispatch_clear(gpu);
    for (int64_t i = 0; i < gpu->spec->compute_units; i++)
        cache_free(gpu->compute_units[i].l1);
    g_free(gpu->compute_units);
    device_memory_clear(&gpu->memory);
    g_free(gpu->path);
    g_free(gpu);
}

const struct gpu_spec *gpu_spec_of(const struct gpu *gpu)
{
    return gpu->spec;
}

const char *gpu_path(const struct gpu *gpu)
{
    return gpu->path;
}

struct device_memory *gpu_memory(struct gpu *gpu)
{
    return &gpu->memory;
}
