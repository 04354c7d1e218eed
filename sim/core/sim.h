/* SPDX-License-Identifier: BSD-3-Clause */
/* One simulation: all of its state is reachable from a struct sim. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/check.h"
#include "core/energy.h"
#include "core/event.h"
#include "core/observe.h"
#include "core/param_use.h"
#include "core/pool.h"
#include "core/process.h"
#include "core/quiescence.h"
#include "core/stat.h"

struct sim {
    struct event_queue *events;
    struct process_system *processes;
    struct stat_registry *stats;
    struct observe observe;
    struct quiescence quiescence;
    struct pool meters;    /* of energy: struct energy_meter */
    struct param_use uses; /* parameters that the opened parts of the machine can read */
    uint64_t seed;
    bool stores_one_by_one; /* no blocks: each store of payload is simulated */
    bool stopped;           /* sim_stop was called in the present run or the last one */
    char *failure;          /* the sentence of the first sim_fail; NULL: none */
    struct check_context check;
};

/* An empty simulation at time 0. sim_free frees it with all that is registered in it. */
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
    /* Processes wait, and nothing can change: no events are left but those of polls in vain (core/quiescence.h). */
    SIM_DEADLOCK,
    SIM_TOO_LONG, /* the next event is due after SIM_TIME_LAST */
};

/* The reason in messages about SIM_TOO_LONG. */
#define SIM_TOO_LONG_REASON                                                                        \
    "the run takes longer than 26 days of simulated time, which is as far as the clock goes"

/* Runs until no event up to SIM_TIME_LAST is left, or until sim_stop. */
enum sim_end sim_run(struct sim *sim);
void sim_stop(struct sim *sim);

/* Stops the simulation because a modelled part cannot go on (a hardware counter is at its end): one sentence, without full
 * stop. It returns, so its caller goes on until it next waits. */
void sim_fail(struct sim *sim, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Says why a run failed: the sentence of sim_fail, or that it took too long. False without an error after a good end or a
 * deadlock. */
bool sim_tell_end(const struct sim *sim, enum sim_end end, GError **error);

/* After SIM_DEADLOCK: a text with one line for each waiting process: what it waits for and since when; at most `most` lines,
 * then how many more there are. The caller frees it with g_free. */
char *sim_deadlock_report(const struct sim *sim, int most);
