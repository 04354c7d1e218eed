/* SPDX-License-Identifier: BSD-3-Clause */
/* Goes over many queues without simulating the polls that find nothing.
 *
 * A service thread that looks at one queue after the other (poll_loop = single) knows, of a queue whose line nobody has changed
 * since it last looked, what its next look takes and finds: nothing. So it sleeps over such looks up to the next one that may
 * find something, or to the last one of its round, and makes that one; if nothing is to be done at the ends of rounds, it
 * sleeps over whole rounds. A line that changes meanwhile wakes it at the first look that could notice. The trajectory is the
 * same as if every look were made (tests/protocols/test_poll_skipping.c compares both). */
#pragma once

#include "protocols/shmem/ring_queue.h"

struct poll_sweep;

/* For `agent`, which looks at `count` queues, `stride` consumers apart, with `instructions` around each look. NULL if its looks
 * cannot be skipped: then each is made. Agent and consumers outlive it. */
struct poll_sweep *poll_sweep_new(struct agent *agent, struct ring_consumer *consumers,
                                  size_t stride, size_t count, int64_t instructions);
void poll_sweep_free(struct poll_sweep *sweep);

/* Sleeps until the next look that has to be made. The look that is due is at queue `place` (0 .. count - 1), and nothing is to
 * be done at the ends of the next `rounds` rounds. Returns the place of the look to be made, plus `count` for each round that
 * ended before it; `from` says how far that look has already come. With POLL_ROUNDS_ENDLESS the agent counts as a sleeping
 * poller meanwhile. */
#define POLL_ROUNDS_ENDLESS SIZE_MAX
size_t poll_sweep_to_next(struct poll_sweep *sweep, size_t place, size_t rounds,
                          enum poll_place *from);

/* Wakes the agent, if it sleeps, for the last look of its round, or, if that is nearly over, for the first look of the next.
 * `sweep` may be NULL. */
void poll_sweep_end_round(struct poll_sweep *sweep);

/* Counts the looks that a sleeping agent has skipped so far: to be called before counters are read in the middle of a run. `sweep`
 * may be NULL. */
void poll_sweep_settle(struct poll_sweep *sweep);

/* Says that the consumer of `place` polls another entry from now on. */
void poll_sweep_moves(struct poll_sweep *sweep, size_t place);
