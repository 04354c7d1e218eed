/* SPDX-License-Identifier: BSD-3-Clause */
/* The patterns one by one. For workloads/goal/goal_pattern.c and workloads/goal/goal_pattern_text.c. */
#pragma once

#include "workloads/goal/goal_pattern.h"

struct goal_pattern_kind {
    const char *name;
    int dimensions;                                           /* of its shape */
    uint32_t (*phases)(const struct goal_pattern_spec *spec); /* of one iteration */

    /* Sends and receives of phase `phase` of an iteration. */
    size_t (*phase)(const struct goal_pattern_spec *spec, uint32_t rank, uint32_t iteration,
                    uint32_t phase, struct loggp_op *ops);

    /* Whether that phase begins with the calculation; NULL: each does. */
    bool (*calculates)(const struct goal_pattern_spec *spec, uint32_t phase);
};

extern const struct goal_pattern_kind goal_pattern_kinds[];
extern const size_t goal_pattern_kind_count;
