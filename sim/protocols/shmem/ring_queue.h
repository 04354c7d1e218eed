/* SPDX-License-Identifier: BSD-3-Clause */
/* The per-work-group producer/consumer queue of ComP-Net (ComPNet18 section 4.2.1, Fig 6; M-065 to
 * M-070): entries of one 64-byte line, a status word in each, a read index shared by both sides.
 *
 *   producer (work-group)                        consumer (service thread)
 *   1a full? by its own copy of the read index   1  acquire, poll the next entry: status and what else
 *   1b if so: refresh the copy, acquire             one load brings of its line
 *   2  fill the entry, release                   2  read the rest of the entry, serve it
 *   3  store the status "ready", release         3  store the status "done", release
 *   4  advance the write index                   4  advance the read index, here and for the producer
 *   5  wait: poll the status of all entries
 *      between read and write index, acquire
 *
 * A queue may be shared by several producers (NVSHMEM's channel, src/include/non_abi/device/pt-to-pt/proxy_device.cuh: places by
 * an atomic on an index in the GPU's memory). Then
 *   1  reserves a place by an atomic on the write index, and waits while the place is not free
 *   5  polls the read index, since another producer may take a place as soon as it is done
 * and the consumer takes entries in the order of their places: one that is reserved and not written holds up all behind it.
 *
 * The code is the same wherever queue and agents are; what a step costs is the agents' business. */
#pragma once

#include "protocols/agents/agent.h"
#include "protocols/shmem/software.h"

enum queue_status { QUEUE_EMPTY, QUEUE_READY, QUEUE_DONE };

enum queue_operation {
    QUEUE_PUT,
    QUEUE_GET,
    QUEUE_PUT_SIGNAL, /* a put, and behind its payload a word */
    QUEUE_ATOMIC,
    QUEUE_QUIET, /* no transfer: wait for everything that was issued before */
    QUEUE_FENCE, /* later entries are not issued before earlier ones are complete */
    QUEUE_NOP,   /* served at once: only to the server and back */
    QUEUE_SET,   /* a word, by itself */
    /* what other servers' messages say (shmem/inbox.h) */
    QUEUE_TOLD_TO_SET, /* a word of this GPU; `signal`: who is to be answered */
    QUEUE_ANSWERED,
};

/* An entry as it lies in memory. Its first 8 bytes are the status word: stored on its own, after the
 * rest, and read together with as much of the rest as one load brings (M-134). */
struct queue_entry {
    uint8_t status;    /* enum queue_status */
    uint8_t operation; /* enum queue_operation */
    uint8_t atomic;    /* enum atomic_op; for QUEUE_ATOMIC */
    uint8_t is_blocking : 1;
    uint8_t
        is_inline : 1; /* the payload is `value`: less than 8 bytes (N-38); an atomic's operand */
    uint32_t node;     /* the other node */
    uint64_t local;    /* address here */
    uint64_t remote;   /* address there */
    uint64_t bytes;
    uint64_t value; /* read by the consumer only if is_inline */
    union {
        uint64_t signal;  /* remote address of a put's signal; read only for QUEUE_PUT_SIGNAL */
        uint64_t compare; /* read only for an ATOMIC_COMPARE_SWAP */
    };
    uint64_t signal_value; /* as signal */
    uint64_t unused;
};
_Static_assert(sizeof(struct queue_entry) == 64, "a queue entry has 64 bytes (N-36)");

/* How a post carries out steps 2 and 3.
 *   RING_POST_RELEASED  the entry but for its status, a release, the status, a release (M-066)
 *   RING_POST_FENCED    the same without the last release, by a single thread: three stores of the entry
 *   RING_POST_PACKED    one store of 16 bytes, enough for a small operation, and no release
 *   RING_POST_LINE      one store of the whole line, and no release */
enum ring_post { RING_POST_RELEASED, RING_POST_FENCED, RING_POST_PACKED, RING_POST_LINE };

/* Where a queue is: constant once made. */
struct ring_queue {
    address entries;     /* count * 64 bytes */
    address read_index;  /* 8 bytes on a line of their own */
    address write_index; /* likewise, of a shared one, for producers only */
    uint64_t count;
    enum memory_scope scope; /* at which the two sides synchronise */
    enum ring_post post;
    bool reads_room; /* each post reads the read index first, even if the queue has room */
    bool is_plain;   /* its lines are never locked in the L2 */
    bool *is_done;   /* by entry, of a shared one: marked, and not yet counted by the read index;
                                NULL: one producer. The owner's, `count` of them */
    uint64_t *operations; /* by entry: numbers in the operation log, for its stamps only; NULL if
                                nobody asks. The owner's, `count` of them */
};

