/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages between servers: a word that is set without a payload, where the design lets the server there store it
 * (word_set_by = server).
 *
 *   server here                                        server of the other GPU
 *   send (NIC_SEND) instead of an inline put           a line of its inbox, a ring queue that it polls beside those of
 *                                                      its work-groups: load the word, store it, release
 *   a line of its own inbox: takes the answer, which asks for nothing    send the answer
 *
 * The server that takes a message posts its buffer to the NIC again (refill_srq), which costs the instructions of a command.
 *
 * NVSHMEM's IBRC with GDRCopy does so with all atomics but 8-byte additions of signals, signals that are set included
 * (src/modules/transport/ibrc/ibrc.cpp, nvshmemt_ibrc_amo and perform_gdrcopy_amo). Left out: the depth of its receive queue,
 * which peers share, and that senders too far ahead of the answers hold back. */
#pragma once

#include "protocols/shmem/ring_queue.h"
#include "protocols/shmem/shmem.h"

#define INBOX_ENTRIES 4096

/* Where the messages to a service lie. */
struct inbox {
    struct ring_consumer *consumer;
    uint64_t arrived;
    address self; /* a word of its GPU, to which answers are addressed */
};

/* Whether the design has such messages. */
static inline bool inbox_is_used(const struct design *design)
{
    return design->word_set_by == WORD_SET_BY_SERVER || design->signal_by == SIGNAL_BY_SERVER;
}

/* Takes messages for the GPU of the site into the consumer's queue, INBOX_ENTRIES long. */
void inbox_init(struct inbox *inbox, struct cluster *cluster, struct site *site, address self,
                struct ring_consumer *consumer);

/* Turns the put of a word into a message whose answer goes to this inbox. */
void inbox_address(const struct inbox *inbox, struct nic_command *command);

/* Does what a message asks of the server that has taken it; the server posts answers for `context`. */
void inbox_serve(const struct queue_entry *entry, struct shmem *shmem, int64_t context);
