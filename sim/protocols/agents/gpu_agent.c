/* SPDX-License-Identifier: BSD-3-Clause */
/* A wavefront of a resident kernel as an agent. It holds a wavefront's place on a compute unit, and reaches the L2 and the bus
 * as the work-groups there do. Its loads are volatile: they look past the L1 of the compute unit, and the line that a load has
 * brought stays in registers until the next acquire. Loads of several lanes are one vector load: they are under way together,
 * and it is back when the last of them is. */

#include "models/gpu/poll_wait.h"
#include "protocols/agents/gpu_side.h"

static void on_gpu_load_all(struct agent *agent, const struct memory_load *loads, size_t count)
{
    memory_client_load_all(agent->memory, loads, count, agent->gpu.lanes);
}

static bool sweep_rhythm(struct agent *agent, address at, int64_t instructions,
                         struct poll_rhythm *rhythm)
{
    sim_time loop_ps = work_group_time_ps(agent->gpu.work_group, instructions);
    return memory_client_poll_rhythm(agent->memory, at, loop_ps, rhythm);
}

static const struct agent_sweep_ops sweep_ops = {sweep_rhythm, gpu_side_watch, gpu_side_unwatch,
                                                 gpu_side_skip};

/* A lane loads four registers at a time. */
static int64_t on_gpu_load_bytes(struct agent *agent, address at)
{
    (void)agent, (void)at;
    return 16;
}

static int64_t on_gpu_loads_in_flight(struct agent *agent, address at)
{
    (void)at;
    return agent->gpu.lanes;
}

static void on_gpu_execute(struct agent *agent, int64_t instructions)
{
    process_run_ahead(agent->process, work_group_time_ps(agent->gpu.work_group, instructions));
}

static void on_gpu_wait_word(struct agent *agent, address at, struct word_condition until,
                             int64_t instructions, enum memory_scope scope, bool skip)
{
    (void)scope; /* a poll looks past the L1 in any case */
    agent_stalls(agent);
    memory_client_wait_words(agent->memory, &at, 1, until,
                             work_group_time_ps(agent->gpu.work_group, instructions), skip);
    agent_resumes(agent);
}

static void run_thread(struct work_group *wg, void *argument)
{
    static const struct agent_ops ops = {
        .is_metered = true,
        .load = gpu_side_load,
        .load_all = on_gpu_load_all,
        .poll = gpu_side_poll,
        .sweep = &sweep_ops,
        .loads_in_flight = on_gpu_loads_in_flight,
        .load_bytes = on_gpu_load_bytes,
        .store = gpu_side_store,
        .store_locked = gpu_side_store,
        .atomic = gpu_side_atomic,
        .acquire = gpu_side_acquire,
        .release = gpu_side_release,
        .execute = on_gpu_execute,
        .wait_word = on_gpu_wait_word,
    };
    struct agent_thread *thread = argument;
    struct agent *agent = &thread->agent;
    struct device_memory *memory = wg->memory.memory;
    agent->ops = &ops;
    agent->process = wg->process;
    agent->poller.of = &memory->sim->quiescence;
    agent->memory = &agent->gpu.memory;
    agent->gpu.work_group = wg;
    agent->gpu.lanes = thread->kernel.threads;
    memory_client_init(&agent->gpu.memory, memory, thread->registers, wg->memory.l1_latency_ps,
                       L2_FROM_CU);
    agent->gpu.memory.process = wg->process;
    agent->gpu.memory.fences = wg->memory.fences;
    agent->gpu.memory.turn = (int16_t)(POLL_TURN_CORES + thread->number);
    agent->gpu.memory.runs_ahead = true;
    agent_count_energy(agent, thread->kind, thread->place);
    thread->program(agent, thread->argument);
    agent_release(agent, SCOPE_DEVICE); /* its stores are performed after it has ended */
}

bool gpu_agent_start(struct agent_thread *thread, int64_t lanes, GError **error)
{
    const struct agent_place *place = &thread->place;
    thread->registers = cache_new(lanes * CACHE_LINE_BYTES, lanes, true);
    thread->kernel = (struct kernel){.work_groups = 1,
                                     .threads = lanes,
                                     .program = run_thread,
                                     .argument = thread,
                                     .name = thread->name};
    return gpu_launch(place->site->gpu, &thread->kernel, error);
}

/* At most as many threads as can each have a turn of their own among polls at the same time (process_sleep_until_turn). */
int64_t gpu_agent_room(const struct machine_spec *machine)
{
    return MIN(machine->gpu.compute_units * machine->gpu.waves_per_cu,
               EVENT_LATE - POLL_TURN_CORES);
}

/* The power that the resident work-group adds in every state, since it waits by polling; without the GPU's own power. */
void gpu_agent_power(const struct machine_spec *machine, int64_t power_mW[AGENT_STATES])
{
    for (int state = 0; state < AGENT_STATES; state++)
        power_mW[state] = machine->gpu.spin_power_mW;
}
