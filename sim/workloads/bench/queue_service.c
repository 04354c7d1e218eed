/* SPDX-License-Identifier: BSD-3-Clause */
/* How long work-groups wait for their operations when many of them share a node's service threads:
 * ComPNet18 Figs 4 and 8b, 8c.
 *
 * Node 0 runs a kernel of `work_groups` work-groups; each calls `operations` blocking operations on node 1,
 * one after the other, on buffers of its own. The service time is what a work-group sees of one of them.
 *
 * With `posts` above 1 the operations do not block: after so many of them the work-group waits for all
 * (quiet). How many are under way then is bounded by the depth of its queue. */
#include "core/error.h"
#include "protocols/shmem/device_library.h"
#include "workloads/interface/shared_rows.h"
#include "workloads/interface/workload.h"
#include "workloads/transfer/transfer.h"

struct queue_service_spec {
    struct shared_kernel kernel;
    int64_t operation;
    int64_t bytes;
    int64_t work_groups;
    int64_t operations, warmup;
    int64_t streaming, streaming_lines;
    int64_t posts;
    int64_t post;
    sim_time service_time_ps, think_time_ps;
};

enum operation { OPERATION_GET, OPERATION_PUT, OPERATION_NOP };
static const char *const operation_names[] = {"get", "put", "nop", NULL};

/* In the order of enum ring_post. */
static const char *const post_names[] = {"released", "fenced", "packed", "line", NULL};

#define SPEC struct queue_service_spec
static const struct param params[] = {
    PARAM_SHARE("", kernel, SPEC, &kernel_rows, "", ""),
    PARAM_ENUM(operation, SPEC, "get", operation_names,
               "What the work-groups call: a remote get or put, or nop, which goes to the "
               "server and back."),
    SHARED_ROW(bytes, SPEC, "8B"),
    SHARED_ROW(work_groups, SPEC, ""),
    PARAM_COUNT(operations, SPEC, "100", "1", "1000000", "Operations of each work-group."),
    PARAM_COUNT(warmup, SPEC, "0", "0", "1000000",
                "Warm-up operations of each work-group that are not counted."),
    PARAM_COUNT(streaming, SPEC, "0", "0", "65536",
                "Additional work-groups, each of which continuously reads one buffer of 16 MiB "
                "and writes another."),
    PARAM_COUNT(streaming_lines, SPEC, "16", "1", "4096",
                "Lines that a wavefront of these work-groups keeps in flight: by default four "
                "vector loads of 4 B per work-item, unrolled four times."),
    PARAM_COUNT(posts, SPEC, "1", "1", "1000000",
                "Operations that a work-group posts before it waits: 1 for blocking calls. With"
                " more, the latency of gets and puts is that of the wait (quiet); nops are "
                "posted together after one fence, and waited for one by one."),
    PARAM_ENUM(post, SPEC, "released", post_names,
               "How a work-group posts: the entry, a fence, its status word, a fence; the same"
               " without the last fence; or with one store, of 16 bytes (nop only) or of the "
               "line, without a fence."),
    PARAM_TIME(service_time, SPEC, "0ns", "0ns", "1ms", "Time that a server spends on a nop."),
    PARAM_TIME(think_time, SPEC, "0ns", "0ns", "1ms",
               "Time of a work-group between two operations, or between two windows of "
               "operations."),
};
#undef SPEC
static PARAM_TABLE_SHARING(
    queue_service_params, "queue_service", struct queue_service_spec, params,
    "Service time of many work-groups' operations by a node's service threads.");

#define STREAM_BYTES (INT64_C(16) << 20)

struct queue_run {
    const struct queue_service_spec *spec;
    struct world *world;
    struct transfer_buffer buffer;
    struct transfer_streams streams;
    int64_t ended;
    sim_time first_ps, last_ps;    /* first call, last return */
    int64_t running, most_running; /* work-groups at a time */
    int64_t begun, warm;           /* work-groups, and those whose warm-up is over */
};

typedef void transfer_call(struct party *party, int64_t place, int64_t group,
                           struct transfer_buffer buffer, int64_t bytes);

