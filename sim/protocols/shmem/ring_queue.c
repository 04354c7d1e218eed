/* SPDX-License-Identifier: BSD-3-Clause */
#include "protocols/shmem/ring_queue.h"

#include <string.h>

static address entry_address(const struct ring_queue *queue, uint64_t index)
{
    return queue->entries + index % queue->count * sizeof(struct queue_entry);
}

#define STATUS_BYTES offsetof(struct queue_entry, local)

/* The status word stands first in its entry. */
static address status_address(const struct ring_queue *queue, uint64_t index)
{
    return entry_address(queue, index);
}

/* --- producer ---------------------------------------------------------------------------------- */

void ring_producer_init(struct ring_producer *producer, const struct ring_queue *queue,
                        struct agent *agent)
{
    *producer = (struct ring_producer){.queue = queue, .agent = agent};
}

static bool is_shared(const struct ring_queue *queue)
{
    return queue->is_done != NULL;
}

static bool seems_full(const struct ring_producer *producer, uint64_t more)
{
    return producer->write_index + more - producer->local_read_index > producer->queue->count;
}

/* Step 1: waits for room for `count` more entries. */
static void find_room(struct ring_producer *producer, uint64_t count, struct software software)
{
    const struct ring_queue *queue = producer->queue;
    struct agent *agent = producer->agent;
    if (is_shared(queue))
        producer->oldest = producer->write_index =
            agent_atomic(agent, queue->write_index, ATOMIC_ADD, count, 0);
    if (queue->reads_room)
        producer->local_read_index = agent_load_word(agent, queue->read_index);
    while (seems_full(producer, count)) {
        sim_time start_ps = agent_now(agent);
        poller_begins(&agent->poller);
        agent_execute(agent, SOFTWARE_READ(software, wait_instructions));
        agent_acquire(agent, queue->scope);
        producer->local_read_index = agent_load_word(agent, queue->read_index);
        if (seems_full(producer, count))
            poller_goes_on(&agent->poller, agent->process, start_ps);
    }
    poller_leaves(&agent->poller);
}

static void store(const struct ring_queue *queue, struct agent *agent, address at, const void *data,
                  size_t bytes)
{
    (queue->is_plain ? agent_store : agent_store_locked)(agent, at, data, bytes);
}

static void note_operation(const struct ring_producer *producer, uint64_t index, uint64_t operation)
{
    const struct ring_queue *queue = producer->queue;
    if (queue->operations != NULL)
        queue->operations[index % queue->count] = operation;
}

#define STORE_BYTES 16

/* Step 2 without its release: stores the entry except its status, by one store, or by several where a single thread of a GPU
 * stores. */
static void fill(const struct ring_producer *producer, uint64_t index,
                 const struct queue_entry *entry)
{
    address at = entry_address(producer->queue, index);
    size_t from = STATUS_BYTES;
    size_t end = producer->queue->post == RING_POST_FENCED ? 2 * STORE_BYTES : sizeof *entry;
    for (; from < sizeof *entry; from = end, end += STORE_BYTES) {
        if (from > STATUS_BYTES)
            agent_execute(producer->agent, 1);
        store(producer->queue, producer->agent, at + from, (const char *)entry + from, end - from);
    }
}

#define PACKED_BYTES 16

/* Step 3 without its release: stores the status, or the whole entry if it is stored at once. */
static void publish(const struct ring_producer *producer, uint64_t index,
                    const struct queue_entry *entry)
{
    const struct ring_queue *queue = producer->queue;
    struct queue_entry ready = *entry;
    ready.status = QUEUE_READY;
    size_t bytes = queue->post == RING_POST_PACKED ? PACKED_BYTES
                   : queue->post == RING_POST_LINE ? sizeof ready
                                                   : STATUS_BYTES;
    store(queue, producer->agent, status_address(queue, index), &ready, bytes);
}

static bool is_at_once(const struct ring_queue *queue)
{
    return queue->post == RING_POST_PACKED || queue->post == RING_POST_LINE;
}

