/* SPDX-License-Identifier: BSD-3-Clause */
/* A GOAL schedule in memory: what each rank computes, sends and receives, and what waits for what.
 *
 * GOAL (Hoefler, Siebert, Lumsdaine: Group Operation Assembly Language, 2009) is the format of
 * LogGOPSim's and ATLAHS's schedules; docs/use/goal.md has its grammar. Operations of a rank are named
 * by their number, from 0 in the order in which they were added. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "fabric/loggp/loggp.h"

#define GOAL_MAX_RANKS (1u << 24)
#define GOAL_MAX_STREAMS 65536u /* CPUs, and NICs, of a rank */

struct goal_op {
    uint64_t size;     /* bytes; for a calculation nanoseconds */
    uint32_t peer;     /* send: destination; receive: source or LOGGP_ANY */
    uint32_t tag;      /* or LOGGP_ANY */
    uint32_t line;     /* of the text that it stands in; 0 if it was not read from text */
    uint16_t cpu, nic; /* streams */
    uint8_t kind;      /* enum loggp_kind, but LOGGP_MESSAGE */
};

struct goal_schedule;

/* A schedule of `ranks` (1 to GOAL_MAX_RANKS) that do nothing. */
struct goal_schedule *goal_schedule_new(uint32_t ranks);
void goal_schedule_free(struct goal_schedule *schedule);

/* Describes one rank after the other, each once: begin, then add and require, then end. */
bool goal_schedule_begin(struct goal_schedule *schedule, uint32_t rank); /* false: was there */
uint32_t goal_schedule_add(struct goal_schedule *schedule, const struct goal_op *op);

/* `waiter` does not become ready before `on` is done (with `start`: before `on` has started). Operations that wait for
 * the same one become ready in the order of these calls. */
void goal_schedule_require(struct goal_schedule *schedule, uint32_t waiter, uint32_t on,
                           bool start);

/* False if operations wait for each other in a circle, with one of those that never become ready in
 * `stuck`, and `stuck_count` of them in all. The schedule can only be freed then. */
bool goal_schedule_end(struct goal_schedule *schedule, uint32_t *stuck, uint32_t *stuck_count);

/* What is in it. */
uint32_t goal_schedule_ranks(const struct goal_schedule *schedule);

/* The CPUs and the NICs of a rank; the greater of both numbers. */
uint32_t goal_schedule_streams(const struct goal_schedule *schedule, uint32_t *cpus,
                               uint32_t *nics);
uint32_t goal_schedule_count(const struct goal_schedule *schedule, uint32_t rank);
const struct goal_op *goal_schedule_op(const struct goal_schedule *schedule, uint32_t rank,
                                       uint32_t op);
const uint32_t *goal_schedule_waiters(const struct goal_schedule *schedule, uint32_t rank,
                                      uint32_t op, bool start, uint32_t *count);

/* The schedule as a program for one run, whose state it keeps itself: one run at a time. */
struct loggp_program goal_schedule_program(struct goal_schedule *schedule);
