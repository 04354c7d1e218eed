/* SPDX-License-Identifier: BSD-3-Clause */
/* A GOAL schedule in memory: what each rank computes, sends and receives, and which operations wait for which.
 *
 * GOAL (Hoefler, Siebert, Lumsdaine: Group Operation Assembly Language, 2009) is the format of LogGOPSim's and ATLAHS's
 * schedules; docs/use/goal.md has its grammar. Operations of a rank are named by their number, from 0 in the order in which
 * they were added. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "fabric/loggp/loggp.h"

#define GOAL_MAX_RANKS (1u << 24)
#define GOAL_MAX_STREAMS 65536u /* the most CPU streams, and NIC streams, of a rank */

struct goal_op {
    uint64_t size;     /* bytes; for a calculation, nanoseconds */
    uint32_t peer;     /* send: destination; receive: source or LOGGP_ANY */
    uint32_t tag;      /* or LOGGP_ANY */
    uint32_t line;     /* line of the text; 0: it was not read from text */
    uint16_t cpu, nic; /* streams */
    uint8_t kind;      /* enum loggp_kind, except LOGGP_MESSAGE */
};

struct goal_schedule;

/* A new schedule of `ranks` ranks (1 to GOAL_MAX_RANKS), all without operations. */
struct goal_schedule *goal_schedule_new(uint32_t ranks);
void goal_schedule_free(struct goal_schedule *schedule);

/* Describe one rank after the other, each once: call begin, then add and require, then end. */
bool goal_schedule_begin(struct goal_schedule *schedule, uint32_t rank); /* false: done before */
uint32_t goal_schedule_add(struct goal_schedule *schedule, const struct goal_op *op);

/* `waiter` does not become ready before `on` is done (with `start`: before `on` has started). Operations that wait for the same
 * operation become ready in the order of these calls. */
void goal_schedule_require(struct goal_schedule *schedule, uint32_t waiter, uint32_t on,
                           bool start);

/* False if operations wait for each other in a cycle; then `stuck` is one operation that never becomes ready, and `stuck_count`
 * is the number of such operations. The schedule can only be freed then. */
bool goal_schedule_end(struct goal_schedule *schedule, uint32_t *stuck, uint32_t *stuck_count);

/* Read the contents. */
uint32_t goal_schedule_ranks(const struct goal_schedule *schedule);

/* The greater of a rank's number of CPU streams and its number of NIC streams. */
uint32_t goal_schedule_streams(const struct goal_schedule *schedule, uint32_t *cpus,
                               uint32_t *nics);
uint32_t goal_schedule_count(const struct goal_schedule *schedule, uint32_t rank);
const struct goal_op *goal_schedule_op(const struct goal_schedule *schedule, uint32_t rank,
                                       uint32_t op);
const uint32_t *goal_schedule_waiters(const struct goal_schedule *schedule, uint32_t rank,
                                      uint32_t op, bool start, uint32_t *count);

/* The schedule as a program for one run, whose state it keeps itself: one run at a time. */
struct loggp_program goal_schedule_program(struct goal_schedule *schedule);
