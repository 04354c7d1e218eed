/* SPDX-License-Identifier: BSD-3-Clause */
/* NICs that groups of GPUs share, each with a way out and a way in that divides itself equally among the messages under way on it
 * (processor sharing). A message is on its source's way out and on its destination's way in at once, and moves at the smaller of
 * its two shares. What it does not use of the larger one stays unused: this is max-min fairness where all messages on a NIC have
 * as many others beside them, and slower than that elsewhere. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "fabric/loggp/loggp_record.h"

struct loggp_shares;
struct loggp_moving; /* a message under way, or one that is over */

/* NICs numbered from 0 on. `wake` has to cause a call of loggp_shares_take for that message at `at_ps`. */
struct loggp_shares *loggp_shares_new(uint32_t nics,
                                      void (*wake)(void *state, struct loggp_moving *message,
                                                   uint64_t at_ps),
                                      void *state);
void loggp_shares_free(struct loggp_shares *shares);

/* The message, whose operation is kept for its end, begins to move from one NIC to another; alone on both, it takes `takes_ps`. One
 * `in_order` waits for those in order between the same two ranks, so that none overtakes another. False: it takes no time. Calls
 * come with times that do not go back. */
bool loggp_shares_begin(struct loggp_shares *shares, const struct loggp_op *op, bool in_order,
                        uint32_t from, uint32_t to, uint64_t takes_ps, uint64_t now_ps);

/* At a time that `wake` was told: true if the message has ended, and `op` is its operation, `waited_ps` how much longer than
 * alone it took; later than a model allows, any message has. False: it moves on, and `wake` has been told another time, or it was
 * told this one in vain. */
bool loggp_shares_take(struct loggp_shares *shares, struct loggp_moving *message, uint64_t now_ps,
                       struct loggp_op *op, uint64_t *waited_ps);
