/* Parties as ranks of a job: what they ask for are messages of the design's runtime
 * (protocols/runtimes/messenger.h).
 *
 * Two-sided runtimes have no get or put: a rank asks for one by a small message, and the peer's program,
 * which serves, answers with the data or takes them and acknowledges. What is asked for, which a real
 * program would find in that message, the two ends share here. */
#include <glib.h>
#include <stdio.h>

#include "core/check.h"
#include "core/error.h"
#include "models/host/parallel.h"
#include "models/job.h"
#include "workloads/transfer_parts.h"

/* Tags: channels first, then those of gets and puts, then a tag for each signal. */
enum { TAG_REQUEST = TRANSFER_CHANNELS, TAG_DATA, TAG_ANSWER, TAG_SIGNALS };

#define REQUEST_BYTES 8

enum asked { ASKED_GET, ASKED_PUT, ASKED_TO_LEAVE };

/* A request that its target has not served yet. */
struct asked_for {
    struct list_link link;
    int32_t from;
    enum asked what;
    int32_t buffer;
    int64_t bytes;
};

struct messenger_buffer {
    int64_t bytes;
    enum transfer_memory memory;
};

struct messenger_world {
    struct world *world;
    struct sim *sim;
    struct cluster *cluster;
    struct job *job;
    struct runtime *runtime;
    GArray *buffers; /* struct messenger_buffer */
    GArray *signals; /* int32_t: first tag */
    int32_t next_tag;
    struct messenger_party *parties; /* by rank */
    party_program *program;
    int32_t ended; /* parties */
};

struct messenger_party {
    struct messenger_world *own;
    struct party party;
    int32_t rank;
    struct list asked; /* struct asked_for, of it */
    void *argument;
    struct message signals[2]; /* the last put with signal, and one that is waited for */
    bool is_signalling;        /* the put is perhaps under way */
    struct cuda_stream *lanes[TRANSFER_LANES]; /* NULL: not used yet */
    bool has_launched[TRANSFER_LANES];         /* since they were last waited for */
    int64_t ranks_here;                        /* on its socket; 0: not counted yet */
};

/* --- start and end ------------------------------------------------------------------------------ */

static const struct world_setup *setup_of(const struct messenger_world *own)
{
    return &own->world->setup;
}

/* Where payloads are, there is what works on them. */
static bool computes_on_host(const struct messenger_world *own)
{
    return design_is_of_cpu(setup_of(own)->design);
}

static int32_t rank_of(const struct messenger_world *own, int64_t place, int64_t group)
{
    return (int32_t)(place * setup_of(own)->groups + group);
}

/* Whether kernels of ranks can be launched. */
static bool has_shape(const struct machine_spec *machine, const struct world_setup *setup,
                      GError **error)
{
    struct kernel kernel = {.work_groups = 1, .threads = MAX(setup->threads, 1)};
    return gpu_kernel_fits(&machine->gpu, &kernel, error);
}

/* Whose cores run the ranks. */
static const struct agent_kind *kind_of_rank(const struct design *design)
{
    return design->server == SERVER_NONE ? &host_thread_kind : design_server_kind(design);
}

static bool has_cores(const struct machine_spec *machine, const struct world_setup *setup,
                      GError **error)
{
    const struct agent_kind *kind = kind_of_rank(setup->design);
    int64_t room = kind->room(machine);
    if (setup->groups <= room)
        return true;
    char text[PARAM_TEXT_SIZE];
    error_set(
        error,
        "design %s runs a rank on a core for each; %lld a GPU are more than the %lld cores of "
        "its %s",
        design_text(setup->design, text), (long long)setup->groups, (long long)room,
        kind->is_on_host ? "socket" : "command processor");
    return false;
}

static struct job *make_job(const struct messenger_world *own, GError **error)
{
    const struct world_setup *setup = setup_of(own);
    int64_t ranks = setup->place_count * setup->groups;
    g_autofree struct job_place *places = g_new(struct job_place, (gsize)ranks);
    for (int64_t i = 0; i < ranks; i++)
        places[i] = setup->places[i / setup->groups];
    struct job_core core = kind_of_rank(setup->design)->rank_core(own->cluster->spec);
    return job_new(own->cluster, &core, places, (int32_t)ranks, error);
}

static void close_world(void *own_world)
{
    struct messenger_world *own = own_world;
    runtime_free(own->runtime);
    job_free(own->job);
    if (setup_of(own)->beside == NULL) {
        cluster_free(own->cluster);
        sim_free(own->sim);
    }
    g_array_unref(own->buffers);
    g_array_unref(own->signals);
    g_free(own->parties);
    g_free(own);
}

