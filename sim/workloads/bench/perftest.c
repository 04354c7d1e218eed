/* SPDX-License-Identifier: BSD-3-Clause */
/* What perftest's programs measure between two nodes: RDMA by verbs, by a core that posts and polls.
 *
 *   latency    write, send: ping-pong, half of a round trip; a write is seen in memory, a send by its completion.
 *              read, atomic: from the post to the completion that the core has seen.
 *   bandwidth  write, read, send: as many posted as the send queue takes, of which each `cq_mod`-th has a completion;
 *              one way, or both at a time.
 *
 * The core's time for a post is ucx.post, for taking up what has come ucx.poll: the same calls of verbs stand below
 * UCX. An atomic's word is read, and written behind the answer, by the NIC that has it: it takes what a read of 8
 * bytes takes. */
#include "core/error.h"
#include "protocols/ucx/ucx_params.h"
#include "workloads/interface/shared_rows.h"
#include "workloads/interface/workload.h"
#include "workloads/transfer/transfer.h"

/* Latencies first, then bandwidths in the same order. */
enum operation { OPERATION_WRITE, OPERATION_READ, OPERATION_SEND, OPERATION_ATOMIC, LATENCIES };
static const char *const operation_names[] = {"write_lat", "read_lat", "send_lat", "atomic_lat",
                                              "write_bw",  "read_bw",  "send_bw",  NULL};
enum memory { MEMORY_OF_HOST, MEMORY_OF_GPU };
static const char *const memory_names[] = {"host", "gpu", NULL};

#define ATOMIC_BYTES 8
#define MOST_QUEUES 1024
#define WARM_UP 4 /* iterations of a latency, each of which is like the ones before */
#define TX_DEPTH 128
#define CQ_MOD 100
#define OUTSTANDING_READS 16

struct perftest_spec {
    int64_t operation, memory, bytes, inline_bytes, iterations;
    int64_t tx_depth, cq_mod, outstanding_reads, queues; /* of bandwidth */
    int64_t both_ways;                                   /* flag */
};

#define SPEC struct perftest_spec
static const struct param params[] = {
    PARAM_ENUM(operation, SPEC, "write_lat", operation_names,
               "What is measured: ib_write_lat and so on; an atomic has 8 bytes."),
    SHARED_ROW(bytes, SPEC, "8B"),
    PARAM_ENUM(memory, SPEC, "host", memory_names, "Memory of the messages, on both nodes."),
    PARAM_BYTES(inline, SPEC, "220B", "0B", "1KiB",
                "Writes and sends from host memory up to this size travel inside the command."),
    SHARED_ROW(iterations, SPEC, "1000"),
    PARAM_COUNT(tx_depth, SPEC, G_STRINGIFY(TX_DEPTH), "1", "65536",
                "Of bandwidths: operations of a node in flight at a time."),
    PARAM_COUNT(cq_mod, SPEC, G_STRINGIFY(CQ_MOD), "1", "65536",
                "Of bandwidths: one in this many operations has a completion; at most tx_depth."),
    PARAM_COUNT(outstanding_reads, SPEC, G_STRINGIFY(OUTSTANDING_READS), "1", "65536",
                "Of bandwidths: reads of a queue pair in flight."),
    PARAM_COUNT(queues, SPEC, "1", "1", G_STRINGIFY(MOST_QUEUES),
                "Of bandwidths: queue pairs, which take turns."),
    PARAM_FLAG(both_ways, SPEC, "false",
               "Of bandwidths: both nodes transfer at the same time; their rates add up."),
};
#undef SPEC
static PARAM_TABLE_SHARING(perftest_params, "perftest", struct perftest_spec, params,
                           "RDMA between two nodes, as perftest measures it.");

static bool is_latency(const struct perftest_spec *spec)
{
    return spec->operation < LATENCIES;
}

static enum operation verb_of(const struct perftest_spec *spec)
{
    return (enum operation)(spec->operation % LATENCIES);
}

struct perftest_run;

/* A node's process. */
struct side {
    struct perftest_run *run;
    struct job_process *process, *other;
    struct queue_pair *pairs;
    int64_t posted;
    int64_t arrived, taken_arrivals; /* messages of the other node */
    int64_t entries, taken_entries;  /* completion entries */
    sim_time start_ps, end_ps;
};

struct perftest_run {
    const struct perftest_spec *spec;
    const struct ucx_spec *ucx;
    struct side sides[2];
};

/* --- posts and polls --------------------------------------------------------------------------- */

static void note_arrival(void *argument)
{
    struct side *side = argument;
    side->arrived++;
    cpu_notify(&side->process->cpu);
}

static void note_entry(void *argument)
{
    struct side *side = argument;
    side->entries++;
    cpu_notify(&side->process->cpu);
}

