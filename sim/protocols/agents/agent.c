/* SPDX-License-Identifier: BSD-3-Clause */
/* The kinds of agents, and what they all share: how they start, how their energy is counted, and polls. */
#include "protocols/agents/agent.h"

#define AGENT_KIND_ADDRESS(name) &name##_kind,
const struct agent_kind *const agent_kinds[] = {AGENT_KINDS(AGENT_KIND_ADDRESS) NULL};
#undef AGENT_KIND_ADDRESS

/* --- cores and energy --------------------------------------------------------------------------- */

int64_t agent_room(const struct agent_kind *kind, const struct machine_spec *machine)
{
    return kind->pool == CORES_OF_NONE ? kind->room(machine)
                                       : core_pool_of(machine, kind->pool).cores;
}

void agent_power(const struct agent_kind *kind, const struct machine_spec *machine,
                 int64_t power_mW[AGENT_STATES])
{
    if (kind->pool == CORES_OF_NONE)
        kind->power(machine, power_mW);
    else
        core_power_by_state(core_pool_of(machine, kind->pool).core, power_mW);
}

void agent_count_energy(struct agent *agent, const struct agent_kind *kind,
                        struct agent_place place)
{
    int64_t power_mW[AGENT_STATES];
    agent_power(kind, cluster_spec(place.cluster, place.site->node), power_mW);
    agent->energy = pool_take(&place.cluster->sim->meters);
    energy_init(agent->energy, agent_state_names, power_mW, AGENT_STATES,
                process_now(agent->process));
}

enum agent_state agent_set_work(struct agent *agent, enum agent_state work)
{
    enum agent_state before = agent->work;
    agent->work = work;
    energy_set_state(agent->energy, process_now(agent->process), work);
    return before;
}

/* --- start ------------------------------------------------------------------------------------- */

void agent_init(struct agent *agent, const struct agent_kind *kind, struct agent_place place,
                int64_t number, struct process *process)
{
    *agent = (struct agent){.process = process, .poller.of = &place.cluster->sim->quiescence};
    kind->init(agent, place, number, process);
    agent_count_energy(agent, kind, place);
}

static void run_thread(struct process *self, void *argument)
{
    struct agent_thread *thread = argument;
    agent_init(&thread->agent, thread->kind, thread->place, thread->number, self);
    thread->program(&thread->agent, thread->argument);
}

bool agent_start(struct agent_thread *thread, GError **error)
{
    struct sim *sim = thread->place.cluster->sim;
    if (thread->kind->start != NULL)
        return thread->kind->start(thread, error);
    process_spawn(sim->processes, thread->name, run_thread, thread, sim_now(sim), 0);
    return true;
}

void agent_thread_clear(struct agent_thread *thread)
{
    cache_free(thread->registers);
    thread->registers = NULL;
}

void agent_fence_by_order(struct agent *agent, enum memory_scope scope)
{
    (void)agent, (void)scope;
}

/* --- polls ------------------------------------------------------------------------------------- */

void agent_poll_each(struct agent *agent, address at, struct word_condition until,
                     int64_t instructions)
{
    uint64_t word;
    while (true) {
        sim_time start_ps = agent_now(agent);
        poller_begins(&agent->poller);
        agent_execute(agent, instructions);
        word = agent_load_word(agent, at);
        if (word_meets(until, word))
            break;
        poller_goes_on(&agent->poller, agent->process, start_ps);
    }
    poller_leaves(&agent->poller);
}
