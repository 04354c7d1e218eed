/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs the same programs as the LogGOPS machine (fabric/loggp/loggp.h), but each rank is a rank of a design's runtime. A rank's
 * process starts the operations that are ready, without blocking; runs the calculations of its own core; and waits for whatever
 * ends first. Messages and receives are matched here, by MPI's rules, when the later of both is called. So receives from any
 * source, or of any tag, need no support by the runtime, which identifies a message by its number among those of its two ranks. */
#include "workloads/goal/goal_machine.h"

#include "core/error.h"
#include "core/list.h"
#include "core/map.h"
#include "core/pool.h"
#include "workloads/transfer/transfer.h"

const char *const goal_path_names[] = {"shared-memory", "gpu-memory", "node-links", "network",
                                       NULL};

#define NO_TAG (-1)

/* An operation that is ready or under way; or a send without a receive so far, of which only `op` and `tag` are used. */
struct goal_job {
    struct goal_rank *rank;
    struct loggp_op op;
    /* the runtime's tag; NO_TAG: a receive whose message is not known yet */
    int32_t tag;
    int64_t bytes;          /* for a receive: the bytes of its message */
    struct message message; /* for a send or receive */
    struct cuda_completion kernel;
    bool is_begun, is_waited;
    struct list_link link, unmet; /* in the lists of its rank */
};

struct goal_rank {
    struct goal_runner *runner;
    struct party *party;
    struct job_process *process;
    /* operations to be started; calculations of the rank's own core */
    struct list pending, calculations;
    /* operations under way; operations that are over without the rank's knowledge */
    struct list posted, ended;
    struct list met; /* receives that have got a message and must be posted */
    /* receives and messages without each other, linked by `unmet` */
    struct list receives, messages;
    int64_t apart; /* calculations on other cores, and receives that are not posted */
};

struct goal_runner {
    const struct machine_spec *machine;
    const struct goal_placement *placement;
    const struct loggp_program *program;
    struct goal_place *places; /* by rank */
    struct world *world;
    struct goal_rank *ranks;
    sim_time *cores_free_ps; /* by node and core, for a rank's CPU streams other than its first */
    struct map numbers;      /* messages so far, by sender and receiver */
    struct pool jobs;        /* of struct goal_job */
    struct loggp_ready ready;
    struct loggp_fault fault; /* the first fault, after which nothing more is started */
    bool (*stop)(void);
    bool is_stopped;
    uint64_t steps;
    int64_t bytes_sent;
    double carried_bytes; /* bytes that the machine can certainly carry */
    struct goal_machine_result *result;
};

/* --- operations ------------------------------------------------------------------------------- */

static void note_fault(struct goal_runner *runner, enum loggp_fault_kind kind,
                       const struct loggp_op *op, const struct loggp_op *send)
{
    if (runner->fault.kind != LOGGP_NO_FAULT)
        return;
    runner->fault = (struct loggp_fault){.kind = kind,
                                         .rank = op->rank,
                                         .id = op->id,
                                         .source = send != NULL ? send->rank : 0,
                                         .source_id = send != NULL ? send->id : 0};
    sim_fail(world_sim(runner->world), "the schedule cannot go on");
}

static struct goal_job *new_job(struct goal_rank *rank, const struct loggp_op *op)
{
    struct goal_job *job = pool_take(&rank->runner->jobs);
    job->rank = rank;
    job->op = *op;
    job->tag = NO_TAG;
    return job;
}

static void calculate_apart(struct goal_job *job);

/* Calculations on other cores than the rank's own do not wait for its process. */
static bool is_apart(const struct goal_runner *runner, const struct loggp_op *op)
{
    return op->kind == LOGGP_CALCULATE && !goal_placement_is_kernel(runner->placement, op->cpu) &&
           op->cpu % goal_placement_cores(runner->machine) != 0;
}

static void take_ready(struct goal_rank *rank)
{
    const struct loggp_batch *batches[2];
    loggp_ready_order(&rank->runner->ready, batches);
    for (size_t b = 0; b < 2; b++)
        for (size_t i = 0; i < batches[b]->count; i++) {
            struct goal_job *job = new_job(rank, &batches[b]->ops[i]);
            if (is_apart(rank->runner, &job->op))
                calculate_apart(job);
            else
                list_append(&rank->pending, &job->link);
        }
}

static void started(struct goal_job *job)
{
    struct goal_runner *runner = job->rank->runner;
    job->is_begun = true;
    loggp_ready_begin(&runner->ready, job->op.rank);
    runner->program->started(runner->program->state, job->op.rank, job->op.id, &runner->ready);
    take_ready(job->rank);
}

