/* SPDX-License-Identifier: BSD-3-Clause */
/* The event queue: what happens next, in the order (time, priority, sequence); a timing wheel (core/wheel.h). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/simtime.h"

/* What an event does. `argument` is the pointer given when it was scheduled. */
typedef void event_fn(void *argument);

/* Names a scheduled event. 0 is no event. A handle whose event has run or was cancelled is stale:
 * cancelling it does nothing and says so. */
typedef uint64_t event_handle;

/* Events of one time run from the smallest priority to the greatest, ties in the order of their
 * scheduling. */
enum event_priority {
    EVENT_EARLY =
        -100, /* the transport's completions: they precede the events that react to them */
    EVENT_NORMAL = 0,
    EVENT_LATE = 10000, /* end-of-time observers */
};

struct event_queue;

/* An empty queue at time 0. The caller frees it with event_queue_free. */
struct event_queue *event_queue_new(void);
void event_queue_free(struct event_queue *queue);

/* Prefetches into the CPU's cache what an event will access, before the event is due. `argument` itself has been
 * fetched. It is called with step 0, then 1, then 2, so that each call can follow pointers that the one before has fetched. It
 * may read and prefetch, and must change nothing. */
typedef void event_fetch_fn(const void *argument, int step);

/* Sets the prefetch function of the events that call `fn`. At most EVENT_FETCHES have one; more are ignored. Changes no result. */
#define EVENT_FETCHES 4
void event_queue_fetch_by(struct event_queue *queue, event_fn *fn, event_fetch_fn *fetch);

/* Prefetches the lines of `bytes` of an object, for such a function. */
static inline void event_fetch(const void *object, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += 64)
        __builtin_prefetch((const char *)object + at);
}

/* The address of the current time, for checks that print it; valid as long as the queue, whose first member it is. */
static inline const sim_time *event_now_pointer(const struct event_queue *queue)
{
    return (const sim_time *)(const void *)queue;
}

/* Current time: that of the event at work, or of the last one. */
static inline sim_time event_now(const struct event_queue *queue)
{
    return *event_now_pointer(queue);
}

/* Schedules fn(argument) at the absolute time `at_ps` >= now (else a failed check). */
event_handle event_schedule(struct event_queue *queue, sim_time at_ps, event_fn *fn,
                            void *argument);
event_handle event_schedule_priority(struct event_queue *queue, sim_time at_ps, int16_t priority,
                                     event_fn *fn, void *argument);

/* Takes the event out. Returns true, or false if the handle is stale. */
bool event_cancel(struct event_queue *queue, event_handle handle);

/* Moves a pending event to `at_ps` >= now, as if it were scheduled anew (it goes behind its ties);
 * the handle stays valid. Returns true, or false if the handle is stale. */
bool event_reschedule(struct event_queue *queue, event_handle handle, sim_time at_ps);

/* Whether the handle's event is still to come, and when (SIM_TIME_MAX if stale). */
sim_time event_time(const struct event_queue *queue, event_handle handle);

/* Number of events pending, and run since the queue was made. */
size_t event_pending(const struct event_queue *queue);
uint64_t event_executed(const struct event_queue *queue);

/* Runs the next event. Returns false if there is none up to SIM_TIME_LAST. */
bool event_run_one(struct event_queue *queue);

/* Runs events until none up to SIM_TIME_LAST is left, or event_stop was called by one of them. */
void event_run(struct event_queue *queue);

/* Ends event_run after the event at work. */
void event_stop(struct event_queue *queue);

/* For an event at work that has nothing left to do: if event_run would call `fn` next, takes that
 * event out as if it had run, stores its argument and returns true; the caller now does what `fn`
 * would have done. Else returns false, and the caller returns without asking for the time. */
bool event_take_next(struct event_queue *queue, event_fn *fn, void **argument);

/* For an event at work that would schedule an event at `at_ps` as its last action, and return: if event_run would certainly run
 * that event next, lets the time pass to it, counts it, and returns true; the caller goes on as that event. Else returns false,
 * and changes nothing. Never with event_run_one. */
bool event_pass_to(struct event_queue *queue, sim_time at_ps);