static bool is_fetching(const struct perftest_spec *spec)
{
    return verb_of(spec) == OPERATION_READ || verb_of(spec) == OPERATION_ATOMIC;
}

/* What the other side does not poll for needs no arrival; a callback has one argument for both. */
static void arrive_at_other(void *argument)
{
    struct side *side = argument;
    note_arrival(&side->run->sides[side == side->run->sides]);
}

static void post(struct side *side, bool is_signalled, bool is_polled)
{
    const struct perftest_spec *spec = side->run->spec;
    bool is_on_gpu = spec->memory == MEMORY_OF_GPU;
    struct job_process *own = side->process, *other = side->other;
    struct verbs_operation operation = {
        .node = own->node,
        .remote_node = other->node,
        .rail = own->rail,
        .remote_rail = other->rail,
        .core_port = own->core_port,
        .local_port = is_on_gpu ? own->gpu_port : own->core_port,
        .remote_port = is_on_gpu ? other->gpu_port : other->core_port,
        .queue = &side->pairs[side->posted++ % spec->queues],
        .bytes = verb_of(spec) == OPERATION_ATOMIC ? ATOMIC_BYTES : spec->bytes,
        .is_inline = !is_on_gpu && !is_fetching(spec) && spec->bytes <= spec->inline_bytes,
        .delivered = is_polled ? arrive_at_other : NULL,
        .completed = is_signalled ? note_entry : NULL,
        .argument = side,
    };
    cpu_spend(&own->cpu, CPU_LIBRARY, side->run->ucx->post_ps);
    cpu_settle(&own->cpu);
    (is_fetching(spec) ? verbs_read : verbs_write)(own->job->nics, &operation);
}

/* Polls until one more has come. */
static void take(struct side *side, const int64_t *come, int64_t *taken)
{
    struct cpu *cpu = &side->process->cpu;
    cpu_settle(cpu);
    while (*come == *taken)
        cpu_wait(cpu, "a completion or a message");
    ++*taken;
    cpu_spend(cpu, CPU_LIBRARY, side->run->ucx->poll_ps);
}

static void take_entry(struct side *side)
{
    take(side, &side->entries, &side->taken_entries);
}

/* A send's receive is posted again. */
static void take_arrival(struct side *side)
{
    take(side, &side->arrived, &side->taken_arrivals);
    if (verb_of(side->run->spec) == OPERATION_SEND)
        cpu_spend(&side->process->cpu, CPU_LIBRARY, side->run->ucx->post_ps);
}

/* --- latency ----------------------------------------------------------------------------------- */

static void starts(struct side *side)
{
    side->start_ps = cpu_now(&side->process->cpu);
    if (side->process->rank == 0)
        run_energy_begins(side->process->job->cluster, side->start_ps);
}

static void note_warm(struct side *side, int64_t iteration)
{
    if (iteration == WARM_UP)
        starts(side);
}

static void fetch_in_turn(struct side *side)
{
    const struct perftest_spec *spec = side->run->spec;
    for (int64_t i = 0; i < WARM_UP + spec->iterations; i++) {
        note_warm(side, i);
        post(side, true, false);
        take_entry(side);
    }
}

static void play(struct side *side, bool is_first)
{
    const struct perftest_spec *spec = side->run->spec;
    for (int64_t i = 0; i < WARM_UP + spec->iterations; i++) {
        note_warm(side, i);
        if (!is_first)
            take_arrival(side);
        post(side, true, true);
        take_entry(side);
        if (is_first)
            take_arrival(side);
    }
}

static void measure_latency(struct side *side, bool is_first)
{
    if (!is_fetching(side->run->spec))
        play(side, is_first);
    else if (is_first)
        fetch_in_turn(side);
}

/* --- bandwidth --------------------------------------------------------------------------------- */

/* How many operations one completion entry is for, and how many may be under way. */
static int64_t depth(const struct perftest_spec *spec)
{
    if (verb_of(spec) == OPERATION_READ)
        return MIN(spec->tx_depth, spec->outstanding_reads * spec->queues);
    return spec->tx_depth;
}

static int64_t entry_covers(const struct perftest_spec *spec)
{
    return verb_of(spec) == OPERATION_READ ? 1 : MIN(spec->cq_mod, spec->tx_depth);
}

static void stream(struct side *side)
{
    const struct perftest_spec *spec = side->run->spec;
    int64_t covers = entry_covers(spec), entries = (spec->iterations + covers - 1) / covers;
    for (int64_t i = 0; i < spec->iterations; i++) {
        while (i - side->taken_entries * covers >= depth(spec))
            take_entry(side);
        post(side, (i + 1) % covers == 0 || i + 1 == spec->iterations, false);
    }
    while (side->taken_entries < entries)
        take_entry(side);
}

