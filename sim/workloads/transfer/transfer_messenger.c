/* SPDX-License-Identifier: BSD-3-Clause */
/* Parties as ranks: each is a process on a core, with a GPU, whose runtime moves its messages. This file sets them up and runs
 * the loops on them or their GPUs. */

#include "workloads/transfer/transfer_messenger.h"
#include "core/error.h"

/* --- start and end ------------------------------------------------------------------------------ */

/* Whether kernels of ranks can be launched. */
static bool has_shape(const struct cluster *cluster, const struct world_setup *setup,
                      GError **error)
{
    struct kernel kernel = {.work_groups = 1, .threads = MAX(setup->threads, 1)};
    bool fits = gpu_kernel_fits(&cluster->spec->gpu, &kernel, error);
    for (size_t kind = 0; kind < cluster->spec->kind_count && fits; kind++)
        fits = gpu_kernel_fits(&cluster->kinds[kind].gpu, &kernel, error);
    return fits;
}

/* The kind of agents whose cores run the ranks of a place. */
static const struct agent_kind *kind_of_rank(const struct world_setup *setup, int64_t place)
{
    struct design design = {.server = NO_SERVER};
    if (setup->design != NULL)
        design.server = setup->design->server;
    if (setup->servers != NULL && setup->servers[place] != NO_SERVER)
        design.server = setup->servers[place];
    return design.server == NO_SERVER ? &host_thread_kind : design_server_kind(&design);
}

static bool has_cores_at(const struct cluster *cluster, const struct world_setup *setup,
                         int64_t place, GError **error)
{
    const struct agent_kind *kind = kind_of_rank(setup, place);
    int64_t room = agent_room(kind, cluster_spec(cluster, setup->places[place].node));
    if (setup->groups <= room)
        return true;
    char text[PARAM_TEXT_SIZE] = "none";
    if (setup->design != NULL)
        design_text(setup->design, text);
    return error_set(
        error,
        "design %s runs a rank on a core for each; %lld a GPU are more than the %lld cores of "
        "its %s",
        text, (long long)setup->groups, (long long)room,
        kind->is_on_host ? "socket" : "command processor");
}

static bool has_cores(const struct cluster *cluster, const struct world_setup *setup,
                      GError **error)
{
    for (int64_t place = 0; place < setup->place_count; place++)
        if (!has_cores_at(cluster, setup, place, error))
            return false;
    return true;
}

/* The node and core of each rank; `cores` is by place. */
static struct job_place *places_of_ranks(const struct world_setup *setup,
                                         const struct cluster *cluster, struct job_core *cores)
{
    struct job_place *places = g_new(struct job_place, (gsize)(setup->place_count * setup->groups));
    for (int64_t place = 0; place < setup->place_count; place++) {
        cores[place] =
            kind_of_rank(setup, place)->rank_core(cluster_spec(cluster, setup->places[place].node));
        for (int64_t group = 0; group < setup->groups; group++) {
            struct job_place *rank = &places[place * setup->groups + group];
            *rank = setup->places[place];
            rank->core = &cores[place];
        }
    }
    return places;
}

static struct job *make_job(const struct messenger_world *own, GError **error)
{
    const struct world_setup *setup = messenger_setup(own);
    g_autofree struct job_core *cores = g_new(struct job_core, (gsize)setup->place_count);
    g_autofree struct job_place *places = places_of_ranks(setup, own->world->cluster, cores);
    return job_new(own->world->cluster, places, (int32_t)(setup->place_count * setup->groups),
                   error);
}

/* --- places, as observers know them --- */

static void end_places(void *own_world)
{
    const struct messenger_world *own = own_world;
    for (int32_t rank = 0; rank < own->job->count; rank++)
        observe_place_finish(own->job->processes[rank].cpu.place);
}

static void free_places(struct messenger_world *own)
{
    end_places(own);
    for (int32_t rank = 0; rank < own->job->count; rank++)
        observe_place_free(own->job->processes[rank].cpu.place);
}

static void close_world(void *own_world)
{
    struct messenger_world *own = own_world;
    if (own->job != NULL)
        free_places(own);
    runtime_free(own->runtime);
    job_free(own->job);
    g_array_unref(own->buffers);
    g_array_unref(own->signals);
    g_free(own->parties);
    g_free(own);
}

