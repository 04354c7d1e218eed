/* SPDX-License-Identifier: BSD-3-Clause */
/* The same programs as on the LogGOPS machine (fabric/loggp/loggp.h), driven by the simulation's events.
 *
 * Cores, GPUs and the memories of GPUs are servers that take one thing after the other, first come
 * first served: all that has to be kept of one is when it will be free. */
#include "workloads/goal/goal_machine.h"

#include "core/error.h"
#include "core/pool.h"
#include "workloads/goal/goal_reader.h"

const char *const goal_path_names[] = {"shared-memory", "gpu-memory", "node-links", "network",
                                       NULL};

/* An operation under way: a calculation, a message on its way, or a copy of one (`op` is the receive,
 * `bytes` what the message has). */
struct goal_job {
    struct goal_runner *runner;
    struct loggp_op op;
    int64_t bytes;
};

struct goal_runner {
    struct sim *sim;
    const struct machine_spec *machine;
    const struct goal_placement *placement;
    const struct loggp_program *program;
    struct goal_place *places; /* by rank */
    struct cluster *cluster;

    sim_time *cores_free_ps;                /* by node and core */
    sim_time *gpus_free_ps, *copy_free_ps;  /* by node and GPU: its kernels, copies in its memory */
    struct loggp_list *receives, *messages; /* by rank: waiting for each other */
    struct loggp_entries entries;
    size_t waiting; /* receives among them */

    struct pool jobs; /* of struct goal_job */
    struct loggp_ready ready;
    GArray *pending; /* of struct loggp_op: ready, and to be started now */
    int64_t bytes_sent;
    bool calculates, took[GOAL_PATHS], copies[HOST_COPY_CROSS_SOCKET + 1];
    struct loggp_fault fault; /* the first; nothing more is started */
    struct goal_machine_result *result;
};

/* --- places ----------------------------------------------------------------------------------- */

static int64_t gpu_of(const struct goal_runner *runner, uint32_t rank)
{
    const struct job_place *at = &runner->places[rank].at;
    return at->node * topology_gpu_count(&runner->machine->node) + at->gpu;
}

static sim_time *core_of(const struct goal_runner *runner, uint32_t rank, uint32_t cpu)
{
    const struct goal_place *place = &runner->places[rank];
    int64_t cores = goal_placement_cores(runner->machine);
    return &runner->cores_free_ps[place->at.node * cores + (place->core + (int64_t)cpu) % cores];
}

static enum goal_path path_of(const struct goal_runner *runner, uint32_t from, uint32_t to)
{
    const struct goal_place *here = &runner->places[from], *there = &runner->places[to];
    if (here->at.node != there->at.node)
        return GOAL_PATH_NETWORK;
    if (!goal_placement_in_gpu(runner->placement))
        return GOAL_PATH_SHARED_MEMORY;
    return here->port == there->port ? GOAL_PATH_GPU_MEMORY : GOAL_PATH_NODE_LINKS;
}

/* --- operations ------------------------------------------------------------------------------- */

static void take_ready(struct goal_runner *runner)
{
    const struct loggp_batch *batches[2];
    loggp_ready_order(&runner->ready, batches);
    for (size_t b = 0; b < 2; b++)
        g_array_append_vals(runner->pending, batches[b]->ops, (guint)batches[b]->count);
}

static void started(struct goal_runner *runner, const struct loggp_op *op)
{
    loggp_ready_begin(&runner->ready, op->rank);
    runner->program->started(runner->program->state, op->rank, op->id, &runner->ready);
    take_ready(runner);
}

static void done(struct goal_runner *runner, uint32_t rank, uint32_t id)
{
    runner->result->ends_ps[rank] = sim_now(runner->sim);
    loggp_ready_begin(&runner->ready, rank);
    runner->program->done(runner->program->state, rank, id, &runner->ready);
    take_ready(runner);
}

static void start_pending(struct goal_runner *runner);

