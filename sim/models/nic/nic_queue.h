/* SPDX-License-Identifier: BSD-3-Clause */
/* The front of work queues: software writes a 64-byte command into a queue in memory and rings the doorbell; the NIC fetches
 * the command over the bus wherever the queue lies, carries it out, and writes a completion entry (ComPNet18 section 5.1, N-36,
 * N-37; M-063, M-077). To the NIC it makes no difference whether a core, a command processor or a GPU writes the command. */
#pragma once

#include "models/nic/nic.h"

/* A work queue with its completion queue, both in memory of this node: `entries` commands of 64 B at
 * `commands`, `entries` completions of 16 B at `completions`, all zero. Returns the queue's number.
 * Made at start-up; costs no simulated time. */
int nic_add_queue(struct nic *nic, address commands, address completions, int64_t entries);

/* How a queue's commands are taken up. Otherwise each is taken up as soon as possible, fences have no effect, and no command is
 * chained. Completions are written in the order in which the commands end. */
enum nic_queue_way {
    NIC_QUEUE_IN_TURN, /* in the order of the queue; a fenced command waits until all earlier ones are complete */
    NIC_QUEUE_ORDERED, /* also, commands to one NIC are carried out there in that order */
    NIC_QUEUE_CHAINED, /* a chained command starts when the previous one is complete, without software (chains of triggered
                          operations, Portals 4; MANAGED and WAIT work requests of verbs) */
};

/* Sets this way of taking up commands, in addition to others. At start-up. */
void nic_queue_set(struct nic *nic, int queue, enum nic_queue_way way);

/* The doorbell register of a queue: an 8-byte store of the number of commands written so far. */
address nic_doorbell(const struct nic *nic, int queue);