static void *open_world(struct world *world, const struct machine_spec *machine, GError **error)
{
    const struct world_setup *setup = &world->setup;
    struct messenger_world *own = g_new0(struct messenger_world, 1);
    own->world = world;
    own->buffers = g_array_new(FALSE, FALSE, sizeof(struct messenger_buffer));
    own->signals = g_array_new(FALSE, FALSE, sizeof(int32_t));
    own->next_tag = TAG_SIGNALS;
    if (world_open_machine(world, machine, error) && has_cores(world->cluster, setup, error) &&
        has_shape(world->cluster, setup, error))
        own->job = make_job(own, error);
    if (own->job != NULL && setup->design != NULL)
        own->runtime = runtime_new(own->job, setup->design, error);
    if (own->job != NULL && (own->runtime != NULL || setup->design == NULL))
        return own;
    close_world(own);
    return NULL;
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

static void run_party(struct process *self, void *argument)
{
    struct messenger_party *party = argument;
    (void)self;
    party->own->program(&party->party, party->argument);
    messenger_quiet(&party->party);
    cpu_settle(&party->own->job->processes[party->rank].cpu);
    if (party->own->runtime != NULL)
        messenger_tell(party->own->runtime, party->rank, CALL_END, NULL);
    party->own->ended++;
}

static bool begin(void *own_world, party_program *program, void *const *arguments, GError **error)
{
    (void)error;
    struct messenger_world *own = own_world;
    int64_t groups = messenger_setup(own)->groups;
    own->program = program;
    own->job->stack_bytes = messenger_setup(own)->stack_bytes;
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
    g_autofree char *text = sim_deadlock_report(world_sim(own->world), 4);
    error_set(error, "deadlock: %s", text);
}

static void report(void *own_world, double units, struct workload_result *result)
{
    const struct messenger_world *own = own_world;
    workload_observe(result, own->world->cluster, units);
    workload_add_quantity(result, "events", UNIT_COUNT,
                          (int64_t)event_executed(world_sim(own->world)->events));
}

/* --- computing ---------------------------------------------------------------------------------- */

static void compute(struct party *party, sim_time duration_ps)
{
    cpu_pass(&messenger_process(messenger_of(party))->cpu, CPU_APPLICATION, AGENT_ACTIVE,
             duration_ps);
}

static int64_t ranks_on_socket(struct messenger_party *party)
{
    const struct job_process *process = messenger_process(party);
    int64_t count = 0;
    if (party->ranks_here > 0)
        return party->ranks_here;
    for (int32_t rank = 0; rank < process->job->count; rank++) {
        const struct job_process *other = &process->job->processes[rank];
        count += other->node == process->node && other->socket == process->socket &&
                 other->kind->pool == CORES_OF_HOST;
    }
    return party->ranks_here = count;
}

/* Runs a loop on cores; the ranks of a socket share its cores. */
static void loop_on_cores(struct messenger_party *party, const struct transfer_loop *what)
{
    struct job_process *process = messenger_process(party);
    const struct host_spec *spec = &process->spec->host;
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

/* The kernel of a loop, with one work-item for each element. */
static struct kernel kernel_of(const struct messenger_party *party,
                               const struct transfer_loop *what)
{
    const struct messenger_world *own = party->own;
    int64_t threads = MIN(messenger_setup(own)->threads, what->elements);
    const struct gpu_spec *gpu = &messenger_process(party)->spec->gpu;
    int64_t l2_bytes =
        PARAM_READ(param_use_of(&world_sim(own->world)->uses, &gpu_params), gpu, l2.size_bytes);
    struct gpu_work work = transfer_loop_work(what, threads, l2_bytes);
    return (struct kernel){
        .work_groups = (what->elements + threads - 1) / threads, .threads = threads, .work = work};
}

static void loop(struct party *party, int lane, const struct transfer_loop *what)
{
    struct messenger_party *own = messenger_of(party);
    struct job_process *process = messenger_process(own);
    if (messenger_computes_on_host(own->own)) {
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
        cuda_stream_synchronize(own->lanes[lane], &messenger_process(own)->cpu);
    own->has_launched[lane] = false;
}

/* A barrier of the ranks of a place, which are separate processes. */
static void group_barrier(struct party *party)
{
    check_release(party->world->setup.groups == 1, "ranks of a place have no barrier of their own");
}

/* The world of ranks; a failed check for other worlds. */
static const struct messenger_world *messenger_world_of(const struct world *world)
{
    check_always(world->ops == &messenger_world_ops, "a kernel's world has no ranks");
    return world->own;
}

struct job *world_job(const struct world *world)
{
    return messenger_world_of(world)->job;
}

struct runtime *world_runtime(const struct world *world)
{
    return messenger_world_of(world)->runtime;
}

const struct world_ops messenger_world_ops = {
    .open = open_world,
    .close = close_world,
    .buffer = add_buffer,
    .signals = add_signals,
    .begin = begin,
    .is_over = is_over,
    .explain = explain,
    .report = report,
    .now = messenger_now,
    .end_places = end_places,
    .get = messenger_get,
    .put = messenger_put,
    .put_signal = messenger_put_signal,
    .wait_signal = messenger_wait_signal,
    .send = messenger_send_messages,
    .receive = messenger_receive_message,
    .wait = messenger_wait_messages,
    .quiet = messenger_quiet,
    .fence = messenger_quiet,
    .group_barrier = group_barrier,
    .compute = compute,
    .loop = loop,
    .finish = finish,
};
