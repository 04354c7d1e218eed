/* SPDX-License-Identifier: BSD-3-Clause */
/* One simulation: all of its state is reachable from a struct sim. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/check.h"
#include "core/event.h"
#include "core/observe.h"
#include "core/param_use.h"
#include "core/process.h"
#include "core/quiescence.h"
#include "core/stat.h"

struct sim {
    struct event_queue *events;
    struct process_system *processes;
    struct stat_registry *stats;
    struct observe observe;
    struct quiescence quiescence;
    struct param_use uses; /* what of the machine those that were opened can read */
    uint64_t seed;
    bool stores_one_by_one; /* of payload: what blocks are compared with */
    bool stopped;           /* by sim_stop, in the run at work or the last one */
    char *failure;          /* what sim_fail was told first; NULL: nothing */
    struct check_context check;
};

/* An empty simulation at time 0. Freed by sim_free with all that is registered in it. */
struct sim *sim_new(uint64_t seed);
void sim_free(struct sim *sim);

static inline sim_time sim_now(const struct sim *sim)
{
    return event_now(sim->events);
}

/* How a run ended. */
enum sim_end {
    SIM_FINISHED, /* no events, no processes left */
    SIM_STOPPED,  /* sim_stop was called */
    SIM_DEADLOCK, /* processes are waiting, and nothing can change any more: no events are left, or
                     none but those of processes that poll in vain (core/quiescence.h) */
    SIM_TOO_LONG, /* what is left to do is due after SIM_TIME_LAST */
};

/* What to say of SIM_TOO_LONG. */
#define SIM_TOO_LONG_REASON                                                                        \
    "the run takes longer than 26 days of simulated time, which is as far as the clock goes"

/* Runs until nothing is left to do up to SIM_TIME_LAST, or sim_stop. */
enum sim_end sim_run(struct sim *sim);
void sim_stop(struct sim *sim);

/* Stops it because something that is modelled cannot go on (a counter of so many bits is used up): one
 * sentence, without full stop. Returns, so who calls it goes on until it next waits. */
void sim_fail(struct sim *sim, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Tells why a run has ended as it did: what sim_fail was told, or that it took too long. Returns false, and tells nothing, of
 * an end that is good or a deadlock. */
bool sim_tell_end(const struct sim *sim, enum sim_end end, GError **error);

/* After SIM_DEADLOCK: a text, one line a waiting process, what it waits for and since when; at
 * most `most` lines, then how many more. The caller frees it with g_free. */
char *sim_deadlock_report(const struct sim *sim, int most);