static struct goal_job *goal_job_new(struct goal_runner *runner, const struct loggp_op *op,
                                     int64_t bytes)
{
    struct goal_job *job = pool_take(&runner->jobs);
    *job = (struct goal_job){runner, *op, bytes};
    return job;
}

static void note_fault(struct goal_runner *runner, enum loggp_fault_kind kind,
                       const struct loggp_op *op, const struct loggp_entry *message)
{
    if (runner->fault.kind == LOGGP_NO_FAULT)
        runner->fault = (struct loggp_fault){.kind = kind,
                                             .rank = op->rank,
                                             .id = op->id,
                                             .source = message ? message->source : 0,
                                             .source_id = message ? message->id : 0};
}

/* Takes a server for `takes_ps` from the moment when it is free. False if that is not over while the clock
 * goes. */
static bool take_server(const struct goal_runner *runner, sim_time *free_ps, sim_time takes_ps,
                        sim_time *begin_ps)
{
    *begin_ps = MAX(*free_ps, sim_now(runner->sim));
    *free_ps = moment_after(*begin_ps, takes_ps);
    return *free_ps <= SIM_TIME_LAST;
}

/* --- calculations ------------------------------------------------------------------------------- */

static void calculation_begins(void *argument)
{
    const struct goal_job *job = argument;
    started(job->runner, &job->op);
    start_pending(job->runner);
}

static void calculation_ends(void *argument)
{
    struct goal_job *job = argument;
    struct goal_runner *runner = job->runner;
    done(runner, job->op.rank, job->op.id);
    pool_give(&runner->jobs, job);
    start_pending(runner);
}

static void calculate(struct goal_runner *runner, const struct loggp_op *op)
{
    bool on_gpu = runner->placement->device == GOAL_ON_GPU;
    runner->calculates = true;
    sim_time launch_ps = on_gpu ? runner->machine->gpu.kernel_launch_ps : 0;
    sim_time notice_ps = on_gpu ? runner->machine->gpu.kernel_end_ps : 0;
    sim_time *free_ps = on_gpu ? &runner->gpus_free_ps[gpu_of(runner, op->rank)]
                               : core_of(runner, op->rank, op->cpu);
    sim_time begin_ps, work_ps = duration_ps((sim_uint128)op->size * PS_PER_NS);
    bool in_time = take_server(runner, free_ps, moment_after(launch_ps, work_ps), &begin_ps);
    if (!in_time || notice_ps > SIM_TIME_LAST - *free_ps) {
        note_fault(runner, LOGGP_TOO_LATE, op, NULL);
        return;
    }
    struct goal_job *job = goal_job_new(runner, op, 0);
    event_schedule(runner->sim->events, begin_ps, calculation_begins, job);
    event_schedule(runner->sim->events, *free_ps + notice_ps, calculation_ends, job);
}

/* --- messages ----------------------------------------------------------------------------------- */

static void receive_done(struct goal_runner *runner, uint32_t rank, uint32_t id, int64_t bytes)
{
    runner->result->arrived_bytes += bytes;
    done(runner, rank, id);
}

static void copy_ends(void *argument)
{
    struct goal_job *job = argument;
    struct goal_runner *runner = job->runner;
    receive_done(runner, job->op.rank, job->op.id, job->bytes);
    pool_give(&runner->jobs, job);
    start_pending(runner);
}

/* The receiver's first core copies out of the sender's memory. */
static void copy_by_core(struct goal_runner *runner, const struct loggp_op *op, uint32_t source,
                         int64_t bytes)
{
    bool same_socket = runner->places[source].socket == runner->places[op->rank].socket;
    enum host_copy_kind kind = same_socket ? HOST_COPY_SAME_SOCKET : HOST_COPY_CROSS_SOCKET;
    sim_time begin_ps, copy_ps = host_copy_ps(&runner->machine->host_copy, kind, bytes);
    runner->copies[kind] = true;
    sim_time *free_ps = core_of(runner, op->rank, 0);
    if (!take_server(runner, free_ps, copy_ps, &begin_ps))
        note_fault(runner, LOGGP_TOO_LATE, op, NULL);
    else
        event_schedule(runner->sim->events, *free_ps, copy_ends, goal_job_new(runner, op, bytes));
}

