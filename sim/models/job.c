/* SPDX-License-Identifier: BSD-3-Clause */
#include "models/job.h"

#include <stdio.h>
#include <string.h>

#include "core/clock.h"
#include "core/error.h"
#include "models/run_energy.h"

/* --- making ------------------------------------------------------------------------------------- */

struct job_core job_core_of(const struct machine_spec *spec, enum core_pool pool)
{
    const struct core_spec *own = core_pool_of(spec, pool).core;
    struct job_core core = {
        .name = "host_thread",
        .machine = spec,
        .pool = pool,
        .cpu = {.told_rate = instructions_in_1000_s(1, spec->host.software_rate_Hz),
                .rate = instructions_in_1000_s(own->instructions_per_cycle, own->clock_Hz)}};
    core_power_by_state(own, core.cpu.power_mW);
    return core;
}

struct job_core job_host_core(const struct machine_spec *spec)
{
    return job_core_of(spec, CORES_OF_HOST);
}

bool job_places_valid(const struct machine_spec *spec, const struct job_place *places,
                      int32_t count, GError **error)
{
    int gpus = topology_gpu_count(&spec->node);
    g_autofree uint8_t *per_socket = machine_gpus_per_socket(spec);
    if (count < 1)
        return error_set(error, "a job of %d processes", (int)count);
    for (int32_t rank = 0; rank < count; rank++) {
        const struct job_place *place = &places[rank];
        if (place->node < 0 || place->node >= spec->nodes)
            return error_set(error, "place %d: the machine has no node %lld; it has %lld",
                             (int)rank, (long long)place->node, (long long)spec->nodes);
        if (place->gpu < 0 || place->gpu >= gpus)
            return error_set(error, "place %d: node %lld has no GPU %d; it has %d", (int)rank,
                             (long long)place->node, (int)place->gpu, gpus);
        if (place->gpu % spec->node.gpus_per_socket >= per_socket[place->node])
            return error_set(error,
                             "place %d: node %lld has no GPU %d; its sockets have %d of the "
                             "machine's %lld GPUs (kinds of nodes)",
                             (int)rank, (long long)place->node, (int)place->gpu,
                             per_socket[place->node], (long long)spec->node.gpus_per_socket);
    }
    return true;
}

/* Returns the job's copy of the kind, which is made if there is none yet. */
static const struct job_core *keep_kind(struct job *job, const struct job_core *core)
{
    int i = 0;
    while (i < job->kind_count &&
           (strcmp(job->kinds[i].name, core->name) != 0 || job->kinds[i].machine != core->machine))
        i++;
    check_release(i < JOB_CORE_KINDS, "more than %d kinds of cores in a job", JOB_CORE_KINDS);
    if (i == job->kind_count)
        job->kinds[job->kind_count++] = *core;
    return &job->kinds[i];
}

/* `kind`: the kind of its core. `sharers`: the number of earlier processes on this GPU. Returns false if no core is left. */
static bool process_init(struct job *job, int32_t rank, const struct job_place *place,
                         const struct job_core *kind, int sharers)
{
    const struct node_shape *shape = &job->spec->node;
    struct job_process *process = &job->processes[rank];
    int first_port = (int)place->node * topology_port_count(shape);
    process->job = job;
    process->kind = kind;
    process->rank = rank;
    process->node = place->node;
    process->spec = cluster_spec(job->cluster, place->node);
    cluster_takes_part(job->cluster, place->node);
    process->socket = topology_gpu_socket(shape, place->gpu);
    process->gpu = (int)place->gpu;
    process->gpu_port = first_port + topology_gpu_port(shape, place->gpu);
    process->core_port = kind->is_on_gpu ? process->gpu_port
                                         : first_port + topology_cpu_port(shape, process->socket);
    process->core = cluster_take_core(job->cluster, kind->pool, place->node, place->gpu);
    process->rail = platform_cabled_gateway(job->cluster->platform, place->node,
                                            topology_process_nic(shape, place->gpu, sharers));
    process->device = cuda_device(job->cuda, process->gpu_port);
    process->stream = cuda_stream_new(process->device, 0);
    process->heap.used = param_use_of(&job->sim->uses, &host_copy_params);
    cuda_device_share(process->device);
    cpu_init(&process->cpu, job->sim, &kind->cpu);
    return process->core >= 0;
}

/* Finds which distances occur between two processes: on one socket, on two sockets of a node, on two nodes. */
static void find_distances(struct job *job)
{
    struct map first = {0},
               sockets = {0}; /* by node: its first process; by node and socket: whether used */
    for (int32_t rank = 0; rank < job->count; rank++) {
        struct job_process *process = &job->processes[rank];
        int64_t place = process->node * job->spec->node.sockets + process->socket;
        void **other = &map_at(&first, (uint64_t)process->node)->pointer;
        if (!map_add(&sockets, (uint64_t)place))
            job->has[JOB_SAME_SOCKET] = true;
        if (*other == NULL)
            *other = process;
        else if (((const struct job_process *)*other)->socket != process->socket)
            job->has[JOB_SAME_NODE] = true;
    }
    job->has[JOB_OTHER_NODE] = first.count > 1;
    map_clear(&first);
    map_clear(&sockets);
}

