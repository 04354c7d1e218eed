/* SPDX-License-Identifier: BSD-3-Clause */
/* Puts to one node gathered by a server and sent as one message (aggregate.h), when enough have come, the next
 * one does not fit, or the first has waited long enough (Gravel, Orr et al., SC'17: an aggregator with a queue a
 * destination and a timeout). */
#pragma once

#include <glib.h>

#include "protocols/design.h"
#include "protocols/shmem/aggregate.h"
#include "protocols/shmem/ring_queue.h"

/* An entry that has been or will be issued, and that is to be marked later. */
struct unmarked {
    struct ring_consumer *consumer;
    uint64_t index;
};

struct coalescer;

/* For one server of a design with coalesce.count > 0, which puts to any of `nodes` nodes. `aggregate` sends the messages, and
 * blocking entries that have been sent are added to `unmarked`. Both outlive the coalescer. */
struct coalescer *coalescer_new(const struct design *design, int64_t nodes,
                                struct aggregate *aggregate, GArray *unmarked);
void coalescer_free(struct coalescer *coalescer);

/* Whether a put fits into an empty message, and so can be gathered; and whether it fits beside the puts that are held. */
bool coalescer_takes(const struct coalescer *coalescer, const struct nic_command *command);
bool coalescer_has_room(const struct coalescer *coalescer, const struct nic_command *command);

/* Adds a put of `context`, for which there is room. `blocking` is its entry, or NULL if nobody waits for it; `now_ps` is when it
 * came. Returns whether the puts to its node are to be flushed now. */
bool coalescer_add(struct coalescer *coalescer, int64_t context, const struct nic_command *command,
                   const struct unmarked *blocking, sim_time now_ps);

/* Whether it holds any put. */
bool coalescer_holds(const struct coalescer *coalescer);

/* Sends the puts held for `node`; or for those nodes whose first put has waited long enough at `now_ps` (SIM_TIME_MAX: for all
 * nodes). In coalescer_flush_due `coalescer` may be NULL: then nothing is held. */
void coalescer_flush(struct coalescer *coalescer, int64_t node);
void coalescer_flush_due(struct coalescer *coalescer, sim_time now_ps);
