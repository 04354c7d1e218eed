/* SPDX-License-Identifier: BSD-3-Clause */
/* Quiescence: nothing can change any more, although events go on because some processes poll for ever.
 *
 * A process that polls is a poller: its polls read, and change nothing that another one could see. While
 * it looks it has an event of its own pending, but for the one at work, and but for sleepers, which have
 * none and wake when what they poll changes. So if no more events are pending than pollers are awake,
 * nobody else is left who could act: no message, store or timer is on its way, since each of these is an
 * event. From such a moment on contents stay as they are. When every poller has then made a whole poll
 * and found nothing, none will ever find anything: that is a quiescence. A run that would go on has an
 * event more, or a poller that finds what it waits for; it is never taken for one.
 *
 * It costs a comparison of a few integers at the end of a poll, and no events. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/event.h"
#include "core/process.h"

/* Of one simulation. */
struct quiescence {
    struct event_queue *events;
    bool is_ignored; /* looks for none: for tests */
    bool is_found;   /* and event_stop was called */

    /* Who has no event and is no sleeper: waits for something that an event of another one's will give
     * back. Whoever lets pollers wait so adds and takes away; no moment counts before it is 0. */
    int64_t held;

    /* Who waits for several things at a time has more events than one: what is under way (each one
     * event) and how many processes wait for it, none of which has an event of its own meanwhile. */
    int64_t under_way, waiting_for_it;

    int64_t pollers, asleep;
    int64_t marks;   /* moments given a number so far */
    int64_t mark;    /* number of the moment after which nothing could change, or 0 */
    int64_t counted; /* pollers that have found nothing since, with all sleepers */
};

/* A process that polls or may poll. All zero except `of`: it does not poll. It is part of its owner's struct. */
struct poller {
    struct quiescence *of;
    struct process *process; /* whose looks have been shifted, or NULL */
    bool is_polling, is_asleep, has_phase;
    int64_t begun_under, counted_under; /* marks */
    sim_time
        least_look_ps; /* of its looks that found nothing, the first of each wait; 0: none yet */
};

/* Nobody polls yet. `events`, the queue of the simulation, has to outlive it; nothing is to be freed. */
void quiescence_init(struct quiescence *quiescence, struct event_queue *events);

/* A poll begins: whatever changes from now on, it may miss. What the process does until the end of the
 * look changes nothing for others. */
void poller_begins(struct poller *poller);

/* The poll has ended and found nothing; the process goes on to its next poll, whatever happens. Called
 * by the process. */
void poller_found_nothing(struct poller *poller);

/* The same for one whose poll has begun at `start_ps` of its time; then poller_shifts. */
void poller_goes_on(struct poller *poller, struct process *process, sim_time start_ps);

/* A poll that began at `start_ps` and looked for `look_ps` has found nothing, and its loop's phase is drawn. Who waits and what
 * is waited for run on clocks of their own, so that over many waits a change meets a loop at any point of a look: a
 * loop of period P sees it, in the mean, P/2 and a look's way later. A shift is even about 0, so that looks lie where
 * they lay in the mean and cost what they cost. The first look of a wait is where its program puts it and has none.
 * A look over a bus takes a shift of up to a quarter of its time, each again, which after four is as widely spread as a
 * uniform phase. Looks within a device may be counted instead of made: these take up a phase once a wait, of up to half of
 * a look. Where a look has no way to go, as in a core's own cache, only shifts above 0 are taken up: an eighth of the least
 * look, a few cycles, in the mean. */
void poller_shifts(struct poller *poller, struct process *process, sim_time start_ps,
                   sim_time look_ps);

/* It looks no more: it has found something, or gives up. May be called at any time. */
void poller_leaves(struct poller *poller);

/* It is suspended until what it polls changes, having found nothing since the last change; it has been
 * woken. */
void poller_sleeps(struct poller *poller);
void poller_wakes(struct poller *poller);