static const struct param_table *core_table(const struct job_core *core)
{
    return core_pool_of(core->machine, core->pool).table;
}

static void note_cores(const struct job *job)
{
    for (int i = 0; i < job->kind_count; i++)
        param_uses_only(&job->sim->uses, core_table(&job->kinds[i]), "cores", NULL);
}

/* Notes the parameters of loads by cores on GPUs, `lines` lines at once. */
static void note_loads(const struct job *job, int64_t lines)
{
    const struct machine_spec *spec = job->spec;
    uint64_t *of_cp = param_use_of(&job->sim->uses, &cp_params);
    uint64_t *of_gpu = param_use_of(&job->sim->uses, &gpu_params);
    if (lines == 0)
        return;
    PARAM_NOTE(of_cp, &spec->cp, dcache.latency_cycles);
    PARAM_NOTE(of_cp, &spec->cp, core.clock_Hz);
    PARAM_NOTE(of_gpu, &spec->gpu, clock_Hz);
    PARAM_NOTE(of_gpu, &spec->gpu, l2.latency_cycles);
    PARAM_NOTE(of_gpu, &spec->gpu, memory_latency_ps);
    if (lines > 1)
        PARAM_NOTE(of_cp, &spec->cp, core.loads_in_flight);
}

static void note_power(const struct job_process *process, enum agent_state state)
{
    agent_state_note_power(&process->job->sim->uses, core_table(process->kind), state);
}

/* Notes the instruction rate of a core that has spent time on instructions. */
static void note_rates(const struct job_process *process)
{
    struct param_use *uses = &process->job->sim->uses;
    if (!process->cpu.has_spent)
        return;
    param_uses_only(uses, core_table(process->kind), "clock", "instructions_per_cycle", NULL);
    param_uses_only(uses, &host_params, "software_rate", NULL);
}

/* Places the job's processes. Returns false and an error if cores run out. */
static bool make_processes(struct job *job, const struct job_place *places, GError **error)
{
    int gpus = topology_gpu_count(&job->spec->node);
    g_autofree int *sharers = g_new0(int, (gsize)(job->spec->nodes * gpus));
    job->processes = g_new0(struct job_process, (gsize)job->count);
    for (int32_t rank = 0; rank < job->count; rank++) {
        const struct job_place *place = &places[rank];
        const struct machine_spec *spec = cluster_spec(job->cluster, place->node);
        struct job_core host_core = job_host_core(spec);
        const struct job_core *kind =
            keep_kind(job, place->core != NULL ? place->core : &host_core);
        if (process_init(job, rank, place, kind, sharers[place->node * gpus + place->gpu]++))
            continue;
        bool is_host = kind->pool == CORES_OF_HOST;
        return error_set(
            error, "place %d: all cores of %s %d of node %lld are taken (%s.cores is %lld)",
            (int)rank, is_host ? "socket" : "GPU",
            is_host ? job->processes[rank].socket : (int)place->gpu, (long long)place->node,
            is_host ? "host" : "cp", (long long)(is_host ? spec->host.cores : spec->cp.cores));
    }
    return true;
}

/* Statistics of how the cores of all ranks spend their time; and of each rank's core, if there are at most MOST_RANKS_TOLD ranks. */
#define MOST_RANKS_TOLD 16

static void note_stats(const struct job *job)
{
#define INFO(capitals, name, stage, description) {"time_" #name, "ps", description},
    static const struct stat_info infos[CPU_ACCOUNTS] = {CPU_ACCOUNT_ROWS(INFO)};
    struct stat_registry *stats = job->sim->stats;
    const struct job_process *first = job->processes;
    size_t told = job->count <= MOST_RANKS_TOLD ? (size_t)job->count : 0;
    for (int account = 0; account < CPU_ACCOUNTS; account++)
        stat_sum_new(stats, "ranks", &infos[account], &first->cpu.time_ps[account], sizeof *first,
                     (size_t)job->count);
    for (size_t rank = 0; rank < told; rank++) {
        char path[32];
        snprintf(path, sizeof path, "rank%zu", rank);
        for (int account = 0; account < CPU_ACCOUNTS; account++)
            stat_sum_new(stats, path, &infos[account], &first[rank].cpu.time_ps[account],
                         sizeof *first, 1);
    }
}

