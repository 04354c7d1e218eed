/* SPDX-License-Identifier: BSD-3-Clause */
/* How often a command processor finds in the GPU's L2 what it looks for, while other work-groups stream
 * through it: ComPNet18 section 4.2.3, Fig 7.
 *
 * Node 0 runs one kernel. Its first work-groups do networking, puts and gets of `bytes` in turn: blocking ones,
 * one after the other, or non-blocking ones, of which each work-group posts `posts` before it waits for
 * them. The others stream, each through a large buffer of its own. After `warmup` everything is counted for
 * `duration`; then all come to their end. Every work-group of the grid has a queue, and the service threads
 * poll all of them, whether they network or not (ComPNet18 section 5.1, Fig 5: cpnet_init; M-134); with `queues`
 * otherwise.
 *
 * The difference matters: a work-group that waits polls the line of its entry, and so keeps it in the L2 for the
 * command processor; one that goes on posting does not. */
#include "core/simtime.h"
#include "models/gpu/streaming.h"
#include "workloads/interface/shared_rows.h"
#include "workloads/interface/workload.h"
#include "workloads/transfer/intra_kernel.h"

/* Of a streaming wavefront: 4 for each vector load of 4 B per work-item, with 4 loads unrolled. */
#define LINES_IN_FLIGHT 16

struct l2_hit_rate_spec {
    struct shared_kernel kernel;
    int64_t networking, streaming;
    int64_t queues; /* enum queue_owners */
    int64_t bytes;
    int64_t posts;
    int64_t cooperative; /* flag */
    int64_t stream_buffer_bytes;
    sim_time warmup_ps, duration_ps;
};

enum queue_owners { QUEUES_GRID, QUEUES_NETWORKING };
static const char *const queue_owners[] = {"grid", "networking", NULL};

#define SPEC struct l2_hit_rate_spec
static const struct param params[] = {
    PARAM_SHARE("", kernel, SPEC, &kernel_rows, "", ""),
    PARAM_COUNT(networking, SPEC, NULL, "1", "65536", "Work-groups that put and get."),
    PARAM_COUNT(streaming, SPEC, NULL, "0", "65536", "Work-groups that stream."),
    PARAM_ENUM(
        queues, SPEC, "grid", queue_owners,
        "Which work-groups have a queue that service threads poll: all of the grid, or only those that put and get."),
    {"bytes", PARAM_QUANTITY, UNIT_BYTES, offsetof(SPEC, bytes), "64B", "1B", "1GiB", NULL,
     "Payload of a put or get.", NULL},
    PARAM_COUNT(posts, SPEC, "1", "1", "65536",
                "Operations that a work-group posts before it waits: 1 for blocking calls."),
    PARAM_FLAG(cooperative, SPEC, "false",
               "Refuse the kernel unless all its work-groups run at the same time."),
    PARAM_BYTES(stream_buffer, SPEC, "16MiB", "4KiB", "1TiB",
                "Buffer that a work-group streams through, again and again."),
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
    struct intra_kernel *kernel;
    const struct device_memory *memory;
    address buffers; /* of `stride` bytes for each networking work-group, on both nodes */
    int64_t stride;
    address source, target; /* a buffer for each streaming work-group */
    struct stat_counter *streamed, *operations;
    bool is_over;
    struct counts counts;
};

/* --- the kernel -------------------------------------------------------------------------------- */

typedef void transfer_call(struct device_context *context, int64_t node, address local,
                           address remote, int64_t bytes);

/* Puts and gets in turn. */
static transfer_call *call_number(int64_t number, bool is_blocking)
{
    if (number % 2 == 0)
        return is_blocking ? device_put : device_put_nbi;
    return is_blocking ? device_get : device_get_nbi;
}

static void do_networking(struct work_group *wg, struct hit_rate_run *run)
{
    struct device_context context;
    const struct l2_hit_rate_spec *spec = run->spec;
    address offset = (address)(wg->index * run->stride);
    int64_t number = wg->index;
    bool is_blocking = spec->posts == 1;
    device_context_create(&context, run->kernel->services[0], wg);
    while (!run->is_over) {
        for (int64_t i = 0; i < spec->posts; i++)
            call_number(number++, is_blocking)(&context, 1, run->buffers + offset,
                                               run->buffers + offset, spec->bytes);
        if (!is_blocking)
            device_quiet(&context);
        stat_count(run->operations, spec->posts);
    }
}

static void do_streaming(struct work_group *wg, struct hit_rate_run *run)
{
    int64_t number = wg->index - run->spec->networking;
    address offset = (address)(number * run->spec->stream_buffer_bytes);
    struct streaming what = {
        .source = run->source + offset,
        .target = run->target + offset,
        .bytes = run->spec->stream_buffer_bytes / CACHE_LINE_BYTES * CACHE_LINE_BYTES,
        .lines_in_flight = LINES_IN_FLIGHT,
        .stop = &run->is_over,
        .streamed = run->streamed,
    };
    while (!run->is_over)
        work_group_stream(wg, &what);
}

static void program(struct work_group *wg, void *argument)
{
    struct hit_rate_run *run = argument;
    if (wg->index < run->spec->networking)
        do_networking(wg, run);
    else
        do_streaming(wg, run);
}

/* --- counting ---------------------------------------------------------------------------------- */

