#include "protocols/agent.h"

#include "models/gpu/poll_wait.h"

const char *const agent_state_names[AGENT_STATES] = {"active", "polling", "stalled", "idle",
                                                     "sleep"};

enum agent_state agent_set_work(struct agent *agent, enum agent_state work)
{
    enum agent_state before = agent->work;
    agent->work = work;
    energy_set_state(&agent->energy, process_now(agent->process), work);
    return before;
}

/* Brackets what waits for memory. */
static void stall(struct agent *agent)
{
    energy_set_state(&agent->energy, process_now(agent->process), AGENT_STALLED);
}

static void resume(struct agent *agent)
{
    energy_set_state(&agent->energy, process_now(agent->process), agent->work);
}

/* --- work-group -------------------------------------------------------------------------------- */

static void wg_load(struct agent *agent, address at, void *data, size_t bytes)
{
    memory_client_load(&agent->work_group->memory, at, data, bytes);
}

/* A work-group waits for one word at a time. */
static void wg_load_all(struct agent *agent, const struct memory_load *loads, size_t count)
{
    for (size_t i = 0; i < count; i++)
        wg_load(agent, loads[i].at, loads[i].data, loads[i].bytes);
}

static int64_t wg_loads_in_flight(struct agent *agent, address at)
{
    (void)agent;
    (void)at;
    return 1;
}

static void wg_store(struct agent *agent, address at, const void *data, size_t bytes)
{
    memory_client_store(&agent->work_group->memory, at, data, bytes);
}

static void wg_store_locked(struct agent *agent, address at, const void *data, size_t bytes)
{
    memory_client_store_locked(&agent->work_group->memory, at, data, bytes);
}

static uint64_t wg_atomic(struct agent *agent, address at, enum atomic_op op, uint64_t operand,
                          uint64_t compare)
{
    return memory_client_atomic(&agent->work_group->memory, at, op, operand, compare);
}

static void wg_acquire(struct agent *agent, enum memory_scope scope)
{
    memory_client_acquire(&agent->work_group->memory, scope);
}

static void wg_release(struct agent *agent, enum memory_scope scope)
{
    memory_client_release(&agent->work_group->memory, scope);
}

static void wg_execute(struct agent *agent, int64_t instructions)
{
    work_group_execute(agent->work_group, instructions);
}

static void wg_wait_word(struct agent *agent, address at, struct word_condition until,
                         int64_t instructions, enum memory_scope scope, bool skip)
{
    (void)scope; /* a poll looks past the L1 in any case */
    struct work_group *wg = agent->work_group;
    wg->wait.is_waiting = true;
    wg->wait.at = at;
    wg->wait.until = until;
    wg->wait.since_ps = process_now(wg->process);
    memory_client_wait_word(&wg->memory, at, until, work_group_time_ps(wg, instructions), skip);
    wg->wait.is_waiting = false;
}

void agent_init_work_group(struct agent *agent, struct work_group *wg)
{
    static const struct agent_ops ops = {
        wg_load,   wg_load_all, wg_loads_in_flight, wg_store,   wg_store_locked,
        wg_atomic, wg_acquire,  wg_release,         wg_execute, wg_wait_word};
    *agent = (struct agent){.ops = &ops,
                            .process = wg->process,
                            .poller.of = &wg->memory.memory->sim->quiescence,
                            .work_group = wg};
}

/* --- command processor ------------------------------------------------------------------------- */

static void on_cp_load(struct agent *agent, address at, void *data, size_t bytes)
{
    stall(agent);
    memory_client_load(&agent->cp.memory, at, data, bytes);
    resume(agent);
}

static void on_cp_load_all(struct agent *agent, const struct memory_load *loads, size_t count)
{
    stall(agent);
    cp_thread_load_all(&agent->cp, loads, count);
    resume(agent);
}

static int64_t on_cp_loads_in_flight(struct agent *agent, address at)
{
    (void)at;
    return cp_spec_of(agent->cp.cp)->loads_in_flight;
}

static void on_cp_store(struct agent *agent, address at, const void *data, size_t bytes)
{
    memory_client_store(&agent->cp.memory, at, data, bytes);
}

static uint64_t on_cp_atomic(struct agent *agent, address at, enum atomic_op op, uint64_t operand,
                             uint64_t compare)
{
    stall(agent);
    uint64_t old = memory_client_atomic(&agent->cp.memory, at, op, operand, compare);
    resume(agent);
    return old;
}

static void on_cp_acquire(struct agent *agent, enum memory_scope scope)
{
    memory_client_acquire(&agent->cp.memory, scope);
}

static void on_cp_release(struct agent *agent, enum memory_scope scope)
{
    stall(agent);
    memory_client_release(&agent->cp.memory, scope);
    resume(agent);
}

static void on_cp_execute(struct agent *agent, int64_t instructions)
{
    cp_thread_execute(&agent->cp, instructions);
    stall(agent);
    cp_thread_touch_data(&agent->cp, instructions);
    resume(agent);
}