static void operate(const struct queue_run *run, struct party *party)
{
    const struct queue_service_spec *spec = run->spec;
    bool is_blocking = spec->posts == 1;
    transfer_call *get = is_blocking ? transfer_get : transfer_post_get;
    transfer_call *put = is_blocking ? transfer_put : transfer_post_put;
    if (spec->operation == OPERATION_NOP)
        transfer_nop(party);
    else
        (spec->operation == OPERATION_GET ? get : put)(party, 1, party->group, run->buffer,
                                                       spec->bytes);
}

static void think(const struct queue_run *run, struct party *party)
{
    if (run->spec->think_time_ps > 0)
        transfer_compute(party, run->spec->think_time_ps);
}

/* Windows of nops. */
static void operate_together(const struct queue_run *run, struct party *party, int64_t operations)
{
    for (int64_t left = operations; left > 0; left -= run->spec->posts) {
        transfer_nops(party, MIN(left, run->spec->posts));
        think(run, party);
    }
}

static void operate_all(const struct queue_run *run, struct party *party, int64_t operations)
{
    const struct queue_service_spec *spec = run->spec;
    if (spec->operation == OPERATION_NOP && spec->posts > 1) {
        operate_together(run, party, operations);
        return;
    }
    for (int64_t i = 1; i <= operations; i++) {
        operate(run, party);
        think(run, party);
        if (spec->posts > 1 && (i % spec->posts == 0 || i == operations))
            transfer_quiet(party);
    }
}

static void counting_begins(struct queue_run *run, const struct party *party)
{
    run->first_ps = party_now(party);
    world_measures_from(run->world, run->first_ps);
}

/* Counting begins as the last one's warm-up is over. The others go on meanwhile, since a server may prefer some: were their
 * operations over by then, it would be the last one's alone that count. Those that start as others end cannot be waited for. */
static void warm_up(struct queue_run *run, struct party *party)
{
    run->begun++;
    operate_all(run, party, run->spec->warmup);
    if (++run->warm == run->spec->work_groups) {
        counting_begins(run, party);
        world_reset(run->world, run->first_ps);
    }
    while (run->warm < run->begun)
        operate_all(run, party, run->spec->posts);
}

static void program(struct party *party, void *argument)
{
    struct queue_run *run = argument;
    if (run->spec->warmup > 0)
        warm_up(run, party);
    else if (party->group == 0)
        counting_begins(run, party);
    run->running++;
    run->most_running = MAX(run->most_running, run->running);
    operate_all(run, party, run->spec->operations);
    run->running--;
    run->last_ps = party_now(party);
    if (++run->ended < run->spec->work_groups)
        return;
    world_measures_to(run->world, run->last_ps);
    run->streams.is_over = true;
}

/* Each state's part of the service threads' time. */
static void report_states(struct workload_result *result)
{
    static const char *const names[AGENT_STATES] = {"time_active", "time_polling", "time_stalled",
                                                    "time_idle"};
    const double *state_ps = result->energy.state_ps;
    double all_ps = 0;
    for (int state = 0; state < AGENT_STATES; state++)
        all_ps += state_ps[state];
    for (int state = 0; state < AGENT_STATES; state++)
        workload_add_ratio(result, names[state], all_ps > 0 ? state_ps[state] / all_ps : 0);
}

/* What all queues take, in bytes and as a multiple of the GPU's L2 (D-17). */
static void report_queues(const struct queue_run *run, struct workload_result *result)
{
    const struct cluster *cluster = world_cluster(run->world);
    int64_t bytes = service_queue_bytes(world_service(run->world));
    workload_add_quantity(result, "queue_memory", UNIT_BYTES, bytes);
    workload_add_ratio(result, "queue_memory_of_l2",
                       (double)bytes / (double)cluster_spec(cluster, 0)->gpu.l2.size_bytes);
}

/* Cores of the first socket that the service threads leave to the application (ComPNet18 section 3.1). */
static int64_t host_cores_left(const struct world *world)
{
    param_uses_only(&world_sim(world)->uses, &host_params, "cores", NULL);
    return cluster_cores_left(world_cluster(world), CORES_OF_HOST, 0, 0);
}

static void report_locks(const struct mutex_stats *locks, struct workload_result *result)
{
    workload_add_quantity(result, "locks_taken", UNIT_COUNT, locks->taken->value);
    workload_add_quantity(result, "locks_contended", UNIT_COUNT, locks->contended->value);
    workload_add_quantity(result, "lock_wait", UNIT_TIME, (int64_t)stat_mean(locks->wait));
}

