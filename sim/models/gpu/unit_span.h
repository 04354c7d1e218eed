/* SPDX-License-Identifier: BSD-3-Clause */
/* Neighbouring compute units of a GPU in the same state: each has had as many work-groups of the same jobs since the same
 * times. Their shares are worked out once for all of them, to the same picosecond as for each by itself. A span is cut where a
 * job has more work-groups on some of its CUs than on others; all are one span again when nothing computes. */
#pragma once

#include "core/list.h"
#include "core/pool.h"
#include "core/shared_rate.h"

struct unit_span {
    struct list_link link; /* of the GPU, in the order of the CUs */
    int64_t first, end;    /* CUs from `first` to before `end` */
    struct shared_rate simds, way;
    struct list parts; /* parts of jobs that have work-groups on them */
};

/* What a job has on each CU of a span. */
struct unit_part {
    struct unit_span *span;
    struct list_link of_span, of_job;
    struct list *job_parts; /* the job's, that it is in */
    int64_t groups;         /* work-groups on each CU */
    struct shared_job simds, way;
    struct unit_part *twin; /* behind the cut, while the span is cut */
};

/* Pools for all GPUs of a machine. */
struct unit_pools {
    struct pool spans, parts;
};
void unit_pools_init(struct unit_pools *pools);
void unit_pools_clear(struct unit_pools *pools);

/* Makes the list one span of so many CUs, with rates in units a second (core/shared_rate.h). */
void unit_spans_init(struct unit_pools *pools, struct list *spans, int64_t units, double simds_rate,
                     double wave_rate, double way_rate);

/* Cuts a span: its CUs from `at` on, first < at < end, become the next span. */
void unit_span_cut(struct unit_pools *pools, struct list *spans, struct unit_span *span,
                   int64_t at);

/* Makes a part of a job whose other parts are in `job_parts`; it does not work yet. */
struct unit_part *unit_part_new(struct unit_pools *pools, struct unit_span *span,
                                struct list *job_parts, int64_t groups);

/* The job is over. */
void unit_parts_free(struct unit_pools *pools, struct list *job_parts);

/* Makes all CUs one span again, when nothing computes any more. */
void unit_spans_join(struct unit_pools *pools, struct list *spans);

/* --- what units have free ------------------------------------------------------------------------
 *
 * The compute units of a GPU as runs of neighbours with equal amounts: what each has free, or how many work-groups of a job each
 * has. Most kernels take as much of every unit, so that a few runs, in a line or two of the cache, stand for all. */

/* The free resources of a compute unit, or those that a work-group takes, each at most INT32_MAX, which is more than any unit
 * has. */
struct unit_room {
    int32_t groups, waves, registers_bytes, lds_bytes;
};

/* Units from the end of the previous run (the first: from 0) to before `end` have `room` each. The last run's `end` is the
 * number of units, and there are never more runs than units. */
struct unit_run {
    int32_t end;
    struct unit_room room;
};

/* The run that the unit is in, by its number, and itself. */
static inline size_t unit_run_number(const struct unit_run *runs, int64_t unit)
{
    size_t number = 0;
    while (runs[number].end <= unit)
        number++;
    return number;
}

static inline const struct unit_run *unit_run_of(const struct unit_run *runs, int64_t unit)
{
    return &runs[unit_run_number(runs, unit)];
}

/* Takes `count` times `needs` or, with a negative count, gives it back. */
static inline void unit_room_take(struct unit_room *room, struct unit_room needs, int32_t count)
{
    room->groups -= count * needs.groups;
    room->waves -= count * needs.waves;
    room->registers_bytes -= count * needs.registers_bytes;
    room->lds_bytes -= count * needs.lds_bytes;
}

/* The same on each of the units from `first` to before `end`, of `units` in all. */
void unit_runs_take(struct unit_run *runs, int64_t units, int64_t first, int64_t end,
                    struct unit_room needs, int32_t count);