/* The operation is done at that time; frees the job. */
static void done(struct goal_job *job, sim_time at_ps)
{
    struct goal_rank *rank = job->rank;
    struct goal_runner *runner = rank->runner;
    const struct loggp_op op = job->op;
    sim_time *ends_ps = &runner->result->ends_ps[op.rank];
    *ends_ps = MAX(*ends_ps, at_ps);
    pool_give(&runner->jobs, job);
    loggp_ready_begin(&runner->ready, op.rank);
    runner->program->done(runner->program->state, op.rank, op.id, &runner->ready);
    take_ready(rank);
}

/* --- calculations ------------------------------------------------------------------------------- */

/* False, and a fault, if the operation would end after the last time of the clock. */
static bool ends_in_time(const struct goal_job *job, sim_time begin_ps, sim_time *takes_ps)
{
    *takes_ps = duration_ps((sim_uint128)job->op.size * PS_PER_NS);
    if (moment_after(begin_ps, *takes_ps) <= SIM_TIME_LAST)
        return true;
    note_fault(job->rank->runner, LOGGP_TOO_LATE, &job->op, NULL);
    return false;
}

static void apart_begins(void *argument)
{
    struct goal_job *job = argument;
    started(job);
    cpu_notify(&job->rank->process->cpu);
}

static void apart_ends(void *argument)
{
    struct goal_job *job = argument;
    struct goal_rank *rank = job->rank;
    rank->apart--;
    done(job, sim_now(world_sim(rank->runner->world)));
    cpu_notify(&rank->process->cpu);
}

/* CPU stream c is bound to the c-th core after the rank's own, cyclically within the node; calculations run first come, first
 * served. */
static void calculate_apart(struct goal_job *job)
{
    struct goal_runner *runner = job->rank->runner;
    struct sim *sim = world_sim(runner->world);
    const struct goal_place *place = &runner->places[job->op.rank];
    int64_t cores = goal_placement_cores(runner->machine);
    int64_t core = (place->core + (int64_t)job->op.cpu) % cores;
    sim_time *free_ps = &runner->cores_free_ps[place->at.node * cores + core], takes_ps;
    sim_time begin_ps = MAX(*free_ps, sim_now(sim));
    job->rank->apart++;
    if (!ends_in_time(job, begin_ps, &takes_ps))
        return;
    *free_ps = begin_ps + takes_ps;
    event_schedule(sim->events, begin_ps, apart_begins, job);
    event_schedule(sim->events, *free_ps, apart_ends, job);
}

static void has_ended(void *argument)
{
    struct goal_job *job = argument;
    list_remove(&job->rank->posted, &job->link);
    list_append(&job->rank->ended, &job->link);
}

/* Launches a kernel that has its GPU to itself: on each compute unit a work-group that takes all of it. */
static void launch(struct goal_job *job)
{
    struct goal_rank *rank = job->rank;
    const struct gpu_spec *gpu = &rank->process->spec->gpu;
    sim_time takes_ps;
    if (!ends_in_time(job, party_now(rank->party), &takes_ps))
        return;
    const struct kernel kernel = {.work_groups = gpu->compute_units,
                                  .threads = 1,
                                  .lds_bytes = GPU_LDS_BYTES,
                                  .chain_ps = takes_ps};
    job->kernel =
        (struct cuda_completion){.notify = &rank->process->cpu, .done = has_ended, .argument = job};
    list_append(&rank->posted, &job->link);
    cuda_launch(rank->process->stream, &rank->process->cpu, &kernel, &job->kernel);
    messenger_tell(world_runtime(rank->runner->world), rank->process->rank, CALL_BESIDE, job);
    started(job);
}

/* Calculates on the rank's own core, which does nothing else meanwhile; operations that wait for its start are started before. */
static void calculate(struct goal_job *job)
{
    struct goal_rank *rank = job->rank;
    sim_time takes_ps;
    if (!job->is_begun) {
        started(job);
        return;
    }
    if (!ends_in_time(job, party_now(rank->party), &takes_ps))
        return;
    list_remove(&rank->calculations, &job->link);
    transfer_compute(rank->party, takes_ps);
    done(job, party_now(rank->party));
}

/* --- messages ----------------------------------------------------------------------------------- */

static int32_t new_tag(struct goal_runner *runner, uint32_t from, uint32_t to)
{
    uint64_t key = (uint64_t)from * runner->program->ranks + to;
    return (int32_t)(map_at(&runner->numbers, key)->number++ % (MESSAGE_TAG_MOST + 1));
}

static void message_ended(struct message *message)
{
    has_ended(message->owner);
}