/* Adds the energy that the ranks' cores have drawn, idle time included. */
static void add_energy(const void *cores, sim_time now_ps, struct run_energy *energy)
{
    const struct job *job = cores;
    now_ps = MIN(now_ps, sim_now(job->sim)); /* the later work of a core is not known yet */
    for (const struct job_process *p = job->processes; p < job->processes + job->count; p++) {
        note_rates(p);
        for (enum agent_state state = 0; state < AGENT_STATES; state++) {
            sim_time time_ps = cpu_state_ps(&p->cpu, state, now_ps);
            if (time_ps > 0)
                note_power(p, state);
            run_energy_add_state(energy, ENERGY_OF_RANK, state, time_ps,
                                 (double)time_ps * (double)p->cpu.spec->power_mW[state] / 1e15);
        }
    }
}

struct job *job_new(struct cluster *cluster, const struct job_place *places, int32_t count,
                    GError **error)
{
    if (!job_places_valid(cluster->spec, places, count, error))
        return NULL;
    struct job *job = g_new0(struct job, 1);
    job->cluster = cluster;
    job->sim = cluster->sim;
    job->spec = cluster->spec;
    job->cuda = cluster_cuda(cluster);
    job->nics = cluster->nics;
    job->count = count;
    if (!make_processes(job, places, error)) {
        job_free(job);
        return NULL;
    }
    find_distances(job);
    note_stats(job);
    note_cores(job);
    run_energy_add_source(cluster, add_energy, job);
    return job;
}

void job_free(struct job *job)
{
    if (job == NULL)
        return;
    g_free(job->processes);
    g_free(job);
}

void job_start(struct job *job, int32_t rank, process_fn *program, void *argument)
{
    char name[32];
    snprintf(name, sizeof name, "rank%d", (int)rank);
    struct job_process *process = &job->processes[rank];
    process->cpu.process = process_spawn(job->sim->processes, name, program, argument,
                                         sim_now(job->sim), (size_t)job->stack_bytes);
    if (!process->kind->is_on_gpu)
        cluster_interrupt_core(job->cluster, process->cpu.process, &process->cpu.noise);
}

/* --- blocks and distances ----------------------------------------------------------------------- */

struct block job_host_block(const struct job_process *process, enum block_kind kind, uint32_t id,
                            int64_t bytes)
{
    check_release(kind != BLOCK_DEVICE, "a block of host memory as one of a GPU");
    return (struct block){process->core_port, (uint8_t)kind, id, bytes};
}

struct block job_device_block(const struct job_process *process, uint32_t id, int64_t bytes)
{
    cluster_hold_gpu(process->job->cluster, process->node, process->gpu);
    return (struct block){process->gpu_port, BLOCK_DEVICE, id, bytes};
}

enum job_distance job_distance(const struct job *job, int32_t rank, int32_t other)
{
    const struct job_process *one = &job->processes[rank], *two = &job->processes[other];
    if (one->node != two->node)
        return JOB_OTHER_NODE;
    return one->socket == two->socket ? JOB_SAME_SOCKET : JOB_SAME_NODE;
}

sim_time job_core_latency_ps(const struct job *job, int32_t rank, int32_t other)
{
    const struct job_process *from = &job->processes[rank], *to = &job->processes[other];
    if (!from->kind->is_on_gpu && !to->kind->is_on_gpu)
        return -1;
    if (from->core_port == to->core_port) {
        note_loads(job, 1);
        return from->kind->load_ps;
    }
    return platform_route(job->cluster->platform, from->core_port, to->core_port)->latency_ps;
}

/* --- the core's own work ------------------------------------------------------------------------ */

/* How long a core copies `bytes` line by line. Its stores follow the loads without waiting. */
sim_time job_line_copy_ps(const struct job_process *process, int64_t bytes)
{
    const struct job_core *core = process->kind;
    int64_t lines = (bytes + CACHE_LINE_BYTES - 1) / CACHE_LINE_BYTES;
    note_loads(process->job, lines);
    return (lines + core->loads_in_flight - 1) / core->loads_in_flight * core->load_ps;
}

void job_copy_as(struct job_process *process, enum cpu_account account, enum host_copy_kind kind,
                 int64_t bytes)
{
    const struct host_copy_spec *spec = &process->spec->host_copy;
    PARAM_NOTE(process->heap.used, spec, call_ps);
    cpu_spend(&process->cpu, account, spec->call_ps);
    if (process->kind->is_on_gpu) {
        cpu_access(&process->cpu, account, job_line_copy_ps(process, bytes));
        return;
    }
    host_copy_note(spec, kind, process->heap.used);
    cpu_access(&process->cpu, account, host_copy_ps(spec, kind, bytes) - spec->call_ps);
}

void job_copy(struct job_process *process, int64_t bytes)
{
    job_copy_as(process, CPU_COPY, HOST_COPY_SAME_SOCKET, bytes);
    cpu_stage(&process->cpu, STAGE_COPIED);
}

bool job_allocate(struct job_process *process, int64_t bytes)
{
    bool is_fresh;
    cpu_spend(&process->cpu, CPU_ALLOCATE,
              heap_allocate(&process->heap, &process->spec->host_copy, bytes, &is_fresh));
    return is_fresh;
}