/* A receive must have room for what it receives. */
static void meet(struct goal_runner *runner, uint32_t rank, const struct loggp_entry *receive,
                 const struct loggp_entry *message)
{
    const struct loggp_op op = {.rank = rank, .id = receive->id};
    if (receive->bytes < message->bytes)
        note_fault(runner, LOGGP_TRUNCATES, &op, message);
    else if (path_of(runner, message->source, rank) == GOAL_PATH_SHARED_MEMORY)
        copy_by_core(runner, &op, message->source, (int64_t)message->bytes);
    else
        receive_done(runner, rank, receive->id, (int64_t)message->bytes);
}

static void message_arrives(void *argument)
{
    struct goal_job *job = argument;
    struct goal_runner *runner = job->runner;
    const struct loggp_op op = job->op;
    const struct loggp_entry message = {
        .source = op.rank, .tag = op.tag, .id = op.id, .bytes = op.size};
    struct loggp_entry receive;
    pool_give(&runner->jobs, job);
    if (loggp_list_match(&runner->receives[op.peer], &runner->entries, op.rank, op.tag, &receive)) {
        runner->waiting--;
        meet(runner, op.peer, &receive, &message);
        start_pending(runner);
    } else {
        loggp_list_append(&runner->messages[op.peer], &runner->entries, &message);
    }
}

static void arrive_at(struct goal_runner *runner, const struct loggp_op *op, sim_time at_ps)
{
    event_schedule_priority(runner->sim->events, at_ps, EVENT_EARLY, message_arrives,
                            goal_job_new(runner, op, 0));
}

static bool copy_in_gpu(struct goal_runner *runner, const struct loggp_op *op)
{
    sim_time *free_ps = &runner->copy_free_ps[gpu_of(runner, op->rank)];
    sim_time begin_ps,
        copy_ps = transfer_ps((int64_t)op->size, runner->machine->cuda.local_rate_Bps);
    if (!take_server(runner, free_ps, copy_ps, &begin_ps))
        return false;
    arrive_at(runner, op, *free_ps);
    return true;
}

/* Whether a message that has its route for itself arrives while the clock goes; LogGP has no routes. */
static bool arrives_in_time(const struct goal_runner *runner, const struct goal_place *from,
                            const struct goal_place *to, int64_t bytes)
{
    if (runner->machine->transport.kind == TRANSPORT_LOGGP)
        return true;
    const struct platform_route *route =
        platform_route_via(runner->cluster->platform, from->port, from->rail, to->rail, to->port);
    sim_time links_ps = transfer_ps(bytes, route->bandwidth_Bps);
    return links_ps <= SIM_TIME_LAST - route->latency_ps - sim_now(runner->sim);
}

static bool send_over_links(struct goal_runner *runner, const struct loggp_op *op)
{
    const struct goal_place *from = &runner->places[op->rank], *to = &runner->places[op->peer];
    int64_t bytes = (int64_t)op->size;
    if (!arrives_in_time(runner, from, to, bytes))
        return false;
    transport_send_via(runner->cluster->transport, from->port, from->rail, to->rail, to->port,
                       bytes, message_arrives, goal_job_new(runner, op, 0));
    return true;
}

/* False if it would not arrive while the clock goes. Of what a core will copy only the news goes. */
static bool set_out(struct goal_runner *runner, const struct loggp_op *op, enum goal_path path)
{
    if (path == GOAL_PATH_GPU_MEMORY)
        return copy_in_gpu(runner, op);
    if (path != GOAL_PATH_SHARED_MEMORY)
        return send_over_links(runner, op);
    arrive_at(runner, op, sim_now(runner->sim));
    return true;
}

