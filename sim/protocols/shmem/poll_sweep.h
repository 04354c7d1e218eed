/* SPDX-License-Identifier: BSD-3-Clause */
/* Going over many queues without making the polls that find nothing.
 *
 * A service thread that looks at one queue after the other (poll_loop = single) knows, of a queue whose line nobody
 * has changed since it last looked, what its next look takes and finds: nothing. So it sleeps over such
 * looks up to the next one that may find something, or to the last one of its round, and makes that. A line that
 * changes meanwhile wakes it at the first look that could notice. The trajectory is the same as with every look
 * made (a test holds both against each other, tests/protocols/test_poll_skipping.c). */
#ifndef GPUNETSIM_PROTOCOLS_SHMEM_POLL_SWEEP_H
#define GPUNETSIM_PROTOCOLS_SHMEM_POLL_SWEEP_H

#include "protocols/shmem/ring_queue.h"

struct poll_sweep;

/* For `agent`, which looks at `count` queues, `stride` consumers apart, with `instructions` around each look; NULL
 * if its looks are no such: then each is made. Agent and consumers outlive it. */
struct poll_sweep *poll_sweep_new(struct agent *agent, struct ring_consumer *consumers,
                                  size_t stride, size_t count, int64_t instructions);
void poll_sweep_free(struct poll_sweep *sweep);

/* The next look is that at queue `place` (0 .. count - 1). Returns the place of the one to be made, sleeping until
 * then, and in `from` how far that has come. */
size_t poll_sweep_to_next(struct poll_sweep *sweep, size_t place, enum poll_place *from);

/* The consumer of `place` polls another entry from now on. */
void poll_sweep_moves(struct poll_sweep *sweep, size_t place);

#endif
