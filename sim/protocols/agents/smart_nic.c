/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread on a core of the SmartNIC (models/smart_nic/smart_nic.h). */
#include "protocols/agents/agent.h"

static void on_nic_load(struct agent *agent, address at, void *data, size_t bytes)
{
    smart_nic_thread_load_all(&agent->smart_nic, &(struct memory_load){at, data, bytes}, 1);
}

static void on_nic_load_all(struct agent *agent, const struct memory_load *loads, size_t count)
{
    smart_nic_thread_load_all(&agent->smart_nic, loads, count);
}

static int64_t on_nic_loads_in_flight(struct agent *agent, address at)
{
    return smart_nic_thread_loads_in_flight(&agent->smart_nic, at);
}

static void on_nic_poll(struct agent *agent, address at, void *data, size_t bytes,
                        enum poll_place from)
{
    (void)from; /* every poll is made in full */
    on_nic_load(agent, at, data, bytes);
}

static int64_t on_nic_load_bytes(struct agent *agent, address at)
{
    return smart_nic_thread_load_bytes(&agent->smart_nic, at);
}

static void on_nic_store(struct agent *agent, address at, const void *data, size_t bytes)
{
    smart_nic_thread_store(&agent->smart_nic, at, data, bytes);
}

static uint64_t on_nic_atomic(struct agent *agent, address at, enum atomic_op op, uint64_t operand,
                              uint64_t compare)
{
    return smart_nic_thread_atomic(&agent->smart_nic, at, op, operand, compare);
}

static void on_nic_execute(struct agent *agent, int64_t instructions)
{
    smart_nic_thread_execute(&agent->smart_nic, instructions);
}

/* Every poll is simulated: waits are short, and each of their loads takes long. */
static void on_nic_wait_word(struct agent *agent, address at, struct word_condition until,
                             int64_t instructions, enum memory_scope scope, bool skip)
{
    (void)scope, (void)skip;
    enum agent_state before = agent_set_work(agent, AGENT_POLLING);
    agent_poll_each(agent, at, until, instructions);
    agent_set_work(agent, before);
}

static void init(struct agent *agent, struct agent_place place, int64_t number,
                 struct process *process)
{
    static const struct agent_ops ops = {
        .is_metered = true,
        .load = on_nic_load,
        .load_all = on_nic_load_all,
        .poll = on_nic_poll,
        .loads_in_flight = on_nic_loads_in_flight,
        .load_bytes = on_nic_load_bytes,
        .store = on_nic_store,
        .store_locked = on_nic_store,
        .atomic = on_nic_atomic,
        .acquire = agent_fence_by_order,
        .release = agent_fence_by_order,
        .execute = on_nic_execute,
        .wait_word = on_nic_wait_word,
    };
    agent->ops = &ops;
    smart_nic_thread_init(&agent->smart_nic, site_smart_nic(place.cluster, place.site), number,
                          process);
}

const struct agent_kind smart_nic_kind = {
    .name = "smart_nic",
    .description = "threads on cores of the NIC's board",
    .threads = "cores of the NIC's board",
    .memory = MEMORY_NIC,
    .pool = CORES_OF_SMART_NIC,
    .no_rank =
        "ranks on a SmartNIC's cores are not simulated: their runtime's heap and buffers would lie on its "
        "board, which neither verbs nor CUDA reach here",
    .init = init,
};
