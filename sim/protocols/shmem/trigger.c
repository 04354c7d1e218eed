/* SPDX-License-Identifier: BSD-3-Clause */
#include "protocols/shmem/trigger.h"

#include "models/nic/nic_queue.h"
#include "models/nic/nic_trigger.h"
#include "protocols/shmem/service_parts.h"

void trigger_queue_init(struct trigger_queue *queue, struct cluster *cluster, struct site *site,
                        const struct design *design, struct shmem_interface *interface)
{
    struct nic *nic = interface->nic;
    int64_t entries = (int64_t)interface->entries;
    *queue = (struct trigger_queue){.interface = interface, .counter = nic_add_counter(nic)};
    queue->trigger = nic_trigger_address(nic, queue->counter);
    queue->credit = site_allocate(cluster, site, MEMORY_HOST, CACHE_LINE_BYTES, STORE_FINE_GRAINED);
    queue->values = site_allocate(cluster, site, (enum node_memory)design->heap,
                                  entries * CACHE_LINE_BYTES, STORE_FINE_GRAINED);
    nic_counter_tells(nic, queue->counter, entries);
}

/* --- the host thread ----------------------------------------------------------------------------
 * It posts a command for each of its work-groups in turn, until every queue is full; then it polls the credits of full queues. */

/* Whether one more command can be posted, by the credit that the host thread knows. */
static bool has_room(const struct trigger_queue *queue)
{
    return queue->posted < queue->known_credit + queue->interface->entries;
}

static void post(struct trigger_queue *queue, struct agent *agent)
{
    struct shmem_interface *interface = queue->interface;
    struct nic_command command = {.counter = (uint32_t)queue->counter,
                                  .threshold = (uint32_t)(queue->posted + 1)};
    address place = interface->commands + queue->posted % interface->entries * sizeof command;
    agent_execute(agent, SOFTWARE_READ(interface->software, library_instructions));
    agent_store(agent, place, &command, sizeof command);
    agent_release(agent, SCOPE_SYSTEM);
    agent_store_word(agent, nic_doorbell(interface->nic, interface->queue), ++queue->posted);
}

/* Reads the credits of full queues, as many at a time as the core can have loads under way. */
static void look_at_credits(struct service_thread *thread)
{
    struct service *service = thread->service;
    struct memory_load loads[LOADS_IN_FLIGHT_MAX];
    size_t count = 0;
    size_t most = (size_t)agent_loads_in_flight(thread->agent, service->triggers[0].credit);
    for (int64_t i = thread->number; i < service->queue_count; i += service->thread_count) {
        struct trigger_queue *queue = &service->triggers[i];
        if (!has_room(queue))
            loads[count++] = (struct memory_load){queue->credit, &queue->known_credit,
                                                  sizeof queue->known_credit};
        bool is_last = i + service->thread_count >= service->queue_count;
        if (count == 0 || (count < most && !is_last))
            continue;
        thread->polls += (int64_t)count;
        agent_execute(thread->agent,
                      (int64_t)count * SOFTWARE_READ(service->software, poll_instructions));
        agent_load_all(thread->agent, loads, count);
        count = 0;
    }
}

static void post_round(struct service_thread *thread)
{
    struct service *service = thread->service;
    struct poller *poller = &thread->agent->poller;
    sim_time start_ps = agent_now(thread->agent);
    poller_begins(poller);
    look_at_credits(thread);
    for (int64_t i = thread->number; i < service->queue_count; i += service->thread_count) {
        if (!has_room(&service->triggers[i]))
            continue;
        poller_leaves(poller);
        agent_set_work(thread->agent, AGENT_ACTIVE);
        post(&service->triggers[i], thread->agent);
    }
    agent_set_work(thread->agent, AGENT_POLLING);
    if (poller->is_polling)
        poller_goes_on(poller, thread->agent->process, start_ps);
}

void service_post_run(struct agent *agent, void *argument)
{
    struct service_thread *thread = argument;
    struct service *service = thread->service;
    thread->agent = agent;
    agent_set_work(agent, AGENT_POLLING);
    while (thread->number < service->queue_count && !service->stopping) {
        post_round(thread);
        process_sync(agent->process); /* another process may have set `stopping` */
    }
    poller_leaves(&agent->poller);
    agent_set_work(agent, AGENT_IDLE);
}

/* --- the work-group ----------------------------------------------------------------------------- */

/* Tells the host thread how many commands are complete: after every half queue, or when the host cannot have posted the
 * commands that were triggered. This follows the trigger, so that the trigger's release waits for no store to the host. */
static void tell_credit(struct trigger_queue *queue, struct agent *agent)
{
    uint64_t entries = queue->interface->entries, completed = queue->interface->completed;
    bool is_due = completed - queue->told_credit > entries / 2;
    if (!is_due && queue->triggered <= queue->told_credit + entries)
        return;
    queue->told_credit = completed;
    agent_store_word(agent, queue->credit, completed);
}

/* Stores a value of the kernel in memory, from where the put takes it. */
static void store_value(const struct trigger_queue *queue, struct agent *agent,
                        struct nic_command *command)
{
    uint64_t place = queue->triggered % queue->interface->entries;
    uint64_t value = command->local;
    command->opcode = NIC_PUT;
    command->local = queue->values + place * CACHE_LINE_BYTES;
    agent_store(agent, command->local, &value, command->bytes);
}

/* Tells the NIC what the next command does. */
static void tell(struct trigger_queue *queue, struct shmem *shmem, int64_t context,
                 struct nic_command told)
{
    told.cookie = shmem_count_nbi(shmem, context, told.cookie);
    if (told.opcode == NIC_PUT_INLINE)
        store_value(queue, shmem->agent, &told);
    nic_counter_tell(queue->interface->nic, queue->counter, (uint32_t)++queue->triggered, &told);
}

void trigger_pull(struct trigger_queue *queue, struct shmem *shmem, int64_t context,
                  const struct nic_command *command)
{
    struct agent *agent = shmem->agent;
    struct nic_command first = *command, chained;
    bool is_chain = order_split(queue->interface->design, &first, &chained);
    agent_execute(agent, SOFTWARE_READ(queue->interface->software, trigger_instructions));
    tell(queue, shmem, context, first);
    if (is_chain)
        tell(queue, shmem, context, chained);
    agent_release(agent, SCOPE_SYSTEM);
    agent_store_word(agent, queue->trigger, is_chain ? 2 : 1);
    tell_credit(queue, agent);
}