sim_time ring_produce(struct ring_producer *producer, const struct queue_entry *entry,
                      const uint64_t *operations, size_t count, struct software software)
{
    const struct ring_queue *queue = producer->queue;
    check_release(count <= queue->count, "%zu entries at once", count);
    find_room(producer, count, software);
    for (size_t i = 0; i < count; i++) {
        agent_execute(producer->agent, SOFTWARE_READ(software, post_instructions));
        note_operation(producer, producer->write_index + i, operations[i]);
        if (!is_at_once(queue))
            fill(producer, producer->write_index + i, entry);
    }
    if (!is_at_once(queue))
        agent_release(producer->agent, queue->scope);
    sim_time ready_ps = agent_now(producer->agent);
    for (size_t i = 0; i < count; i++)
        publish(producer, producer->write_index + i, entry);
    if (queue->post == RING_POST_RELEASED)
        agent_release(producer->agent, queue->scope);
    producer->write_index += count;
    return ready_ps;
}

/* Waits until the consumer's read index has reached `index`. */
static void wait_for_read_index(struct ring_producer *producer, uint64_t index,
                                struct software software)
{
    const struct ring_queue *queue = producer->queue;
    if (producer->local_read_index >= index)
        return;
    agent_wait_word(
        producer->agent, queue->read_index, (struct word_condition){COMPARE_GREATER_EQUAL, index},
        SOFTWARE_READ(software, wait_instructions), queue->scope, !SOFTWARE_READ(software, exact));
    producer->local_read_index = index;
}

void ring_wait_oldest(struct ring_producer *producer, struct software software)
{
    const struct ring_queue *queue = producer->queue;
    if (is_shared(queue)) {
        wait_for_read_index(producer, ++producer->oldest, software);
        return;
    }
    agent_wait_word(producer->agent, status_address(queue, producer->local_read_index),
                    word_equals(QUEUE_DONE), SOFTWARE_READ(software, wait_instructions),
                    queue->scope, !SOFTWARE_READ(software, exact));
    producer->local_read_index++;
}

/* The status words of the pending entries from the oldest on, as many as one poll can load. */
static size_t pending(const struct ring_producer *producer, address *status)
{
    uint64_t left = producer->write_index - producer->local_read_index;
    size_t count = left < WAIT_WORDS_MAX ? (size_t)left : WAIT_WORDS_MAX;
    for (size_t i = 0; i < count; i++)
        status[i] = status_address(producer->queue, producer->local_read_index + i);
    return count;
}

/* Waits until the `count` oldest pending entries, whose status words are `status`, are done. */
static void wait_for_words(struct ring_producer *producer, const address *status, size_t count,
                           struct software software)
{
    agent_wait_words(producer->agent, status, count, word_equals(QUEUE_DONE),
                     SOFTWARE_READ(software, wait_instructions), producer->queue->scope,
                     !SOFTWARE_READ(software, exact));
    producer->local_read_index += count;
}

static G_GNUC_NO_INLINE void wait_for_many(struct ring_producer *producer, struct software software)
{
    address status[WAIT_WORDS_MAX];
    while (producer->local_read_index < producer->write_index)
        wait_for_words(producer, status, pending(producer, status), software);
}

/* Most work-groups wait for one entry, on a small stack (models/gpu/poll_wait.c). */
void ring_wait_all(struct ring_producer *producer, bool by_read_index, struct software software)
{
    if (by_read_index || is_shared(producer->queue))
        wait_for_read_index(producer, producer->write_index, software);
    uint64_t left = producer->write_index - producer->local_read_index;
    address status = status_address(producer->queue, producer->local_read_index);
    if (left == 1)
        wait_for_words(producer, &status, 1, software);
    else if (left > 1)
        wait_for_many(producer, software);
}

/* --- consumer ---------------------------------------------------------------------------------- */

void ring_consumer_init(struct ring_consumer *consumer, const struct ring_queue *queue)
{
    *consumer = (struct ring_consumer){.queue = queue, .copy = ADDRESS_NONE};
}

bool ring_next_entry(const struct ring_consumer *consumer, address *at)
{
    *at = entry_address(consumer->queue, consumer->poll_index);
    return !consumer->is_fenced &&
           consumer->poll_index - consumer->read_index < consumer->queue->count;
}

bool ring_polled_line(const struct ring_consumer *consumer, address *at)
{
    bool has_next = ring_next_entry(consumer, at);
    if (consumer->copy != ADDRESS_NONE)
        *at = consumer->copy;
    return has_next;
}

