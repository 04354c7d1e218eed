/* SPDX-License-Identifier: BSD-3-Clause */
/* A kernel that copies memory by its threads' own loads and stores of 16 B, within a GPU or between two; measures the time of a
 * pass. The accesses are distributed cyclically over all threads of the kernel, so a small copy leaves some work-groups idle. A
 * wavefront has a fixed number of loads under way, then stores the loaded data, and loads again when its stores have left; a
 * remainder that does not fill a row of loads goes together, or one by one, as the program does it (remainder). Shared
 * resources serve accesses in the order of their arrival: a compute unit's way (gpu.copy_rate), the L2, the memory behind it,
 * and a direction of the link. A working set that the L2 does not hold is read from memory and written back at every pass.
 *
 * Two GPUs without a link between them (node.peer_link) meet over the bus, whose packets are as long as they can be.
 *
 * Not modelled: replies and requests on the link's other direction, so that both directions at once take as long as one. */
#include "core/error.h"
#include "core/wait.h"
#include "fabric/bus.h"
#include "models/gpu/gpu.h"
#include "workloads/interface/workload.h"

enum place { OWN, PEER };
static const char *const place_names[] = {"gpu", "peer", NULL};

enum remainder { ONE_BY_ONE, TOGETHER };
static const char *const remainder_names[] = {"one_by_one", "together", NULL};

#define ACCESS_BYTES 16 /* of a thread */
#define IN_FLIGHT 4     /* loads of a thread, as in the measured kernels (probe/) */

struct kernel_copy_spec {
    int64_t from, to, work_groups, threads, bytes, passes, remainder;
};

#define SPEC struct kernel_copy_spec
static const struct param params[] = {
    PARAM_ENUM(from, SPEC, "gpu", place_names,
               "The memory that the kernel reads: the GPU's own, or another GPU's."),
    PARAM_ENUM(to, SPEC, "gpu", place_names,
               "The memory that the kernel writes: the GPU's own, or another GPU's."),
    PARAM_COUNT(work_groups, SPEC, "1", "1", "65536", "Work-groups of the kernel of a node."),
    PARAM_COUNT(threads, SPEC, "1024", "1", "1024", "Work-items of a work-group."),
    {"bytes", PARAM_QUANTITY, UNIT_BYTES, offsetof(SPEC, bytes), "1MiB", "16B", "1GiB", NULL,
     "Bytes that all work-groups together copy in a pass.", NULL},
    PARAM_COUNT(passes, SPEC, "1", "1", "100000", "Passes of one kernel, one after the other."),
    PARAM_ENUM(
        remainder, SPEC, "one_by_one", remainder_names,
        "How a thread issues its last accesses if there are fewer than the four that it keeps in flight."),
};
#undef SPEC
static PARAM_TABLE(kernel_copy_params, "kernel_copy", struct kernel_copy_spec, params,
                   "A kernel that copies memory by loads and stores.");

/* One GPU's memory; there are two, the one that the kernel reads and the one that it writes. */
struct memory_side {
    struct bandwidth_server l2, dram;
    bool is_held; /* the L2 holds the copy */
};

struct copy_run {
    const struct kernel_copy_spec *spec;
    const struct machine_spec *machine;
    struct sim *sim;
    struct bandwidth_server *ways; /* of compute units */
    struct bandwidth_server link;
    struct memory_side sides[2];
    sim_time to_source_ps, from_source_ps; /* both ways of a load, beyond the source's L2 */
    /* accesses of all work-groups in a pass; number of all threads */
    int64_t accesses, threads;
};

struct wave {
    struct copy_run *run;
    int64_t unit, first; /* its compute unit; number of its first thread */
    int64_t at, pass;    /* the next access of that thread */
    int64_t bytes;       /* bytes under way */
};

static void go_on(void *argument);

static int64_t wave_lanes(const struct wave *wave)
{
    const struct copy_run *run = wave->run;
    int64_t lanes = run->machine->gpu.lanes, of_group = run->spec->threads;
    return MIN(lanes, of_group - wave->first % of_group);
}

/* Takes the next accesses of the wavefront's pass; returns their bytes, 0 at its end. */
static int64_t take_accesses(struct wave *wave)
{
    const struct copy_run *run = wave->run;
    int64_t row = IN_FLIGHT, step = run->threads, bytes = 0;
    int64_t last = wave->at + (row - 1) * step;
    bool is_whole = run->spec->remainder == TOGETHER || last < run->accesses;
    int64_t count = is_whole ? row : 1;
    for (int64_t i = 0; i < count && wave->at < run->accesses; i++, wave->at += step)
        bytes += MIN(wave_lanes(wave), run->accesses - wave->at) * ACCESS_BYTES;
    return bytes;
}

/* The time at which the L2 on this side, and the memory behind it if the L2 does not hold the copy, have passed the bytes on. */
static sim_time serve_memory(struct memory_side *side, sim_time now_ps, int64_t bytes)
{
    sim_time l2_ps = bandwidth_server_serve(&side->l2, now_ps, bytes);
    if (side->is_held)
        return l2_ps;
    sim_time dram_ps = bandwidth_server_serve(&side->dram, now_ps, bytes);
    return MAX(l2_ps, dram_ps);
}

