/* SPDX-License-Identifier: BSD-3-Clause */
/* What a service thread does (ComPNet18 section 4.2.1): poll each of its queues in turn; serve what is ready with a
 * non-blocking call of the SHMEM library; after every `polling_rounds` rounds complete the blocking operations under way, all
 * together (quiet), and mark their entries; or, by context, mark the entries of contexts with no operation under way. A thread
 * that reads and writes its queues by calls of the GPU's runtime copies the next entries before each round and marks all
 * entries of a round together. */
#include "protocols/shmem/service_parts.h"

/* The context of the work-group that the queue belongs to. */
static int64_t context_of(const struct service *service, const struct ring_consumer *consumer)
{
    return consumer - service->consumers;
}

static bool is_quiet(const struct service *service, const struct ring_consumer *consumer)
{
    return service->contexts[context_of(service, consumer)] == 0;
}

static void push_to_peers(struct service_thread *thread)
{
    if (thread->peer.agent != NULL && thread->peer.last != ADDRESS_NONE)
        peer_push(&thread->peer);
}

/* Waits until the data that the thread has moved within the node have arrived. */
static void finish_peers(struct service_thread *thread)
{
    peer_copies_finish(thread->copies_to_peers);
    push_to_peers(thread);
}

/* Waits until all that the thread has issued, moved and sent is complete. */
static void quiet(struct service_thread *thread)
{
    finish_peers(thread);
    shmem_quiet(&thread->shmem);
    if (thread->aggregate != NULL)
        aggregate_quiet(thread->aggregate);
}

/* Operations behind the fence wait until those issued before it are complete. */
static void fence(struct service_thread *thread, struct ring_consumer *consumer)
{
    finish_peers(thread);
    if (order_fence(&thread->shmem))
        return;
    if (thread->service->design->fence == FENCE_QUIET) {
        quiet(thread);
        return;
    }
    process_sync(thread->agent->process); /* other threads count for contexts, too */
    if (!is_quiet(thread->service, consumer)) {
        consumer->is_fenced = true;
        g_ptr_array_add(thread->fenced, consumer);
    }
}

struct nic_command service_command(const struct queue_entry *entry, uint64_t cookie)
{
    struct nic_command command = {
        .opcode = entry->is_inline ? NIC_PUT_INLINE : NIC_PUT,
        .remote_node = entry->node,
        .local = entry->is_inline ? entry->value : entry->local,
        .remote = entry->remote,
        .bytes = entry->bytes,
        .cookie = cookie,
        .signal = entry->signal,
        .signal_value = entry->signal_value,
    };
    if (entry->operation == QUEUE_GET) {
        command.opcode = NIC_GET;
    } else if (entry->operation == QUEUE_ATOMIC) {
        command.opcode = NIC_ATOMIC;
        command.atomic = entry->atomic;
        command.local = entry->local;
        command.operand = entry->value; /* `compare` lies where a put has its signal */
    }
    return command;
}

static struct observe *observe_of(const struct service_thread *thread)
{
    return &thread->service->cluster->sim->observe;
}

static void note_served(struct service_thread *thread, uint64_t operation)
{
    observe_stage(observe_of(thread), operation, STAGE_SERVED, agent_now(thread->agent));
}

/* Carries out the entry's operation, within the node or over the network. */
static void issue(struct service_thread *thread, struct ring_consumer *consumer,
                  const struct queue_entry *entry, uint64_t cookie)
{
    if (entry->operation == QUEUE_FENCE || entry->operation == QUEUE_QUIET)
        aggregate_flush_due(thread->aggregate, SIM_TIME_MAX);
    if (entry->operation == QUEUE_FENCE) {
        fence(thread, consumer);
    } else if (entry->operation >= QUEUE_TOLD_TO_SET) {
        inbox_serve(entry, &thread->shmem, context_of(thread->service, consumer));
    } else if (peer_reaches(&thread->peer, entry)) {
        peer_carry_out(&thread->peer, entry, cookie,
                       &thread->service->contexts[context_of(thread->service, consumer)]);
    } else if (entry->operation != QUEUE_QUIET && entry->operation != QUEUE_NOP) {
        struct nic_command command = service_command(entry, cookie);
        if (entry->operation == QUEUE_SET && inbox_is_used(thread->service->design))
            inbox_address(&thread->service->inbox, &command);
        order_issue_nbi(&thread->shmem, context_of(thread->service, consumer), &command);
    }
}