/* --- the producer's side ----------------------------------------------------------------------- */

struct ring_producer {
    const struct ring_queue *queue;
    struct agent *agent;
    uint64_t write_index; /* behind its own last entry */
    uint64_t
        oldest; /* of a shared queue: the producer's oldest entry that it has not yet seen done */
    uint64_t local_read_index; /* copy of the shared one; may lag behind */
};
void ring_producer_init(struct ring_producer *producer, const struct ring_queue *queue,
                        struct agent *agent);

/* Steps 1 to 4 for `count` (1 .. queue->count) equal entries that are posted together, with one release for all. With more than
 * one, no earlier entry of this producer may be pending. `entry->status` is ignored. Waits while the queue is full. Returns
 * after the release behind the status; the result is the time at which the first status was stored. `operations` are the
 * entries' numbers in the operation log, or 0. */
sim_time ring_produce(struct ring_producer *producer, const struct queue_entry *entry,
                      const uint64_t *operations, size_t count, struct software software);

/* Step 5 for the oldest entry that is not known to be done. */
void ring_wait_oldest(struct ring_producer *producer, struct software software);

/* Step 5: waits until every entry posted so far is done, by the status of all that are pending (M-070) or,
 * with `by_read_index`, as always with a shared queue, by the read index that the consumer advances. */
void ring_wait_all(struct ring_producer *producer, bool by_read_index, struct software software);

/* --- the consumer's side ----------------------------------------------------------------------- */

struct ring_consumer {
    const struct ring_queue *queue;
    address copy;        /* where to poll instead of in the queue; ADDRESS_NONE: in the queue */
    uint64_t poll_index; /* next entry to poll */
    uint64_t read_index; /* entries done */
    uint64_t told_index; /* entries done, as producers can read it */
    bool is_fenced;      /* its next entries are not polled for the time being. The caller's */
};
void ring_consumer_init(struct ring_consumer *consumer, const struct ring_queue *queue);

/* The address of the next entry. False if it must not be polled: the queue is fenced, or all its slots are taken and
 * none is done, so that the next slot still holds an old entry. */
bool ring_next_entry(const struct ring_consumer *consumer, address *at);

/* The address at which the consumer polls that entry: that of the copy, if there is one. Returns as ring_next_entry
 * does. */
bool ring_polled_line(const struct ring_consumer *consumer, address *at);

/* Step 1: behind one acquire, looks once at the next entry of each of `count` (1 .. LOADS_IN_FLIGHT_MAX) queues, whose
 * consumers are `stride` apart. ready[i] says whether an entry was there, entries[i] has what came with its status word. A look at
 * a single queue may continue one that has begun, at the point `from`. */
void ring_poll(const struct ring_consumer *consumers, size_t stride, size_t count,
               struct agent *agent, struct queue_entry *entries, bool *ready, enum poll_place from);

/* Step 2 for the entries that were seen ready: reads, behind one acquire, what did not come with the status. For each ready[i] it
 * completes entries[i], and sets indices[i] to the entry's place, for ring_mark. */
void ring_take(struct ring_consumer *consumers, size_t stride, size_t count, struct agent *agent,
               const bool *ready, struct queue_entry *entries, uint64_t *indices);

/* The operation's number that the producer gave with the entry at `index`; 0 if none. */
static inline uint64_t ring_operation(const struct ring_queue *queue, uint64_t index)
{
    return queue->operations != NULL ? queue->operations[index % queue->count] : 0;
}

/* Whether the release comes before the marks, as for posts without a last release; else it follows them. */
static inline bool ring_marks_behind_release(const struct ring_consumer *consumer)
{
    return consumer->queue->post != RING_POST_RELEASED;
}

/* Step 3 without its release, for the entry at `index`. Entries of one producer are done in order, since a work-group posts
 * nothing while it waits for a blocking operation. Those of a shared queue are marked in any order, and the read index counts those
 * before the first that is not marked. */
void ring_mark(struct ring_consumer *consumer, struct agent *agent, uint64_t index);

/* Step 4, to be called behind a release: for all entries marked so far. */
void ring_advance(struct ring_consumer *consumer, struct agent *agent);
