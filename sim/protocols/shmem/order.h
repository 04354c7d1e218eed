/* SPDX-License-Identifier: BSD-3-Clause */
/* Order among the commands of a library's user, as the design says (axes `order`, `fence`, `signal`): what a fence
 * does, and how a signal comes behind its payload.
 *
 *   signal      commands                                 what keeps the flag behind the data
 *   with_put    one; the NIC writes the word behind      the NIC and the way to memory
 *   after       put, put of the word                     the queue, if it keeps order; else nothing
 *   nic_fence   put, put of the word with a fence flag   the NIC, which waits for the put's acknowledgement
 *   chained     put, put of the word, chained to it      the NIC, which waits for that put's acknowledgement alone
 *   quiet       put, wait for its completion, put        the caller, who waits for all that it has under way
 *
 * The put of the word is an atomic on it with signal_by = atomic, as in NCCL's GIN (fetch-and-add: src/transport/net_ib/gin.cc),
 * or a message to the server there (shmem/inbox.h) with signal_by = server, as in NVSHMEM's IBRC with GDRCopy. */
#pragma once

#include "protocols/shmem/shmem.h"

/* Takes the signal out of `put` and makes `word` the command that puts it behind. False if the NIC writes the signal with the
 * put. */
bool order_split(const struct design *design, struct nic_command *put, struct nic_command *word);

/* Issues an operation as shmem_issue_nbi; a put with a signal as one or two commands. */
void order_issue_nbi(struct shmem *shmem, int64_t context, const struct nic_command *command);

/* Carries out a fence that the NIC or the queue's order provides. False if neither does: then the caller has to wait. */
bool order_fence(struct shmem *shmem);