static void report(const void *argument, const struct world *world, struct workload_result *result)
{
    const struct queue_run *run = argument;
    const struct queue_service_spec *spec = run->spec;
    const struct service *service = world_service(world);
    sim_time took_ps = run->last_ps - run->first_ps;
    double operations = (double)(spec->work_groups * spec->operations);
    param_uses_only(&world_sim(world)->uses, &gpu_params, "l2_size", NULL); /* report_queues */
    int64_t cores_left =
        host_cores_left(world); /* both before world_report, which takes what was read */
    workload_add_times(result, "latency", world_latencies(world));
    world_report(world, 1, result);
    workload_add_percentiles(result, "latency", world_latencies(world), spec->kernel.percentiles);
    workload_add_quantity(result, "host_cores_left", UNIT_COUNT, cores_left);
    workload_add_quantity(result, "work_groups_at_once", UNIT_COUNT, run->most_running);
    workload_add_quantity(result, "duration", UNIT_TIME, took_ps);
    workload_add_quantity(result, "kernel_boundary", UNIT_TIME, world_kernel_ps(world) - took_ps);
    report_queues(run, result);
    report_states(result);
    workload_add_mean_ratio(result, "operations_per_us",
                            operations * (double)PS_PER_US / (double)took_ps,
                            service_served(service));
    report_locks(service_locks(service), result);
}

static bool posts_are_possible(const struct queue_service_spec *spec,
                               const struct machine_spec *machine, GError **error)
{
    bool is_nop = spec->operation == OPERATION_NOP;
    const struct software_spec *software = machine_part(machine, &software_params);
    char text[PARAM_TEXT_SIZE];
    if (is_nop && !design_has_poller(&spec->kernel.design))
        error_set(error,
                  "operation = nop goes to a server and back; design %s has nobody who polls",
                  design_text(&spec->kernel.design, text));
    else if (!is_nop && (spec->post == RING_POST_PACKED || spec->service_time_ps > 0))
        error_set(error, "post = packed and service_time are for operation = nop");
    else if (spec->post != RING_POST_RELEASED && !design_has_poller(&spec->kernel.design))
        error_set(error, "post = %s is to a server's queue; the design has no such server",
                  post_names[spec->post]);
    else if (is_nop && spec->posts > MIN(DEVICE_NOPS_MOST, software->queue_entries))
        error_set(error, "%lld nops at once do not fit: a queue takes %lld", (long long)spec->posts,
                  (long long)MIN(DEVICE_NOPS_MOST, software->queue_entries));
    else
        return true;
    return false;
}

static void prepare(void *argument, struct world *world)
{
    struct queue_run *run = argument;
    run->world = world;
    run->buffer = world_buffer(world, run->spec->bytes, TRANSFER_PAYLOAD);
}

static bool run_queue_service(const struct machine_spec *machine, const void *argument,
                              uint64_t seed, struct workload_result *result, GError **error)
{
    static const struct world_task task = {prepare, program, report};
    const struct queue_service_spec *spec = argument;
    struct queue_run run = {.spec = spec,
                            .streams = {.groups = spec->streaming,
                                        .buffer_bytes = STREAM_BYTES,
                                        .lines = spec->streaming_lines}};
    struct world_setup setup = {.design = &spec->kernel.design,
                                .seed = seed,
                                .place_count = 2,
                                .served_places = 1,
                                .groups = spec->work_groups,
                                .threads = spec->kernel.threads,
                                .streams = &run.streams,
                                .post = spec->post,
                                .nop_ps = spec->service_time_ps,
                                .in_kernel = true,
                                .heap_bytes = transfer_heap_bytes(spec->work_groups, spec->bytes)};
    return posts_are_possible(spec, machine, error) &&
           world_run_alone(machine, &setup, &task, &run, result, error);
}

static const struct workload_rule rules[] = {
    {"bytes", "operation", "|get|put|"},
    {"streaming_lines", "streaming", NULL},
    {NULL, NULL, NULL},
};

const struct workload queue_service_workload = {
    .name = "queue_service",
    .params = &queue_service_params,
    .accepts = transfer_accepts_kernel,
    .run = run_queue_service,
    .rules = rules,
};
