/* SPDX-License-Identifier: BSD-3-Clause */
/* What launches cost a process: the call, the kernel behind it, rows of kernels in a stream, graphs; by one thread or by
 * several that share a GPU. */
#include "calls.h"
#include "core/error.h"
#include "workloads/transfer/transfer.h"

enum measured { CALL, SYNCHRONIZE, BACK_TO_BACK, PERIOD };
static const char *const measured_names[] = {"call", "synchronize", "back_to_back", "period", NULL};

#define MOST_PROCESSES 16

struct kernel_launch_spec {
    int64_t measured, launches, kernels, branches, work_groups, threads, processes, repeats,
        streams;
    int64_t sleeps; /* flag */
    sim_time spin_ps;
};

#define SPEC struct kernel_launch_spec
static const struct param params[] = {
    PARAM_ENUM(measured, SPEC, "synchronize", measured_names,
               "What is measured: the call alone; the call with the synchronisation after it; "
               "the time per launch of `launches` launches and one synchronisation; or the "
               "time from one kernel to the next if all were launched before."),
    PARAM_COUNT(launches, SPEC, "16", "1", "10000",
                "Launches in a row, for back_to_back and period."),
    PARAM_COUNT(kernels, SPEC, "0", "0", "10000",
                "If not 0, a graph is launched, a chain of this many kernels; 0: a kernel is "
                "launched."),
    PARAM_FLAG(branches, SPEC, "false",
               "The kernels of a graph start side by side, not in a chain."),
    PARAM_TIME(spin, SPEC, "0ns", "0ns", "1s", "Time of each work-group."),
    PARAM_COUNT(work_groups, SPEC, "1", "1", "1000000", "Work-groups of a kernel."),
    PARAM_COUNT(threads, SPEC, "32", "1", "1024", "Work-items of a work-group."),
    PARAM_COUNT(processes, SPEC, "1", "1", G_STRINGIFY(MOST_PROCESSES),
                "Threads that launch to streams of one GPU at the same time."),
    PARAM_COUNT(streams, SPEC, "1", "1", "2",
                "For period: the kernels are launched into this many streams in turn, each "
                "after an event that the stream of the previous kernel has recorded."),
    PARAM_FLAG(sleeps, SPEC, "false",
               "A thread that synchronises sleeps until an interrupt instead of polling."),
    PARAM_COUNT(repeats, SPEC, "4", "1", "1000000", "Repetitions that are measured."),
};
#undef SPEC
static PARAM_TABLE(kernel_launch_params, "kernel_launch", struct kernel_launch_spec, params,
                   "What launches of kernels and graphs cost a process.");

struct launch_run {
    const struct kernel_launch_spec *spec;
    struct job *job;
    sim_time took_ps;   /* what is measured, by all processes together */
    sim_time events_ps; /* when the kernel before the row ended */
};

struct launcher {
    struct launch_run *run;
    struct cpu *cpu;
    struct cuda_stream *stream, *other; /* NULL: one only */
};

static struct kernel kernel_of(const struct kernel_launch_spec *spec, sim_time spin_ps)
{
    return (struct kernel){.work_groups = spec->work_groups,
                           .threads = spec->threads,
                           .work = {.latency_ps = spin_ps}};
}

/* Graphs of `kernels` for `count` launches, made beforehand: one is under way once at a time. NULL if kernels are
 * launched. */
static struct cuda_graph **new_graphs(const struct launcher *launcher, int64_t kernels,
                                      int64_t count)
{
    const struct kernel_launch_spec *spec = launcher->run->spec;
    if (spec->kernels == 0)
        return NULL;
    struct cuda_graph **graphs = g_new(struct cuda_graph *, (size_t)count);
    int64_t branches = spec->branches ? kernels : 1, row = kernels / branches;
    g_autofree struct cuda_graph_node *nodes = g_new0(struct cuda_graph_node, (size_t)row);
    for (int64_t i = 0; i < row; i++) {
        nodes[i].kernel = kernel_of(spec, spec->spin_ps);
        nodes[i].kernel.work_groups *= branches; /* side by side */
    }
    for (int64_t i = 0; i < count; i++) {
        graphs[i] = cuda_graph_new(launcher->run->job->cuda, launcher->cpu, nodes, (size_t)row);
        if (branches > 1)
            cuda_graph_branches(graphs[i], branches);
    }
    cpu_settle(launcher->cpu);
    return graphs;
}

static void free_graphs(struct cuda_graph **graphs, int64_t count)
{
    for (int64_t i = 0; graphs != NULL && i < count; i++)
        cuda_graph_free(graphs[i]);
    g_free(graphs);
}

static void launch_row(const struct launcher *launcher, struct cuda_graph *const *graphs,
                       int64_t count)
{
    struct kernel kernel = kernel_of(launcher->run->spec, launcher->run->spec->spin_ps);
    for (int64_t i = 0; i < count; i++)
        if (graphs != NULL)
            cuda_graph_launch(launcher->stream, launcher->cpu, graphs[i], NULL);
        else
            cuda_launch(launcher->stream, launcher->cpu, &kernel, NULL);
}

/* The kernels go to both streams in turn; `events`, all zero, are kept until these are idle. */
static void launch_in_turn(const struct launcher *launcher, struct cuda_completion *events,
                           int64_t count)
{
    struct kernel kernel = kernel_of(launcher->run->spec, launcher->run->spec->spin_ps);
    for (int64_t i = 0; i < count; i++) {
        struct cuda_stream *stream = i % 2 == 0 ? launcher->stream : launcher->other;
        if (i > 0)
            cuda_stream_wait_event(stream, launcher->cpu, &events[i - 1]);
        cuda_launch(stream, launcher->cpu, &kernel, NULL);
        cuda_event_record(stream, launcher->cpu, &events[i]);
    }
}

