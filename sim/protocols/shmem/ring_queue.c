#include "protocols/shmem/ring_queue.h"

#include "core/check.h"

static address entry_address(const struct ring_queue *queue, uint64_t index)
{
    return queue->entries + index % queue->count * sizeof(struct queue_entry);
}

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

static bool seems_full(const struct ring_producer *producer)
{
    return producer->write_index - producer->local_read_index == producer->queue->count;
}

static void wait_for_room(struct ring_producer *producer, const struct software_spec *software)
{
    const struct ring_queue *queue = producer->queue;
    struct agent *agent = producer->agent;
    while (seems_full(producer)) {
        poller_begins(&agent->poller);
        agent_execute(agent, software->wait_instructions);
        agent_acquire(agent, queue->scope);
        producer->local_read_index = agent_load_word(agent, queue->read_index);
        if (seems_full(producer))
            poller_found_nothing(&agent->poller);
    }
    poller_leaves(&agent->poller);
}

static void store(const struct ring_queue *queue, struct agent *agent, address at, const void *data,
                  size_t bytes)
{
    (queue->is_plain ? agent_store : agent_store_locked)(agent, at, data, bytes);
}

sim_time ring_produce(struct ring_producer *producer, const struct queue_entry *entry,
                      uint64_t operation, const struct software_spec *software)
{
    const struct ring_queue *queue = producer->queue;
    struct agent *agent = producer->agent;
    wait_for_room(producer, software);
    agent_execute(agent, software->post_instructions);
    if (queue->operations != NULL)
        queue->operations[producer->write_index % queue->count] = operation;
    size_t after_status = sizeof entry->status;
    store(queue, agent, entry_address(queue, producer->write_index) + after_status,
          (const char *)entry + after_status, sizeof *entry - after_status);
    agent_release(agent, queue->scope);
    sim_time ready_ps = agent_now(agent);
    uint64_t ready = QUEUE_READY;
    store(queue, agent, status_address(queue, producer->write_index), &ready, sizeof ready);
    agent_release(agent, queue->scope);
    producer->write_index++;
    return ready_ps;
}

/* Entries complete in any order, but all are waited for: so it is enough to poll the oldest one
 * that is not known to be done. */
void ring_wait_all(struct ring_producer *producer, const struct software_spec *software)
{
    const struct ring_queue *queue = producer->queue;
    struct agent *agent = producer->agent;
    while (producer->local_read_index < producer->write_index) {
        agent_wait_word(agent, status_address(queue, producer->local_read_index),
                        word_equals(QUEUE_DONE), software->wait_instructions, queue->scope,
                        software->skip_polls);
        producer->local_read_index++;
    }
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

/* Where the consumer reads its next entry. */
static bool poll_address(const struct ring_consumer *consumer, address *at)
{
    bool has_next = ring_next_entry(consumer, at);
    if (consumer->copy != ADDRESS_NONE)
        *at = consumer->copy;
    return has_next;
}

void ring_poll(const struct ring_consumer *consumers, size_t stride, size_t count,
               struct agent *agent, bool *ready)
{
    uint64_t words[LOADS_IN_FLIGHT_MAX];
    struct memory_load loads[LOADS_IN_FLIGHT_MAX];
    size_t looks[LOADS_IN_FLIGHT_MAX], made = 0;
    check_release(count >= 1 && count <= LOADS_IN_FLIGHT_MAX, "%zu polls a time", count);
    for (size_t i = 0; i < count; i++) {
        const struct ring_consumer *consumer = &consumers[i * stride];
        address at; /* the status word stands first */
        ready[i] = false;
        if (!poll_address(consumer, &at))
            continue;
        loads[made] = (struct memory_load){at, &words[made], sizeof words[made]};
        looks[made++] = i;
    }
    if (made == 0)
        return;
    agent_acquire(agent, consumers->queue->scope);
    agent_load_all(agent, loads, made);
    for (size_t i = 0; i < made; i++)
        ready[looks[i]] = words[i] == QUEUE_READY;
}

/* A load of the bytes [first, end) of the entry at `at`. */
static struct memory_load fields(address at, struct queue_entry *entry, size_t first, size_t end)
{
    return (struct memory_load){at + first, (char *)entry + first, end - first};
}

/* The value, and behind it what it is compared with. */
static size_t end_of_value(const struct queue_entry *entry)
{
    bool compares = entry->operation == QUEUE_ATOMIC && entry->atomic == ATOMIC_COMPARE_SWAP;
    return compares ? offsetof(struct queue_entry, signal_value)
                    : offsetof(struct queue_entry, signal);
}

/* What only some entries have. */
static size_t more_fields(address at, struct queue_entry *entry, struct memory_load *loads)
{
    size_t count = 0;
    if (entry->is_inline)
        loads[count++] =
            fields(at, entry, offsetof(struct queue_entry, value), end_of_value(entry));
    if (entry->operation == QUEUE_PUT_SIGNAL)
        loads[count++] =
            fields(at, entry, offsetof(struct queue_entry, signal), sizeof(struct queue_entry));
    return count;
}

void ring_take(struct ring_consumer *consumers, size_t stride, size_t count, struct agent *agent,
               const bool *ready, struct queue_entry *entries, uint64_t *indices)
{
    struct memory_load loads[LOADS_IN_FLIGHT_MAX], more[2 * LOADS_IN_FLIGHT_MAX];
    address at[LOADS_IN_FLIGHT_MAX];
    size_t made = 0, made_more = 0;
    for (size_t i = 0; i < count; i++) {
        if (!ready[i])
            continue;
        poll_address(&consumers[i * stride], &at[i]);
        indices[i] = consumers[i * stride].poll_index++;
        entries[i] = (struct queue_entry){.status = QUEUE_READY};
        loads[made++] = fields(at[i], &entries[i], offsetof(struct queue_entry, operation),
                               offsetof(struct queue_entry, value));
    }
    if (made == 0)
        return;
    agent_acquire(agent, consumers->queue->scope);
    agent_load_all(agent, loads, made);
    for (size_t i = 0; i < count; i++)
        if (ready[i])
            made_more += more_fields(at[i], &entries[i], &more[made_more]);
    agent_load_all(agent, more, made_more);
}

uint64_t ring_operation(const struct ring_queue *queue, uint64_t index)
{
    return queue->operations != NULL ? queue->operations[index % queue->count] : 0;
}

void ring_mark(struct ring_consumer *consumer, struct agent *agent, uint64_t index)
{
    check_release(index == consumer->read_index && index < consumer->poll_index,
                  "entry %llu is marked before entry %llu", (unsigned long long)index,
                  (unsigned long long)consumer->read_index);
    agent_store_word(agent, status_address(consumer->queue, index), QUEUE_DONE);
    consumer->read_index++;
}

void ring_advance(const struct ring_consumer *consumer, struct agent *agent)
{
    agent_store_word(agent, consumer->queue->read_index, consumer->read_index);
}