static void on_cp_wait_word(struct agent *agent, address at, struct word_condition until,
                            int64_t instructions, enum memory_scope scope, bool skip)
{
    (void)scope;
    struct cp_thread *thread = &agent->cp;
    stall(agent); /* all of it: the loop's instructions are few beside its loads */
    memory_client_wait_word(&thread->memory, at, until, cp_thread_time_ps(thread, instructions),
                            skip);
    resume(agent);
}

void agent_init_cp(struct agent *agent, struct cp *cp, int64_t core, struct process *process)
{
    static const struct agent_ops ops = {
        on_cp_load,   on_cp_load_all, on_cp_loads_in_flight, on_cp_store,   on_cp_store,
        on_cp_atomic, on_cp_acquire,  on_cp_release,         on_cp_execute, on_cp_wait_word};
    *agent = (struct agent){.ops = &ops, .process = process};
    cp_thread_init(&agent->cp, cp, core, process);
    agent->poller.of = &agent->cp.memory.memory->sim->quiescence;
    const struct cp_spec *spec = cp_spec_of(cp);
    const int64_t power_mW[] = {spec->active_power_mW, spec->polling_power_mW,
                                spec->stalled_power_mW, spec->idle_power_mW, spec->sleep_power_mW};
    energy_init(&agent->energy, agent_state_names, power_mW, AGENT_STATES, process_now(process));
}

/* --- CPU core ---------------------------------------------------------------------------------- */

static void on_host_load(struct agent *agent, address at, void *data, size_t bytes)
{
    stall(agent);
    host_thread_load(&agent->host, at, data, bytes);
    resume(agent);
}

static void on_host_load_all(struct agent *agent, const struct memory_load *loads, size_t count)
{
    stall(agent);
    host_thread_load_all(&agent->host, loads, count);
    resume(agent);
}

static int64_t on_host_loads_in_flight(struct agent *agent, address at)
{
    return host_thread_loads_in_flight(&agent->host, at);
}

static void on_host_store(struct agent *agent, address at, const void *data, size_t bytes)
{
    host_thread_store(&agent->host, at, data, bytes);
}

static uint64_t on_host_atomic(struct agent *agent, address at, enum atomic_op op, uint64_t operand,
                               uint64_t compare)
{
    stall(agent);
    uint64_t old = host_thread_atomic(&agent->host, at, op, operand, compare);
    resume(agent);
    return old;
}

/* A core's caches are coherent and its stores are seen in order: nothing to do. */
static void on_host_fence(struct agent *agent, enum memory_scope scope)
{
    (void)agent;
    (void)scope;
}

static void on_host_execute(struct agent *agent, int64_t instructions)
{
    host_thread_execute(&agent->host, instructions);
}

/* Loads over the bus meet other traffic there: each is made. */
static void wait_across_bus(struct agent *agent, address at, struct word_condition until,
                            int64_t instructions)
{
    uint64_t word;
    while (true) {
        poller_begins(&agent->poller);
        on_host_execute(agent, instructions);
        on_host_load(agent, at, &word, sizeof word);
        if (word_meets(until, word))
            break;
        poller_found_nothing(&agent->poller);
    }
    poller_leaves(&agent->poller);
}

static void on_host_wait_word(struct agent *agent, address at, struct word_condition until,
                              int64_t instructions, enum memory_scope scope, bool skip)
{
    (void)scope;
    enum agent_state before = agent_set_work(agent, AGENT_POLLING);
    struct host_word_wait wait = {.at = at,
                                  .until = until,
                                  .loop_ps = host_thread_time_ps(&agent->host, instructions),
                                  .skip = skip,
                                  .poller = &agent->poller,
                                  .energy = &agent->energy,
                                  .looping = AGENT_POLLING,
                                  .loading = AGENT_STALLED};
    if (host_thread_owns(&agent->host, at))
        host_thread_wait_word(&agent->host, &wait);
    else
        wait_across_bus(agent, at, until, instructions);
    agent_set_work(agent, before);
}

void agent_init_host(struct agent *agent, struct host *host, int64_t core, struct process *process)
{
    static const struct agent_ops ops = {
        on_host_load,    on_host_load_all, on_host_loads_in_flight, on_host_store,
        on_host_store,   on_host_atomic,   on_host_fence,           on_host_fence,
        on_host_execute, on_host_wait_word};
    *agent = (struct agent){.ops = &ops, .process = process};
    host_thread_init(&agent->host, host, core, process);
    agent->poller.of = &host_directory(host)->sim->quiescence;
    const struct host_spec *spec = host_spec_of(host);
    const int64_t power_mW[] = {spec->active_power_mW, spec->polling_power_mW,
                                spec->stalled_power_mW, spec->idle_power_mW, spec->sleep_power_mW};
    energy_init(&agent->energy, agent_state_names, power_mW, AGENT_STATES, process_now(process));
}