static void send(struct goal_runner *runner, const struct loggp_op *op)
{
    enum goal_path path = path_of(runner, op->rank, op->peer);
    int64_t bytes = (int64_t)op->size;
    bool is_too_many = __builtin_add_overflow(runner->bytes_sent, bytes, &runner->bytes_sent);
    if (is_too_many || !set_out(runner, op, path)) {
        note_fault(runner, is_too_many ? LOGGP_TOO_MANY_BYTES : LOGGP_TOO_LATE, op, NULL);
        return;
    }
    runner->result->sent_bytes[path] += bytes;
    runner->took[path] = true;
    started(runner, op);
    done(runner, op->rank, op->id);
}

static void receive(struct goal_runner *runner, const struct loggp_op *op)
{
    struct loggp_entry message,
        entry = {.source = op->peer, .tag = op->tag, .id = op->id, .bytes = op->size};
    started(runner, op);
    if (loggp_list_match(&runner->messages[op->rank], &runner->entries, op->peer, op->tag,
                         &message)) {
        meet(runner, op->rank, &entry, &message);
    } else {
        loggp_list_append(&runner->receives[op->rank], &runner->entries, &entry);
        runner->waiting++;
    }
}

/* Starts what is ready, and what that makes ready at this same moment. */
static void start_pending(struct goal_runner *runner)
{
    for (guint i = 0; i < runner->pending->len && runner->fault.kind == LOGGP_NO_FAULT; i++) {
        const struct loggp_op op = g_array_index(runner->pending, struct loggp_op, i);
        if (op.kind == LOGGP_CALCULATE)
            calculate(runner, &op);
        else if (op.kind == LOGGP_SEND)
            send(runner, &op);
        else
            receive(runner, &op);
    }
    g_array_set_size(runner->pending, 0);
}

/* --- what was read -------------------------------------------------------------------------- */

static void note_links(const struct goal_runner *runner)
{
    if (runner->machine->transport.kind == TRANSPORT_LOGGP)
        return; /* it has no links */
    cluster_uses_bus(runner->cluster);
    if (runner->took[GOAL_PATH_NETWORK])
        cluster_uses_network(runner->cluster);
}

/* What the schedule asked of the machine: known when it has run. */
static void note_uses(const struct goal_runner *runner)
{
    struct param_use *uses = &runner->sim->uses;
    bool on_gpu = runner->placement->device == GOAL_ON_GPU;
    param_uses_only(uses, &host_params, "cores", NULL);
    if (runner->calculates && on_gpu)
        param_uses_only(uses, &gpu_params, "kernel_launch", "kernel_end", NULL);
    if (runner->took[GOAL_PATH_GPU_MEMORY])
        param_uses_only(uses, &cuda_params, "local_rate", NULL);
    if (runner->took[GOAL_PATH_SHARED_MEMORY])
        param_uses_only(uses, &host_copy_params, "call", NULL);
    if (runner->copies[HOST_COPY_SAME_SOCKET])
        param_uses_only(uses, &host_copy_params, "rate", NULL);
    if (runner->copies[HOST_COPY_CROSS_SOCKET])
        param_uses_only(uses, &host_copy_params, "cross_socket_rate", NULL);
    if (runner->took[GOAL_PATH_NODE_LINKS] || runner->took[GOAL_PATH_NETWORK])
        note_links(runner);
}

/* --- the run ---------------------------------------------------------------------------------- */

static bool runner_open(struct goal_runner *runner, GError **error)
{
    const struct machine_spec *machine = runner->machine;
    uint32_t ranks = runner->program->ranks;
    gsize cores = (gsize)(machine->nodes * goal_placement_cores(machine));
    gsize gpus = (gsize)(machine->nodes * topology_gpu_count(&machine->node));
    runner->places =
        goal_placement_apply(runner->placement, machine, ranks, runner->program->cpus, error);
    if (!runner->places)
        return false;
    runner->sim = sim_new(0);
    runner->cluster = cluster_new(runner->sim, machine, NODE_DISCRETE, error);
    runner->cores_free_ps = g_new0(sim_time, cores);
    runner->gpus_free_ps = g_new0(sim_time, gpus);
    runner->copy_free_ps = g_new0(sim_time, gpus);
    runner->receives = g_new0(struct loggp_list, ranks);
    runner->messages = g_new0(struct loggp_list, ranks);
    pool_init(&runner->jobs, sizeof(struct goal_job));
    runner->pending = g_array_new(FALSE, FALSE, sizeof(struct loggp_op));
    return runner->cluster != NULL;
}

