/* SPDX-License-Identifier: BSD-3-Clause */
/* Triggered networking from within kernels (GPU-TN, LeBeane et al., SC'17): a host thread has posted a
 * work-group's commands beforehand, each held in the NIC until the work-group's counter has come to its
 * number; the work-group only makes its payload visible and stores 1 to the counter's trigger address. It
 * learns of completions from a queue that the NIC writes and it polls itself.
 *
 *   host thread                                     work-group
 *   room by its copy of the credit? if not: poll    1  release (the payload), store 1 to the trigger
 *   write command k, its threshold k; doorbell      2  half a queue complete? tell the host, in a word of its memory
 *                                                   3  wait: poll the completion queue
 *
 * A command may be triggered before it is posted: the counter waits for it. What a kernel computes cannot be in a command: a
 * value that is put goes by a word in memory. The target of a command, its length and the operand of an atomic are known to the
 * host, that is to whoever wrote the program. */
#pragma once

#include "protocols/shmem/shmem.h"

struct trigger_queue {
    struct shmem_interface *interface; /* its queues, its completions */
    int counter;
    address trigger;
    address
        credit; /* a word in host memory: how many operations the work-group has seen complete */
    address values; /* a line for each value that is put */

    uint64_t posted, known_credit;   /* the host thread's */
    uint64_t triggered, told_credit; /* the work-group's */
};

/* For a work-group at `site`, with the interface's queues. Called at the start of a run. */
void trigger_queue_init(struct trigger_queue *queue, struct cluster *cluster, struct site *site,
                        const struct design *design, struct shmem_interface *interface);

/* The work-group's side: starts its next command, which does what `command` says; for a put whose signal is chained it starts
 * the next two, by one store. `shmem` is its use of the queue's interface. Waits while as many operations are under way as the
 * queue has entries. */
void trigger_pull(struct trigger_queue *queue, struct shmem *shmem, int64_t context,
                  const struct nic_command *command);
