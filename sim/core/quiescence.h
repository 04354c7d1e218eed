/* SPDX-License-Identifier: BSD-3-Clause */
/* Quiescence: nothing can change any more, although events go on because some processes poll for ever.
 *
 * A process that polls is a poller: its polls read, and change nothing that another process could see. Every poller has
 * an event of its own pending, except the poller at work and sleepers, which wake when what they poll changes. So if no more
 * events are pending than pollers are awake, nothing else is left that could act: no message, store or timer is on its way,
 * since each of these is an event. From such a moment on the contents of memory stay as they are. When every poller has then
 * made a whole poll and found nothing, none will ever find anything: that is a quiescence. A run that would go on has another
 * event, or a poller that finds what it waits for; so it is never mistaken for a quiescence.
 *
 * It costs a comparison of a few integers at the end of a poll, and no events. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/event.h"
#include "core/process.h"

/* The quiescence of one simulation. */
struct quiescence {
    struct event_queue *events;
    bool is_ignored; /* quiescence is not looked for: for tests */
    bool is_found;   /* quiescence was found, and event_stop was called */

    /* Pollers that have no event and do not sleep: they wait for a resource that another process's event will give back. The
     * code that makes pollers wait so keeps this count; quiescence is looked for only while it is 0. */
    int64_t held;

    /* Operations under way, each with one event, and processes that wait for them (perhaps for several) without an event. */
    int64_t under_way, waiting_for_it;

    int64_t pollers, asleep;
    int64_t marks;   /* how many moments were numbered so far */
    int64_t mark;    /* number of the moment after which nothing could change, or 0 */
    int64_t counted; /* pollers that have found nothing since that moment, and all sleepers */
};

/* A process that polls or may poll. With all members 0 except `of` it does not poll. A poller is part of its owner's struct. */
struct poller {
    struct quiescence *of;
    struct process *process; /* the process if its looks have been shifted; else NULL */
    bool is_polling, is_asleep, has_phase;
    int64_t begun_under, counted_under; /* marks */
    /* The shortest of the looks that came first in a wait and found nothing; 0: none yet. */
    sim_time least_look_ps;
};

/* Begins without pollers. `events`, the queue of the simulation, has to outlive it; nothing is to be freed. */
void quiescence_init(struct quiescence *quiescence, struct event_queue *events);

/* A poll begins: it may miss changes from now on. Until the end of the poll the process changes nothing for others. */
void poller_begins(struct poller *poller);

/* The poll has ended and found nothing; the process goes on to its next poll, whatever happens. Called
 * by the process. */
void poller_found_nothing(struct poller *poller);

/* The same for a poll that began at `start_ps` of the process's time; then calls poller_shifts. */
void poller_goes_on(struct poller *poller, struct process *process, sim_time start_ps);

/* A poll that began at `start_ps` and took `look_ps` has found nothing; this draws the phase of its loop. The waiting process
 * and the writer run on clocks of their own, so that over many waits a change meets a loop at any point of a look: a loop of
 * period P sees it, in the mean, P/2 and a look's way later. Shifts are symmetric about 0, so that in the mean looks keep their
 * times and costs. The first look of a wait has no shift. Every look over a bus takes a shift of up to a quarter of its time;
 * the sum of four of them is as widely spread as a uniform phase. Looks within a device may be counted instead of made: they
 * take a shift of up to half of a look once in a wait. Where a look takes no time on the way, as in a core's own cache, only
 * shifts above 0 are applied: in the mean an eighth of the shortest look, a few cycles. */
void poller_shifts(struct poller *poller, struct process *process, sim_time start_ps,
                   sim_time look_ps);

/* The poller stops polling: it has found something, or gives up. May be called at any time. */
void poller_leaves(struct poller *poller);

/* The poller has found nothing since the last change and is suspended until its word changes; poller_wakes: it has been woken. */
void poller_sleeps(struct poller *poller);
void poller_wakes(struct poller *poller);
