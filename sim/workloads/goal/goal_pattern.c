/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank's whole state is its phase and what that phase still waits for: between two phases no operation of the rank is under
 * way, so no further state is needed. */
#include "workloads/goal/goal_pattern.h"

#include "workloads/goal/goal_pattern_kinds.h"

/* A phase has two steps: its calculation (even), its messages (odd). */
struct rank_state {
    uint32_t step;
    uint32_t unfinished; /* operations of the step that are not done */
};

struct goal_pattern {
    struct goal_pattern_spec spec;
    uint32_t steps;
    struct rank_state *ranks;
};

uint32_t goal_pattern_phases(const struct goal_pattern_spec *spec)
{
    return (uint32_t)spec->iterations * spec->begins[GOAL_SECTIONS];
}

size_t goal_pattern_phase(const struct goal_pattern_spec *spec, uint32_t rank, uint32_t phase,
                          struct loggp_op *ops)
{
    uint32_t phases = spec->begins[GOAL_SECTIONS];
    return goal_pattern_turn(spec, rank, phase / phases, phase % phases, ops);
}

/* The operations of one step. */
static size_t step_ops(const struct goal_pattern_spec *spec, uint32_t rank, uint32_t step,
                       struct loggp_op *ops)
{
    if (step % 2)
        return goal_pattern_phase(spec, rank, step / 2, ops);
    if (spec->calc_ns == 0 ||
        !goal_pattern_calculates(spec, step / 2 % spec->begins[GOAL_SECTIONS]))
        return 0;
    ops[0] = (struct loggp_op){.size = spec->calc_ns, .rank = rank, .kind = LOGGP_CALCULATE};
    return 1;
}

/* --- as a schedule ---------------------------------------------------------------------------- */

static void describe_rank(struct goal_schedule *schedule, const struct goal_pattern_spec *spec,
                          uint32_t rank)
{
    uint32_t before = 0, before_count = 0; /* operations of the previous step, by number */
    struct loggp_op ops[GOAL_PHASE_OPS];
    goal_schedule_begin(schedule, rank);
    for (uint32_t step = 0; step < 2 * goal_pattern_phases(spec); step++) {
        size_t count = step_ops(spec, rank, step, ops);
        uint32_t first = before + before_count;
        for (size_t i = 0; i < count; i++) {
            uint32_t op = goal_schedule_add(schedule, &(struct goal_op){.size = ops[i].size,
                                                                        .peer = ops[i].peer,
                                                                        .tag = ops[i].tag,
                                                                        .kind = ops[i].kind});
            for (uint32_t b = 0; b < before_count; b++)
                goal_schedule_require(schedule, op, before + b, false);
        }
        if (count > 0) {
            before = first;
            before_count = (uint32_t)count;
        }
    }
    uint32_t stuck, stuck_count;
    goal_schedule_end(schedule, &stuck, &stuck_count);
}

bool goal_pattern_fits(const struct goal_pattern_spec *spec, uint64_t most)
{
    uint32_t steps = 2 * goal_pattern_phases(spec);
    uint64_t entries = 0;
    struct loggp_op ops[GOAL_PHASE_OPS];
    for (uint32_t rank = 0; rank < spec->ranks; rank++) {
        size_t before = 0;
        for (uint32_t step = 0; step < steps && entries <= most; step++) {
            size_t count = step_ops(spec, rank, step, ops);
            entries += 1 + count + count * before;
            before = count > 0 ? count : before;
        }
    }
    return entries <= most;
}

struct goal_schedule *goal_pattern_schedule(const struct goal_pattern_spec *spec, uint32_t only)
{
    struct goal_schedule *schedule = goal_schedule_new(spec->ranks);
    for (uint32_t rank = 0; rank < spec->ranks; rank++) {
        if (only >= spec->ranks || rank == only)
            describe_rank(schedule, spec, rank);
    }
    return schedule;
}

/* --- as a program ----------------------------------------------------------------------------- */

struct goal_pattern *goal_pattern_new(const struct goal_pattern_spec *spec)
{
    struct goal_pattern *pattern = g_new(struct goal_pattern, 1);
    *pattern = (struct goal_pattern){*spec, 2 * goal_pattern_phases(spec),
                                     g_new0(struct rank_state, spec->ranks)};
    return pattern;
}

void goal_pattern_free(struct goal_pattern *pattern)
{
    g_free(pattern->ranks);
    g_free(pattern);
}

/* Makes the rank's step ready, or the next step that has operations. */
static void enter(struct goal_pattern *pattern, uint32_t rank, struct loggp_ready *ready)
{
    struct rank_state *state = &pattern->ranks[rank];
    struct loggp_op *ops = loggp_ready_room(ready, rank, GOAL_PHASE_OPS);
    size_t count = 0;
    while (state->step < pattern->steps &&
           (count = step_ops(&pattern->spec, rank, state->step, ops)) == 0)
        state->step++;
    state->unfinished = (uint32_t)count;
    loggp_ready_added(ready, rank, count);
}

static void start(void *state, uint32_t rank, struct loggp_ready *ready)
{
    struct goal_pattern *pattern = state;
    pattern->ranks[rank] = (struct rank_state){0, 0};
    enter(pattern, rank, ready);
}

static void started(void *state, uint32_t rank, uint32_t id, struct loggp_ready *ready)
{
    (void)state, (void)rank, (void)id, (void)ready;
}

static void done(void *state, uint32_t rank, uint32_t id, struct loggp_ready *ready)
{
    struct goal_pattern *pattern = state;
    (void)id;
    if (--pattern->ranks[rank].unfinished > 0)
        return;
    pattern->ranks[rank].step++;
    enter(pattern, rank, ready);
}

struct loggp_program goal_pattern_program(struct goal_pattern *pattern)
{
    return (struct loggp_program){
        pattern->spec.ranks, 1, 1, pattern->spec.bytes == 0, pattern, start, started, done};
}