static void measure_bandwidth(struct side *side, bool is_first)
{
    if (is_first || side->run->spec->both_ways)
        stream(side);
}

/* --- running ----------------------------------------------------------------------------------- */

static void run_side(struct party *party, void *argument)
{
    struct perftest_run *run = argument;
    struct job *job = world_job(party->world);
    struct side *side = &run->sides[party->place];
    side->run = run;
    side->process = &job->processes[party->place];
    side->other = &job->processes[1 - party->place];
    param_uses_only(&job->sim->uses, &ucx_params, "post", "poll", NULL);
    starts(side);
    (is_latency(run->spec) ? measure_latency : measure_bandwidth)(side, party->place == 0);
    cpu_settle(&side->process->cpu);
    side->end_ps = cpu_now(&side->process->cpu);
    if (party->place == 0 || run->spec->both_ways)
        world_measures_to(party->world, side->end_ps);
}

static void report_latency(const void *argument, const struct world *world,
                           struct workload_result *result)
{
    const struct perftest_run *run = argument;
    const struct side *side = &run->sides[0];
    int64_t ways = run->spec->iterations * (is_fetching(run->spec) ? 1 : 2);
    workload_add_quantity(result, "latency", UNIT_TIME,
                          (side->end_ps - side->start_ps + ways / 2) / ways);
    world_report(world, (double)ways, result);
}

static void report_bandwidth(const void *argument, const struct world *world,
                             struct workload_result *result)
{
    const struct perftest_run *run = argument;
    const struct perftest_spec *spec = run->spec;
    double bytes_per_ps = 0, messages_per_ps = 0;
    for (int i = 0; i < (spec->both_ways ? 2 : 1); i++) {
        double took_ps = (double)(run->sides[i].end_ps - run->sides[i].start_ps);
        messages_per_ps += (double)spec->iterations / took_ps;
        bytes_per_ps += (double)spec->iterations * (double)spec->bytes / took_ps;
    }
    workload_add_quantity(result, "bandwidth", UNIT_RATE,
                          (int64_t)(bytes_per_ps * (double)PS_PER_S + 0.5));
    workload_add_ratio(result, "messages_per_us", messages_per_ps * (double)PS_PER_US);
    world_report(world, (double)(spec->iterations * (spec->both_ways ? 2 : 1)), result);
}

static void report(const void *argument, const struct world *world, struct workload_result *result)
{
    const struct perftest_run *run = argument;
    (is_latency(run->spec) ? report_latency : report_bandwidth)(argument, world, result);
}

static bool fits(const struct perftest_spec *spec, GError **error)
{
    bool has_own = spec->tx_depth != TX_DEPTH || spec->cq_mod != CQ_MOD || spec->queues != 1 ||
                   spec->outstanding_reads != OUTSTANDING_READS || spec->both_ways;
    if (is_latency(spec) && has_own)
        return error_set(
            error,
            "tx_depth, cq_mod, outstanding_reads, queues and both_ways are of bandwidths (write_bw)");
    if (spec->operation == OPERATION_WRITE && spec->memory == MEMORY_OF_GPU)
        return error_set(error, "a write is seen by a core that polls its memory: memory = gpu is "
                                "for the others");
    return true;
}

static bool run_perftest(const struct machine_spec *machine, const void *argument, uint64_t seed,
                         struct workload_result *result, GError **error)
{
    static const struct world_task task = {NULL, run_side, report};
    const struct perftest_spec *spec = argument;
    const struct world_setup setup = {.seed = seed, .place_count = 2};
    struct perftest_run run = {.spec = spec, .ucx = machine_part(machine, &ucx_params)};
    double messages = (double)(WARM_UP + spec->iterations);
    if (!fits(spec, error) ||
        !machine_can_carry(machine, 2 * messages * (double)spec->bytes, error))
        return false;
    for (int i = 0; i < 2; i++)
        run.sides[i].pairs = g_new0(struct queue_pair, (gsize)spec->queues);
    bool good = world_run_alone(machine, &setup, &task, &run, result, error);
    for (int i = 0; i < 2; i++)
        g_free(run.sides[i].pairs);
    return good;
}

static const struct workload_rule rules[] = {
    {"bytes", "operation", "|write_lat|read_lat|send_lat|write_bw|read_bw|send_bw|"},
    {"inline", "operation", "|write_lat|send_lat|write_bw|send_bw|"},
    {"inline", "memory", "|host|"},
    {"outstanding_reads", "operation", "|read_bw|"},
    {"cq_mod", "operation", "|write_bw|send_bw|"},
    {NULL, NULL, NULL},
};

const struct workload perftest_workload = {
    .name = "perftest",
    .params = &perftest_params,
    .run = run_perftest,
    .rules = rules,
};