/* Its own machine, or that of the world beside it. NULL and an error. */
static struct cluster *open_machine(struct messenger_world *own, const struct machine_spec *machine,
                                    GError **error)
{
    const struct world_setup *setup = setup_of(own);
    if (setup->beside == NULL) {
        own->sim = sim_new(setup->seed);
        return cluster_new(own->sim, machine, NODE_DISCRETE, error);
    }
    struct cluster *cluster = world_cluster(setup->beside);
    own->sim = cluster->sim;
    if (cluster->form == NODE_DISCRETE)
        return cluster;
    error_set(error, "designs of discrete and of coherent nodes do not share a machine");
    return NULL;
}

static void *open_world(struct world *world, const struct machine_spec *machine, GError **error)
{
    const struct world_setup *setup = &world->setup;
    if (!has_cores(machine, setup, error) || !has_shape(machine, setup, error))
        return NULL;
    struct messenger_world *own = g_new0(struct messenger_world, 1);
    own->world = world;
    own->buffers = g_array_new(FALSE, FALSE, sizeof(struct messenger_buffer));
    own->signals = g_array_new(FALSE, FALSE, sizeof(int32_t));
    own->next_tag = TAG_SIGNALS;
    own->cluster = open_machine(own, machine, error);
    own->job = own->cluster != NULL ? make_job(own, error) : NULL;
    if (own->job == NULL) {
        close_world(own);
        return NULL;
    }
    own->runtime = runtime_new(own->job, setup->design);
    return own;
}

static void add_buffer(void *own_world, int32_t number, int64_t bytes, enum transfer_memory memory)
{
    struct messenger_world *own = own_world;
    struct messenger_buffer buffer = {bytes, memory};
    check_always(number == (int32_t)own->buffers->len, "buffer %d", (int)number);
    g_array_append_val(own->buffers, buffer);
}

static void add_signals(void *own_world, int32_t number, int64_t count)
{
    struct messenger_world *own = own_world;
    check_always(number == (int32_t)own->signals->len, "signals %d", (int)number);
    check_release(count <= MESSAGE_TAG_MOST - own->next_tag, "%lld signals need a tag each",
                  (long long)count);
    g_array_append_val(own->signals, own->next_tag);
    own->next_tag += (int32_t)count;
}

/* --- running ------------------------------------------------------------------------------------ */

static void quiet(struct party *party);

static void run_party(struct process *self, void *argument)
{
    struct messenger_party *party = argument;
    (void)self;
    party->own->program(&party->party, party->argument);
    quiet(&party->party);
    cpu_settle(&party->own->job->processes[party->rank].cpu);
    party->own->ended++;
}

static bool begin(void *own_world, party_program *program, void *const *arguments, GError **error)
{
    (void)error;
    struct messenger_world *own = own_world;
    int64_t groups = setup_of(own)->groups;
    own->program = program;
    own->parties = g_new0(struct messenger_party, (gsize)own->job->count);
    for (int32_t rank = 0; rank < own->job->count; rank++) {
        struct messenger_party *party = &own->parties[rank];
        *party = (struct messenger_party){
            .own = own, .rank = rank, .argument = arguments[rank / groups]};
        party->party = (struct party){
            .world = own->world, .place = rank / groups, .group = rank % groups, .own = party};
        job_start(own->job, rank, run_party, party);
    }
    return true;
}

static bool is_over(void *own_world)
{
    const struct messenger_world *own = own_world;
    return own->ended == own->job->count;
}

static void explain(void *own_world, GError **error)
{
    const struct messenger_world *own = own_world;
    g_autofree char *text = sim_deadlock_report(own->sim, 4);
    error_set(error, "deadlock: %s", text);
}

static struct cluster *cluster_of(void *own_world)
{
    return ((struct messenger_world *)own_world)->cluster;
}

static void reset(void *own_world)
{
    observe_reset(&((struct messenger_world *)own_world)->sim->observe);
}

static const struct stat_histogram *latencies(void *own_world)
{
    (void)own_world;
    return NULL;
}

static void report(void *own_world, struct workload_result *result)
{
    const struct messenger_world *own = own_world;
    workload_observe(result, own->sim);
    workload_add_quantity(result, "events", UNIT_COUNT, (int64_t)event_executed(own->sim->events));
}

/* --- transfers ---------------------------------------------------------------------------------- */

