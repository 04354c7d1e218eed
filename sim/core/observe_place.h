/* SPDX-License-Identifier: BSD-3-Clause */
/* Places of an application, each a process with its GPU, and the parts of their iterations. A core may be at several iterations
 * at once, and its GPU may lag behind: so a place records what it does from when to when, and that time is cut where an
 * iteration ends. Each moment counts as the first of these that holds: a kernel is at work; a copy engine is at work; the core
 * is at work; work has been given to the GPU, which has not begun with it; a message has come and waits for its receive; a
 * message is under way to or from the place; else the place is idle, or in its stage `otherwise`.
 *
 * Places exist only while somebody listens to operations: a core without a place (struct cpu) pays for a test of NULL. */
#pragma once

#include "core/observe.h"

struct observe_place;

/* A place from `from_ps` on: caller `number` of the origin. When none of the above holds it is in stage `otherwise`: idle, or
 * STAGE_EXPOSED if nothing reports its messages under way. NULL if nobody listens to operations. The caller frees it. */
struct observe_place *observe_place_new(struct observe *observe,
                                        const struct observe_origin *origin, uint32_t number,
                                        enum stage otherwise, sim_time from_ps);
void observe_place_free(struct observe_place *place);

/* Changes the number of kernels (STAGE_KERNEL) or copies (STAGE_COPY, STAGE_STAGED) at work, of work given to the GPU
 * (STAGE_STARTED), of messages that wait for a receive (STAGE_LATE_RECEIVE) or of messages under way (STAGE_EXPOSED). Times may
 * come in any order; a change before the end of an iteration that has been told counts from that end on. */
void observe_place_change(struct observe_place *place, enum stage what, sim_time at_ps, int change);

/* The core was at work at `stage`. It has one thing to do at a time. */
void observe_place_core(struct observe_place *place, enum stage stage, sim_time from_ps,
                        sim_time to_ps);

/* As observe_end, for a message that has come to `place` (NULL: none): its wait for the receive also counts as the place's. */
void observe_end_at(struct observe *observe, uint64_t number, sim_time at_ps,
                    struct observe_place *place);

/* An iteration of the place ends at `end_ps`, and the next one begins. Listeners hear only of measured iterations, at a later
 * call, when all that happened up to `end_ps` is known: a core's own time runs ahead of that of others (`now_ps`). */
void observe_place_cut(struct observe_place *place, sim_time end_ps, bool is_measured,
                       sim_time now_ps);

/* Tells listeners of the iterations that have ended and that they have not heard of: the simulation is over. NULL is ignored. */
void observe_place_finish(struct observe_place *place);

/* Tells listeners of the iterations of each place of the origin that are not simulated; nothing if there are none (`left` is 0). */
static inline void observe_counted_on(struct observe *observe, const struct observe_origin *origin,
                                      const struct observe_repeat *repeat)
{
    LIST_EACH (const struct observe_listener, l, &observe->listeners, link)
        if (repeat->left > 0 && l->counted_on && (!l->origin || l->origin == origin))
            l->counted_on(l->self, origin, repeat);
}