static void mark(struct service_thread *thread, struct ring_consumer *consumer, uint64_t index)
{
    struct service *service = thread->service;
    agent_execute(thread->agent, SOFTWARE_READ(service->software, mark_instructions));
    observe_stage(observe_of(thread), ring_operation(consumer->queue, index), STAGE_COMPLETED,
                  agent_now(thread->agent));
    ring_mark(consumer, thread->agent, index);
}

/* Marks entries. One release follows all marks or, if posts have no last fence, precedes them. Asynchronous marks have no
 * release: each is one store, seen when it arrives, and its operation's data arrived before the server knew of the completion. */
static void mark_all(struct service_thread *thread, GArray *entries)
{
    if (entries->len == 0)
        return;
    bool is_behind = ring_marks_behind_release(g_array_index(entries, struct unmarked, 0).consumer);
    bool is_awaited = thread->service->design->marks == MARKS_AWAITED;
    if (!is_awaited)
        process_sync(
            thread->agent
                ->process); /* asynchronous marks never wait: many of them would run far ahead of the clock */
    if (thread->service->by_runtime_calls)
        process_sleep(thread->agent->process, /* the call that writes; its data follow as stores */
                      SOFTWARE_READ(thread->service->software, runtime_call_ps));
    if (is_awaited && is_behind)
        agent_release(thread->agent, thread->service->scope);
    for (guint i = 0; i < entries->len; i++) {
        struct unmarked *entry = &g_array_index(entries, struct unmarked, i);
        mark(thread, entry->consumer, entry->index);
    }
    if (is_awaited && !is_behind)
        agent_release(thread->agent, thread->service->scope);
    for (guint i = 0; i < entries->len; i++)
        ring_advance(g_array_index(entries, struct unmarked, i).consumer, thread->agent);
    g_array_set_size(entries, 0);
}

static void begin_track(struct service_thread *thread)
{
    struct observe *observe = observe_of(thread);
    const char *name = process_name(thread->agent->process);
    if (!observe_wants_spans(observe))
        return;
    energy_observe(thread->agent->energy, observe, observe_track(observe, name, "core"));
    thread->track = observe_track(observe, name, "serves");
}

/* Instructions from reading an entry to its call, for a core or for a thread of a GPU. */
static int64_t dispatch_instructions(const struct service *service)
{
    return service->kind->is_on_gpu ? SOFTWARE_READ(service->software, gpu_dispatch_instructions)
                                    : SOFTWARE_READ(service->software, dispatch_instructions);
}

/* Whether the thread's core runs ahead of its polls. */
static bool looks_ahead(const struct service_thread *thread)
{
    return thread->service->design->poll_loop == POLL_LOOP_AHEAD &&
           thread->agent->ops->looks_ahead != NULL;
}

/* Waits for the fixed time of a micro-benchmark's operation. */
static void wait_by_clock(struct service_thread *thread)
{
    if (thread->service->nop_ps == 0)
        return;
    process_run_ahead(thread->agent->process, thread->service->nop_ps);
    if (looks_ahead(thread))
        thread->agent->ops->waited(thread->agent);
}

