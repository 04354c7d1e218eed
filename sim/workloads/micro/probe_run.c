/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/micro/probe_run.h"

#include "core/error.h"

bool probe_run_start(struct probe_run *run, const struct machine_spec *machine, int64_t gpus,
                     uint64_t seed, GError **error)
{
    *run = (struct probe_run){0};
    if (topology_gpu_count(&machine->node) < gpus)
        return error_set(error, "it takes a node of at least %lld GPUs; this one has %d",
                         (long long)gpus, topology_gpu_count(&machine->node));
    run->sim = sim_new(seed);
    run->cluster = cluster_new(run->sim, machine, NODE_DISCRETE, error);
    if (run->cluster != NULL)
        return true;
    sim_free(run->sim);
    return false;
}

/* The site of a GPU of node 0; whether node 0 has that GPU is the caller's business. */
static struct site *site_of(struct probe_run *run, int gpu)
{
    return cluster_site(run->cluster, 0, gpu);
}

address probe_run_lines(struct probe_run *run, int gpu, enum node_memory memory, int64_t count,
                        enum store_kind kind)
{
    return site_allocate(run->cluster, site_of(run, gpu), memory, count * CACHE_LINE_BYTES, kind);
}

bool probe_run_kernel(struct probe_run *run, int gpu, int64_t work_groups, kernel_program *program,
                      void *argument, GError **error)
{
    struct kernel *kernel = &run->kernels[run->kernel_count++];
    *kernel = (struct kernel){.work_groups = work_groups,
                              .threads = 32,
                              .program = program,
                              .argument = argument,
                              .stream = run->kernel_count,
                              .is_cooperative = true};
    return gpu_launch(site_of(run, gpu)->gpu, kernel, error);
}

void probe_run_thread(struct probe_run *run, struct agent *agent, int gpu, int64_t core,
                      process_fn *program, void *argument)
{
    struct agent_place place = {run->cluster, site_of(run, gpu)};
    struct process *process =
        process_spawn(run->sim->processes, "host thread", program, argument, sim_now(run->sim), 0);
    agent_init(agent, &host_thread_kind, place, core, process);
}

bool probe_run_finish(struct probe_run *run, GError **error)
{
    enum sim_end end = sim_run(run->sim);
    if (sim_tell_end(run->sim, end, error))
        return false;
    if (end == SIM_FINISHED)
        return true;
    g_autofree char *text = sim_deadlock_report(run->sim, 4);
    return error_set(error, "deadlock: %s", text);
}

void probe_run_end(struct probe_run *run)
{
    cluster_free(run->cluster);
    sim_free(run->sim);
}
