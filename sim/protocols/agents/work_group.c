/* SPDX-License-Identifier: BSD-3-Clause */
/* The work-group of a kernel as an agent: it calls the network library and serves no queue, so that it has no polls of queues and
 * no loads side by side. */
#include "models/gpu/poll_wait.h"
#include "protocols/agents/gpu_side.h"

static void wg_store_locked(struct agent *agent, address at, const void *data, size_t bytes)
{
    memory_client_store_locked(&agent->work_group->memory, at, data, bytes);
}

static void wg_release(struct agent *agent, enum memory_scope scope)
{
    memory_client_release(&agent->work_group->memory, scope);
}

static void wg_execute(struct agent *agent, int64_t instructions)
{
    work_group_execute(agent->work_group, instructions);
}

/* The deadlock report names only the first of the words. */
static void wg_wait_words(struct agent *agent, const address *at, size_t count,
                          struct word_condition until, int64_t instructions, bool skip)
{
    struct work_group *wg = agent->work_group;
    wg->wait.is_waiting = true;
    wg->wait.at = at[0];
    wg->wait.until = until;
    wg->wait.since_ps = process_now(wg->process);
    memory_client_wait_words(&wg->memory, at, count, until, work_group_time_ps(wg, instructions),
                             skip);
    wg->wait.is_waiting = false;
}

static void wg_wait_word(struct agent *agent, address at, struct word_condition until,
                         int64_t instructions, enum memory_scope scope, bool skip)
{
    (void)scope; /* a poll looks past the L1 in any case */
    wg_wait_words(agent, &at, 1, until, instructions, skip);
}

void agent_init_work_group(struct agent *agent, struct work_group *wg)
{
    static const struct agent_ops ops = {
        .load = gpu_side_load,
        .store = gpu_side_store,
        .store_locked = wg_store_locked,
        .atomic = gpu_side_atomic,
        .acquire = gpu_side_acquire,
        .release = wg_release,
        .execute = wg_execute,
        .wait_word = wg_wait_word,
        .wait_words = wg_wait_words,
    };
    *agent = (struct agent){.ops = &ops,
                            .process = wg->process,
                            .poller.of = &wg->memory.memory->sim->quiescence,
                            .memory = &wg->memory,
                            .work_group = wg};
}