/* Of one that was opened, or was not. */
static void runner_close(struct goal_runner *runner)
{
    g_free(runner->places);
    if (!runner->sim)
        return;
    cluster_free(runner->cluster);
    sim_free(runner->sim);
    g_free(runner->cores_free_ps);
    g_free(runner->gpus_free_ps);
    g_free(runner->copy_free_ps);
    g_free(runner->receives);
    g_free(runner->messages);
    pool_clear(&runner->jobs);
    loggp_entries_clear(&runner->entries);
    loggp_ready_clear(&runner->ready);
    g_array_free(runner->pending, TRUE);
}

#define EVENTS_BETWEEN_STOPS (1 << 20)

/* What was sent together takes longer than the clock goes: told of the first receive that waits. */
static void note_end_of_clock(struct goal_runner *runner)
{
    for (uint32_t rank = 0; rank < runner->program->ranks; rank++) {
        uint32_t first = runner->receives[rank].first;
        if (first != 0) {
            const struct loggp_op op = {.rank = rank, .id = runner->entries.entries[first].id};
            note_fault(runner, LOGGP_TOO_LATE, &op, NULL);
            return;
        }
    }
}

/* False if it was stopped. */
static bool run(struct goal_runner *runner, bool (*stop)(void))
{
    for (uint32_t rank = 0; rank < runner->program->ranks; rank++) {
        runner->result->ends_ps[rank] = 0;
        loggp_ready_begin(&runner->ready, rank);
        runner->program->start(runner->program->state, rank, &runner->ready);
        take_ready(runner);
    }
    start_pending(runner);
    for (uint64_t events = 1;
         runner->fault.kind == LOGGP_NO_FAULT && event_run_one(runner->sim->events); events++) {
        if (events % EVENTS_BETWEEN_STOPS == 0 && stop && stop())
            return false;
    }
    if (event_pending(runner->sim->events) > 0)
        note_end_of_clock(runner);
    return true;
}

/* The receives that no message met. */
static struct goal_leftover leftover_of(const struct goal_runner *runner)
{
    struct goal_leftover leftover = {
        .what = "receives", .count = runner->waiting, .is_receive = true};
    while (runner->waiting > 0 && runner->receives[leftover.rank].first == 0)
        leftover.rank++;
    if (runner->waiting > 0)
        leftover.entry = runner->entries.entries[runner->receives[leftover.rank].first];
    return leftover;
}

bool goal_machine_run(const struct machine_spec *machine, const struct goal_placement *placement,
                      const struct loggp_program *program, const struct goal_source *source,
                      bool (*stop)(void), struct goal_machine_result *result, GError **error)
{
    struct goal_runner runner = {
        .machine = machine, .placement = placement, .program = program, .result = result};
    *result = (struct goal_machine_result){.ends_ps = result->ends_ps};
    struct goal_leftover leftover = {0};
    bool opened = runner_open(&runner, error), ended = opened && run(&runner, stop);
    if (opened) {
        leftover = leftover_of(&runner);
        note_uses(&runner);
        result->uses = runner.sim->uses;
    }
    runner_close(&runner);
    if (!opened)
        return false;
    if (runner.fault.kind != LOGGP_NO_FAULT)
        return goal_fault_fail(&runner.fault, source, SIM_TIME_LAST, PS_PER_NS, error);
    if (!ended)
        return error_set_code(error, ERROR_RUN, "stopped before the end");
    return goal_leftover_fail(&leftover, source, error);
}
