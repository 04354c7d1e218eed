#include "protocols/agent.h"

/* --- work-group -------------------------------------------------------------------------------- */

static void wg_load(struct agent *agent, address at, void *data, size_t bytes)
{
    memory_client_load(&agent->work_group->memory, at, data, bytes);
}

static void wg_store(struct agent *agent, address at, const void *data, size_t bytes)
{
    memory_client_store(&agent->work_group->memory, at, data, bytes);
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

void agent_init_work_group(struct agent *agent, struct work_group *wg)
{
    static const struct agent_ops ops = {wg_load,    wg_store,   wg_atomic,
                                         wg_acquire, wg_release, wg_execute};
    *agent = (struct agent){.ops = &ops, .process = wg->process, .work_group = wg};
}

/* --- command processor ------------------------------------------------------------------------- */

static void on_cp_load(struct agent *agent, address at, void *data, size_t bytes)
{
    memory_client_load(&agent->cp.memory, at, data, bytes);
}

static void on_cp_store(struct agent *agent, address at, const void *data, size_t bytes)
{
    memory_client_store(&agent->cp.memory, at, data, bytes);
}

static uint64_t on_cp_atomic(struct agent *agent, address at, enum atomic_op op, uint64_t operand,
                             uint64_t compare)
{
    return memory_client_atomic(&agent->cp.memory, at, op, operand, compare);
}

static void on_cp_acquire(struct agent *agent, enum memory_scope scope)
{
    memory_client_acquire(&agent->cp.memory, scope);
}

static void on_cp_release(struct agent *agent, enum memory_scope scope)
{
    memory_client_release(&agent->cp.memory, scope);
}

static void on_cp_execute(struct agent *agent, int64_t instructions)
{
    cp_thread_execute(&agent->cp, instructions);
}

void agent_init_cp(struct agent *agent, struct cp *cp, int64_t core, struct process *process)
{
    static const struct agent_ops ops = {on_cp_load,    on_cp_store,   on_cp_atomic,
                                         on_cp_acquire, on_cp_release, on_cp_execute};
    *agent = (struct agent){.ops = &ops, .process = process};
    cp_thread_init(&agent->cp, cp, core, process);
}

/* --- CPU core ---------------------------------------------------------------------------------- */

static void on_host_load(struct agent *agent, address at, void *data, size_t bytes)
{
    host_thread_load(&agent->host, at, data, bytes);
}

static void on_host_store(struct agent *agent, address at, const void *data, size_t bytes)
{
    host_thread_store(&agent->host, at, data, bytes);
}

static uint64_t on_host_atomic(struct agent *agent, address at, enum atomic_op op,
                               uint64_t operand, uint64_t compare)
{
    return host_thread_atomic(&agent->host, at, op, operand, compare);
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

void agent_init_host(struct agent *agent, struct host *host, int64_t core,
                     struct process *process)
{
    static const struct agent_ops ops = {on_host_load,  on_host_store, on_host_atomic,
                                         on_host_fence, on_host_fence, on_host_execute};
    *agent = (struct agent){.ops = &ops, .process = process};
    host_thread_init(&agent->host, host, core, process);
}