/* How many bytes one load of the entry at `at` brings: at least its status word. */
static size_t polled_bytes(struct agent *agent, address at)
{
    size_t bytes = (size_t)agent_load_bytes(agent, at);
    return bytes < STATUS_BYTES ? STATUS_BYTES : bytes;
}

void ring_poll(const struct ring_consumer *consumers, size_t stride, size_t count,
               struct agent *agent, struct queue_entry *entries, bool *ready, enum poll_place from)
{
    struct memory_load loads[LOADS_IN_FLIGHT_MAX];
    size_t looks[LOADS_IN_FLIGHT_MAX], made = 0;
    check_release(count >= 1 && count <= LOADS_IN_FLIGHT_MAX, "%zu polls a time", count);
    for (size_t i = 0; i < count; i++) {
        address at;
        ready[i] = false;
        if (!ring_polled_line(&consumers[i * stride], &at))
            continue;
        loads[made] = (struct memory_load){at, &entries[i], polled_bytes(agent, at)};
        looks[made++] = i;
    }
    if (made == 0)
        return;
    agent_acquire(agent, consumers->queue->scope);
    if (made == 1)
        agent_poll(agent, loads[0].at, loads[0].data, loads[0].bytes, from);
    else
        agent_load_all(agent, loads, made);
    for (size_t i = 0; i < made; i++)
        ready[looks[i]] = entries[looks[i]].status == QUEUE_READY;
}

/* Where the fields of the entry end that its operation needs. */
static size_t end_of_fields(const struct queue_entry *entry)
{
    if (entry->operation == QUEUE_PUT_SIGNAL || entry->operation >= QUEUE_TOLD_TO_SET)
        return offsetof(struct queue_entry, unused);
    if (entry->operation == QUEUE_ATOMIC && entry->atomic == ATOMIC_COMPARE_SWAP)
        return offsetof(struct queue_entry, signal_value);
    return entry->is_inline ? offsetof(struct queue_entry, signal)
                            : offsetof(struct queue_entry, value);
}

void ring_take(struct ring_consumer *consumers, size_t stride, size_t count, struct agent *agent,
               const bool *ready, struct queue_entry *entries, uint64_t *indices)
{
    struct memory_load loads[LOADS_IN_FLIGHT_MAX];
    size_t made = 0;
    for (size_t i = 0; i < count; i++) {
        if (!ready[i])
            continue;
        address at;
        ring_polled_line(&consumers[i * stride], &at);
        indices[i] = consumers[i * stride].poll_index++;
        size_t first = polled_bytes(agent, at), end = end_of_fields(&entries[i]);
        if (entries[i].operation == QUEUE_NOP && ring_marks_behind_release(consumers))
            end = STATUS_BYTES; /* a micro-benchmark's entry, complete with its first store */
        if (first < sizeof *entries)
            memset((char *)&entries[i] + first, 0, sizeof *entries - first);
        if (first < end)
            loads[made++] =
                (struct memory_load){at + first, (char *)&entries[i] + first, end - first};
    }
    if (made == 0)
        return;
    agent_acquire(agent, consumers->queue->scope);
    agent_load_all(agent, loads, made);
}

/* Counts the entries that are done before the first one that is not. */
static void count_done(struct ring_consumer *consumer)
{
    const struct ring_queue *queue = consumer->queue;
    while (queue->is_done[consumer->read_index % queue->count]) {
        queue->is_done[consumer->read_index % queue->count] = false;
        consumer->read_index++;
    }
}

void ring_mark(struct ring_consumer *consumer, struct agent *agent, uint64_t index)
{
    const struct ring_queue *queue = consumer->queue;
    check_release((is_shared(queue) || index == consumer->read_index) &&
                      index < consumer->poll_index,
                  "entry %llu is marked before entry %llu", (unsigned long long)index,
                  (unsigned long long)consumer->read_index);
    agent_store_word(agent, status_address(queue, index), QUEUE_DONE);
    if (!is_shared(queue)) {
        consumer->read_index++;
        return;
    }
    queue->is_done[index % queue->count] = true;
    count_done(consumer);
}

void ring_advance(struct ring_consumer *consumer, struct agent *agent)
{
    if (is_shared(consumer->queue) && consumer->told_index == consumer->read_index)
        return;
    consumer->told_index = consumer->read_index;
    agent_store_word(agent, consumer->queue->read_index, consumer->read_index);
}