/* Serves an entry. A non-blocking one is marked at once, unless each mark would take a call of the runtime. */
static void serve(struct service_thread *thread, struct ring_consumer *consumer,
                  const struct queue_entry *entry, uint64_t index)
{
    struct service *service = thread->service;
    uint64_t operation = ring_operation(consumer->queue, index);
    sim_time from_ps = agent_now(thread->agent);
    agent_execute(thread->agent, dispatch_instructions(service));
    if (service->kind->is_vector)
        agent_execute(thread->agent, SOFTWARE_READ(service->software, divergence_instructions));
    if (entry->operation == QUEUE_NOP)
        wait_by_clock(thread);
    struct unmarked unmarked = {consumer, index};
    struct nic_command command = service_command(entry, operation);
    bool is_put = entry->operation == QUEUE_PUT || entry->operation == QUEUE_PUT_SIGNAL;
    bool is_gathered = is_put && !peer_reaches(&thread->peer, entry) &&
                       aggregate_takes(thread->aggregate, &command);
    if (is_gathered) {
        aggregate_gather(thread->aggregate, context_of(service, consumer), &command,
                         entry->is_blocking ? &unmarked : NULL);
    } else {
        issue(thread, consumer, entry, operation);
        note_served(thread, operation);
    }
    if (observe_wants_spans(observe_of(thread)))
        observe_span(observe_of(thread), thread->track, "serve", from_ps, agent_now(thread->agent),
                     operation);
    if (!entry->is_blocking)
        g_array_append_vals(thread->done, &unmarked, 1);
    else if (!is_gathered)
        g_array_append_vals(thread->unmarked, &unmarked, 1);
    if (!service->by_runtime_calls)
        mark_all(thread, thread->done);
    stat_unit_ends(&service->served, agent_now(thread->agent));
}

/* Reads the rest of the entries that were seen ready, and serves them. */
static void take_and_serve(struct service_thread *thread, struct ring_consumer *consumers,
                           int64_t stride, int64_t count, struct queue_entry *entries,
                           const bool *ready)
{
    uint64_t indices[LOADS_IN_FLIGHT_MAX];
    ring_take(consumers, (size_t)stride, (size_t)count, thread->agent, ready, entries, indices);
    if (thread->sweep != NULL) {
        int64_t queue = context_of(thread->service, consumers);
        poll_sweep_moves(thread->sweep, (size_t)(queue / thread->service->thread_count));
    }
    for (int64_t i = 0; i < count; i++) {
        if (!ready[i])
            continue;
        uint64_t operation = ring_operation(consumers[i * stride].queue, indices[i]);
        observe_stage(observe_of(thread), operation, STAGE_SEEN, agent_now(thread->agent));
        observe_server(observe_of(thread), operation, thread);
    }
    for (int64_t i = 0; i < count; i++)
        if (ready[i])
            serve(thread, &consumers[i * stride], &entries[i], indices[i]);
}

/* Serves ready entries, reading them all together or one after the other. */
static void serve_ready(struct service_thread *thread, struct ring_consumer *consumers,
                        int64_t stride, int64_t count, struct queue_entry *entries,
                        const bool *ready)
{
    int64_t step = thread->service->kind->is_vector ? 1 : count;
    poller_leaves(&thread->agent->poller);
    agent_set_work(thread->agent, AGENT_ACTIVE);
    for (int64_t i = 0; i < count; i += step)
        if (step > 1 || ready[i])
            take_and_serve(thread, &consumers[i * stride], stride, step, &entries[i], &ready[i]);
    agent_set_work(thread->agent, AGENT_POLLING);
}

static bool any(const bool *flags, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (flags[i])
            return true;
    return false;
}

/* How many of its queues, from `consumer` on, the thread polls behind one acquire. */
static int64_t queues_at_once(const struct service_thread *thread,
                              const struct ring_consumer *consumer)
{
    const struct service *service = thread->service;
    if (service->design->poll_loop != POLL_LOOP_UNROLLED && !service->kind->is_vector)
        return 1;
    address at = consumer->copy != ADDRESS_NONE ? consumer->copy : consumer->queue->entries;
    return agent_loads_in_flight(thread->agent, at);
}

static int64_t queues_of(const struct service_thread *thread)
{
    int64_t stride = thread->service->thread_count;
    return (thread->service->queue_count - thread->number + stride - 1) / stride;
}

/* Whether the thread looks for a completion at the end of each round. */
static bool takes_each_round(const struct service_thread *thread)
{
    return thread->service->design->quiet_by == QUIET_BY_EACH_ROUND &&
           shmem_is_busy(&thread->shmem);
}

