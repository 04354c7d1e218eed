/* SPDX-License-Identifier: BSD-3-Clause */
/* How often a command processor finds in the GPU's L2 what it looks for, while other work-groups stream
 * through it: ComPNet18 section 4.2.3, Fig 7.
 *
 * Node 0 runs one kernel. Its first work-groups do networking, blocking puts and gets of `bytes` in turn. The others stream, each through a large buffer of its own. After `warmup` everything is counted for
 * `duration`; then all come to their end. Every work-group of the grid has a queue, and the service threads
 * poll all of them, whether they network or not (ComPNet18 section 5.1, Fig 5: cpnet_init; M-134); with `queues`
 * otherwise.
 *
 * The difference matters: a work-group that waits polls the line of its entry, and so keeps it in the L2 for the
 * command processor; one that goes on posting does not. */
#include "core/simtime.h"
#include "workloads/interface/shared_rows.h"
#include "workloads/interface/workload.h"
#include "workloads/transfer/transfer.h"

/* Of a streaming wavefront: 4 for each vector load of 4 B per work-item, with 4 loads unrolled. */
#define LINES_IN_FLIGHT 16

struct l2_hit_rate_spec {
    struct design design;
    int64_t networking, streaming;
    int64_t queues; /* enum queue_owners */
    int64_t bytes;
    sim_time warmup_ps, duration_ps;
};

enum queue_owners { QUEUES_GRID, QUEUES_NETWORKING };
static const char *const queue_owners[] = {"grid", "networking", NULL};

#define WORK_ITEMS 64 /* of a work-group */
#define STREAM_BUFFER_BYTES (INT64_C(16) << 20)

#define SPEC struct l2_hit_rate_spec
static const struct param params[] = {
    PARAM_DESIGN(SPEC, NULL, "The design that serves the operations."),
    PARAM_COUNT(networking, SPEC, NULL, "1", "65536", "Work-groups that put and get."),
    PARAM_COUNT(streaming, SPEC, NULL, "0", "65536",
                "Work-groups that stream through a buffer of 16 MiB each, again and again."),
    PARAM_ENUM(
        queues, SPEC, "grid", queue_owners,
        "Which work-groups have a queue that service threads poll: all of the grid, or only those that put and get."),
    SHARED_ROW(bytes, SPEC, "64B"),
    PARAM_TIME(warmup, SPEC, "1ms", "0ns", "1s", "Time after the launch that is not counted."),
    PARAM_TIME(duration, SPEC, "1ms", "1ns", "1s", "Counted."),
};
#undef SPEC
static PARAM_TABLE_SHARING(
    l2_hit_rate_params, "l2_hit_rate", struct l2_hit_rate_spec, params,
    "Hit rate of command processors in the L2 beside streaming work-groups.");

/* What was counted, taken at the end of the counted time. */
struct counts {
    int64_t hits[L2_REQUESTERS], misses[L2_REQUESTERS];
    int64_t poll_hits, poll_misses;
    int64_t streamed_bytes, operations;
    int64_t locks, lock_p50_ps, lock_p99_ps;
    double lock_mean_ps, locked_lines;
    int64_t locked_lines_most, lock_fallbacks;
};

struct hit_rate_run {
    const struct l2_hit_rate_spec *spec;
    struct world *world;
    const struct device_memory *memory;
    struct transfer_buffer buffer;
    struct transfer_streams streams;
    struct stat_counter *operations;
    struct counts counts;
};

/* --- the kernel -------------------------------------------------------------------------------- */

typedef void transfer_call(struct party *party, int64_t place, int64_t group,
                           struct transfer_buffer buffer, int64_t bytes);

static void program(struct party *party, void *argument)
{
    struct hit_rate_run *run = argument;
    for (int64_t number = party->group; !run->streams.is_over; number++) {
        transfer_call *call = number % 2 == 0 ? transfer_put : transfer_get;
        call(party, 1, party->group, run->buffer, run->spec->bytes);
        stat_count(run->operations, 1);
    }
}

/* --- counting ---------------------------------------------------------------------------------- */

static void counting_begins(void *argument)
{
    struct hit_rate_run *run = argument;
    world_settle(run->world);
    stat_reset(world_sim(run->world)->stats, sim_now(world_sim(run->world)));
    world_measures_from(run->world, sim_now(world_sim(run->world)));
}

static void counting_ends(void *argument)
{
    struct hit_rate_run *run = argument;
    struct counts *counts = &run->counts;
    const struct device_memory *memory = run->memory;
    const struct line_locks *locks = &memory->locks;
    world_settle(run->world);
    world_measures_to(run->world, sim_now(world_sim(run->world)));
    for (int from = 0; from < L2_REQUESTERS; from++) {
        counts->hits[from] = memory->hits[from]->value;
        counts->misses[from] = memory->misses[from]->value;
    }
    counts->poll_hits = memory->poll_hits[L2_FROM_CP]->value;
    counts->poll_misses = memory->poll_misses[L2_FROM_CP]->value;
    counts->streamed_bytes = run->streams.streamed->value;
    counts->operations = run->operations->value;
    counts->locks = (int64_t)locks->residency->count;
    counts->lock_mean_ps = stat_mean(locks->residency);
    counts->lock_p50_ps = stat_quantile(locks->residency, 0.5);
    counts->lock_p99_ps = stat_quantile(locks->residency, 0.99);
    counts->locked_lines = stat_level_mean(locks->pinned, sim_now(world_sim(run->world)));
    counts->locked_lines_most = locks->pinned->maximum;
    counts->lock_fallbacks = locks->fallbacks->value;
    run->streams.is_over = true;
}

