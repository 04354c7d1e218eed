/* SPDX-License-Identifier: BSD-3-Clause */
/* Aggregated messages: puts to one node as one message on the wire, unpacked by a server there (Gravel,
 * Orr et al., SC'17: per-node queues that CPU threads send whole and apply at the other end). A server gathers puts until enough
 * have come, the next one does not fit, or the first has waited long enough.
 *
 *   sender: service thread t                            receiver: service thread t of the other node
 *   pack: a head and the payload of each put,           poll the word of each node's next slot
 *   into a slot of its outbox; one put of the           a new message: read it, store each payload where
 *   slot into its inbox there, with the message's       it belongs, then its signal; release
 *   number as its signal                                put the number into the sender's word of that slot
 *   poll that word: the puts are complete
 *
 * Threads of the same number talk to each other; slots and words lie at the same addresses on all nodes, whose
 * services were made alike. A sender that waits for a slot or for a quiet goes on unpacking, so that two
 * cannot wait for each other. The wire carries no contents of large payloads (models/nic/nic_payload.c);
 * the receiver finds them in the outbox, which stays as it is until its answer. */
#pragma once

#include "protocols/shmem/ring_queue.h"
#include "protocols/shmem/shmem.h"

struct aggregate; /* of one service thread */

/* An entry that has been or will be issued, and that is to be marked later. */
struct unmarked {
    struct ring_consumer *consumer;
    uint64_t index;
};

/* Where the slots and words of a service's `threads` threads begin, for each of the nodes 0 .. nodes - 1 that take part. Other
 * nodes have no slots, and nobody looks for their messages. Set up at the start of a run. */
struct aggregate_memory {
    address outboxes, inboxes;
    address arrived, answered; /* words, on a line each */
    int64_t threads, nodes;
};
void aggregate_memory_init(struct aggregate_memory *memory, struct cluster *cluster,
                           struct site *site, const struct design *design, int64_t threads,
                           int64_t nodes);

/* For service thread `thread`, which uses the library through `shmem` and counts operations in flight in `contexts`;
 * the messages themselves are counted in contexts[context]. Blocking entries that have been sent are added to `unmarked`. */
struct aggregate *aggregate_new(struct cluster *cluster, struct site *site,
                                const struct design *design, const struct aggregate_memory *memory,
                                int64_t thread, struct shmem *shmem, uint64_t *contexts,
                                int64_t context, GArray *unmarked);
void aggregate_free(struct aggregate *aggregate);

/* Whether a put fits into an empty message, and so can be gathered. In this and the next two functions `aggregate` may be NULL:
 * then nothing is gathered or held. */
bool aggregate_takes(const struct aggregate *aggregate, const struct nic_command *put);

/* Whether it holds any put. */
bool aggregate_holds(const struct aggregate *aggregate);

/* Sends the puts held for those nodes whose first put has waited long enough at `now_ps` (SIM_TIME_MAX: for all nodes). Waits while
 * all slots to a node are taken. */
void aggregate_flush_due(struct aggregate *aggregate, sim_time now_ps);

/* Gathers a put of `context`. `blocking` is its entry, or NULL if nobody waits for it. */
void aggregate_gather(struct aggregate *aggregate, int64_t context, const struct nic_command *put,
                      const struct unmarked *blocking);

/* Looks once: unpacks what has come, and counts what was answered. Returns whether there was anything. */
bool aggregate_progress(struct aggregate *aggregate);

/* Waits until all that was sent has been answered. */
void aggregate_quiet(struct aggregate *aggregate);
bool aggregate_is_quiet(const struct aggregate *aggregate);