/* Whether nothing is left to do, so that a round which finds no entry changes nothing. */
static bool has_nothing_to_do(const struct service_thread *thread)
{
    return thread->unmarked->len + thread->fenced->len + thread->done->len == 0 &&
           !aggregate_holds(thread->aggregate) && !takes_each_round(thread) &&
           !peer_copies_are_under_way(thread->copies_to_peers) &&
           (thread->aggregate == NULL || aggregate_is_quiet(thread->aggregate));
}

/* At the end of how many rounds from now on there is nothing to do. While operations are under way, the round that completes
 * them is the first that does not count. */
static size_t idle_round_ends(const struct service_thread *thread)
{
    if (thread->service->stopping || thread->aggregate != NULL || thread->done->len > 0 ||
        takes_each_round(thread) || peer_copies_are_under_way(thread->copies_to_peers))
        return 0;
    if (has_nothing_to_do(thread))
        return thread->agent->poller.has_phase ? POLL_ROUNDS_ENDLESS : 0;
    return (size_t)(thread->service->design->polling_rounds - 1 - thread->rounds);
}

/* Skips to the next poll that has to be simulated, which may be in a later round. Returns the number of its queue. */
static int64_t skip_looks(struct service_thread *thread, int64_t first, enum poll_place *from)
{
    int64_t stride = thread->service->thread_count, count = queues_of(thread);
    int64_t place = (first - thread->number) / stride;
    int64_t next =
        (int64_t)poll_sweep_to_next(thread->sweep, (size_t)place, idle_round_ends(thread), from);
    thread->polls += next - place;
    thread->rounds = (thread->rounds + next / count) % thread->service->design->polling_rounds;
    return thread->number + next % count * stride;
}

/* The line that the thread polls `place` polls from now (look_ahead_next). */
static bool next_look(void *argument, size_t place, address *at)
{
    const struct service_thread *thread = argument;
    const struct service *service = thread->service;
    int64_t stride = service->thread_count;
    int64_t now = (thread->looks_at - thread->number) / stride;
    int64_t next = (now + (int64_t)place) % queues_of(thread);
    return ring_polled_line(&service->consumers[thread->number + next * stride], at);
}

/* Polls its queues from number `first` on and serves what is ready. Returns the number of the queue to go
 * on with. */
static int64_t poll_queues(struct service_thread *thread, int64_t first)
{
    struct service *service = thread->service;
    int64_t stride = service->thread_count;
    enum poll_place from = POLL_WHOLE;
    if (thread->sweep != NULL && process_clock(thread->agent->process)->shift_ps == 0)
        first = skip_looks(thread, first, &from);
    if (from == POLL_WHOLE && first == thread->number && service->stopping)
        return service->queue_count; /* the thread's last round has ended while it slept */
    struct ring_consumer *consumers = &service->consumers[first];
    int64_t left = (service->queue_count - first + stride - 1) / stride;
    int64_t count = queues_at_once(thread, consumers);
    if (count > left)
        count = left;
    struct queue_entry entries[LOADS_IN_FLIGHT_MAX];
    bool ready[LOADS_IN_FLIGHT_MAX];
    thread->polls += count;
    int64_t polls = service->kind->is_vector ? 1 : count;
    if (from == POLL_WHOLE)
        agent_execute(thread->agent, polls * SOFTWARE_READ(service->software, poll_instructions));
    thread->looks_at = first;
    ring_poll(consumers, (size_t)stride, (size_t)count, thread->agent, entries, ready, from);
    if (looks_ahead(thread))
        thread->agent->ops->looked(thread->agent, ready[0]);
    if (any(ready, count))
        serve_ready(thread, consumers, stride, count, entries, ready);
    return first + count * stride;
}

