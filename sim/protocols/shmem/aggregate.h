/* SPDX-License-Identifier: BSD-3-Clause */
/* Aggregated messages: puts to one node as one message on the wire, unpacked by a server there (Gravel,
 * Orr et al., SC'17: per-node queues that CPU threads send whole and apply at the other end).
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

#include <stdbool.h>

#include "protocols/shmem/shmem.h"

struct aggregate; /* of one service thread */

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
 * the messages themselves are counted in contexts[context]. */
struct aggregate *aggregate_new(struct cluster *cluster, struct site *site,
                                const struct design *design, const struct aggregate_memory *memory,
                                int64_t thread, struct shmem *shmem, uint64_t *contexts,
                                int64_t context);
void aggregate_free(struct aggregate *aggregate);

/* The bytes that a put takes up in a message, and the bytes that a message has room for. */
int64_t aggregate_bytes(const struct nic_command *put);
int64_t aggregate_room(const struct design *design);

/* Sends puts to one node, as many as have room. Waits while all slots to it are taken. */
void aggregate_send(struct aggregate *aggregate, const struct shmem_issue *puts, size_t count);

/* Looks once: unpacks what has come, and counts what was answered. Returns whether there was anything. */
bool aggregate_progress(struct aggregate *aggregate);

/* Waits until all that was sent has been answered. */
void aggregate_quiet(struct aggregate *aggregate);
bool aggregate_is_quiet(const struct aggregate *aggregate);
