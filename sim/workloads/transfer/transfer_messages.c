/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of ranks become messages of the design's runtime (protocols/runtimes/messenger.h); signals are tags.
 *
 * Two-sided runtimes have no get or put: a rank requests one by a small message, and the peer's program, which serves, answers
 * with the data or takes them and acknowledges. The two ends share the request here, which a real program would find in that
 * message. */

#include "protocols/ucx/ucx.h"
#include "workloads/transfer/transfer_messenger.h"

#define REQUEST_BYTES 8

enum asked { ASKED_GET, ASKED_PUT, ASKED_TO_LEAVE };

/* A request that its target has not served yet. */
struct asked_for {
    struct list_link link;
    int32_t from;
    enum asked what;
    int32_t buffer;
    int64_t bytes;
};

static int32_t rank_of(const struct messenger_world *own, int64_t place, int64_t group)
{
    return (int32_t)(place * messenger_setup(own)->groups + group);
}

/* The rank's own buffer with that number: an allocation that its runtime recognises. */
static struct block block_of(const struct messenger_party *party, int32_t number, int64_t bytes)
{
    const struct messenger_world *own = party->own;
    const struct messenger_buffer *buffer =
        &g_array_index(own->buffers, struct messenger_buffer, (guint)number);
    uint32_t id = (uint32_t)party->rank * own->buffers->len + (uint32_t)number + 1;
    check_release(bytes <= buffer->bytes, "%lld bytes of a buffer of %lld", (long long)bytes,
                  (long long)buffer->bytes);
    if (buffer->memory == TRANSFER_PINNED)
        return job_host_block(messenger_process(party), BLOCK_PINNED, id, bytes);
    return buffer->memory == TRANSFER_HOST || messenger_computes_on_host(own)
               ? job_host_block(messenger_process(party), BLOCK_PAGEABLE, id, bytes)
               : job_device_block(messenger_process(party), id, bytes);
}

/* The rank of a transfer's other party, and the own buffer. */
static int32_t peer_of(const struct messenger_party *own, const struct party_call *what)
{
    return rank_of(own->own, what->place, what->group);
}

static struct block own_block(const struct messenger_party *own, const struct party_call *what)
{
    return block_of(own, what->buffer.number, what->bytes);
}

struct block transfer_block(const struct party *party, int64_t place, struct transfer_buffer buffer,
                            int64_t bytes)
{
    const struct messenger_world *own = messenger_of(party)->own;
    return block_of(&own->parties[rank_of(own, place, party->group)], buffer.number, bytes);
}

static struct block request_block(const struct messenger_party *party)
{
    return job_host_block(messenger_process(party), BLOCK_PAGEABLE, UINT32_MAX, REQUEST_BYTES);
}

/* --- operations, as observers know them: messages, gets and puts --- */

/* Begins an operation, to which the rank's sends belong from now on, if there is a listener. */
static void begin_operation(struct messenger_party *party)
{
    struct observe *observe = &world_sim(party->own->world)->observe;
    if (observe_wants_operations(observe))
        cpu_work_for(&messenger_process(party)->cpu,
                     observe_begin(observe, &party->own->world->messages, (uint32_t)party->rank,
                                   messenger_now(&party->party)));
}

static uint64_t leave_operation(struct messenger_party *party)
{
    return cpu_work_for(&messenger_process(party)->cpu, 0);
}

static void end_operation(struct messenger_party *party, uint64_t operation)
{
    observe_end_at(&world_sim(party->own->world)->observe, operation, messenger_now(&party->party),
                   messenger_process(party)->cpu.place);
}

static void end_received(struct messenger_party *party, const struct message *messages,
                         size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (messages[i].is_receive)
            end_operation(party, messages[i].operation);
}

static void send_to(struct messenger_party *party, int32_t to, int32_t tag, struct block block)
{
    struct message message;
    messenger_send(party->own->runtime, party->rank, &message, to, tag, block);
    messenger_wait(party->own->runtime, party->rank, &message, 1);
}

static uint64_t receive_from(struct messenger_party *party, int32_t from, int32_t tag,
                             struct block block)
{
    struct message message;
    messenger_receive(party->own->runtime, party->rank, &message, from, tag, block);
    messenger_wait(party->own->runtime, party->rank, &message, 1);
    observe_stage(&world_sim(party->own->world)->observe, message.operation, STAGE_NOTICED,
                  messenger_now(&party->party));
    return message.operation;
}