/* Posts a send or receive. A rank sends from one buffer, and receives into another one. */
static void post(struct goal_job *job, uint32_t peer)
{
    struct goal_rank *rank = job->rank;
    struct runtime *runtime = world_runtime(rank->runner->world);
    bool is_receive = job->op.kind == LOGGP_RECEIVE;
    uint32_t id = 2 * job->op.rank + is_receive + 1;
    int64_t bytes = (int64_t)job->op.size;
    struct block block = goal_placement_in_gpu(rank->runner->placement)
                             ? job_device_block(rank->process, id, bytes)
                             : job_host_block(rank->process, BLOCK_PAGEABLE, id, bytes);
    list_append(&rank->posted, &job->link);
    (is_receive ? messenger_receive : messenger_send)(runtime, (int32_t)job->op.rank, &job->message,
                                                      (int32_t)peer, job->tag, block);
    job->message.owner = job;
    job->message.on_done = message_ended;
    if (job->message.is_done)
        has_ended(job);
}

static bool agrees(const struct loggp_op *receive, const struct loggp_op *send)
{
    return (receive->peer == LOGGP_ANY || receive->peer == send->rank) &&
           (receive->tag == LOGGP_ANY || receive->tag == send->tag);
}

/* A receive must have room for its message. */
static bool has_room(struct goal_job *receive, const struct loggp_op *send)
{
    receive->bytes = (int64_t)send->size;
    if (receive->op.size < send->size)
        note_fault(receive->rank->runner, LOGGP_TRUNCATES, &receive->op, send);
    return receive->op.size >= send->size;
}

/* Gives the message to the oldest matching receive of the peer. False if there is a fault. */
static bool meet_receive(struct goal_job *send)
{
    struct goal_runner *runner = send->rank->runner;
    struct goal_rank *peer = &runner->ranks[send->op.peer];
    struct goal_job *receive = LIST_FIRST(&peer->receives, struct goal_job, unmet);
    while (receive != NULL && !agrees(&receive->op, &send->op))
        receive = LIST_NEXT(receive, struct goal_job, unmet);
    bool is_posted = receive != NULL && receive->tag != NO_TAG;
    send->tag = is_posted ? receive->tag : new_tag(runner, send->op.rank, send->op.peer);
    if (receive == NULL) {
        struct goal_job *message = new_job(peer, &send->op);
        message->tag = send->tag;
        list_append(&peer->messages, &message->unmet);
        return true;
    }
    list_remove(&peer->receives, &receive->unmet);
    if (!is_posted) {
        receive->tag = send->tag;
        receive->op.peer = send->op.rank;
        list_append(&peer->met, &receive->link);
        cpu_notify(&peer->process->cpu);
    }
    return has_room(receive, &send->op);
}

static enum goal_path path_of(const struct goal_runner *runner, const struct loggp_op *send)
{
    const struct job_place *here = &runner->places[send->rank].at;
    const struct job_place *there = &runner->places[send->peer].at;
    if (here->node != there->node)
        return GOAL_PATH_NETWORK;
    if (!goal_placement_in_gpu(runner->placement))
        return GOAL_PATH_SHARED_MEMORY;
    return here->gpu == there->gpu ? GOAL_PATH_GPU_MEMORY : GOAL_PATH_NODE_LINKS;
}

/* Whether the machine can carry all sent bytes before the last time of the clock. */
static bool can_carry(struct goal_runner *runner)
{
    double bytes = (double)runner->bytes_sent;
    if (bytes <= runner->carried_bytes)
        return true;
    bool can_more = machine_can_carry(runner->machine, 2 * bytes, NULL);
    runner->carried_bytes = can_more ? 2 * bytes : bytes;
    return can_more || machine_can_carry(runner->machine, bytes, NULL);
}

static void send(struct goal_job *job)
{
    struct goal_runner *runner = job->rank->runner;
    int64_t bytes = (int64_t)job->op.size;
    if (__builtin_add_overflow(runner->bytes_sent, bytes, &runner->bytes_sent))
        note_fault(runner, LOGGP_TOO_MANY_BYTES, &job->op, NULL);
    else if (!can_carry(runner))
        note_fault(runner, LOGGP_TOO_LATE, &job->op, NULL);
    else if (meet_receive(job)) {
        runner->result->sent_bytes[path_of(runner, &job->op)] += bytes;
        post(job, job->op.peer);
        started(job);
    }
}

