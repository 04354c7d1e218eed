/* SPDX-License-Identifier: BSD-3-Clause */
/* The patterns, each a sequence of collectives. For workloads/goal/goal_pattern.c and
 * workloads/goal/goal_options.c. */
#pragma once

#include "workloads/goal/goal_pattern.h"

struct goal_collective;

/* A collective among the ranks along one side of the shape, or among all (GOAL_ALL). */
struct goal_section {
    const struct goal_collective *what; /* NULL: the end of the sequence */
    int side;
    int parts; /* a rank's bytes are divided by the length of this side; GOAL_ALL: not divided */

    /* Where the calculation stands: in each phase, or at the start of the collective, even if the collective has no phases. */
    enum { GOAL_CALCULATES_NOT, GOAL_CALCULATES_FIRST, GOAL_CALCULATES_EACH } calculates;
};
#define GOAL_ALL (-1)

struct goal_pattern_kind {
    const char *name;
    int dimensions; /* of its shape */
    struct goal_section sections[GOAL_SECTIONS];
};

extern const struct goal_pattern_kind goal_pattern_kinds[];
extern const size_t goal_pattern_kind_count;

/* Computes the first phase of each collective from the kind and the shape. */
void goal_pattern_place(struct goal_pattern_spec *spec);

/* Sends and receives of phase `phase` of an iteration, and whether it begins with the calculation. */
size_t goal_pattern_turn(const struct goal_pattern_spec *spec, uint32_t rank, uint32_t iteration,
                         uint32_t phase, struct loggp_op *ops);
bool goal_pattern_calculates(const struct goal_pattern_spec *spec, uint32_t phase);