/* Sends the request to the target. */
static void ask(struct messenger_party *party, int32_t target, enum asked what,
                const struct party_call *of)
{
    struct messenger_party *other = &party->own->parties[target];
    struct asked_for *asked = g_new0(struct asked_for, 1);
    *asked = (struct asked_for){
        .from = party->rank, .what = what, .buffer = of->buffer.number, .bytes = of->bytes};
    list_append(&other->asked, &asked->link);
    send_to(party, target, TAG_REQUEST, request_block(party));
}

void messenger_get(struct party *party, const struct party_call *what)
{
    struct messenger_party *own = messenger_of(party);
    int32_t target = peer_of(own, what);
    struct message answer;
    begin_operation(own);
    messenger_receive(own->own->runtime, own->rank, &answer, target, TAG_DATA,
                      own_block(own, what));
    ask(own, target, ASKED_GET, what);
    messenger_wait(own->own->runtime, own->rank, &answer, 1);
    end_operation(own, leave_operation(own));
}

void messenger_put(struct party *party, const struct party_call *what)
{
    struct messenger_party *own = messenger_of(party);
    int32_t target = peer_of(own, what);
    begin_operation(own);
    ask(own, target, ASKED_PUT, what);
    send_to(own, target, TAG_DATA, own_block(own, what));
    receive_from(own, target, TAG_ANSWER, request_block(own));
    end_operation(own, leave_operation(own));
}

void messenger_leave(struct party *party, const struct party_call *what)
{
    struct messenger_party *own = messenger_of(party);
    ask(own, peer_of(own, what), ASKED_TO_LEAVE, &(struct party_call){0});
}

/* Takes the oldest request of `from`, whose message has arrived. */
static struct asked_for take_request(struct messenger_party *own, int32_t from)
{
    struct asked_for *taken = LIST_FIRST(&own->asked, struct asked_for, link);
    while (taken->from != from)
        taken = LIST_NEXT(taken, struct asked_for, link);
    list_remove(&own->asked, &taken->link);
    struct asked_for copy = *taken;
    g_free(taken);
    return copy;
}

void messenger_serve(struct party *party, const struct party_call *what)
{
    struct messenger_party *own = messenger_of(party);
    int32_t from = peer_of(own, what);
    while (true) {
        uint64_t operation = receive_from(own, from, TAG_REQUEST, request_block(own));
        struct asked_for asked = take_request(own, from);
        if (asked.what == ASKED_TO_LEAVE)
            return;
        struct block block = block_of(own, asked.buffer, asked.bytes);
        cpu_work_for(&messenger_process(own)->cpu, operation);
        if (asked.what == ASKED_GET) {
            send_to(own, from, TAG_DATA, block);
        } else {
            receive_from(own, from, TAG_DATA, block);
            send_to(own, from, TAG_ANSWER, request_block(own));
        }
        leave_operation(own);
    }
}

/* Waits until a put with signal has left its buffer. The put itself does not wait for that, since two ranks that first put to
 * each other would never reach their receives. */
static void finish_signal(struct messenger_party *own)
{
    if (own->is_signalling)
        messenger_wait(own->own->runtime, own->rank, own->signals, 1);
    own->is_signalling = false;
}

static int32_t signal_tag(const struct messenger_party *own, const struct party_call *what)
{
    return g_array_index(own->own->signals, int32_t, (guint)what->signals.number) +
           (int32_t)what->index;
}

/* Messages of one tag come in order, so the signal's value does not matter. */
void messenger_put_signal(struct party *party, const struct party_call *what)
{
    struct messenger_party *own = messenger_of(party);
    finish_signal(own);
    own->is_signalling = true;
    begin_operation(own);
    messenger_send(own->own->runtime, own->rank, own->signals, peer_of(own, what),
                   signal_tag(own, what), own_block(own, what));
    leave_operation(own);
}

void messenger_wait_signal(struct party *party, const struct party_call *what)
{
    struct messenger_party *own = messenger_of(party);
    struct runtime *runtime = own->own->runtime;
    messenger_receive(runtime, own->rank, &own->signals[1], peer_of(own, what),
                      signal_tag(own, what), own_block(own, what));
    if (own->is_signalling)
        messenger_wait(runtime, own->rank, own->signals, 2);
    else
        messenger_wait(runtime, own->rank, &own->signals[1], 1);
    own->is_signalling = false;
    end_received(own, &own->signals[1], 1);
}

