/* The same programs as on the LogGOPS machine (fabric/loggp.h), driven by the simulation's events.
 *
 * A core and a GPU are servers that take one calculation after the other, first come first served:
 * all that has to be kept of one is when it will be free. */
#include "workloads/goal_machine.h"

#include "workloads/goal_reader.h"

/* An operation under way: a calculation, or a message on the links. */
struct goal_job {
    struct goal_runner *runner;
    struct loggp_op op;
};

struct goal_runner {
    struct sim *sim;
    const struct machine_spec *machine;
    const struct loggp_program *program;
    enum goal_place place;
    struct platform *platform;
    struct transport *transport;

    sim_time *free_ps;                      /* by node and server */
    int64_t servers;                        /* of a node */
    struct loggp_list *receives, *messages; /* by rank: waiting for each other */
    struct loggp_entries entries;
    size_t waiting; /* receives among them */

    struct loggp_ready ready;
    GArray *pending; /* of struct loggp_op: ready, and to be started now */
    GPtrArray *jobs, *spare; /* all that were made, and those of them that are not under way: a run may stop
                                before its events */
    int64_t bytes_sent;
    struct loggp_fault fault; /* the first; nothing more is started */
    sim_time *ends_ps;
};

/* --- places ----------------------------------------------------------------------------------- */

static int64_t node_of(const struct goal_runner *runner, uint32_t rank)
{
    return rank % runner->machine->nodes;
}

static int port_of(const struct goal_runner *runner, uint32_t rank)
{
    const char *name = runner->place == GOAL_ON_GPU ? "gpu0" : "cpu0";
    return platform_port(runner->platform, node_of(runner, rank), name);
}

static sim_time *server_of(const struct goal_runner *runner, const struct loggp_op *op)
{
    int64_t stream = op->rank / runner->machine->nodes * runner->program->cpus + op->cpu;
    return &runner->free_ps[node_of(runner, op->rank) * runner->servers + stream % runner->servers];
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
    runner->ends_ps[rank] = sim_now(runner->sim);
    loggp_ready_begin(&runner->ready, rank);
    runner->program->done(runner->program->state, rank, id, &runner->ready);
    take_ready(runner);
}

static void start_pending(struct goal_runner *runner);

static struct goal_job *job_new(struct goal_runner *runner, const struct loggp_op *op)
{
    struct goal_job *job;
    if (runner->spare->len > 0) {
        job = g_ptr_array_steal_index_fast(runner->spare, runner->spare->len - 1);
    } else {
        job = g_new(struct goal_job, 1);
        g_ptr_array_add(runner->jobs, job);
    }
    *job = (struct goal_job){runner, *op};
    return job;
}

static void job_end(struct goal_job *job)
{
    g_ptr_array_add(job->runner->spare, job);
}

static void note_fault(struct goal_runner *runner, enum loggp_fault_kind kind, const struct loggp_op *op,
                       const struct loggp_entry *message)
{
    if (runner->fault.kind == LOGGP_NO_FAULT)
        runner->fault = (struct loggp_fault){.kind = kind,
                                             .rank = op->rank,
                                             .id = op->id,
                                             .source = message ? message->source : 0,
                                             .source_id = message ? message->id : 0};
}

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
    job_end(job);
    start_pending(runner);
}

static void calculate(struct goal_runner *runner, const struct loggp_op *op)
{
    bool on_gpu = runner->place == GOAL_ON_GPU;
    sim_time launch_ps = on_gpu ? runner->machine->gpu.kernel_launch_ps : 0;
    sim_time notice_ps = on_gpu ? runner->machine->gpu.kernel_end_ps : 0;
    sim_time *free_ps = server_of(runner, op);
    sim_time begin_ps = MAX(*free_ps, sim_now(runner->sim));
    sim_time most_ps = SIM_TIME_LAST - begin_ps - launch_ps - notice_ps;
    if (most_ps < 0 || op->size > (uint64_t)(most_ps / PS_PER_NS)) {
        note_fault(runner, LOGGP_TOO_LATE, op, NULL);
        return;
    }
    struct goal_job *job = job_new(runner, op);
    *free_ps = begin_ps + launch_ps + (sim_time)op->size * PS_PER_NS;
    event_schedule(runner->sim->events, begin_ps, calculation_begins, job);
    event_schedule(runner->sim->events, *free_ps + notice_ps, calculation_ends, job);
}

/* A receive must have room for what it receives. */
static void meet(struct goal_runner *runner, uint32_t rank, const struct loggp_entry *receive,
                 const struct loggp_entry *message)
{
    if (receive->bytes < message->bytes)
        note_fault(runner, LOGGP_TRUNCATES, &(struct loggp_op){.rank = rank, .id = receive->id},
                   message);
}

