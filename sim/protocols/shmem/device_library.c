/* SPDX-License-Identifier: BSD-3-Clause */
#include "protocols/shmem/device_library.h"

#include "protocols/shmem/service_parts.h"

/* --- ways to the NIC --------------------------------------------------------------------------- */

static struct observe *observe_of(const struct device_context *context)
{
    return &context->service->cluster->sim->observe;
}

static sim_time sim_now_of(const struct device_context *context)
{
    return sim_now(context->service->cluster->sim);
}

/* Calls reach a server by an entry of the work-group's queue; or the work-group carries them out by itself. */
static bool serves_itself(const struct device_context *context)
{
    return context->service->kind->is_initiator;
}

/* Hands an entry over; returns when it was ready. */
static sim_time post_to_server(struct device_context *context, const struct queue_entry *entry,
                               uint64_t operation)
{
    return ring_produce(&context->producer, entry, &operation, 1, context->service->software);
}

/* Waits until all posted operations are complete. */
static void wait_for_server(struct device_context *context)
{
    const struct design_queue *queue = &context->service->design->queue;
    ring_wait_all(&context->producer, queue->count > 0 || queue->wait_on == WAIT_ON_READ_INDEX,
                  context->service->software);
}

static void hand_over(struct device_context *context, const struct nic_command *command)
{
    if (context->triggers != NULL)
        trigger_pull(context->triggers, &context->shmem, context->work_group, command);
    else
        order_issue_nbi(&context->shmem, context->work_group, command);
}

/* Operations behind a fence wait until those issued before it are complete. */
static sim_time issue(struct device_context *context, const struct queue_entry *entry,
                      uint64_t operation)
{
    sim_time start_ps = agent_now(&context->agent);
    if (entry->operation == QUEUE_FENCE) {
        if (!order_fence(&context->shmem))
            shmem_quiet(&context->shmem);
    } else if (entry->operation != QUEUE_QUIET && entry->operation != QUEUE_NOP) {
        struct nic_command command = service_command(entry, operation);
        hand_over(context, &command);
    }
    observe_stage(observe_of(context), operation, STAGE_SERVED, agent_now(&context->agent));
    return start_ps;
}

/* Moves the data by loads and stores of the work-group; the caller makes any fence between them. */
static sim_time move_by_itself(struct device_context *context, const struct queue_entry *entry,
                               uint64_t operation)
{
    sim_time start_ps = agent_now(&context->agent);
    observe_stage(observe_of(context), operation, STAGE_STORED, start_ps);
    peer_carry_out(&context->peer, entry, operation, NULL);
    observe_stage(observe_of(context), operation, STAGE_SERVED, agent_now(&context->agent));
    return start_ps;
}

void device_context_create(struct device_context *context, struct service *service,
                           struct work_group *wg)
{
    *context = (struct device_context){.service = service, .work_group = wg->index};
    agent_init_work_group(&context->agent, wg);
    if (service->kind->is_trigger)
        context->triggers = &service->triggers[wg->index];
    if (serves_itself(context))
        context->shmem = service_shmem(service, wg->index, &context->agent);
    else
        ring_producer_init(&context->producer, service_queue(service, wg->index), &context->agent);
    service_open_peers(service, wg->index, &context->agent, &context->peer);
}

/* --- calls ------------------------------------------------------------------------------------- */

static void end_call(struct device_context *context)
{
    work_group_barrier(context->agent.work_group);
}

static uint64_t begin(const struct device_context *context)
{
    return observe_begin(observe_of(context), &context->service->log->origin,
                         (uint32_t)context->work_group, sim_now_of(context));
}

uint64_t device_begin(struct device_context *context)
{
    return context->operation = begin(context);
}

/* Posts an operation; returns its number. */
static uint64_t post(struct device_context *context, const struct queue_entry *entry)
{
    struct observe *observe = observe_of(context);
    uint64_t operation = context->operation != 0 ? context->operation : begin(context);
    bool is_peer = peer_reaches(&context->peer, entry);
    bool is_own = serves_itself(context);
    sim_time posted_ps = is_peer  ? move_by_itself(context, entry, operation)
                         : is_own ? issue(context, entry, operation)
                                  : post_to_server(context, entry, operation);
    observe_stage(observe, operation, STAGE_POSTED, posted_ps);
    context->posted = is_peer ? STAGE_STORED : is_own ? STAGE_SERVED : STAGE_POSTED;
    return operation;
}

static bool brings_data_here(const struct queue_entry *entry)
{
    return entry->operation == QUEUE_GET || entry->operation == QUEUE_ATOMIC;
}

