/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/goal/goal_pattern_groups.h"

#include <glib.h>

#define PEERS (GOAL_PHASE_OPS / 2) /* of a rank in a phase of an all-to-all */

uint32_t goal_group_log2(uint32_t n)
{
    return 31u - (uint32_t)__builtin_clz(n);
}

static inline uint32_t member(const struct goal_group *group, uint32_t place)
{
    return group->first + group->stride * place;
}

size_t goal_group_put(const struct goal_group *group, enum loggp_kind kind, uint32_t place,
                      uint64_t bytes, uint32_t tag, struct loggp_op *op)
{
    *op = (struct loggp_op){.size = bytes,
                            .rank = member(group, group->place),
                            .peer = member(group, place),
                            .tag = tag,
                            .kind = (uint8_t)kind};
    return 1;
}

size_t goal_group_exchange(const struct goal_group *group, uint32_t from, uint32_t to,
                           uint64_t bytes, uint32_t tag, struct loggp_op *ops)
{
    goal_group_put(group, LOGGP_SEND, to, bytes, tag, &ops[0]);
    goal_group_put(group, LOGGP_RECEIVE, from, bytes, tag, &ops[1]);
    return 2;
}

size_t goal_group_away(const struct goal_group *group, uint32_t away, uint64_t bytes, uint32_t tag,
                       struct loggp_op *ops)
{
    uint32_t n = group->count;
    return goal_group_exchange(group, (group->place + n - away) % n, (group->place + away) % n,
                               bytes, tag, ops);
}

/* --- doubling --------------------------------------------------------------------------------- */

/* Ranks beyond the greatest power of two. */
static uint32_t beyond(uint32_t count)
{
    return count - (1u << goal_group_log2(count));
}

uint32_t goal_group_doubling_phases(uint32_t count)
{
    return goal_group_log2(count) + (beyond(count) ? 2 : 0);
}

/* Before the first or after the last phase: the pairs among the first ranks come together. */
static size_t pair_phase(const struct goal_group *group, bool before, uint64_t bytes, uint32_t tag,
                         struct loggp_op *ops)
{
    if (group->place >= 2 * beyond(group->count))
        return 0;
    return goal_group_put(group, (group->place % 2 == 0) == before ? LOGGP_SEND : LOGGP_RECEIVE,
                          group->place ^ 1, bytes, tag, ops);
}

size_t goal_group_doubling(const struct goal_group *group, uint64_t bytes, uint32_t phase,
                           uint32_t tag, struct loggp_op *ops)
{
    uint32_t pairs = beyond(group->count), last = goal_group_doubling_phases(group->count) - 1;
    if (pairs > 0 && (phase == 0 || phase == last))
        return pair_phase(group, phase == 0, bytes, tag, ops);
    if (group->place < 2 * pairs && group->place % 2 == 0)
        return 0;
    uint32_t mine = group->place < 2 * pairs ? group->place / 2 : group->place - pairs;
    uint32_t other = mine ^ (1u << (phase - (pairs > 0)));
    uint32_t peer = other < pairs ? 2 * other + 1 : other + pairs;
    return goal_group_exchange(group, peer, peer, bytes, tag, ops);
}

/* --- all-to-all ------------------------------------------------------------------------- */

uint32_t goal_group_alltoall_phases(uint32_t count)
{
    return (count - 1 + PEERS - 1) / PEERS;
}

size_t goal_group_alltoall(const struct goal_group *group, uint64_t bytes, uint32_t phase,
                           uint32_t tag, struct loggp_op *ops)
{
    uint32_t end = MIN(group->count - 1, (phase + 1) * PEERS);
    size_t count = 0;
    for (uint32_t away = phase * PEERS + 1; away <= end; away++)
        count += goal_group_away(group, away, bytes, tag, ops + count);
    return count;
}

/* A part of a rank's bytes; no message is empty. */
static uint64_t part(const struct goal_pattern_spec *spec, uint32_t parts)
{
    return MAX(spec->bytes / parts, 1);
}

/* --- hierarchical ----------------------------------------------------------------------------- */

uint32_t goal_hierarchical_phases(const struct goal_pattern_spec *spec)
{
    return 2 * (spec->shape[0] - 1) + goal_group_doubling_phases(spec->shape[1]);
}

size_t goal_hierarchical_phase(const struct goal_pattern_spec *spec, uint32_t rank,
                               uint32_t iteration, uint32_t phase, struct loggp_op *ops)
{
    (void)iteration;
    uint32_t local = spec->shape[0], in_node = local - 1;
    const struct goal_group node = {rank - rank % local, 1, local, rank % local};
    const struct goal_group rail = {rank % local, local, spec->shape[1], rank / local};
    uint32_t across = goal_group_doubling_phases(spec->shape[1]);
    if (phase < in_node || phase >= in_node + across)
        return goal_group_away(&node, 1, part(spec, local), phase, ops);
    return goal_group_doubling(&rail, part(spec, local), phase - in_node, phase, ops);
}

