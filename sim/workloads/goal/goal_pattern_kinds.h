/* SPDX-License-Identifier: BSD-3-Clause */
/* The patterns one by one, each a row of collectives that follow one another. For workloads/goal/goal_pattern.c and
 * workloads/goal/goal_pattern_text.c. */
#pragma once

#include "workloads/goal/goal_pattern.h"

struct goal_collective;

/* A collective among the ranks along one side of the shape, or among all (GOAL_ALL). */
struct goal_section {
    const struct goal_collective *what; /* NULL: the pattern has no more */
    int side;
    int parts; /* the side by whose length a rank's bytes are divided; GOAL_ALL: by none */

    /* Where the calculation stands: in each of its phases, or where the collective begins, even if it has none. */
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

/* Works out the first phases of the collectives, which follow from the kind and the shape. */
void goal_pattern_place(struct goal_pattern_spec *spec);

/* Sends and receives of phase `phase` of an iteration, and whether it begins with the calculation. */
size_t goal_pattern_turn(const struct goal_pattern_spec *spec, uint32_t rank, uint32_t iteration,
                         uint32_t phase, struct loggp_op *ops);
bool goal_pattern_calculates(const struct goal_pattern_spec *spec, uint32_t phase);
