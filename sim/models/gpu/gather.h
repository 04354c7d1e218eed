/* SPDX-License-Identifier: BSD-3-Clause */
/* A gathering server: it serves whole batches, one at a time. The first to come to an idle server begins a batch, which others
 * may join within a window. Those who come later make up the next batch, which begins as soon as this one has ended, and is
 * complete then. All of a batch end together.
 *
 * Fences to the system scope are gathered twice, with the same window (gpu.fence_gather): those of a compute unit, and, if they
 * read behind posted writes, those of the whole GPU, of which one of each batch reads for all.
 *
 * Source of the shape: probe/tables/h200x2/fences.tsv, fence_turns.tsv and scaling.tsv. Of warps of an SM that begin 200 ns
 * apart, the first ends after 1.42 us, and all others together 1.3 us later; of warps that begin within some 100 ns, all end
 * together. Stores with a fence by one warp of each of 132 SMs take what one alone takes, and end within 0.1 ns of each other.
 * Once those of an SM go in two turns, those of other SMs take longer, too. Left out: the warps of an SM that has the GPU to
 * itself take 1.3 us for each turn, not 1.8. */
#pragma once

#include "core/wait.h"

struct gather {
    sim_time window_ps; /* > 0 */
    sim_time began_ps;  /* the batch that is served */
    int64_t members;    /* members of that batch who have not left */
    int64_t waiting;    /* for the next one */
    bool is_open; /* it began with one member, not with those who had waited, so others may join */
    bool has_first;     /* the batch's first is known */
    struct signal turn; /* signalled to those who wait */
    struct signal end;  /* of the batch */
};

void gather_init(struct gather *gather, sim_time window_ps);

/* Joins the batch that is served, or waits for the next one. Returns whether `self` is the first of its batch. */
bool gather_enter(struct gather *gather, struct process *self);

/* `self` has done its part; returns when all others of its batch have, too. */
void gather_leave(struct gather *gather, struct process *self);

/* Whether it serves nobody. */
static inline bool gather_is_idle(const struct gather *gather)
{
    return gather->members == 0;
}

/* Whether there is anybody besides the caller, who has entered. */
static inline bool gather_is_shared(const struct gather *gather)
{
    return gather->members > 1 || gather->waiting > 0;
}
