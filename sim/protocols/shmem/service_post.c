/* The life of a host thread that posts beforehand (trigger.h): a command to each of its
 * work-groups in turn, until every queue is full; then it polls the credits of full queues. */
#include "protocols/shmem/service_parts.h"

/* Reads what the work-group has told. */
static void look_at_credit(struct service_thread *thread, struct trigger_queue *queue)
{
    agent_execute(thread->agent, thread->service->software->poll_instructions);
    thread->polls++;
    queue->known_credit = agent_load_word(thread->agent, queue->credit);
}

static void post(struct service_thread *thread, struct trigger_queue *queue)
{
    poller_leaves(&thread->agent->poller);
    agent_set_work(thread->agent, AGENT_ACTIVE);
    trigger_post(queue, thread->agent);
    agent_set_work(thread->agent, AGENT_POLLING);
}

static void post_round(struct service_thread *thread)
{
    struct service *service = thread->service;
    struct poller *poller = &thread->agent->poller;
    poller_begins(poller);
    for (int64_t i = thread->number; i < service->queue_count; i += service->thread_count) {
        struct trigger_queue *queue = &service->triggers[i];
        if (!trigger_has_room(queue))
            look_at_credit(thread, queue);
        if (trigger_has_room(queue))
            post(thread, queue);
    }
    if (poller->is_polling)
        poller_found_nothing(poller);
}

void service_post_run(struct agent *agent, void *argument)
{
    struct service_thread *thread = argument;
    struct service *service = thread->service;
    thread->agent = agent;
    agent_set_work(agent, AGENT_POLLING);
    while (thread->number < service->queue_count && !service->stopping) {
        post_round(thread);
        process_sync(agent->process); /* others set `stopping` */
    }
    poller_leaves(&agent->poller);
    agent_set_work(agent, service->software->unused_cores_sleep ? AGENT_SLEEP : AGENT_IDLE);
}