/* 0 of no accesses at all. */
static double rate(int64_t hits, int64_t misses)
{
    return hits + misses == 0 ? 0.0 : (double)hits / (double)(hits + misses);
}

static void report_hit_rates(const struct counts *counts, struct workload_result *result)
{
    int64_t shared_hits = counts->hits[L2_FROM_CP] + counts->poll_hits;
    int64_t shared_misses = counts->misses[L2_FROM_CP] + counts->poll_misses;
    int64_t own_hits = counts->hits[L2_FROM_CP_PRIVATE];
    int64_t own_misses = counts->misses[L2_FROM_CP_PRIVATE];
    workload_add_ratio(result, "hit_rate",
                       rate(shared_hits + own_hits, shared_misses + own_misses));
    workload_add_ratio(result, "hit_rate_shared", rate(shared_hits, shared_misses));
    workload_add_ratio(result, "hit_rate_private", rate(own_hits, own_misses));
    workload_add_quantity(result, "accesses_shared", UNIT_COUNT, shared_hits + shared_misses);
    workload_add_quantity(result, "accesses_private", UNIT_COUNT, own_hits + own_misses);
}

static void report(const void *argument, const struct world *world, struct workload_result *result)
{
    const struct hit_rate_run *run = argument;
    const struct counts *counts = &run->counts;
    report_hit_rates(counts, result);
    workload_add_quantity(result, "locks", UNIT_COUNT, counts->locks);
    workload_add_quantity(result, "lock_mean", UNIT_TIME, (int64_t)counts->lock_mean_ps);
    workload_add_quantity(
        result, "l2_latency", UNIT_TIME,
        cycles_ps(run->memory->spec->l2.latency_cycles, run->memory->spec->clock_Hz));
    workload_add_quantity(result, "lock_p50", UNIT_TIME, counts->lock_p50_ps);
    workload_add_quantity(result, "lock_p99", UNIT_TIME, counts->lock_p99_ps);
    workload_add_ratio(result, "locked_lines", counts->locked_lines);
    workload_add_quantity(result, "locked_lines_most", UNIT_COUNT, counts->locked_lines_most);
    workload_add_quantity(result, "lock_fallbacks", UNIT_COUNT, counts->lock_fallbacks);
    workload_add_quantity(result, "streamed", UNIT_RATE,
                          muldiv_ceil(counts->streamed_bytes, PS_PER_S, run->spec->duration_ps));
    workload_add_quantity(result, "operations", UNIT_COUNT, counts->operations);
    workload_add_times(result, "latency", world_latencies(world));
    world_report(world, 1, result);
}

/* --- the run ----------------------------------------------------------------------------------- */

static void prepare(void *argument, struct world *world)
{
    static const struct stat_info streamed_info = {"streamed", "B",
                                                   "bytes that streaming work-groups have moved"};
    static const struct stat_info operations_info = {"networking_operations", "1",
                                                     "puts and gets that have returned"};
    struct hit_rate_run *run = argument;
    struct sim *sim = world_sim(world);
    struct gpu *gpu = cluster_site(world_cluster(world), 0, 0)->gpu;
    sim_time begin_ps = gpu_spec_of(gpu)->kernel_launch_ps + run->spec->warmup_ps;
    run->world = world;
    run->buffer = world_buffer(world, run->spec->bytes, TRANSFER_PAYLOAD);
    run->streams.streamed = stat_counter_new(sim->stats, "node0.kernel", &streamed_info);
    run->operations = stat_counter_new(sim->stats, "node0.kernel", &operations_info);
    run->memory = gpu_memory(gpu);
    event_schedule(sim->events, begin_ps, counting_begins, run);
    event_schedule(sim->events, begin_ps + run->spec->duration_ps, counting_ends, run);
}

static bool run_l2_hit_rate(const struct machine_spec *machine, const void *argument, uint64_t seed,
                            struct workload_result *result, GError **error)
{
    static const struct world_task task = {prepare, program, report};
    const struct l2_hit_rate_spec *spec = argument;
    struct hit_rate_run run = {.spec = spec,
                               .streams = {.groups = spec->streaming,
                                           .buffer_bytes = STREAM_BUFFER_BYTES,
                                           .lines = LINES_IN_FLIGHT}};
    bool has_all = spec->queues == QUEUES_GRID;
    struct world_setup setup = {.design = &spec->design,
                                .seed = seed,
                                .place_count = 2,
                                .served_places = 1,
                                .groups = spec->networking,
                                .queues = spec->networking + (has_all ? spec->streaming : 0),
                                .threads = WORK_ITEMS,
                                .streams = &run.streams,
                                .in_kernel = true,
                                .heap_bytes = transfer_heap_bytes(spec->networking, spec->bytes)};
    return world_run_alone(machine, &setup, &task, &run, result, error);
}

const struct workload l2_hit_rate_workload = {
    .name = "l2_hit_rate",
    .params = &l2_hit_rate_params,
    .accepts = transfer_accepts_kernel,
    .run = run_l2_hit_rate,
};