static struct messenger_party *messenger_of(const struct party *party)
{
    return party->own;
}

static struct job_process *process_of(const struct messenger_party *party)
{
    return &party->own->job->processes[party->rank];
}

static sim_time now(const struct party *party)
{
    return cpu_now(&process_of(messenger_of(party))->cpu);
}

/* The rank's own buffer of that number: an allocation that its runtime knows again. */
static struct block block_of(const struct messenger_party *party, int32_t number, int64_t bytes)
{
    const struct messenger_world *own = party->own;
    const struct messenger_buffer *buffer =
        &g_array_index(own->buffers, struct messenger_buffer, (guint)number);
    uint32_t id = (uint32_t)party->rank * own->buffers->len + (uint32_t)number + 1;
    check_release(bytes <= buffer->bytes, "%lld bytes of a buffer of %lld", (long long)bytes,
                  (long long)buffer->bytes);
    return buffer->memory == TRANSFER_HOST || computes_on_host(own)
               ? job_host_block(process_of(party), BLOCK_PAGEABLE, id, bytes)
               : job_device_block(process_of(party), id, bytes);
}

static struct block request_block(const struct messenger_party *party)
{
    return job_host_block(process_of(party), BLOCK_PAGEABLE, UINT32_MAX, REQUEST_BYTES);
}

/* --- operations, as observers know them: messages, gets and puts --- */

static const struct observe_origin messages_origin = {"messages", "rank", false};

/* From now on what the rank sends is part of an operation that begins here, unless nobody asks. */
static void begin_operation(struct messenger_party *party)
{
    struct observe *observe = &party->own->sim->observe;
    if (observe_wants_operations(observe))
        cpu_work_for(
            &process_of(party)->cpu,
            observe_begin(observe, &messages_origin, (uint32_t)party->rank, now(&party->party)));
}

static uint64_t leave_operation(struct messenger_party *party)
{
    return cpu_work_for(&process_of(party)->cpu, 0);
}

static void end_operation(struct messenger_party *party, uint64_t operation)
{
    observe_end(&party->own->sim->observe, operation, now(&party->party));
}

static void end_received(struct messenger_party *party, const struct message *messages,
                         size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (messages[i].is_receive)
            end_operation(party, messages[i].operation);
}

static void send_to(struct messenger_party *party, int32_t to, int32_t tag, struct block block)
{
    struct message message;
    messenger_send(party->own->runtime, party->rank, &message, to, tag, block);
    messenger_wait(party->own->runtime, party->rank, &message, 1);
}

static uint64_t receive_from(struct messenger_party *party, int32_t from, int32_t tag,
                             struct block block)
{
    struct message message;
    messenger_receive(party->own->runtime, party->rank, &message, from, tag, block);
    messenger_wait(party->own->runtime, party->rank, &message, 1);
    observe_stage(&party->own->sim->observe, message.operation, STAGE_NOTICED, now(&party->party));
    return message.operation;
}

/* Tells the target what is asked of it. */
static void ask(struct messenger_party *party, int32_t target, enum asked what, int32_t buffer,
                int64_t bytes)
{
    struct messenger_party *other = &party->own->parties[target];
    struct asked_for *asked = g_new0(struct asked_for, 1);
    *asked =
        (struct asked_for){.from = party->rank, .what = what, .buffer = buffer, .bytes = bytes};
    list_append(&other->asked, &asked->link);
    send_to(party, target, TAG_REQUEST, request_block(party));
}

static void get(struct party *party, int64_t place, int64_t group, int32_t buffer, int64_t bytes)
{
    struct messenger_party *own = messenger_of(party);
    int32_t target = rank_of(own->own, place, group);
    struct message answer;
    begin_operation(own);
    messenger_receive(own->own->runtime, own->rank, &answer, target, TAG_DATA,
                      block_of(own, buffer, bytes));
    ask(own, target, ASKED_GET, buffer, bytes);
    messenger_wait(own->own->runtime, own->rank, &answer, 1);
    end_operation(own, leave_operation(own));
}

static void put(struct party *party, int64_t place, int64_t group, int32_t buffer, int64_t bytes)
{
    struct messenger_party *own = messenger_of(party);
    int32_t target = rank_of(own->own, place, group);
    begin_operation(own);
    ask(own, target, ASKED_PUT, buffer, bytes);
    send_to(own, target, TAG_DATA, block_of(own, buffer, bytes));
    receive_from(own, target, TAG_ANSWER, request_block(own));
    end_operation(own, leave_operation(own));
}

