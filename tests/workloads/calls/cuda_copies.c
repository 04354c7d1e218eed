/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows of copies on several streams at once by one thread of the host: to the host, to the GPU, on one GPU or several. */
#include "calls.h"
#include "core/error.h"
#include "workloads/transfer/transfer.h"

#define MOST_GPUS 64

struct cuda_copies_spec {
    int64_t to_host, to_device, bytes, window, repeats;
    int64_t apart; /* flag */
};

#define SPEC struct cuda_copies_spec
static const struct param params[] = {
    PARAM_COUNT(to_host, SPEC, "1", "0", G_STRINGIFY(MOST_GPUS),
                "How many GPUs, counted from the first, have a stream of copies to the host."),
    PARAM_COUNT(to_device, SPEC, "1", "0", G_STRINGIFY(MOST_GPUS),
                "How many GPUs, counted from the first, have a stream of copies from the host."),
    PARAM_FLAG(apart, SPEC, "false",
               "The receiving GPUs are other GPUs than the sending ones: those that follow "
               "them."),
    PARAM_OF("bytes", UNIT_BYTES, offsetof(SPEC, bytes), NULL, "1B", "1GiB", "Size of a copy."),
    PARAM_COUNT(window, SPEC, "16", "1", "1000",
                "Copies on each stream before all streams are synchronised."),
    PARAM_COUNT(repeats, SPEC, "4", "1", "100000", "Number of windows."),
};
#undef SPEC
static PARAM_TABLE(cuda_copies_params, "cuda_copies", struct cuda_copies_spec, params,
                   "Copies between host and GPUs on several streams at once.");

/* A stream with its copies. */
struct copy_lane {
    struct cuda_stream *stream;
    struct block from, to;
};

struct copies_run {
    const struct cuda_copies_spec *spec;
    struct copy_lane lanes[2 * MOST_GPUS];
    int64_t count;
    sim_time took_ps;
};

static void add_lane(struct copies_run *run, struct job *job, int64_t gpu, bool is_to_host)
{
    const struct job_process *at = &job->processes[gpu];
    struct block host = job_host_block(&job->processes[0], BLOCK_PINNED, (uint32_t)run->count + 1,
                                       run->spec->bytes);
    struct block device = job_device_block(at, is_to_host ? 1 : 2, run->spec->bytes);
    run->lanes[run->count++] = (struct copy_lane){.stream = cuda_stream_new(at->device, 0),
                                                  .from = is_to_host ? device : host,
                                                  .to = is_to_host ? host : device};
}

static void add_lanes(struct copies_run *run, struct job *job)
{
    const struct cuda_copies_spec *spec = run->spec;
    int64_t first = spec->apart ? spec->to_host : 0;
    for (int64_t i = 0; i < spec->to_host; i++)
        add_lane(run, job, i, true);
    for (int64_t i = 0; i < spec->to_device; i++)
        add_lane(run, job, first + i, false);
}

static void copy_window(const struct copies_run *run, struct cpu *cpu)
{
    for (int64_t k = 0; k < run->spec->window; k++)
        for (int64_t i = 0; i < run->count; i++)
            cuda_copy_async(run->lanes[i].stream, cpu, run->lanes[i].to, run->lanes[i].from, NULL);
    for (int64_t i = 0; i < run->count; i++)
        cuda_stream_synchronize(run->lanes[i].stream, cpu);
}

/* The first process's thread drives all GPUs; the others lend theirs. */
static void program(struct party *party, void *argument)
{
    struct copies_run *run = argument;
    struct job *job = world_job(party->world);
    struct cpu *cpu = &job->processes[0].cpu;
    if (party->place > 0)
        return;
    add_lanes(run, job);
    copy_window(run, cpu);
    sim_time start_ps = cpu_now(cpu);
    run_energy_begins(world_cluster(party->world), start_ps);
    for (int64_t i = 0; i < run->spec->repeats; i++)
        copy_window(run, cpu);
    run->took_ps = cpu_now(cpu) - start_ps;
    run_energy_ends(world_cluster(party->world), cpu_now(cpu));
}

static void report(const void *argument, const struct world *world, struct workload_result *result)
{
    const struct copies_run *run = argument;
    int64_t copies = run->spec->repeats * run->spec->window * run->count;
    double rate_Bps =
        (double)copies * (double)run->spec->bytes * (double)PS_PER_S / (double)run->took_ps;
    workload_add_quantity(result, "bandwidth", UNIT_RATE, (int64_t)(rate_Bps + 0.5));
    workload_add_quantity(result, "time", UNIT_TIME, (run->took_ps + copies / 2) / copies);
    world_report(world, (double)copies, result);
}

static bool run_cuda_copies(const struct machine_spec *machine, const void *argument, uint64_t seed,
                            struct workload_result *result, GError **error)
{
    struct copies_run run = {.spec = argument};
    const struct cuda_copies_spec *spec = argument;
    int64_t lanes = spec->to_host + spec->to_device;
    int64_t gpus = spec->apart ? lanes : MAX(spec->to_host, spec->to_device);
    struct job_place places[2 * MOST_GPUS] = {0};
    static const struct world_task task = {NULL, program, report};
    struct world_setup setup = {.seed = seed, .places = places, .place_count = gpus};
    for (int64_t i = 0; i < gpus; i++)
        places[i].gpu = (int32_t)i;
    if (lanes == 0)
        return error_set(error, "there is nothing to copy: to_host and to_device are 0");
    double copies = (double)((spec->repeats + 1) * spec->window * lanes);
    if (!machine_can_carry(machine, copies * (double)spec->bytes, error))
        return false;
    return world_run_alone(machine, &setup, &task, &run, result, error);
}

const struct workload cuda_copies_workload = {
    .name = "cuda_copies",
    .params = &cuda_copies_params,
    .run = run_cuda_copies,
};
