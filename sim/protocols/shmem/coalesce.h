/* SPDX-License-Identifier: BSD-3-Clause */
/* Puts to one node gathered by a server and sent as one message (aggregate.h), when enough have come, the next
 * one does not fit, or the first has waited long enough (Gravel, Orr et al., SC'17: an aggregator with a queue a
 * destination and a timeout). */
#pragma once

#include <glib.h>

#include "protocols/design.h"
#include "protocols/shmem/aggregate.h"
#include "protocols/shmem/ring_queue.h"

/* An entry that was issued, or is going to be, and is to be marked later. */
struct unmarked {
    struct ring_consumer *consumer;
    uint64_t index;
};

struct coalescer;

/* For one server, of a design with coalesce.count > 0, to any of `nodes` nodes: `aggregate` sends, and blocking entries that have been
 * sent are added to `unmarked`. Both outlive it. */
struct coalescer *coalescer_new(const struct design *design, int64_t nodes,
                                struct aggregate *aggregate, GArray *unmarked);
void coalescer_free(struct coalescer *coalescer);

/* Whether a put can be gathered: it has room in a message; and whether it has, beside those that are held. */
bool coalescer_takes(const struct coalescer *coalescer, const struct nic_command *command);
bool coalescer_has_room(const struct coalescer *coalescer, const struct nic_command *command);

/* Takes a put of `context` in, which has room. `blocking`: its entry, or NULL if nobody waits for it. Returns whether
 * its node's puts are to be flushed, now. `now_ps`: when it came. */
bool coalescer_add(struct coalescer *coalescer, int64_t context, const struct nic_command *command,
                   const struct unmarked *blocking, sim_time now_ps);

/* Whether it holds any. */
bool coalescer_holds(const struct coalescer *coalescer);

/* Sends what it holds for `node`; or for those nodes whose first put has waited long enough at `now_ps` (SIM_TIME_MAX: for all), also of
 * no coalescer (NULL), which holds nothing. */
void coalescer_flush(struct coalescer *coalescer, int64_t node);
void coalescer_flush_due(struct coalescer *coalescer, sim_time now_ps);