static void leave(struct party *party, int64_t place, int64_t group)
{
    struct messenger_party *own = messenger_of(party);
    ask(own, rank_of(own->own, place, group), ASKED_TO_LEAVE, 0, 0);
}

/* The oldest request of `from`; its message has arrived. */
static struct asked_for take_request(struct messenger_party *own, int32_t from)
{
    struct asked_for *taken = LIST_FIRST(&own->asked, struct asked_for, link);
    while (taken->from != from)
        taken = LIST_NEXT(taken, struct asked_for, link);
    list_remove(&own->asked, &taken->link);
    struct asked_for copy = *taken;
    g_free(taken);
    return copy;
}

static void serve(struct party *party, int64_t place, int64_t group)
{
    struct messenger_party *own = messenger_of(party);
    int32_t from = rank_of(own->own, place, group);
    while (true) {
        uint64_t operation = receive_from(own, from, TAG_REQUEST, request_block(own));
        struct asked_for asked = take_request(own, from);
        if (asked.what == ASKED_TO_LEAVE)
            return;
        struct block block = block_of(own, asked.buffer, asked.bytes);
        cpu_work_for(&process_of(own)->cpu, operation);
        if (asked.what == ASKED_GET) {
            send_to(own, from, TAG_DATA, block);
        } else {
            receive_from(own, from, TAG_DATA, block);
            send_to(own, from, TAG_ANSWER, request_block(own));
        }
        leave_operation(own);
    }
}

/* A put with signal leaves its buffer at the latest here. It is not waited for at once: two ranks that put to
 * each other first would never come to their receives. */
static void finish_signal(struct messenger_party *own)
{
    if (own->is_signalling)
        messenger_wait(own->own->runtime, own->rank, own->signals, 1);
    own->is_signalling = false;
}

static int32_t signal_tag(const struct messenger_party *own, int32_t signals, int64_t index)
{
    return g_array_index(own->own->signals, int32_t, (guint)signals) + (int32_t)index;
}

static void put_signal(struct party *party, int64_t place, int64_t group, int32_t buffer,
                       int64_t bytes, int32_t signals, int64_t index, uint64_t value)
{
    struct messenger_party *own = messenger_of(party);
    (void)value; /* messages of one tag come in order */
    finish_signal(own);
    own->is_signalling = true;
    begin_operation(own);
    messenger_send(own->own->runtime, own->rank, own->signals, rank_of(own->own, place, group),
                   signal_tag(own, signals, index), block_of(own, buffer, bytes));
    leave_operation(own);
}

static void wait_signal(struct party *party, int64_t place, int64_t group, int32_t buffer,
                        int64_t bytes, int32_t signals, int64_t index, uint64_t value)
{
    struct messenger_party *own = messenger_of(party);
    (void)value;
    struct runtime *runtime = own->own->runtime;
    messenger_receive(runtime, own->rank, &own->signals[1], rank_of(own->own, place, group),
                      signal_tag(own, signals, index), block_of(own, buffer, bytes));
    if (own->is_signalling)
        messenger_wait(runtime, own->rank, own->signals, 2);
    else
        messenger_wait(runtime, own->rank, &own->signals[1], 1);
    own->is_signalling = false;
    end_received(own, &own->signals[1], 1);
}

static void send(struct party *party, struct message *messages, size_t count, int64_t place,
                 int64_t group, int32_t channel, int32_t buffer, int64_t bytes)
{
    struct messenger_party *own = messenger_of(party);
    g_autofree uint64_t *operations = NULL;
    if (observe_wants_operations(&own->own->sim->observe))
        operations = g_new(uint64_t, count);
    for (size_t i = 0; operations != NULL && i < count; i++) {
        begin_operation(own);
        operations[i] = leave_operation(own);
    }
    messenger_send_window(own->own->runtime, own->rank, messages, count,
                          rank_of(own->own, place, group), channel, block_of(own, buffer, bytes),
                          operations);
}

static void receive(struct party *party, struct message *message, int64_t place, int64_t group,
                    int32_t channel, int32_t buffer, int64_t bytes)
{
    struct messenger_party *own = messenger_of(party);
    messenger_receive(own->own->runtime, own->rank, message, rank_of(own->own, place, group),
                      channel, block_of(own, buffer, bytes));
}

static void wait(struct party *party, struct message *messages, size_t count)
{
    struct messenger_party *own = messenger_of(party);
    messenger_wait(own->own->runtime, own->rank, messages, count);
    end_received(own, messages, count);
}

