/* SPDX-License-Identifier: BSD-3-Clause */
/* Going over many queues without making the polls that find nothing.
 *
 * A service thread that looks at one queue after the other (poll_loop = single) knows, of a queue whose line nobody
 * has changed since it last looked, what its next look takes and finds: nothing. So it sleeps over such
 * looks up to the next one that may find something, or to the last one of its round, and makes that; over whole
 * rounds, if nothing is to be done at their ends. A line that
 * changes meanwhile wakes it at the first look that could notice. The trajectory is the same as with every look
 * made (a test holds both against each other, tests/protocols/test_poll_skipping.c). */
#pragma once

#include "protocols/shmem/ring_queue.h"

struct poll_sweep;

/* For `agent`, which looks at `count` queues, `stride` consumers apart, with `instructions` around each look; NULL
 * if its looks are no such: then each is made. Agent and consumers outlive it. */
struct poll_sweep *poll_sweep_new(struct agent *agent, struct ring_consumer *consumers,
                                  size_t stride, size_t count, int64_t instructions);
void poll_sweep_free(struct poll_sweep *sweep);

/* The next look is that at queue `place` (0 .. count - 1); the ends of the next `rounds` rounds need nothing done.
 * Returns the place of the look to be made, and `count` more for each round that ended before it, sleeping until then,
 * and in `from` how far it has come. Whose ends never need anything done is a poller asleep meanwhile. */
#define POLL_ROUNDS_ENDLESS SIZE_MAX
size_t poll_sweep_to_next(struct poll_sweep *sweep, size_t place, size_t rounds,
                          enum poll_place *from);

/* The sleeper, if it is one, is to go on with the last look of its round, or, if that is nearly over, with the first of
 * the next. May be NULL. */
void poll_sweep_end_round(struct poll_sweep *sweep);

/* The looks that a sleeper has not made so far are counted now: for who reads counters in the middle of a run. May be
 * NULL. */
void poll_sweep_settle(struct poll_sweep *sweep);

/* The consumer of `place` polls another entry from now on. */
void poll_sweep_moves(struct poll_sweep *sweep, size_t place);