/* Moves the entries whose context is quiet to the done ones, and lifts the fences of such contexts. */
static void sort_out(struct service_thread *thread)
{
    GArray *unmarked = thread->unmarked;
    guint kept = 0;
    process_sync(thread->agent->process); /* other threads count for contexts, too */
    for (guint i = 0; i < unmarked->len; i++) {
        struct unmarked *entry = &g_array_index(unmarked, struct unmarked, i);
        if (is_quiet(thread->service, entry->consumer))
            g_array_append_vals(thread->done, entry, 1);
        else
            g_array_index(unmarked, struct unmarked, kept++) = *entry;
    }
    g_array_set_size(unmarked, kept);
    for (guint i = thread->fenced->len; i-- > 0;) {
        struct ring_consumer *consumer = g_ptr_array_index(thread->fenced, i);
        if (!is_quiet(thread->service, consumer))
            continue;
        consumer->is_fenced = false;
        g_ptr_array_remove_index_fast(thread->fenced, i);
    }
}

static void complete_by_context(struct service_thread *thread)
{
    if (thread->unmarked->len == 0 && thread->fenced->len == 0)
        return;
    push_to_peers(thread);
    shmem_progress(&thread->shmem, INT64_MAX);
    sort_out(thread);
    mark_all(thread, thread->done);
}

static void complete_blocking(struct service_thread *thread)
{
    if (++thread->rounds < thread->service->design->polling_rounds)
        return;
    thread->rounds = 0;
    if (thread->service->design->completion == COMPLETION_BY_CONTEXT) {
        complete_by_context(thread);
    } else if (thread->unmarked->len > 0) {
        quiet(thread);
        mark_all(thread, thread->unmarked);
    }
}

/* --- copies by the runtime ----------------------------------------------------------------------
 * Queues in GPU memory that are read by a call into the GPU's runtime instead of by loads (ComPNet18 section 3.1; M-056): a fixed
 * time on the CPU, then the GPU's copy engine writes the lines to host memory, behind each other over the bus. */

/* The lines of a call that are under way. */
struct copying {
    struct process *process;
    struct quiescence *quiescence;
    size_t left;
};

static void line_has_arrived(struct bus_request *request, void *argument)
{
    struct copying *copying = argument;
    (void)request;
    copying->quiescence->under_way--;
    if (--copying->left > 0)
        return;
    copying->quiescence->waiting_for_it--;
    process_wake(copying->process);
}

static void send_line(struct site *site, const struct line_copy *copy, struct copying *copying)
{
    struct bus_request *request = bus_request(site->bus);
    request->op = BUS_WRITE;
    request->from_slot = site->gpu_slot;
    request->at = copy->to;
    request->bytes = CACHE_LINE_BYTES;
    store_read(gpu_memory(site->gpu)->store, copy->from, request->data, CACHE_LINE_BYTES);
    request->done = line_has_arrived;
    request->argument = copying;
    bus_send(site->bus, request, 0);
}

/* Copies `count` lines from the GPU's memory to the host's; returns when all have arrived. */
static void copy_lines(struct agent *agent, const struct service *service,
                       const struct line_copy *copies, size_t count)
{
    sim_time call_ps = SOFTWARE_READ(service->software, runtime_call_ps);
    sim_time shift_ps = CLAMP(process_take_shift_over_bus(agent->process), -call_ps, call_ps);
    process_sleep(agent->process, call_ps + shift_ps);
    if (count == 0)
        return;
    struct quiescence *quiescence = agent->poller.of;
    struct copying copying = {agent->process, quiescence, count};
    for (size_t i = 0; i < count; i++)
        send_line(service->site, &copies[i], &copying);
    quiescence->under_way += (int64_t)count;
    quiescence->waiting_for_it++;
    process_suspend(agent->process, "a copy by the GPU's runtime");
}

/* Copies the next entries of the thread's queues to where it will poll them. */
static void copy_entries(struct service_thread *thread)
{
    struct service *service = thread->service;
    size_t count = 0;
    for (int64_t i = thread->number; i < service->queue_count; i += service->thread_count) {
        struct line_copy *copy = &thread->copies[count];
        copy->to = service->consumers[i].copy;
        if (ring_next_entry(&service->consumers[i], &copy->from))
            count++;
    }
    copy_lines(thread->agent, service, thread->copies, count);
}

