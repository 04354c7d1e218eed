/* cudaMemcpyAsync and cudaStreamSynchronize by one process, again and again: what BenchPress
 * measures as the cost of a copy. */
#include "workloads/job_run.h"
#include "core/error.h"

enum direction { HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE };
static const char *const direction_names[] = {"host-to-device", "device-to-host",
                                              "device-to-device", NULL};
enum distance { NEAR, FAR };
static const char *const distance_names[] = {"same-socket", "cross-socket", NULL};
enum memory { PINNED, PAGEABLE };
static const char *const memory_names[] = {"pinned", "pageable", NULL};

struct cuda_copy_spec {
    int64_t direction, distance, memory, bytes, repeats;
};

#define SPEC struct cuda_copy_spec
static const struct param params[] = {
    PARAM_ENUM(direction, SPEC, "host-to-device", direction_names, "From where to where."),
    PARAM_ENUM(distance, SPEC, "same-socket", distance_names,
               "Whether the other memory is on the GPU's socket or on another one."),
    PARAM_ENUM(memory, SPEC, "pinned", memory_names, "Kind of the host memory."),
    {"bytes", PARAM_QUANTITY, UNIT_BYTES, offsetof(SPEC, bytes), NULL, "0B", "1GiB", NULL,
     "Size of a copy.", NULL},
    PARAM_COUNT(repeats, SPEC, "10", "1", "1000000", "Copies, one after the other."),
};
#undef SPEC
static PARAM_TABLE(cuda_copy_params, "cuda_copy", struct cuda_copy_spec, params,
                   "cudaMemcpyAsync and cudaStreamSynchronize by one process.");

struct copy_run {
    const struct cuda_copy_spec *spec;
    struct job *job;
    sim_time took_ps;
};

/* The memory beside the GPU of rank 0: that of rank 1, who stands for the other place, or rank 0's
 * socket. */
static struct block other_memory(const struct copy_run *run)
{
    const struct cuda_copy_spec *spec = run->spec;
    const struct job_process *own = &run->job->processes[0], *other = &run->job->processes[1];
    enum block_kind kind = spec->memory == PINNED ? BLOCK_PINNED : BLOCK_PAGEABLE;
    if (spec->direction == DEVICE_TO_DEVICE)
        return job_device_block(other, 1, spec->bytes);
    return job_host_block(spec->distance == FAR ? other : own, kind, 1, spec->bytes);
}

/* As observers know it. */
static void begin_copy(struct job_process *process)
{
    static const struct observe_origin copies = {"copies", "rank", false};
    struct observe *observe = &process->job->sim->observe;
    if (observe_wants_operations(observe))
        cpu_work_for(&process->cpu, observe_begin(observe, &copies, (uint32_t)process->rank, cpu_now(&process->cpu)));
}

static void program(struct process *self, void *argument)
{
    struct copy_run *run = argument;
    struct job_process *own = &run->job->processes[0];
    struct cuda_stream *stream = cuda_stream_new(own->device, 0);
    struct block device = job_device_block(own, 2, run->spec->bytes);
    struct block other = other_memory(run);
    bool is_out = run->spec->direction != HOST_TO_DEVICE;
    (void)self;
    cuda_copy(stream, &own->cpu, is_out ? other : device, is_out ? device : other);
    sim_time start_ps = cpu_now(&own->cpu);
    for (int64_t i = 0; i < run->spec->repeats; i++) {
        begin_copy(own);
        cuda_copy(stream, &own->cpu, is_out ? other : device, is_out ? device : other);
        observe_end(&own->job->sim->observe, cpu_work_for(&own->cpu, 0), cpu_now(&own->cpu));
    }
    run->took_ps = cpu_now(&own->cpu) - start_ps;
    cpu_settle(&own->cpu);
}

/* Rank 1 is on the GPU's socket or the next one, and does nothing. */
static bool place(const struct cuda_copy_spec *spec, const struct node_shape *node,
                  struct job_place *places, GError **error)
{
    int64_t other = spec->distance == FAR                 ? node->gpus_per_socket
                    : spec->direction == DEVICE_TO_DEVICE ? 1
                                                          : 0;
    places[0] = (struct job_place){0, 0};
    places[1] = (struct job_place){0, (int32_t)other};
    if (spec->distance == FAR && node->sockets < 2)
        return error_set(error, "a cross-socket copy takes nodes of at least 2 sockets; they have 1");
    if (other == 1 && node->gpus_per_socket < 2)
        return error_set(error, "a same-socket copy between devices takes sockets of at least 2 GPUs; they have 1");
    return true;
}

static void start(struct job *job, void *argument)
{
    struct copy_run *run = argument;
    run->job = job;
    job_start(job, 0, program, run);
}

static void report(struct job *job, void *argument, struct workload_result *result)
{
    const struct copy_run *run = argument;
    int64_t repeats = run->spec->repeats;
    workload_add_quantity(result, "time", UNIT_TIME, (run->took_ps + repeats / 2) / repeats);
    workload_add_quantity(result, "events", UNIT_COUNT, (int64_t)event_executed(job->sim->events));
}

static bool run_cuda_copy(const struct machine_spec *machine, const void *argument, uint64_t seed,
                          struct workload_result *result, GError **error)
{
    static const struct job_run_steps steps = {.start = start, .report = report};
    struct copy_run run = {.spec = argument};
    struct job_place places[2];
    double bytes = (double)run.spec->bytes * (double)(run.spec->repeats + 1);
    return machine_can_carry(machine, bytes, error) &&
           place(run.spec, &machine->node, places, error) &&
           job_run(machine, places, 2, seed, &steps, &run, result, error);
}

const struct workload cuda_copy_workload = {
    .name = "cuda_copy",
    .description = "cudaMemcpyAsync and cudaStreamSynchronize by one process.",
    .params = &cuda_copy_params,
    .run = run_cuda_copy,
};
