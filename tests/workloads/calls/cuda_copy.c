/* SPDX-License-Identifier: BSD-3-Clause */
/* cudaMemcpyAsync and cudaStreamSynchronize by one process or several that share a GPU, again and again: what
 * BenchPress measures as the cost of a copy (memcpy, memcpy_mult). */
#include "calls.h"
#include "core/error.h"
#include "workloads/transfer/transfer.h"

enum measured { TOTAL, CALL };
static const char *const measured_names[] = {"total", "call", NULL};
enum direction { HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE };
static const char *const direction_names[] = {"host-to-device", "device-to-host",
                                              "device-to-device", NULL};
enum distance { NEAR, FAR };
static const char *const distance_names[] = {"same-socket", "cross-socket", NULL};
enum memory { PINNED, PAGEABLE };
static const char *const memory_names[] = {"pinned", "pageable", NULL};

#define MOST_PROCESSES 64

struct cuda_copy_spec {
    int64_t measured, direction, distance, memory, bytes, window, repeats, processes;
    int64_t resident; /* flag */
};

#define SPEC struct cuda_copy_spec
static const struct param params[] = {
    PARAM_ENUM(measured, SPEC, "total", measured_names,
               "The call with the synchronisation after it, or the call alone."),
    PARAM_ENUM(direction, SPEC, "host-to-device", direction_names, "Direction of the copy."),
    PARAM_ENUM(distance, SPEC, "same-socket", distance_names,
               "Whether the other memory is on the GPU's socket or on another one."),
    PARAM_ENUM(memory, SPEC, "pinned", memory_names, "Kind of the host memory."),
    {"bytes", PARAM_QUANTITY, UNIT_BYTES, offsetof(SPEC, bytes), NULL, "0B", "1GiB", NULL,
     "Size of a copy.", NULL},
    PARAM_COUNT(window, SPEC, "1", "1", "1000",
                "Copies that are started before each cudaStreamSynchronize; the time is that of"
                " one copy."),
    PARAM_FLAG(resident, SPEC, "false", "A kernel is on the GPU all the time."),
    PARAM_COUNT(repeats, SPEC, "10", "1", "1000000", "Repetitions that are measured."),
    PARAM_COUNT(processes, SPEC, "1", "1", G_STRINGIFY(MOST_PROCESSES),
                "Processes that share the GPU and copy at the same time."),
};
#undef SPEC
static PARAM_TABLE(cuda_copy_params, "cuda_copy", struct cuda_copy_spec, params,
                   "cudaMemcpyAsync and cudaStreamSynchronize by one process or several.");

struct cuda_copy_run {
    const struct cuda_copy_spec *spec;
    struct job *job;
    sim_time took_ps; /* by all processes together */
};

/* The memory beside the process's GPU: its socket's, or that of the last rank, who stands for another place. */
static struct block other_memory(const struct cuda_copy_run *run, const struct job_process *own)
{
    const struct cuda_copy_spec *spec = run->spec;
    const struct job_process *other = &run->job->processes[run->job->count - 1];
    enum block_kind kind = spec->memory == PINNED ? BLOCK_PINNED : BLOCK_PAGEABLE;
    if (spec->direction == DEVICE_TO_DEVICE)
        return job_device_block(other, 1, spec->bytes);
    return job_host_block(spec->distance == FAR ? other : own, kind, 1, spec->bytes);
}

/* As observers know it. */
static void begin_copy(struct job_process *process)
{
    static const struct observe_origin copies = {.path = "copies", .callers = "rank"};
    struct observe *observe = &process->job->sim->observe;
    if (observe_wants_operations(observe))
        cpu_work_for(&process->cpu, observe_begin(observe, &copies, (uint32_t)process->rank,
                                                  cpu_now(&process->cpu)));
}

/* Longer than any run. */
static void launch_resident(struct job_process *process)
{
    const struct kernel kernel = {
        .work_groups = 1, .threads = 32, .work = {.latency_ps = 1000 * PS_PER_MS}};
    cuda_launch(cuda_stream_new(process->device, 0), &process->cpu, &kernel, NULL);
}

