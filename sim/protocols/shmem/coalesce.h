/* SPDX-License-Identifier: BSD-3-Clause */
/* Puts to one node gathered by a server and sent as one message (aggregate.h), when enough have come, the next
 * one does not fit, or the first has waited long enough (Gravel, Orr et al., SC'17: an aggregator with a queue a
 * destination and a timeout). */
#pragma once

#include <glib.h>

#include "protocols/design.h"
#include "protocols/shmem/aggregate.h"
#include "protocols/shmem/ring_queue.h"
#include "protocols/shmem/shmem.h"

/* An entry that was issued, or is going to be, and is to be marked later. */
struct unmarked {
    struct ring_consumer *consumer;
    uint64_t index;
};

struct coalescer;

/* For one server, of a design with coalesce.count > 0, to any of `nodes` nodes. */
struct coalescer *coalescer_new(const struct design *design, int64_t nodes);
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

/* Called with the cookie of each put that has been issued. */
typedef void coalescer_issued_fn(void *argument, uint64_t cookie);

/* Sends what it holds for `node`; or for all nodes, or for those whose first put has waited long enough
 * at `now_ps`. Adds the entries that wait for it to `unmarked`. */
void coalescer_flush(struct coalescer *coalescer, int64_t node, struct aggregate *aggregate,
                     GArray *unmarked, coalescer_issued_fn *issued, void *argument);
void coalescer_flush_all(struct coalescer *coalescer, struct aggregate *aggregate, GArray *unmarked,
                         coalescer_issued_fn *issued, void *argument);
void coalescer_flush_due(struct coalescer *coalescer, sim_time now_ps, struct aggregate *aggregate,
                         GArray *unmarked, coalescer_issued_fn *issued, void *argument);