/* The receive gets the oldest matching message; or it waits for one, and is posted if only one sender and tag are possible. */
static void receive(struct goal_job *job)
{
    struct goal_rank *rank = job->rank;
    struct goal_job *message = LIST_FIRST(&rank->messages, struct goal_job, unmet);
    while (message != NULL && !agrees(&job->op, &message->op))
        message = LIST_NEXT(message, struct goal_job, unmet);
    if (message != NULL) {
        list_remove(&rank->messages, &message->unmet);
        job->tag = message->tag;
        job->op.peer = message->op.rank;
        bool fits = has_room(job, &message->op);
        pool_give(&rank->runner->jobs, message);
        if (!fits)
            return;
    } else {
        list_append(&rank->receives, &job->unmet);
        if (job->op.peer != LOGGP_ANY && job->op.tag != LOGGP_ANY)
            job->tag = new_tag(rank->runner, job->op.peer, job->op.rank);
    }
    if (job->tag != NO_TAG)
        post(job, job->op.peer);
    else
        rank->apart++;
    started(job);
}

/* --- a rank ------------------------------------------------------------------------------------- */

static void start(struct goal_job *job)
{
    if (job->op.kind == LOGGP_SEND)
        send(job);
    else if (job->op.kind == LOGGP_RECEIVE)
        receive(job);
    else if (goal_placement_is_kernel(job->rank->runner->placement, job->op.cpu))
        launch(job);
    else
        list_append(&job->rank->calculations, &job->link);
}

/* The rank learns that the operation is over, and handles its end. */
static void finish(struct goal_job *job)
{
    struct goal_rank *rank = job->rank;
    struct goal_runner *runner = rank->runner;
    bool is_kernel = job->op.kind == LOGGP_CALCULATE;
    messenger_tell(world_runtime(runner->world), rank->process->rank,
                   is_kernel ? CALL_BESIDE_OVER : CALL_WAIT,
                   is_kernel ? (const void *)job : &job->message);
    if (is_kernel && !job->is_waited)
        cuda_event_query(rank->process->job->cuda, &rank->process->cpu, &job->kernel);
    else if (!is_kernel && !job->is_waited)
        messenger_wait(world_runtime(runner->world), rank->process->rank, &job->message, 1);
    runner->result->arrived_bytes += job->bytes;
    done(job, party_now(rank->party));
}

/* The job that the rank waits for alone, as a blocking program would: the only one under way; or the first receive, if the
 * runtime begins receives only then. NULL: none. */
static struct goal_job *waited_alone(const struct goal_rank *rank)
{
    struct goal_job *first = LIST_FIRST(&rank->posted, struct goal_job, link);
    if (world_runtime(rank->runner->world)->ops->receives_in_order)
        LIST_EACH (struct goal_job, job, &rank->posted, link)
            if (job->op.kind == LOGGP_RECEIVE)
                return job;
    return rank->posted.first == rank->posted.last && rank->apart == 0 ? first : NULL;
}

static void wait(struct goal_rank *rank)
{
    struct runtime *runtime = world_runtime(rank->runner->world);
    struct goal_job *job = waited_alone(rank);
    if (job == NULL) {
        messenger_turn(runtime, rank->process->rank);
        return;
    }
    job->is_waited = true;
    if (job->op.kind == LOGGP_CALCULATE)
        cuda_stream_synchronize(rank->process->stream, &rank->process->cpu);
    else
        messenger_wait(runtime, rank->process->rank, &job->message, 1);
}

#define STEPS_BETWEEN_STOPS (1 << 14)

static bool is_stopped(struct goal_runner *runner)
{
    if (++runner->steps % STEPS_BETWEEN_STOPS == 0 && runner->stop != NULL && runner->stop()) {
        runner->is_stopped = true;
        sim_fail(world_sim(runner->world), "stopped");
    }
    return runner->is_stopped || runner->fault.kind != LOGGP_NO_FAULT;
}

/* One step of a rank; false if the rank has ended. */
static bool step(struct goal_rank *rank)
{
    struct goal_job *job;
    if (is_stopped(rank->runner))
        return false;
    if ((job = LIST_TAKE(&rank->pending, struct goal_job, link)) != NULL) {
        start(job);
    } else if ((job = LIST_TAKE(&rank->met, struct goal_job, link)) != NULL) {
        rank->apart--;
        post(job, job->op.peer);
    } else if ((job = LIST_TAKE(&rank->ended, struct goal_job, link)) != NULL) {
        finish(job);
    } else if ((job = LIST_FIRST(&rank->calculations, struct goal_job, link)) != NULL) {
        calculate(job);
    } else {
        if (list_is_empty(&rank->posted) && rank->apart == 0)
            return false;
        wait(rank);
    }
    return true;
}