static void settle(struct hit_rate_run *run)
{
    for (int64_t node = 0; node < run->kernel->service_count; node++)
        service_settle(run->kernel->services[node]);
}

static void counting_begins(void *argument)
{
    struct hit_rate_run *run = argument;
    settle(run);
    stat_reset(run->kernel->sim->stats, sim_now(run->kernel->sim));
    run_energy_begins(run->kernel->cluster, sim_now(run->kernel->sim));
}

static void counting_ends(void *argument)
{
    struct hit_rate_run *run = argument;
    struct counts *counts = &run->counts;
    const struct device_memory *memory = run->memory;
    const struct line_locks *locks = &memory->locks;
    settle(run);
    run_energy_ends(run->kernel->cluster, sim_now(run->kernel->sim));
    for (int from = 0; from < L2_REQUESTERS; from++) {
        counts->hits[from] = memory->hits[from]->value;
        counts->misses[from] = memory->misses[from]->value;
    }
    counts->poll_hits = memory->poll_hits[L2_FROM_CP]->value;
    counts->poll_misses = memory->poll_misses[L2_FROM_CP]->value;
    counts->streamed_bytes = run->streamed->value;
    counts->operations = run->operations->value;
    counts->locks = (int64_t)locks->residency->count;
    counts->lock_mean_ps = stat_mean(locks->residency);
    counts->lock_p50_ps = stat_quantile(locks->residency, 0.5);
    counts->lock_p99_ps = stat_quantile(locks->residency, 0.99);
    counts->locked_lines = stat_level_mean(locks->pinned, sim_now(run->kernel->sim));
    counts->locked_lines_most = locks->pinned->maximum;
    counts->lock_fallbacks = locks->fallbacks->value;
    run->is_over = true;
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

static void report(const struct hit_rate_run *run, struct workload_result *result)
{
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
    intra_kernel_report(run->kernel, 1, result);
    workload_add_percentiles(result, "latency", intra_kernel_latencies(run->kernel),
                             run->spec->kernel.percentiles);
}

/* --- the run ----------------------------------------------------------------------------------- */

static void prepare(struct hit_rate_run *run, const struct l2_hit_rate_spec *spec)
{
    static const struct stat_info streamed_info = {"streamed", "B",
                                                   "bytes that streaming work-groups have moved"};
    static const struct stat_info operations_info = {"networking_operations", "1",
                                                     "puts and gets that have returned"};
    struct cluster *cluster = run->kernel->cluster;
    struct sim *sim = run->kernel->sim;
    run->stride = symmetric_size(spec->bytes);
    run->buffers =
        symmetric_allocate(run->kernel->heap, run->stride * spec->networking, STORE_PAYLOAD);
    run->streamed = stat_counter_new(sim->stats, "node0.kernel", &streamed_info);
    run->operations = stat_counter_new(sim->stats, "node0.kernel", &operations_info);
    run->memory = gpu_memory(cluster_site(cluster, 0, 0)->gpu);
    if (spec->streaming > 0) {
        int64_t stream_bytes = spec->streaming * spec->stream_buffer_bytes;
        run->source = store_allocate(run->memory->store, stream_bytes, STORE_PAYLOAD);
        run->target = store_allocate(run->memory->store, stream_bytes, STORE_PAYLOAD);
    }
    sim_time begin_ps =
        gpu_spec_of(cluster_site(cluster, 0, 0)->gpu)->kernel_launch_ps + spec->warmup_ps;
    event_schedule(sim->events, begin_ps, counting_begins, run);
    event_schedule(sim->events, begin_ps + spec->duration_ps, counting_ends, run);
}

static int64_t queues_of(const struct l2_hit_rate_spec *spec)
{
    return spec->queues == QUEUES_GRID ? spec->networking + spec->streaming : spec->networking;
}

static bool run_l2_hit_rate(const struct machine_spec *machine, const void *argument, uint64_t seed,
                            struct workload_result *result, GError **error)
{
    const struct l2_hit_rate_spec *spec = argument;
    struct intra_kernel kernel;
    struct intra_kernel_setup setup = {.design = &spec->kernel.design,
                                       .seed = seed,
                                       .kernels = 1,
                                       .work_groups = queues_of(spec),
                                       .service_threads = spec->kernel.service_threads,
                                       .heap_bytes = symmetric_size(spec->bytes) * spec->networking,
                                       .stream_bytes =
                                           2 * spec->streaming * spec->stream_buffer_bytes};
    if (!intra_kernel_start(&kernel, machine, &setup, error))
        return false;
    struct hit_rate_run run = {.spec = spec, .kernel = &kernel};
    prepare(&run, spec);
    struct intra_kernel_launch launch = {.work_groups = spec->networking + spec->streaming,
                                         .threads = spec->kernel.threads,
                                         .is_cooperative = spec->cooperative,
                                         .program = program,
                                         .arguments = (void *[]){&run}};
    bool good = intra_kernel_run(&kernel, &launch, error);
    if (good)
        report(&run, result);
    intra_kernel_end(&kernel);
    return good;
}

const struct workload l2_hit_rate_workload = {
    .name = "l2_hit_rate",
    .description = "Hit rate of command processors in the L2 beside streaming work-groups.",
    .params = &l2_hit_rate_params,
    .accepts = intra_kernel_accepts,
    .run = run_l2_hit_rate,
};