/* All other calls wait for their own messages. */
static void quiet(struct party *party)
{
    finish_signal(messenger_of(party));
}

static void compute(struct party *party, sim_time duration_ps)
{
    cpu_pass(&process_of(messenger_of(party))->cpu, CPU_APPLICATION, AGENT_ACTIVE, duration_ps);
}

/* --- loops -------------------------------------------------------------------------------------- */

static int64_t ranks_on_socket(struct messenger_party *party)
{
    const struct job_process *process = process_of(party);
    int64_t count = 0;
    if (party->ranks_here > 0)
        return party->ranks_here;
    for (int32_t rank = 0; rank < process->job->count; rank++) {
        const struct job_process *other = &process->job->processes[rank];
        count += other->node == process->node && other->socket == process->socket;
    }
    return party->ranks_here = count;
}

/* Ranks of a socket share out its cores. */
static void loop_on_cores(struct messenger_party *party, const struct transfer_loop *what)
{
    struct job_process *process = process_of(party);
    const struct host_spec *spec = &process->job->spec->host;
    int64_t ranks = ranks_on_socket(party);
    struct parallel_loop parallel = {.flops = what->elements * what->flops,
                                     .bytes = what->elements * what->bytes,
                                     .working_set_bytes = what->working_set_bytes};
    param_uses_only(&process->job->sim->uses, &host_params, "cores", "clock", "l1_size", "l2_size",
                    "l2_latency_cycles", "l3_size", "l3_latency_cycles", "memory_latency",
                    "memory_rate", "loads_in_flight", "flops_per_cycle", "bytes_per_cycle",
                    "parallel_region", NULL);
    cpu_pass(&process->cpu, CPU_APPLICATION, AGENT_ACTIVE,
             parallel_loop_ps(spec, &parallel, MAX(spec->cores / ranks, 1), ranks));
}

/* A work-item an element. */
static struct kernel kernel_of(const struct messenger_party *party,
                               const struct transfer_loop *what)
{
    const struct messenger_world *own = party->own;
    int64_t threads = MIN(setup_of(own)->threads, what->elements);
    struct gpu_work work = {.flops = threads * what->flops, .bytes = threads * what->bytes};
    if (what->working_set_bytes > own->job->spec->gpu.l2_size_bytes)
        work.memory_bytes = work.bytes;
    return (struct kernel){
        .work_groups = (what->elements + threads - 1) / threads, .threads = threads, .work = work};
}

static void loop(struct party *party, int lane, const struct transfer_loop *what)
{
    struct messenger_party *own = messenger_of(party);
    struct job_process *process = process_of(own);
    if (computes_on_host(own->own)) {
        loop_on_cores(own, what);
        return;
    }
    if (own->lanes[lane] == NULL)
        own->lanes[lane] = lane == 0 ? process->stream : cuda_stream_new(process->device, 0);
    struct kernel kernel = kernel_of(own, what);
    cuda_launch(own->lanes[lane], &process->cpu, &kernel, NULL);
    own->has_launched[lane] = true;
}

static void finish(struct party *party, int lane)
{
    struct messenger_party *own = messenger_of(party);
    if (own->has_launched[lane])
        cuda_stream_synchronize(own->lanes[lane], &process_of(own)->cpu);
    own->has_launched[lane] = false;
}

/* Ranks of a place are processes of their own. */
static void group_barrier(struct party *party)
{
    check_release(party->world->setup.groups == 1, "ranks of a place have no barrier of their own");
}

struct job *world_job(const struct world *world)
{
    return ((struct messenger_world *)world->own)->job;
}

struct runtime *world_runtime(const struct world *world)
{
    return ((struct messenger_world *)world->own)->runtime;
}

const struct world_ops messenger_world_ops = {
    .open = open_world,
    .close = close_world,
    .buffer = add_buffer,
    .signals = add_signals,
    .begin = begin,
    .is_over = is_over,
    .explain = explain,
    .cluster = cluster_of,
    .reset = reset,
    .latencies = latencies,
    .report = report,
    .now = now,
    .get = get,
    .put = put,
    .serve = serve,
    .leave = leave,
    .put_signal = put_signal,
    .wait_signal = wait_signal,
    .send = send,
    .receive = receive,
    .wait = wait,
    .quiet = quiet,
    .fence = quiet,
    .group_barrier = group_barrier,
    .compute = compute,
    .loop = loop,
    .finish = finish,
};
