/* Standstill: nothing can change any more, although events go on because some processes poll for ever.
 *
 * A process that polls is a looker: its looks read, and change nothing that another one could see. While
 * it looks it has an event of its own pending, but for the one at work, and but for sleepers, which have
 * none and wake when what they look at changes. So if no more events are pending than lookers are awake,
 * nobody else is left who could act: no message, store or timer is on its way, since each of these is an
 * event. From such a moment on contents stay as they are. When every looker has then made a whole look
 * and found nothing, none will ever find anything: that is a standstill. A run that would go on has an
 * event more, or a looker that finds what it waits for; it is never taken for one.
 *
 * It costs a comparison of a few integers at the end of a look, and no events. */
#ifndef GPUNETSIM_CORE_STANDSTILL_H
#define GPUNETSIM_CORE_STANDSTILL_H

#include <stdbool.h>
#include <stdint.h>

#include "core/event.h"

/* Of one simulation. */
struct standstill {
    struct event_queue *events;
    bool is_ignored; /* looks for none: for tests */
    bool is_found;   /* and event_stop was called */

    /* Who has no event and is no sleeper: waits for something that an event of another one's will give
     * back. Whoever lets lookers wait so adds and takes away; no moment counts before it is 0. */
    int64_t held;

    /* Who waits for several things at a time has more events than one: what is under way (each one
     * event) and how many processes wait for it, none of which has an event of its own meanwhile. */
    int64_t under_way, waiting_for_it;

    int64_t lookers, asleep;
    int64_t marks;   /* moments given a number so far */
    int64_t mark;    /* number of the moment after which nothing could change, or 0 */
    int64_t counted; /* lookers that have found nothing since, with all sleepers */
};

/* A process that polls, or may. All zero but for `of` is one that does not. Lies in its owner. */
struct looker {
    struct standstill *of;
    bool is_looking, is_asleep;
    int64_t begun_under, counted_under; /* marks */
};

void standstill_init(struct standstill *standstill, struct event_queue *events);

/* A look begins: whatever changes from now on, it may miss. What the process does until the end of the
 * look changes nothing for others. */
void looker_looks(struct looker *looker);

/* The look has ended and found nothing; the process goes on to its next look, whatever happens. Called
 * by the process. */
void looker_found_nothing(struct looker *looker);

/* It looks no more: it has found something, or gives up. May be called at any time. */
void looker_leaves(struct looker *looker);

/* It is suspended until what it looks at changes, having found nothing since the last change; it has been
 * woken. */
void looker_sleeps(struct looker *looker);
void looker_wakes(struct looker *looker);

#endif