/* Shifts the phase of a round that began at `start_ps` and found nothing (poller_shifts). After the first such round the thread
 * also goes on at a random one of its queues, unless its rounds begin with a copy or its core looks ahead. */
static void take_up_phase(struct service_thread *thread, sim_time start_ps)
{
    struct poller *poller = &thread->agent->poller;
    struct process *process = thread->agent->process;
    bool at_any = !thread->service->by_runtime_calls && !looks_ahead(thread);
    int64_t queues = at_any ? queues_of(thread) : 1;
    sim_time end_ps = process_now(process), look_ps = (end_ps - start_ps) / queues;
    if (!poller->has_phase && queues > 1 && look_ps > 0)
        thread->first += process_draw_phase(process, look_ps * queues, 0) / look_ps *
                         thread->service->thread_count;
    poller_shifts(poller, process, start_ps, look_ps);
    if (looks_ahead(thread) && process_now(process) > end_ps)
        thread->agent->ops->waited(thread->agent);
}

static void poll_round(struct service_thread *thread)
{
    struct service *service = thread->service;
    struct poller *poller = &thread->agent->poller;
    sim_time start_ps = agent_now(thread->agent);
    if (has_nothing_to_do(thread))
        poller_begins(poller);
    if (service->by_runtime_calls)
        copy_entries(thread);
    bool is_whole =
        thread->first == thread->number; /* otherwise the round has not polled the earlier queues */
    int64_t next = thread->first;
    thread->first = thread->number;
    while (next < service->queue_count)
        next = poll_queues(thread, next);
    agent_set_work(thread->agent, AGENT_ACTIVE);
    mark_all(thread, thread->done);
    aggregate_flush_due(thread->aggregate, agent_now(thread->agent));
    if (thread->aggregate != NULL)
        aggregate_progress(thread->aggregate);
    if (takes_each_round(thread))
        shmem_progress(&thread->shmem, 1);
    peer_copies_progress(thread->copies_to_peers);
    complete_blocking(thread);
    agent_set_work(thread->agent, AGENT_POLLING);
    if (!poller->is_polling || !is_whole)
        return;
    poller_found_nothing(poller);
    take_up_phase(thread, start_ps);
}

/* Whether each poll looks at one queue and polls that find nothing are only counted. */
static bool looks_one_by_one(const struct service_thread *thread)
{
    const struct service *service = thread->service;
    return !SOFTWARE_READ(service->software, exact) &&
           service->design->poll_loop == POLL_LOOP_SINGLE && !service->kind->is_vector &&
           !service->by_runtime_calls && queues_of(thread) > 0;
}

void service_thread_run(struct agent *agent, void *argument)
{
    struct service_thread *thread = argument;
    struct service *service = thread->service;
    const struct agent_kind *kind = service->kind;
    thread->agent = thread->shmem.agent = agent;
    thread->first = thread->number;
    if (kind->serve_queues != NULL)
        kind->serve_queues(agent, queues_of(thread));
    service_thread_opens_peers(thread);
    begin_track(thread);
    agent_set_work(agent, AGENT_POLLING);
    /* Threads of different nodes have begun at times that have nothing to do with each other. */
    thread->rounds = process_draw_phase(agent->process, service->design->polling_rounds, 0);
    if (looks_one_by_one(thread))
        thread->sweep = poll_sweep_new(agent, &service->consumers[thread->number],
                                       (size_t)service->thread_count, (size_t)queues_of(thread),
                                       SOFTWARE_READ(service->software, poll_instructions));
    if (looks_ahead(thread))
        agent->ops->looks_ahead(agent, next_look, thread, (size_t)queues_of(thread));
    while (thread->number < service->queue_count && !service->stopping) {
        poll_round(thread);
        process_sync(agent->process); /* another process may have set `stopping` */
    }
    poller_leaves(&agent->poller);
    agent_set_work(agent, AGENT_IDLE);
}
