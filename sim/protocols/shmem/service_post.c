/* SPDX-License-Identifier: BSD-3-Clause */
/* A host thread that posts commands beforehand (trigger.h): it posts a command for each of its work-groups in turn, until every
 * queue is full; then it polls the credits of full queues. */
#include "protocols/shmem/service_parts.h"

/* Reads the credits of full queues, as many at a time as the core can have loads under way. */
static void look_at_credits(struct service_thread *thread)
{
    struct service *service = thread->service;
    struct memory_load loads[LOADS_IN_FLIGHT_MAX];
    size_t count = 0;
    size_t most = (size_t)agent_loads_in_flight(thread->agent, service->triggers[0].credit);
    for (int64_t i = thread->number; i < service->queue_count; i += service->thread_count) {
        struct trigger_queue *queue = &service->triggers[i];
        if (!trigger_has_room(queue))
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
        if (!trigger_has_room(&service->triggers[i]))
            continue;
        poller_leaves(poller);
        agent_set_work(thread->agent, AGENT_ACTIVE);
        trigger_post(&service->triggers[i], thread->agent);
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