static void program(struct party *party, void *argument)
{
    struct cuda_copy_run *run = argument;
    run->job = world_job(party->world);
    struct job_process *own = &run->job->processes[party->place];
    if (party->place >= run->spec->processes)
        return;
    struct cuda_stream *stream = cuda_stream_new(own->device, 0);
    struct block device = job_device_block(own, 2, run->spec->bytes);
    struct block other = other_memory(run, own);
    bool is_out = run->spec->direction != HOST_TO_DEVICE;
    if (run->spec->resident)
        launch_resident(own);
    cuda_copy(stream, &own->cpu, is_out ? other : device, is_out ? device : other);
    if (party->place == 0)
        run_energy_begins(world_cluster(party->world), cpu_now(&own->cpu));
    for (int64_t i = 0; i < run->spec->repeats; i++) {
        sim_time start_ps = cpu_now(&own->cpu);
        begin_copy(own);
        for (int64_t k = 0; k < run->spec->window; k++)
            cuda_copy_async(stream, &own->cpu, is_out ? other : device, is_out ? device : other,
                            NULL);
        if (run->spec->measured == CALL)
            run->took_ps += cpu_now(&own->cpu) - start_ps;
        cuda_stream_synchronize(stream, &own->cpu);
        if (run->spec->measured == TOTAL)
            run->took_ps += cpu_now(&own->cpu) - start_ps;
        observe_end(&own->job->sim->observe, cpu_work_for(&own->cpu, 0), cpu_now(&own->cpu));
    }
    run_energy_ends(world_cluster(party->world), cpu_now(&own->cpu));
}

/* The GPU's number whose memory or socket is the other end; -1: the processes' own socket. */
static int64_t other_gpu(const struct cuda_copy_spec *spec, const struct node_shape *node)
{
    if (spec->distance == FAR)
        return node->gpus_per_socket;
    return spec->direction == DEVICE_TO_DEVICE ? 1 : -1;
}

static bool fits(const struct cuda_copy_spec *spec, const struct node_shape *node, GError **error)
{
    if (spec->distance == FAR && node->sockets < 2)
        error_set(error, "a cross-socket copy takes nodes of at least 2 sockets; they have 1");
    else if (other_gpu(spec, node) == 1 && node->gpus_per_socket < 2)
        error_set(
            error,
            "a same-socket copy between devices takes sockets of at least 2 GPUs; they have 1");
    else
        return true;
    return false;
}

static void report(const void *argument, const struct world *world, struct workload_result *result)
{
    const struct cuda_copy_run *run = argument;
    int64_t copies = run->spec->repeats * run->spec->processes * run->spec->window;
    workload_add_quantity(result, "time", UNIT_TIME, (run->took_ps + copies / 2) / copies);
    world_report(world, (double)copies, result);
}

/* The processes on the first GPU; behind them one that does nothing, if another place's memory is needed. */
static bool run_cuda_copy(const struct machine_spec *machine, const void *argument, uint64_t seed,
                          struct workload_result *result, GError **error)
{
    struct cuda_copy_run run = {.spec = argument};
    struct job_place places[MOST_PROCESSES + 1] = {0};
    int64_t processes = run.spec->processes, other = other_gpu(run.spec, &machine->node);
    double bytes =
        (double)run.spec->bytes * (double)((run.spec->repeats * run.spec->window + 1) * processes);
    static const struct world_task task = {NULL, program, report};
    struct world_setup setup = {
        .seed = seed, .places = places, .place_count = processes + (other >= 0)};
    places[processes].gpu = (int32_t)MAX(other, 0);
    if (!machine_can_carry(machine, bytes, error) || !fits(run.spec, &machine->node, error))
        return false;
    return world_run_alone(machine, &setup, &task, &run, result, error);
}

const struct workload cuda_copy_workload = {
    .name = "cuda_copy",
    .params = &cuda_copy_params,
    .run = run_cuda_copy,
};
