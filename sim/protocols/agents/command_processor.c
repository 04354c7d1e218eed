/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread bound to a CP core (models/cp/cp.h). */

#include "core/clock.h"
#include "models/gpu/poll_wait.h"
#include "protocols/agents/gpu_side.h"

static void on_cp_load_all(struct agent *agent, const struct memory_load *loads, size_t count)
{
    cp_thread_load_all(&agent->cp, loads, count);
}

static bool sweep_rhythm(struct agent *agent, address at, int64_t instructions,
                         struct poll_rhythm *rhythm)
{
    sim_time loop_ps = cp_thread_time_ps(&agent->cp, instructions);
    return cp_thread_touches(&agent->cp, instructions) == 0 &&
           memory_client_poll_rhythm(&agent->cp.memory, at, loop_ps, rhythm);
}

static const struct agent_sweep_ops sweep_ops = {sweep_rhythm, gpu_side_watch, gpu_side_unwatch,
                                                 gpu_side_skip};

static int64_t on_cp_loads_in_flight(struct agent *agent, address at)
{
    (void)at;
    return cp_spec_of(agent->cp.cp)->core.loads_in_flight;
}

static void on_cp_execute(struct agent *agent, int64_t instructions)
{
    cp_thread_execute(&agent->cp, instructions);
    agent_stalls(agent);
    cp_thread_touch_data(&agent->cp, instructions);
    agent_resumes(agent);
}

static void on_cp_wait_word(struct agent *agent, address at, struct word_condition until,
                            int64_t instructions, enum memory_scope scope, bool skip)
{
    (void)scope;
    struct cp_thread *thread = &agent->cp;
    agent_stalls(agent); /* for the whole wait: the loop has few instructions beside its loads */
    memory_client_wait_words(&thread->memory, &at, 1, until,
                             cp_thread_time_ps(thread, instructions), skip);
    agent_resumes(agent);
}

static void init(struct agent *agent, struct agent_place place, int64_t number,
                 struct process *process)
{
    static const struct agent_ops ops = {
        .is_metered = true,
        .load = gpu_side_load,
        .load_all = on_cp_load_all,
        .poll = gpu_side_poll,
        .sweep = &sweep_ops,
        .loads_in_flight = on_cp_loads_in_flight,
        .load_bytes = gpu_side_load_bytes,
        .store = gpu_side_store,
        .store_locked = gpu_side_store,
        .atomic = gpu_side_atomic,
        .acquire = gpu_side_acquire,
        .release = gpu_side_release,
        .execute = on_cp_execute,
        .wait_word = on_cp_wait_word,
    };
    agent->ops = &ops;
    agent->memory = &agent->cp.memory;
    cp_thread_init(&agent->cp, place.site->cp, number, process);
}

static void serve_queues(struct agent *agent, int64_t queues)
{
    cp_thread_serve_queues(&agent->cp, queues);
}

/* A rank's core. Its own memory is the GPU's, which it reaches through its data cache and the L2; payloads of messages are in
 * neither (models/gpu: large payloads do not pass the tags of the L2). */
static struct job_core rank_core(const struct machine_spec *machine)
{
    const struct cp_spec *cp = &machine->cp;
    const struct gpu_spec *gpu = &machine->gpu;
    struct job_core core = job_core_of(machine, CORES_OF_CP);
    core.name = "command_processor";
    core.is_on_gpu = true;
    core.load_ps = cycles_ps(cp->dcache.latency_cycles, cp->core.clock_Hz) +
                   cycles_ps(gpu->l2.latency_cycles, gpu->clock_Hz) + gpu->memory_latency_ps;
    core.loads_in_flight = cp->core.loads_in_flight;
    return core;
}

const struct agent_kind command_processor_kind = {
    .name = "command_processor",
    .description = "threads on command processors, behind the GPU's L2",
    .threads = "command processors",
    .memory = MEMORY_GPU,
    .pool = CORES_OF_CP,
    .rank_core = rank_core,
    .init = init,
    .serve_queues = serve_queues,
};