static void note_end(void *argument)
{
    struct launch_run *run = argument;
    run->events_ps = sim_now(run->job->sim);
}

/* From the end of a long kernel until the process knows that `count` behind it have ended. */
static sim_time behind_long_one(const struct launcher *launcher, int64_t count)
{
    struct launch_run *run = launcher->run;
    const struct kernel_launch_spec *spec = run->spec;
    const struct cuda_spec *cuda = &run->job->spec->cuda;
    param_uses_only(&run->job->sim->uses, &cuda_params, "kernel_launch", "graph_launch",
                    "graph_node", "event_record", "event_wait",
                    NULL); /* energy is that of the long one, too */
    sim_time call_ps = cuda->kernel_launch_ps + cuda->graph_launch_ps + cuda->graph_node_ps +
                       cuda->event_record_ps + cuda->event_wait_ps;
    struct kernel kernel = kernel_of(spec, (count + 1) * (call_ps + PS_PER_US));
    struct cuda_completion completion = {.done = note_end, .argument = run};
    kernel.work_groups = 1;
    int64_t row = spec->kernels > 0 ? 1 : count;
    struct cuda_graph **graphs = new_graphs(launcher, count, row);
    cuda_launch(launcher->stream, launcher->cpu, &kernel, &completion);
    g_autofree struct cuda_completion *events = g_new0(struct cuda_completion, (size_t)count);
    if (launcher->other != NULL)
        launch_in_turn(launcher, events, count);
    else
        launch_row(launcher, graphs, row);
    bool ends_there = launcher->other != NULL && count % 2 == 0;
    cuda_stream_synchronize(ends_there ? launcher->other : launcher->stream, launcher->cpu);
    free_graphs(graphs, row);
    return cpu_now(launcher->cpu) - run->events_ps;
}

static sim_time measure(const struct launcher *launcher)
{
    const struct kernel_launch_spec *spec = launcher->run->spec;
    int64_t launches = spec->measured == BACK_TO_BACK ? spec->launches : 1;
    int64_t row = spec->kernels > 0 ? spec->kernels : spec->launches;
    if (spec->measured == PERIOD)
        return (behind_long_one(launcher, row) - behind_long_one(launcher, 1)) / MAX(1, row - 1);
    struct cuda_graph **graphs = new_graphs(launcher, spec->kernels, launches);
    sim_time start_ps = cpu_now(launcher->cpu);
    launch_row(launcher, graphs, launches);
    sim_time called_ps = cpu_now(launcher->cpu);
    cuda_stream_synchronize(launcher->stream, launcher->cpu);
    free_graphs(graphs, launches);
    sim_time end_ps = spec->measured == CALL ? called_ps : cpu_now(launcher->cpu);
    return (end_ps - start_ps) / launches;
}

static void program(struct party *party, void *argument)
{
    struct launch_run *run = argument;
    run->job = world_job(party->world);
    struct job_process *own = &run->job->processes[party->place];
    struct launcher launcher = {run, &own->cpu, cuda_stream_new(own->device, 0), NULL};
    if (run->spec->streams > 1)
        launcher.other = cuda_stream_new(own->device, 0);
    if (run->spec->sleeps)
        cuda_stream_sleeps(launcher.stream);
    measure(&launcher);
    if (party->place == 0)
        run_energy_begins(world_cluster(party->world), cpu_now(&own->cpu));
    for (int64_t i = 0; i < run->spec->repeats; i++)
        run->took_ps += measure(&launcher);
    cpu_settle(&own->cpu);
    run_energy_ends(world_cluster(party->world), cpu_now(&own->cpu));
}

static void report(const void *argument, const struct world *world, struct workload_result *result)
{
    const struct launch_run *run = argument;
    int64_t times = run->spec->repeats * run->spec->processes;
    workload_add_quantity(result, "time", UNIT_TIME, (run->took_ps + times / 2) / times);
    world_report(world, (double)times, result);
}

static bool fits(const struct kernel_launch_spec *spec, const struct gpu_spec *gpu, GError **error)
{
    struct kernel kernel = kernel_of(spec, 0);
    if (spec->branches && (spec->kernels == 0 || spec->measured == PERIOD))
        return error_set(error, "branches are those of a graph (kernels), and have no period");
    if (spec->streams > 1 && (spec->measured != PERIOD || spec->kernels > 0))
        return error_set(
            error, "several streams are for measured = period, of kernels launched one by one");
    if (spec->measured == PERIOD && spec->processes > 1)
        return error_set(error, "measured = period is for one process; it has %lld",
                         (long long)spec->processes);
    return gpu_kernel_fits(gpu, &kernel, error);
}

static bool run_kernel_launch(const struct machine_spec *machine, const void *argument,
                              uint64_t seed, struct workload_result *result, GError **error)
{
    struct launch_run run = {.spec = argument};
    static const struct job_place places[MOST_PROCESSES];
    static const struct world_task task = {NULL, program, report};
    struct world_setup setup = {.seed = seed, .places = places, .place_count = run.spec->processes};
    if (!fits(run.spec, &machine->gpu, error))
        return false;
    return world_run_alone(machine, &setup, &task, &run, result, error);
}

const struct workload kernel_launch_workload = {
    .name = "kernel_launch",
    .params = &kernel_launch_params,
    .run = run_kernel_launch,
};