static struct memory_side *side_of(struct copy_run *run, int64_t place)
{
    return &run->sides[place];
}

/* The wavefront's stores leave; it goes on when they have left. */
static void store(void *argument)
{
    struct wave *wave = argument;
    struct copy_run *run = wave->run;
    sim_time now_ps = sim_now(run->sim), left_ps = now_ps;
    if (run->spec->to == PEER)
        left_ps = bandwidth_server_serve(&run->link, now_ps, wave->bytes);
    sim_time written_ps = serve_memory(side_of(run, run->spec->to), now_ps, wave->bytes);
    event_schedule(run->sim->events, MAX(left_ps, written_ps), go_on, wave);
}

/* The loaded data queue for the compute unit's port, then go on to the stores. */
static void come_back(void *argument)
{
    struct wave *wave = argument;
    struct copy_run *run = wave->run;
    sim_time passed_ps =
        bandwidth_server_serve(&run->ways[wave->unit], sim_now(run->sim), wave->bytes);
    event_schedule(run->sim->events, passed_ps, store, wave);
}

static void reach_source(void *argument)
{
    struct wave *wave = argument;
    struct copy_run *run = wave->run;
    struct memory_side *side = side_of(run, run->spec->from);
    sim_time now_ps = sim_now(run->sim), ready_ps = serve_memory(side, now_ps, wave->bytes);
    if (!side->is_held)
        ready_ps += run->machine->gpu.memory_latency_ps;
    sim_time sent_ps = now_ps;
    if (run->spec->from == PEER)
        sent_ps = bandwidth_server_serve(&run->link, now_ps, wave->bytes);
    event_schedule(run->sim->events, MAX(ready_ps, sent_ps) + run->from_source_ps, come_back, wave);
}

/* Starts the next row of loads, of this pass or the next. */
static void go_on(void *argument)
{
    struct wave *wave = argument;
    struct copy_run *run = wave->run;
    wave->bytes = take_accesses(wave);
    while (wave->bytes == 0) {
        if (++wave->pass == run->spec->passes || wave->first >= run->accesses)
            return;
        wave->at = wave->first;
        wave->bytes = take_accesses(wave);
    }
    event_schedule(run->sim->events, sim_now(run->sim) + run->to_source_ps, reach_source, wave);
}

/* --- what is between two GPUs -------------------------------------------------------------------- */

static bool is_over_bus(const struct machine_spec *machine)
{
    return machine->node.gpu_link == GPU_LINK_PCIE &&
           machine->node.peer_link == PEER_LINK_AS_GPU_LINK;
}

static int64_t link_Bps(const struct machine_spec *machine)
{
    const struct bus_spec *bus = &machine->bus;
    if (is_over_bus(machine))
        return MAX(1, muldiv_ceil(bus->wire.rate_Bps, bus->max_payload_bytes,
                                  bus->max_payload_bytes + bus->header_bytes));
    return MAX(
        1, (int64_t)((double)machine->nvlink.wire.rate_Bps * machine->nvlink.access_efficiency));
}

/* Latency of one way; on the bus, to the root complex and from there. */
static sim_time link_latency_ps(const struct machine_spec *machine)
{
    return is_over_bus(machine) ? 2 * bus_link_latency_ps(&machine->bus)
                                : machine->nvlink.wire.latency_ps;
}

static void note_link(const struct copy_run *run, struct param_use *uses)
{
    bool is_bus = is_over_bus(run->machine);
    if (run->spec->from == run->spec->to)
        return;
    param_uses_only(uses, &node_params, "gpu_link", "peer_link", NULL);
    if (is_bus)
        param_uses_only(uses, &bus_params, "rate", "header", "max_payload", NULL);
    else
        param_uses_only(uses, &nvlink_params, "rate", "access_efficiency", NULL);
    if (run->spec->from != PEER)
        return;
    param_uses_only(uses, &gpu_params, "bus_outbound", "bus_inbound", NULL);
    if (is_bus)
        param_uses_only(uses, &bus_params, "latency", "switch_latency", NULL);
    else
        param_uses_only(uses, &nvlink_params, "latency", NULL);
}

/* --- the run ------------------------------------------------------------------------------------- */

static void set_ways(struct copy_run *run)
{
    const struct gpu_spec *gpu = &run->machine->gpu;
    sim_time half_ps = cycles_ps(gpu->l2.latency_cycles, gpu->clock_Hz) / 2;
    run->from_source_ps = half_ps;
    if (run->spec->from == PEER)
        run->from_source_ps +=
            half_ps + gpu->bus_outbound_ps + gpu->bus_inbound_ps + link_latency_ps(run->machine);
    run->to_source_ps = run->from_source_ps + cycles_ps(gpu->l1.latency_cycles, gpu->clock_Hz);
}

/* Rate of device memory that is read, written, or both. */
static int64_t dram_Bps(const struct gpu_spec *gpu, bool is_mixed)
{
    double share = is_mixed ? GPU_MIXED_SHARE : 1;
    return (int64_t)((double)gpu->memory_rate_Bps * share);
}

