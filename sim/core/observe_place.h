/* SPDX-License-Identifier: BSD-3-Clause */
/* Places of an application, a process with its GPU each, and what their iterations are made of. A core may be at several
 * iterations at once, and a GPU behind it: so a place is told what it is at from when to when, and cut where an iteration
 * ends. At each moment the time is of the first of these that holds: a kernel is at work; a copy engine; the core; work has
 * been given to the GPU, which has not begun with it; a message has come and waits for its receive; a message is under way,
 * to it or from it; else it is idle, or whatever it was said to be.
 *
 * Only there while somebody listens to operations: a core without a place (struct cpu) pays for a test of NULL. */
#pragma once

#include "core/observe.h"

struct observe_place;

/* A place from `from_ps` on: caller `number` of the origin. When nothing holds it is at `otherwise`: idle; or STAGE_EXPOSED, if nobody
 * tells it of messages under way. NULL if nobody listens to operations. The caller frees it. */
struct observe_place *observe_place_new(struct observe *observe,
                                        const struct observe_origin *origin, uint32_t number,
                                        enum stage otherwise, sim_time from_ps);
void observe_place_free(struct observe_place *place);

/* One more, or one less: kernels (STAGE_KERNEL) and copies (STAGE_COPY, STAGE_STAGED) at work, work given to the GPU
 * (STAGE_STARTED), messages that wait for a receive (STAGE_LATE_RECEIVE) and that are under way (STAGE_EXPOSED). In any order of
 * times; what is before an iteration that has been told counts from its end on. */
void observe_place_change(struct observe_place *place, enum stage what, sim_time at_ps, int change);

/* The core was at work at `stage`. It has one thing to do at a time. */
void observe_place_core(struct observe_place *place, enum stage stage, sim_time from_ps,
                        sim_time to_ps);

/* As observe_end of a message that has come to `place` (NULL: nobody's): its wait for the receive is the place's, too. */
void observe_end_at(struct observe *observe, uint64_t number, sim_time at_ps,
                    struct observe_place *place);

/* An iteration of the place ends at `end_ps`, the next one begins. Nothing is told of one that is not measured. It is told at a
 * later call, when all that happened up to then is known: a core knows its own time ahead of that of others (`now_ps`). */
void observe_place_cut(struct observe_place *place, sim_time end_ps, bool is_measured,
                       sim_time now_ps);

/* Tells of iterations that have ended and were not told of yet: the simulation is over. NULL is ignored. */
void observe_place_finish(struct observe_place *place);

/* Iterations of each place of the origin that are not simulated. None (`left` is 0) is not told. */
static inline void observe_counted_on(struct observe *observe, const struct observe_origin *origin,
                                      const struct observe_repeat *repeat)
{
    LIST_EACH (const struct observe_listener, l, &observe->listeners, link)
        if (repeat->left > 0 && l->counted_on && (!l->origin || l->origin == origin))
            l->counted_on(l->self, origin, repeat);
}