void messenger_send_messages(struct party *party, struct message *messages, size_t count,
                             const struct party_call *what)
{
    struct messenger_party *own = messenger_of(party);
    g_autofree uint64_t *operations = NULL;
    if (observe_wants_operations(&world_sim(party->world)->observe))
        operations = g_new(uint64_t, count);
    for (size_t i = 0; operations != NULL && i < count; i++) {
        begin_operation(own);
        operations[i] = leave_operation(own);
    }
    messenger_send_window(own->own->runtime, own->rank, messages, count, peer_of(own, what),
                          (int32_t)what->channel, own_block(own, what), operations);
}

void messenger_receive_message(struct party *party, struct message *message,
                               const struct party_call *what)
{
    struct messenger_party *own = messenger_of(party);
    messenger_receive(own->own->runtime, own->rank, message, peer_of(own, what),
                      (int32_t)what->channel, own_block(own, what));
}

void messenger_wait_messages(struct party *party, struct message *messages, size_t count)
{
    struct messenger_party *own = messenger_of(party);
    messenger_wait(own->own->runtime, own->rank, messages, count);
    end_received(own, messages, count);
}

/* All other calls wait for their own messages. */
void messenger_quiet(struct party *party)
{
    finish_signal(messenger_of(party));
}

/* --- totals --------------------------------------------------------------------------------------
 *
 * Totals of two ranks of a world: the times of their cores by account and by state, and the counts of their UCX workers; and
 * levels: those of their heaps, and of the runtime's stocks. */

/* The accounts of both ranks, then the counts of both together. */
#define TOTAL_COUNTS (2 * CPU_ACCOUNTS)
#define TOTALS (TOTAL_COUNTS + UCX_COUNTS)

#define LEVELS_OF_RANK 3
#define LEVELS (2 * LEVELS_OF_RANK)

struct world_totals world_totals(const struct world *world)
{
    return world_has_words(world) ? (struct world_totals){0}
                                  : (struct world_totals){TOTALS, LEVELS};
}

static void gather_levels(const struct messenger_world *own, int64_t place, int64_t *levels)
{
    const struct heap *heap = &own->job->processes[place].heap;
    levels[0] = heap->used_bytes;
    levels[1] = heap->touched_bytes;
    levels[2] = runtime_stock(own->runtime, (int32_t)place);
}

void world_gather(const struct world *world, const int64_t *places, int64_t *numbers)
{
    const struct messenger_world *own = world->own;
    if (world_has_words(world))
        return;
    struct ucx *ucx = own->runtime->ucx;
    for (size_t k = TOTAL_COUNTS; k < TOTALS; k++)
        numbers[k] = 0;
    for (int end = 0; end < 2; end++) {
        const struct cpu *cpu = &own->job->processes[places[end]].cpu;
        const struct ucx_worker *worker = ucx_worker(ucx, (int32_t)places[end]);
        for (int account = 0; account < CPU_ACCOUNTS; account++)
            numbers[end * CPU_ACCOUNTS + account] = cpu->time_ps[account];
        for (enum ucx_count i = 0; i < UCX_COUNTS; i++)
            numbers[TOTAL_COUNTS + i] += ucx_count(worker, i);
        gather_levels(own, places[end], numbers + TOTALS + end * LEVELS_OF_RANK);
    }
}

/* The measure of an account of the first or the second rank. The library's is called ucx. */
static const char *account_measure(int end, int account)
{
    g_autofree char *name =
        g_strconcat(end == 0 ? "time_" : "peer_time_",
                    account == CPU_LIBRARY ? "ucx" : cpu_account_names[account], NULL);
    return g_intern_string(name);
}

void world_report_totals(const struct world *world, const int64_t *growth, int64_t messages,
                         struct workload_result *result)
{
    if (world_has_words(world))
        return;
    for (int end = 0; end < 2; end++) {
        for (int account = 0; account < CPU_ACCOUNTS; account++) {
            int64_t total_ps = growth[end * CPU_ACCOUNTS + account];
            if (account == CPU_SYSTEM && total_ps == 0)
                continue;
            workload_add_quantity(result, account_measure(end, account), UNIT_TIME,
                                  (total_ps + messages / 2) / messages);
        }
    }
    for (enum ucx_count i = 0; i < UCX_COUNTS; i++)
        workload_add_ratio(result, ucx_count_names[i],
                           (double)growth[TOTAL_COUNTS + i] / (double)messages);
}
