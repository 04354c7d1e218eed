/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes: software agents (a work-group's program, a service thread, a rank) as stackful
 * coroutines, so that a protocol reads like its paper. Hardware is event handlers, not processes.
 *
 * Stacks come from slabs, without a guard page each (30,000 would exhaust the memory maps); debug
 * builds check a canary and the stack's bounds at every switch. Switches are announced to
 * AddressSanitizer, ThreadSanitizer and valgrind. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/check.h"
#include "core/event.h"
#include "core/simtime.h"

struct process;
struct process_system;

/* The first member of a process: its own time. The inline functions below, which every step calls, use it. */
struct process_clock {
    const sim_time *now_ps;   /* the event queue's time */
    sim_time local_offset_ps; /* how far the process's own time is ahead of it */
    sim_time shift_ps;        /* shift of its next look: see below; 0: none */
    sim_time shift_taken_ps;  /* when a look over a bus last took a shift; -1: never */
};
static inline const struct process_clock *process_clock(const struct process *process)
{
    return (const struct process_clock *)(const void *)process;
}
static inline struct process_clock *process_own_clock(struct process *process)
{
    return (struct process_clock *)(void *)process;
}

/* What a process does. It ends when this returns. */
typedef void process_fn(struct process *self, void *argument);

/* A system of processes that run on `queue`, which the caller keeps until the system has been freed. One system for each queue. */
struct process_system *process_system_new(struct event_queue *queue);

/* Keeps check->component at the name of the running process, so that the message of a failed check names it. */
void process_system_set_check(struct process_system *system, struct check_context *check);

/* From now on phases are drawn, from random streams of `seed`. process_system_phases: how many were drawn. */
void process_system_draw_phases(struct process_system *system, uint64_t seed);
int64_t process_system_phases(const struct process_system *system);

/* Frees the system and the stacks of living processes, without unwinding: their owners free what they hold on the heap. */
void process_system_free(struct process_system *system);

/* Makes a process that starts at `at_ps` >= now. `name` ("node0.gpu.wg3", at most 255 letters) is copied. The process is owned
 * by the system and is gone when `fn` returns. `stack_bytes` of 0 means the default, 64 KiB (256 KiB under AddressSanitizer);
 * others are rounded up to a power of two, at least 8 KiB. Only touched pages of a stack take memory: at least 4 KiB, which
 * also hold all other data of the process. (ThreadSanitizer allows about 8,000 at a time.) */
struct process *process_spawn(struct process_system *system, const char *name, process_fn *fn,
                              void *argument, sim_time at_ps, size_t stack_bytes);

/* --- called by the process itself --- */

/* Waits for `delay_ps` of simulated time; with 0, until all events that are due now have run. */
void process_sleep(struct process *self, sim_time delay_ps);
void process_sleep_until(struct process *self, sim_time at_ps);

/* Sleeps until `at_ps` and goes on after all other events of that time. Among the processes that sleep in this way the one with
 * the smallest `turn` (1 .. EVENT_LATE - 1) goes first, whatever the order of their calls. */
void process_sleep_until_turn(struct process *self, sim_time at_ps, int16_t turn);

/* Advances the process's own time, but not that of others: until it next sleeps its process_now lies ahead of the event queue's
 * time. It is for steps that touch nothing shared, such as instructions, so that they cost no event. The next sleep makes up
 * for it; before it waits in another way, or touches something shared, the process calls process_sync. */
static inline void process_run_ahead(struct process *self, sim_time delay_ps)
{
    process_own_clock(self)->local_offset_ps += delay_ps;
}

/* Sleeps until the event queue has reached the process's own time. */
static inline void process_sync(struct process *self)
{
    if (process_own_clock(self)->local_offset_ps > 0)
        process_sleep(self, 0);
}

/* How far the process's own time is ahead of the event queue's. */
static inline sim_time process_local_offset_ps(const struct process *self)
{
    return process_clock(self)->local_offset_ps;
}

/* The same, and sets it to 0. For a process that is about to suspend itself and will not be woken before its own time. */
static inline sim_time process_take_local_offset(struct process *self)
{
    sim_time local_offset_ps = process_clock(self)->local_offset_ps;
    process_own_clock(self)->local_offset_ps = 0;
    return local_offset_ps;
}

/* Waits until somebody calls process_wake. A process that is ahead of the event queue must not call this (a failed check).
 * `reason` (a static string) is shown by the deadlock report: "signal", "queue full", ... */
void process_suspend(struct process *self, const char *reason);

/* A random delay of the next look of a process that polls: uniform in [earliest_ps, earliest_ps + period_ps), from the
 * process's own stream of the run's seed. Thus two independent loops meet in all phases. 0 where phases are fixed
 * (process_system_draw_phases), or the period is 0. */
sim_time process_draw_phase(struct process *self, sim_time period_ps, sim_time earliest_ps);

/* The shift of the next look: the look reaches the polled word that much later, or, if below 0, earlier. The function that
 * makes a look takes the shift (0: none); for a look over a bus the process remembers when. */
static inline void process_set_shift(struct process *self, sim_time shift_ps)
{
    process_own_clock(self)->shift_ps = shift_ps;
}
static inline sim_time process_take_shift(struct process *self)
{
    sim_time shift_ps = process_clock(self)->shift_ps;
    process_own_clock(self)->shift_ps = 0;
    return shift_ps;
}
sim_time process_take_shift_over_bus(struct process *self);

/* --- called by any code --- */

/* Makes a suspended process go on at the current time, after what is already due now. Waking one
 * that is not suspended, or twice, is a failed check. */
void process_wake(struct process *process);

/* The same, to go on at `at_ps` >= now, in its `turn` (process_sleep_until_turn); with 0 as after process_sleep_until. */
void process_wake_until(struct process *process, sim_time at_ps, int16_t turn);

/* The same as process_wake, but at once, before other events of this time, which saves an event. It must be the last action of
 * an event handler. Returns when the process waits again. */
void process_wake_at_once(struct process *process);

const char *process_name(const struct process *process);

/* The process's own time: the event queue's time, or a later one if the process is ahead of it. */
static inline sim_time process_now(const struct process *process)
{
    const struct process_clock *clock = process_clock(process);
    return *clock->now_ps + clock->local_offset_ps;
}

/* Number of processes that have not ended. */
size_t process_alive(const struct process_system *system);

/* Calls `visit` for each living process in order of creation: for the deadlock report. `reason` says what the process waits
 * for, `since_ps` since when. */
typedef void process_visit_fn(const struct process *process, const char *reason, sim_time since_ps,
                              void *argument);
void process_visit(const struct process_system *system, process_visit_fn *visit, void *argument);