static void set_side(struct copy_run *run, int64_t place)
{
    const struct gpu_spec *gpu = &run->machine->gpu;
    struct memory_side *side = side_of(run, place);
    int64_t held = (run->spec->from == place) + (run->spec->to == place);
    bandwidth_server_init(&side->l2, gpu->l2_banks * CACHE_LINE_BYTES * gpu->clock_Hz);
    bandwidth_server_init(&side->dram, dram_Bps(gpu, held == 2));
    side->is_held = held * run->spec->bytes <= gpu->l2.size_bytes;
}

static struct wave *start_waves(struct copy_run *run)
{
    const struct gpu_spec *gpu = &run->machine->gpu;
    int64_t waves = (run->spec->threads + gpu->lanes - 1) / gpu->lanes;
    struct wave *all = g_new0(struct wave, (size_t)(run->spec->work_groups * waves));
    for (int64_t group = 0; group < run->spec->work_groups; group++)
        for (int64_t i = 0; i < waves; i++) {
            struct wave *wave = &all[group * waves + i];
            int64_t first = group * run->spec->threads + i * gpu->lanes;
            *wave = (struct wave){run, group % gpu->compute_units, first, first, 0, 0};
            event_schedule(run->sim->events, 0, go_on, wave);
        }
    return all;
}

/* False and one sentence if the machine lacks a part for it. */
static bool is_possible(const struct kernel_copy_spec *spec, const struct machine_spec *machine,
                        GError **error)
{
    int64_t most = gpu_kernel_occupancy(&machine->gpu, &(struct kernel){.threads = spec->threads});
    bool is_between = spec->from == PEER || spec->to == PEER;
    if (spec->from == PEER && spec->to == PEER)
        error_set(error, "a kernel that copies from a peer copies to its own GPU");
    else if (is_between && topology_gpu_count(&machine->node) < 2)
        error_set(error, "it takes a node of at least 2 GPUs; this one has %d",
                  topology_gpu_count(&machine->node));
    else if (spec->work_groups > most)
        error_set(error, "%lld work-groups do not run at once; the GPU holds %lld",
                  (long long)spec->work_groups, (long long)most);
    else
        return true;
    return false;
}

static void note_uses(const struct copy_run *run, struct workload_result *result)
{
    struct param_use *uses = &result->uses;
    param_uses_only(uses, &gpu_params, "copy_rate", "l2_latency_cycles", "l1_latency_cycles",
                    "clock", "l2_banks", "l2_size", "lanes", "compute_units", "waves_per_cu",
                    "work_groups_per_cu", NULL);
    if (!run->sides[OWN].is_held || !run->sides[PEER].is_held)
        param_uses_only(uses, &gpu_params, "memory_rate", "memory_latency", NULL);
    note_link(run, uses);
    param_uses_only(uses, &cuda_params, "timed_kernel", NULL);
}

static bool run_kernel_copy(const struct machine_spec *machine, const void *argument, uint64_t seed,
                            struct workload_result *result, GError **error)
{
    const struct kernel_copy_spec *spec = argument;
    struct copy_run run = {.spec = spec, .machine = machine};
    if (!machine_kinds_share(machine, &gpu_params, NULL, "kernel_copy", error) ||
        !machine_kinds_share(machine, &bus_params, NULL, "kernel_copy", error) ||
        !machine_kinds_share(machine, &nvlink_params, NULL, "kernel_copy", error) ||
        !is_possible(spec, machine, error))
        return false;
    run.sim = sim_new(seed);
    run.threads = spec->work_groups * spec->threads;
    run.accesses = (spec->bytes + ACCESS_BYTES - 1) / ACCESS_BYTES;
    run.ways = g_new0(struct bandwidth_server, (size_t)machine->gpu.compute_units);
    for (int64_t i = 0; i < machine->gpu.compute_units; i++)
        bandwidth_server_init(&run.ways[i], machine->gpu.copy_rate_Bps);
    bandwidth_server_init(&run.link, link_Bps(machine));
    set_side(&run, OWN);
    set_side(&run, PEER);
    set_ways(&run);
    struct wave *waves = start_waves(&run);
    event_run(run.sim->events);
    sim_time took_ps = sim_now(run.sim), passes = spec->passes;
    note_uses(&run, result);
    workload_add_quantity(result, "time", UNIT_TIME, (took_ps + passes / 2) / passes);
    workload_add_quantity(result, "timed", UNIT_TIME,
                          (took_ps + machine->cuda.timed_kernel_ps + passes / 2) / passes);
    /* the run has no devices: their energy is not modelled */
    workload_add_run_energy(result, &result->energy);
    workload_add_quantity(result, "events", UNIT_COUNT, (int64_t)event_executed(run.sim->events));
    g_free(waves);
    g_free(run.ways);
    sim_free(run.sim);
    return true;
}

const struct workload kernel_copy_workload = {
    .name = "kernel_copy",
    .params = &kernel_copy_params,
    .run = run_kernel_copy,
};