bool goal_hierarchical_calculates(const struct goal_pattern_spec *spec, uint32_t phase)
{
    (void)spec;
    return phase == 0;
}

/* --- moe -------------------------------------------------------------------------------------- */

/* Dispatch and combine are alike; combine is the second half. */
static size_t experts_phase(const struct goal_pattern_spec *spec, const struct goal_group *group,
                            uint32_t phase, uint32_t tag, struct loggp_op *ops)
{
    uint32_t half = goal_group_alltoall_phases(group->count);
    return goal_group_alltoall(group, part(spec, group->count), phase % half, tag, ops);
}

uint32_t goal_moe_phases(const struct goal_pattern_spec *spec)
{
    return 2 * goal_group_alltoall_phases(spec->shape[0]);
}

size_t goal_moe_phase(const struct goal_pattern_spec *spec, uint32_t rank, uint32_t iteration,
                      uint32_t phase, struct loggp_op *ops)
{
    (void)iteration;
    uint32_t n = spec->shape[0];
    const struct goal_group group = {rank - rank % n, 1, n, rank % n};
    return experts_phase(spec, &group, phase, phase, ops);
}

bool goal_moe_calculates(const struct goal_pattern_spec *spec, uint32_t phase)
{
    return phase == goal_group_alltoall_phases(spec->shape[0]);
}

/* --- train ------------------------------------------------------------------------------------ */

enum { TENSOR, EXPERT, DATA, PIPELINE };

/* The group of a rank along one side of the shape. */
static struct goal_group side_group(const struct goal_pattern_spec *spec, uint32_t rank, int side)
{
    uint32_t stride = 1;
    for (int i = 0; i < side; i++)
        stride *= spec->shape[i];
    uint32_t place = rank / stride % spec->shape[side];
    return (struct goal_group){rank - place * stride, stride, spec->shape[side], place};
}

/* Phases of a stage, one way: what comes from the stage before, tensor, dispatch and combine, what goes to the next. */
static uint32_t way_phases(const struct goal_pattern_spec *spec)
{
    return 2 + goal_group_doubling_phases(spec->shape[TENSOR]) +
           2 * goal_group_alltoall_phases(spec->shape[EXPERT]);
}

uint32_t goal_train_phases(const struct goal_pattern_spec *spec)
{
    return 2 * way_phases(spec) + goal_group_doubling_phases(spec->shape[DATA]);
}

/* Between stages: `comes` from the neighbour behind, or goes to the one ahead; back, the other way round. */
static size_t stage_phase(const struct goal_pattern_spec *spec, uint32_t rank, bool comes,
                          bool is_back, uint32_t tag, struct loggp_op *ops)
{
    const struct goal_group stages = side_group(spec, rank, PIPELINE);
    bool down = comes != is_back;
    if (down ? stages.place == 0 : stages.place + 1 == stages.count)
        return 0;
    return goal_group_put(&stages, comes ? LOGGP_RECEIVE : LOGGP_SEND,
                          down ? stages.place - 1 : stages.place + 1, spec->bytes, tag, ops);
}

size_t goal_train_phase(const struct goal_pattern_spec *spec, uint32_t rank, uint32_t iteration,
                        uint32_t phase, struct loggp_op *ops)
{
    uint32_t way = way_phases(spec), at = phase % way;
    uint32_t tensor = goal_group_doubling_phases(spec->shape[TENSOR]);
    struct goal_group group;
    (void)iteration;
    if (phase >= 2 * way) {
        group = side_group(spec, rank, DATA);
        return goal_group_doubling(&group, spec->bytes, phase - 2 * way, phase, ops);
    }
    bool is_back = phase >= way;
    if (at == 0 || at == way - 1) /* both ends of a message have one tag */
        return stage_phase(spec, rank, at == 0, is_back, is_back ? way : 0, ops);
    if (at <= tensor) {
        group = side_group(spec, rank, TENSOR);
        return goal_group_doubling(&group, spec->bytes, at - 1, phase, ops);
    }
    group = side_group(spec, rank, EXPERT);
    return experts_phase(spec, &group, at - 1 - tensor, phase, ops);
}

bool goal_train_calculates(const struct goal_pattern_spec *spec, uint32_t phase)
{
    uint32_t way = way_phases(spec), half = goal_group_alltoall_phases(spec->shape[EXPERT]);
    return phase < 2 * way &&
           phase % way == 1 + goal_group_doubling_phases(spec->shape[TENSOR]) + half;
}