static void program(struct party *party, void *argument)
{
    struct goal_runner *runner = argument;
    struct goal_rank *rank = &runner->ranks[party->place];
    rank->party = party;
    loggp_ready_begin(&runner->ready, (uint32_t)party->place);
    runner->program->start(runner->program->state, (uint32_t)party->place, &runner->ready);
    take_ready(rank);
    while (step(rank))
        ;
}

/* --- the run ---------------------------------------------------------------------------------- */

static bool open_world(struct goal_runner *runner, GError **error)
{
    const struct machine_spec *machine = runner->machine;
    uint32_t ranks = runner->program->ranks;
    if (!messenger_accepts(&runner->placement->design, error))
        return false;
    runner->places =
        goal_placement_apply(runner->placement, machine, ranks, runner->program->cpus, error);
    if (runner->places == NULL)
        return false;
    g_autofree struct job_place *places = g_new(struct job_place, ranks);
    for (uint32_t rank = 0; rank < ranks; rank++)
        places[rank] = runner->places[rank].at;
    const struct world_setup setup = {.design = &runner->placement->design,
                                      .places = places,
                                      .place_count = ranks,
                                      .groups = 1,
                                      .served_places = ranks};
    runner->world = world_new(machine, &setup, error);
    return runner->world != NULL;
}

static void open_ranks(struct goal_runner *runner)
{
    uint32_t ranks = runner->program->ranks;
    runner->ranks = g_new0(struct goal_rank, ranks);
    for (uint32_t rank = 0; rank < ranks; rank++) {
        runner->ranks[rank].runner = runner;
        runner->ranks[rank].process = &world_job(runner->world)->processes[rank];
        runner->result->ends_ps[rank] = 0;
    }
    runner->cores_free_ps =
        g_new0(sim_time, (gsize)(runner->machine->nodes * goal_placement_cores(runner->machine)));
    pool_init(&runner->jobs, sizeof(struct goal_job));
}

/* Closes a runner, even if it was not opened. */
static void runner_close(struct goal_runner *runner)
{
    g_free(runner->places);
    if (runner->world == NULL)
        return;
    world_free(runner->world);
    g_free(runner->ranks);
    g_free(runner->cores_free_ps);
    map_clear(&runner->numbers);
    pool_clear(&runner->jobs);
    loggp_ready_clear(&runner->ready);
}

/* The receives without a message. */
static struct goal_leftover leftover_of(const struct goal_runner *runner)
{
    struct goal_leftover leftover = {.what = "receives", .is_receive = true};
    for (uint32_t rank = 0; rank < runner->program->ranks; rank++)
        LIST_EACH (struct goal_job, job, &runner->ranks[rank].receives, unmet)
            if (leftover.count++ == 0) {
                leftover.rank = rank;
                leftover.entry = (struct loggp_entry){
                    .source = job->op.peer, .tag = job->op.tag, .id = job->op.id};
            }
    return leftover;
}

/* Sets the error that says why a run did not reach its end; `why` is the world's sentence. */
static bool fail(const struct goal_runner *runner, const struct goal_source *source, GError *why,
                 GError **error)
{
    const struct goal_leftover leftover = leftover_of(runner);
    bool is_told = runner->is_stopped || runner->fault.kind != LOGGP_NO_FAULT || leftover.count > 0;
    if (!is_told) {
        g_propagate_error(error, why);
        return false;
    }
    g_clear_error(&why);
    if (runner->is_stopped)
        return error_set_code(error, ERROR_RUN, "stopped before the end");
    return goal_fault_fail(&runner->fault, source, SIM_TIME_LAST, PS_PER_NS, error) &&
           goal_leftover_fail(&leftover, source, error);
}

bool goal_machine_run(const struct machine_spec *machine, const struct goal_placement *placement,
                      const struct loggp_program *program_run, const struct goal_source *source,
                      bool (*stop)(void), struct goal_machine_result *result, GError **error)
{
    struct goal_runner runner = {.machine = machine,
                                 .placement = placement,
                                 .program = program_run,
                                 .stop = stop,
                                 .result = result};
    *result = (struct goal_machine_result){.ends_ps = result->ends_ps};
    if (!open_world(&runner, error)) {
        runner_close(&runner);
        return false;
    }
    GError *why = NULL;
    open_ranks(&runner);
    g_autofree void **arguments = g_new(void *, program_run->ranks);
    for (uint32_t rank = 0; rank < program_run->ranks; rank++)
        arguments[rank] = &runner;
    bool good =
        world_run(runner.world, program, arguments, &why) || fail(&runner, source, why, error);
    if (good)
        result->energy = run_energy_measured(world_cluster(runner.world), 1);
    result->uses = world_sim(runner.world)->uses;
    runner_close(&runner);
    return good;
}
