/* SPDX-License-Identifier: BSD-3-Clause */
/* Collectives among some of a pattern's ranks, and the patterns that consist of them. */
#pragma once

#include "workloads/goal/goal_pattern.h"

/* Ranks first, first + stride, ..., `count` of them, seen by the one at `place`. */
struct goal_group {
    uint32_t first, stride, count, place;
};

uint32_t goal_group_log2(uint32_t n); /* rounded down; n > 0 */

/* One operation of the group's rank with the one at `place`; a send and a receive; these with the places `away` ahead and behind.
 * Each returns how many operations it made. */
size_t goal_group_put(const struct goal_group *group, enum loggp_kind kind, uint32_t place,
                      uint64_t bytes, uint32_t tag, struct loggp_op *op);
size_t goal_group_exchange(const struct goal_group *group, uint32_t from, uint32_t to,
                           uint64_t bytes, uint32_t tag, struct loggp_op *ops);
size_t goal_group_away(const struct goal_group *group, uint32_t away, uint64_t bytes, uint32_t tag,
                       struct loggp_op *ops);

/* Allreduce by recursive doubling, phase by phase; and all-to-all, with up to six peers in a phase. Messages of `bytes`; returns
 * how many operations a phase has. */
uint32_t goal_group_doubling_phases(uint32_t count);
size_t goal_group_doubling(const struct goal_group *group, uint64_t bytes, uint32_t phase,
                           uint32_t tag, struct loggp_op *ops);
uint32_t goal_group_alltoall_phases(uint32_t count);
size_t goal_group_alltoall(const struct goal_group *group, uint64_t bytes, uint32_t phase,
                           uint32_t tag, struct loggp_op *ops);

#define GOAL_GROUP_PATTERN(name)                                                                   \
    uint32_t goal_##name##_phases(const struct goal_pattern_spec *spec);                           \
    size_t goal_##name##_phase(const struct goal_pattern_spec *spec, uint32_t rank,                \
                               uint32_t iteration, uint32_t phase, struct loggp_op *ops);          \
    bool goal_##name##_calculates(const struct goal_pattern_spec *spec, uint32_t phase);
GOAL_GROUP_PATTERN(hierarchical)
GOAL_GROUP_PATTERN(moe)
GOAL_GROUP_PATTERN(train)
#undef GOAL_GROUP_PATTERN