static void message_arrives(void *argument)
{
    struct goal_job *job = argument;
    struct goal_runner *runner = job->runner;
    const struct loggp_op op = job->op;
    const struct loggp_entry message = {
        .source = op.rank, .tag = op.tag, .id = op.id, .bytes = op.size};
    struct loggp_entry receive;
    job_end(job);
    if (loggp_list_match(&runner->receives[op.peer], &runner->entries, op.rank, op.tag, &receive)) {
        runner->waiting--;
        meet(runner, op.peer, &receive, &message);
        done(runner, op.peer, receive.id);
        start_pending(runner);
    } else {
        loggp_list_append(&runner->messages[op.peer], &runner->entries, &message);
    }
}

/* Whether a message that has its route for itself arrives while the clock goes; LogGP has no routes. */
static bool arrives_in_time(struct goal_runner *runner, int from, int to, int64_t bytes)
{
    if (runner->machine->transport.kind == TRANSPORT_LOGGP)
        return true;
    const struct platform_route *route = platform_route(runner->platform, from, to);
    sim_time links_ps = route->count == 0 ? 0 : transfer_ps(bytes, route->bandwidth_Bps);
    return links_ps <= SIM_TIME_LAST - route->latency_ps - sim_now(runner->sim);
}

static void send(struct goal_runner *runner, const struct loggp_op *op)
{
    int from = port_of(runner, op->rank), to = port_of(runner, op->peer);
    int64_t bytes = (int64_t)op->size;
    bool is_too_many = __builtin_add_overflow(runner->bytes_sent, bytes, &runner->bytes_sent);
    if (is_too_many || !arrives_in_time(runner, from, to, bytes)) {
        note_fault(runner, is_too_many ? LOGGP_TOO_MANY_BYTES : LOGGP_TOO_LATE, op, NULL);
        return;
    }
    transport_send(runner->transport, from, to, bytes, message_arrives, job_new(runner, op));
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
        done(runner, op->rank, op->id);
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

/* --- the run ---------------------------------------------------------------------------------- */

static void runner_open(struct goal_runner *runner)
{
    const struct machine_spec *machine = runner->machine;
    runner->sim = sim_new(0);
    runner->transport = transport_new(runner->sim, runner->platform, &machine->transport);
    runner->servers = runner->place == GOAL_ON_GPU ? 1 : machine->host.cores;
    runner->free_ps = g_new0(sim_time, (gsize)(machine->nodes * runner->servers));
    runner->receives = g_new0(struct loggp_list, runner->program->ranks);
    runner->messages = g_new0(struct loggp_list, runner->program->ranks);
    runner->pending = g_array_new(FALSE, FALSE, sizeof(struct loggp_op));
    runner->jobs = g_ptr_array_new_with_free_func(g_free);
    runner->spare = g_ptr_array_new();
}

static void runner_close(struct goal_runner *runner)
{
    transport_free(runner->transport);
    sim_free(runner->sim);
    g_free(runner->free_ps);
    g_free(runner->receives);
    g_free(runner->messages);
    loggp_entries_clear(&runner->entries);
    loggp_ready_clear(&runner->ready);
    g_array_free(runner->pending, TRUE);
    g_ptr_array_unref(runner->jobs);
    g_ptr_array_unref(runner->spare);
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
        runner->ends_ps[rank] = 0;
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

bool goal_machine_run(const struct machine_spec *machine, const struct loggp_program *program,
                      const struct goal_source *source, enum goal_place place, sim_time *ends_ps,
                      bool (*stop)(void), GError **error)
{
    struct platform *platform = machine_platform(machine, error);
    if (!platform)
        return false;
    struct goal_runner runner = {.machine = machine,
                            .program = program,
                            .place = place,
                            .platform = platform,
                            .ends_ps = ends_ps};
    runner_open(&runner);
    bool ended = run(&runner, stop);
    size_t waiting = runner.waiting;
    runner_close(&runner);
    if (runner.fault.kind != LOGGP_NO_FAULT)
        return goal_fault_fail(&runner.fault, source, SIM_TIME_LAST, PS_PER_NS, error);
    if (!ended)
        g_set_error(error, GOAL_ERROR, GOAL_ERROR_RUN, "stopped before the end");
    else if (waiting > 0)
        g_set_error(error, GOAL_ERROR, GOAL_ERROR_RUN,
                    "the schedule does not come to its end: %zu receives wait for ever", waiting);
    return ended && waiting == 0;
}