/* Waits until the operation is complete, whichever way it took. */
static void wait(struct device_context *context, const struct queue_entry *entry,
                 uint64_t operation)
{
    bool is_peer = peer_reaches(&context->peer, entry);
    if ((is_peer && !brings_data_here(entry)) ||
        (context->peer.agent != NULL && entry->operation == QUEUE_QUIET))
        peer_finish(&context->peer);
    if (!is_peer && !serves_itself(context)) {
        wait_for_server(context);
        return;
    }
    if (!is_peer)
        shmem_quiet(&context->shmem);
    observe_stage(observe_of(context), operation, STAGE_COMPLETED, agent_now(&context->agent));
}

/* Posts an operation and waits until its entry is done. */
static void call(struct device_context *context, const struct queue_entry *entry)
{
    uint64_t operation = post(context, entry);
    wait(context, entry, operation);
    context->called = operation;
    observe_end(observe_of(context), operation, sim_now_of(context));
    end_call(context);
}

/* Posts an operation whose entry is not waited for. Unless it is part of a longer operation, observers do not see its end. */
static void call_nbi(struct device_context *context, const struct queue_entry *entry)
{
    uint64_t operation = post(context, entry);
    if (context->operation == 0)
        observe_forget(observe_of(context), operation);
    end_call(context);
}

static struct queue_entry entry_of(enum queue_operation operation,
                                   const struct device_transfer *what)
{
    return (struct queue_entry){.operation = (uint8_t)operation,
                                .node = (uint32_t)what->node,
                                .local = what->local,
                                .remote = what->remote,
                                .bytes = (uint64_t)what->bytes};
}

/* Takes a payload of less than 8 B into the entry (ComPNet18 section 4.2.1; M-067), unless commands are posted beforehand, which
 * carry no values of the kernel. */
static void take_inline(struct device_context *context, struct queue_entry *entry)
{
    if (context->service->kind->is_trigger || entry->bytes >= sizeof entry->value)
        return;
    entry->is_inline = true;
    agent_load(&context->agent, entry->local, &entry->value, (size_t)entry->bytes);
}

/* --- puts and gets ----------------------------------------------------------------------------- */

void device_get(struct device_context *context, const struct device_transfer *what)
{
    struct queue_entry entry = entry_of(QUEUE_GET, what);
    entry.is_blocking = true;
    call(context, &entry);
}

static struct queue_entry put(struct device_context *context, const struct device_transfer *what)
{
    struct queue_entry entry = entry_of(QUEUE_PUT, what);
    take_inline(context, &entry);
    return entry;
}

void device_put(struct device_context *context, const struct device_transfer *what)
{
    struct queue_entry entry = put(context, what);
    entry.is_blocking = true;
    call(context, &entry);
}

void device_put_nbi(struct device_context *context, const struct device_transfer *what)
{
    struct queue_entry entry = put(context, what);
    call_nbi(context, &entry);
}

void device_p(struct device_context *context, const struct device_transfer *what)
{
    check_release(what->bytes >= 1 && what->bytes < 8, "a typed put of %lld bytes",
                  (long long)what->bytes);
    struct queue_entry entry = entry_of(QUEUE_PUT, what);
    entry.is_blocking = true;
    entry.is_inline = true;
    entry.value = what->value;
    call(context, &entry);
}

static struct queue_entry put_signal(struct device_context *context,
                                     const struct device_transfer *what)
{
    struct queue_entry entry = entry_of(QUEUE_PUT_SIGNAL, what);
    entry.signal = what->signal;
    entry.signal_value = what->value;
    take_inline(context, &entry);
    return entry;
}

void device_put_signal(struct device_context *context, const struct device_transfer *what)
{
    struct queue_entry entry = put_signal(context, what);
    entry.is_blocking = true;
    call(context, &entry);
}

void device_put_signal_nbi(struct device_context *context, const struct device_transfer *what)
{
    struct queue_entry entry = put_signal(context, what);
    call_nbi(context, &entry);
}

void device_get_nbi(struct device_context *context, const struct device_transfer *what)
{
    struct queue_entry entry = entry_of(QUEUE_GET, what);
    call_nbi(context, &entry);
}

/* Issues the commands of several lanes with one doorbell. */
static void issue_lanes(struct device_context *context, const struct queue_entry *entry,
                        int64_t count)
{
    struct shmem_issue issues[DEVICE_LANES];
    for (int64_t i = 0; i < count; i++)
        issues[i] = (struct shmem_issue){context->work_group, service_command(entry, 0)};
    shmem_issue_all_nbi(&context->shmem, issues, (size_t)count);
}

