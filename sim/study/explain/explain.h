/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the time of a point's operations went: a listener (core/observe.h) that adds up their stages. */
#pragma once

#include "core/observe.h"
#include "core/stat.h"
#include "protocols/design.h"

/* So many iterations of a place are kept, for others that are like them (observe_counted_on): the two windows, and as many as places
 * have done before all knew that they agree. */
#define EXPLAINED_LAST 64

/* The operations of one origin in one design: "node0.operations", "messages". Of those that were measured, each gives a value to
 * every histogram, so that stages' sums are the latencies' sum. */
struct explained {
    struct design *design;        /* a copy; NULL: they have none */
    char *path, *callers;         /* of a second design "PATH@DESIGN" */
    char *told_path;              /* PATH */
    struct observe_repeat repeat; /* iterations that were not simulated; `left` 0: none */
    struct stat_histogram latency, stages[STAGES];
    GPtrArray *places,
        *iterations; /* of an application's iterations: struct explained_part; else NULL */
};

/* All iterations of one place, including those that were not simulated; or one iteration, by its number, of all places.
 * */
struct explained_part {
    uint32_t number;
    uint64_t count;                         /* iterations */
    sim_time latency_ps, stages_ps[STAGES]; /* of all of them */
    sim_time (*last_ps)
        [STAGES]; /* of a place: of its last iterations, by their number modulo EXPLAINED_LAST */
};

struct explanation {
    struct observe_listener listener; /* to be given to a machine: struct machine_spec */
    struct path_log *paths;
    GPtrArray
        *origins; /* of struct explained, in the order in which they first ended an operation */
};

struct explanation *explanation_new(void);
void explanation_free(struct explanation *explanation);

/* Follows the critical paths of the iterations that it has heard of: they become operations of path "critical_path". */
void explanation_follow(struct explanation *explanation);

/* What was observed, as views/explain.lua has it: a floating reference of type EXPLANATION_TYPE, which another process may take. */
#define EXPLANATION_TYPE "aa{sv}"
GVariant *explanation_value(const struct explanation *explanation);
