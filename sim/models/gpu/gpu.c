/* SPDX-License-Identifier: BSD-3-Clause */
/* Puts the parts of a GPU together: compute units with their L1s, device memory, the bus endpoint
 * and the dispatcher (gpu/dispatch.c). */
#include "models/gpu/gpu.h"

#include <glib.h>

#include "models/gpu/gpu_parts.h"

static const char *const l2_models[] = {"lines", "statistical", NULL};

#define SPEC struct gpu_spec
static const struct param params[] = {
    PARAM_FREQUENCY(clock, SPEC, "1.5GHz", "1MHz", "10GHz", "Clock of compute units and L2."),
    PARAM_COUNT(compute_units, SPEC, "12", "1", "1024", "Number of compute units."),
    PARAM_COUNT(simds_per_cu, SPEC, "4", "1", "64", "SIMD units of a compute unit."),
    PARAM_COUNT(waves_per_cu, SPEC, "40", "1", "1024",
                "Wavefronts that a compute unit holds at a time."),
    PARAM_COUNT(work_groups_per_cu, SPEC, "1024", "1", "1024",
                "Work-groups that a compute unit holds at a time."),
    PARAM_BYTES(registers, SPEC, "256KiB", "1KiB", "1GiB",
                "Registers of a compute unit, divided among its work-items."),
    PARAM_COUNT(lanes, SPEC, "64", "1", "1024", "Work-items of a wavefront."),
    PARAM_COUNT(instruction_cycles, SPEC, "4", "1", "1000",
                "Cycles that a wavefront's instruction takes on its SIMD unit."),
    PARAM_BYTES(wave_in_flight, SPEC, "1KiB", "64B", "1MiB",
                "Bytes that a wavefront has in flight from device memory at a time."),
    PARAM_COUNT(barrier_cycles, SPEC, "32", "0", "100000", "Cycles of a work-group barrier."),
    PARAM_SHARE("l1_", l1, SPEC, &cache_rows, "size=16KiB,latency_cycles=12",
                "L1 data cache of a compute unit: "),
    PARAM_SHARE("l2_", l2, SPEC, &cache_rows, "size=1MiB,latency_cycles=150",
                "L2 shared by all compute units and CPs: "),
    PARAM_COUNT(l2_banks, SPEC, "8", "1", "64", "Banks of the L2; lines interleave over them."),
    PARAM_COUNT(l2_bank_cycles, SPEC, "1", "1", "100000", "Cycles an access occupies its bank."),
    PARAM_FLAG(l2_locking, SPEC, "false",
               "Locked stores keep their line in the L2 until a command processor has read it."),
    PARAM_ENUM(l2_model, SPEC, "lines", l2_models,
               "Tags of the L2: exact for every line or, for long runs, random evictions at "
               "the same rate."),
    PARAM_TIME(memory_latency, SPEC, "100ns", "0ns", "10us",
               "Latency of device memory behind an L2 miss."),
    PARAM_RATE(memory_rate, SPEC, "512GB/s", "1MB/s", "100TB/s",
               "Bandwidth of device memory, reads and writes together."),
    PARAM_TIME(
        far_partition, SPEC, "0ns", "0ns", "1us",
        "How much longer a load takes of a line that the other partition of the L2 holds, if lines read from memory have replaced the copy in its own; 0: the L2 has one partition."),
    PARAM_TIME(
        bus_outbound, SPEC, "220ns", "0ns", "10us",
        "Latency between the L2 and the bus port, each way, of accesses of the GPU to the rest of the node."),
    PARAM_TIME(
        port_spread, SPEC, "0ns", "0ns", "1us",
        "Difference of bus_outbound between the compute units farthest from and nearest to the bus port; the others lie evenly between, and the mean is bus_outbound."),
    PARAM_TIME(
        bus_inbound, SPEC, "130ns", "0ns", "10us",
        "Latency between the bus port and the L2, each way, of accesses that come from the rest of the node."),
    PARAM_FLAG(bus_allocates, SPEC, "false",
               "Accesses over the bus that miss the L2 allocate a line in it."),
    PARAM_TIME(device_fence, SPEC, "0ns", "0ns", "100us",
               "Minimum time of a release to the device scope, with or without stores in flight."),
    PARAM_TIME(system_fence, SPEC, "0ns", "0ns", "100us",
               "Minimum time of a release to the system scope, with or without stores in flight."),
    PARAM_TIME(
        fence_gather, SPEC, "0ns", "0ns", "10us",
        "Gather window of releases to the system scope: those that arrive at a compute unit within it run together, and later ones wait until these have ended. The reads behind posted writes of all compute units are gathered in the same way: one read serves all within the window. 0: releases do not affect each other."),
    PARAM_FLAG(
        fence_reads_back, SPEC, "true",
        "A release to the system scope reads behind posted writes over the bus, to know that they have arrived. false: it takes only system_fence, unless such writes arrive later than that."),
    PARAM_TIME(
        atomic, SPEC, "0ns", "0ns", "10us",
        "Time of an atomic at the L2, in addition to the path from the compute unit and back."),
    PARAM_TIME(atomic_gap, SPEC, "0ns", "0ns", "10us",
               "Time between two atomics on one line of device memory."),
    PARAM_TIME(
        peer_atomic_gap, SPEC, "0ns", "0ns", "10us",
        "Time between two atomics that come from another device on one line of device memory, if it is longer than atomic_gap."),
    PARAM_TIME(directory_latency, SPEC, "60ns", "0ns", "10us",
               "On an APU: latency from the L2 to the directory of host memory, one way."),
    PARAM_TIME(dispatch_gap, SPEC, "0ns", "0ns", "10us",
               "Time between the starts of two work-groups of a GPU."),
    PARAM_RATE(
        copy_rate, SPEC, "100TB/s", "1MB/s", "100TB/s",
        "Upper limit of the rate at which a compute unit copies to and from other GPUs by loads and stores."),
    PARAM_TIME(kernel_launch, SPEC, "6us", "0ns", "1ms",
               "Time from the host's launch to the start of the first work-group."),
    PARAM_TIME(kernel_end, SPEC, "4us", "0ns", "1ms",
               "Time from the end of the last work-group until the host knows of it."),
    PARAM_POWER(idle_power, SPEC, "40W", "0W", "10kW", "Power of the whole GPU, clocked and idle."),
    PARAM_POWER(spin_power, SPEC, "50mW", "0W", "100W",
                "Additional power for each work-group that posts, polls, waits or serves."),
    PARAM_ENERGY(memory_energy, SPEC, "80pJ", "0pJ", "100nJ",
                 "Energy of a byte that the GPU's memory reads or writes."),
    PARAM_ENERGY(link_energy, SPEC, "80pJ", "0pJ", "100nJ",
                 "Energy of a byte to or from the host or another GPU, in addition to its "
                 "memory's."),
};
#undef SPEC
PARAM_TABLE_SHARING(gpu_params, "gpu", struct gpu_spec, params,
                    "A GPU: compute units, caches, device memory, kernel launch.");

/* The number's binary digits, read backwards behind the point, are its place in 0 to 1: that of 1 is the middle. */
sim_time gpu_port_offset_ps(const struct gpu_spec *spec, int64_t compute_unit)
{
    int64_t place = 0;
    for (int bit = 0; bit < 32; bit++)
        place = place << 1 | ((compute_unit + 1) >> bit & 1);
    sim_time offset_ps = ((spec->port_spread_ps * place) >> 32) - spec->port_spread_ps / 2;
    return MAX(offset_ps, -spec->bus_outbound_ps); /* nothing leaves before it is at the port */
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

/* The request has reached the L2. */
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

/* Nobody locks or polls lines without contents. */
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
    pool_init(&pools->counts, (size_t)spec->compute_units * sizeof(int32_t));
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

double gpu_power_mW(const struct gpu_spec *spec, int64_t spinning, double memory_Bps,
                    double link_Bps)
{
    double moving_fW = memory_Bps * (double)spec->memory_energy_fJ +
                       link_Bps * (double)(spec->memory_energy_fJ + spec->link_energy_fJ);
    return (double)(spec->idle_power_mW + spinning * spec->spin_power_mW) + moving_fW * 1e-12;
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