void device_put_lanes_nbi(struct device_context *context, const struct device_transfer *what,
                          int64_t count)
{
    check_release(count >= 1 && count <= DEVICE_LANES, "%lld lanes", (long long)count);
    struct queue_entry entry = put(context, what);
    const struct agent_kind *kind = context->service->kind;
    if (kind->is_initiator && !kind->is_trigger && !peer_reaches(&context->peer, &entry)) {
        issue_lanes(context, &entry, count);
        context->posted = STAGE_SERVED;
    } else {
        for (int64_t i = 0; i < count; i++)
            observe_forget(observe_of(context), post(context, &entry));
    }
    end_call(context);
}

void device_set_nbi(struct device_context *context, const struct device_transfer *what)
{
    struct queue_entry entry = entry_of(QUEUE_SET, what);
    entry.local = ADDRESS_NONE;
    entry.bytes = sizeof entry.value;
    entry.is_inline = true;
    entry.value = what->value;
    call_nbi(context, &entry);
}

/* --- words ------------------------------------------------------------------------------------- */

/* The work-group's scratch word, for values that come back, which is on a line of its own. */
static address scratch_word(const struct device_context *context)
{
    return context->service->words + (address)(context->work_group * WORDS_BYTES);
}

/* The value that was returned there. */
static uint64_t returned_value(struct device_context *context)
{
    agent_acquire(&context->agent, SCOPE_SYSTEM);
    return agent_load_word(&context->agent, scratch_word(context));
}

uint64_t device_atomic(struct device_context *context, int64_t node, address remote,
                       enum atomic_op op, uint64_t operand, uint64_t compare)
{
    const struct device_transfer word = {node, scratch_word(context), remote, sizeof operand, 0, 0};
    struct queue_entry entry = entry_of(QUEUE_ATOMIC, &word);
    entry.atomic = (uint8_t)op;
    entry.is_inline = true;
    entry.value = operand;
    entry.compare = compare;
    entry.is_blocking = true;
    bool is_peer = peer_reaches(&context->peer, &entry);
    if (is_peer)
        entry.local = ADDRESS_NONE; /* the value stays in a register */
    call(context, &entry);
    return is_peer ? context->peer.returned : returned_value(context);
}

/* --- order and waits --------------------------------------------------------------------------- */

void device_quiet(struct device_context *context)
{
    call(context, &(struct queue_entry){.operation = QUEUE_QUIET, .is_blocking = true});
}

void device_fence(struct device_context *context)
{
    if (context->peer.agent != NULL)
        peer_finish(&context->peer);
    call_nbi(context, &(struct queue_entry){.operation = QUEUE_FENCE});
}

void device_wait_until(struct device_context *context, address local,
                       enum word_comparison comparison, uint64_t value)
{
    struct software software = context->service->software;
    struct word_condition until = {comparison, value};
    agent_wait_word(&context->agent, local, until, SOFTWARE_READ(software, wait_instructions),
                    SCOPE_SYSTEM, !SOFTWARE_READ(software, exact));
    end_call(context);
}

void device_wait_until_from(struct device_context *context, address local,
                            enum word_comparison comparison, uint64_t value, int64_t node,
                            int64_t work_group)
{
    struct word_wait *wait = &context->agent.work_group->wait;
    wait->is_sender_known = true;
    wait->sender_node = node;
    wait->sender_work_group = work_group;
    device_wait_until(context, local, comparison, value);
    wait->is_sender_known = false;
}

void device_nop(struct device_context *context)
{
    call(context, &(struct queue_entry){.operation = QUEUE_NOP});
}

void device_nops(struct device_context *context, int64_t count)
{
    static const struct queue_entry nop = {.operation = QUEUE_NOP};
    struct observe *observe = observe_of(context);
    const struct observe_origin *origin = &context->service->log->origin;
    struct software software = context->service->software;
    uint64_t operations[DEVICE_NOPS_MOST];
    check_release(count >= 1 && count <= DEVICE_NOPS_MOST, "%lld nops at once", (long long)count);
    for (int64_t i = 0; i < count; i++)
        operations[i] = observe_begin(observe, origin, (uint32_t)context->work_group,
                                      agent_now(&context->agent));
    ring_produce(&context->producer, &nop, operations, (size_t)count, software);
    for (int64_t i = 0; i < count; i++) {
        ring_wait_oldest(&context->producer, software);
        observe_end(observe, operations[i], agent_now(&context->agent));
    }
    end_call(context);
}
