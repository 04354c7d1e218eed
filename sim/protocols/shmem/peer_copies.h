/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies between GPUs of a node by the copy engine, which a host thread starts by calls of the GPU's runtime (peer =
 * peer_copy, copy_engine).
 *
 *   peer_copy    the call, and the wait until the copy has ended: one at a time
 *   copy_engine  the call and an event behind it in one stream; the thread goes on, and at the end of each of its rounds asks
 *                for the next events
 *
 * A put's signal is the thread's own store to the other GPU, behind the copy's end. */
#pragma once

#include "protocols/agents/agent.h"

struct peer_copies;

/* For a host thread (`agent`) of the site; `waits`: it waits for each copy. Agent, cluster and site outlive it. */
struct peer_copies *peer_copies_new(struct cluster *cluster, const struct site *site,
                                    struct agent *agent, bool waits);

/* May be NULL; copies under way are forgotten. */
void peer_copies_free(struct peer_copies *copies);

/* What is to be copied, and whom its end concerns. */
struct peer_copy {
    address to, from;
    int64_t bytes;         /* > 0 */
    address signal;        /* 0: none */
    uint64_t signal_value; /* stored there behind the payload */
    uint64_t *under_way;   /* counts the copy until it has ended */
    uint64_t operation;    /* as observers know it; it is served when the copy has ended */
};
void peer_copies_start(struct peer_copies *copies, const struct peer_copy *copy);

/* Whether a copy has not been seen to end; deals with those that have ended, in order; waits for all. `copies` may be NULL. */
bool peer_copies_are_under_way(const struct peer_copies *copies);
void peer_copies_progress(struct peer_copies *copies);
void peer_copies_finish(struct peer_copies *copies);
