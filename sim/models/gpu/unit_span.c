/* SPDX-License-Identifier: BSD-3-Clause */
#include "models/gpu/unit_span.h"

#include <string.h>

void unit_pools_init(struct unit_pools *pools)
{
    pool_init(&pools->spans, sizeof(struct unit_span));
    pool_init(&pools->parts, sizeof(struct unit_part));
}

void unit_pools_clear(struct unit_pools *pools)
{
    pool_clear(&pools->spans);
    pool_clear(&pools->parts);
}

void unit_spans_init(struct unit_pools *pools, struct list *spans, int64_t units, double simds_rate,
                     double wave_rate, double way_rate)
{
    struct unit_span *span = pool_take(&pools->spans);
    span->end = units;
    shared_rate_init(&span->simds, simds_rate, wave_rate);
    shared_rate_init(&span->way, way_rate, 0);
    list_append(spans, &span->link);
}

static void copy_parts(struct unit_pools *pools, struct unit_span *span, struct unit_span *behind)
{
    LIST_EACH (struct unit_part, part, &span->parts, of_span) {
        part->twin = pool_take_unset(&pools->parts);
        *part->twin = *part;
        part->twin->span = behind;
        list_append(&behind->parts, &part->twin->of_span);
        list_insert(part->job_parts, &part->twin->of_job, part->of_job.next);
    }
}

void unit_span_cut(struct unit_pools *pools, struct list *spans, struct unit_span *span, int64_t at)
{
    struct unit_span *behind = pool_take_unset(&pools->spans);
    *behind = *span;
    behind->first = span->end = at;
    behind->parts = behind->simds.jobs = behind->way.jobs = (struct list){NULL, NULL};
    list_insert(spans, &behind->link, span->link.next);
    copy_parts(pools, span, behind);
    LIST_EACH (struct unit_part, part, &span->simds.jobs, simds.link)
        list_append(&behind->simds.jobs, &part->twin->simds.link);
    LIST_EACH (struct unit_part, part, &span->way.jobs, way.link)
        list_append(&behind->way.jobs, &part->twin->way.link);
}

struct unit_part *unit_part_new(struct unit_pools *pools, struct unit_span *span,
                                struct list *job_parts, int64_t groups)
{
    struct unit_part *part = pool_take(&pools->parts);
    part->span = span;
    part->job_parts = job_parts;
    part->groups = groups;
    list_append(&span->parts, &part->of_span);
    list_append(job_parts, &part->of_job);
    return part;
}

void unit_parts_free(struct unit_pools *pools, struct list *job_parts)
{
    struct unit_part *part;
    while ((part = LIST_TAKE(job_parts, struct unit_part, of_job)) != NULL) {
        list_remove(&part->span->parts, &part->of_span);
        pool_give(&pools->parts, part);
    }
}

void unit_spans_join(struct unit_pools *pools, struct list *spans)
{
    struct unit_span *span = LIST_FIRST(spans, struct unit_span, link);
    span->end = LIST_LAST(spans, struct unit_span, link)->end;
    while (spans->last != &span->link) {
        struct unit_span *last = LIST_LAST(spans, struct unit_span, link);
        list_remove(spans, &last->link);
        pool_give(&pools->spans, last);
    }
}

/* --- what units have free ------------------------------------------------------------------------- */

/* Lets a run end at `at` > 0. */
static void cut_run(struct unit_run *runs, int64_t units, int64_t at)
{
    struct unit_run *run = &runs[unit_run_number(runs, at - 1)];
    if (run->end == at)
        return;
    memmove(run + 1, run, (unit_run_number(run, units - 1) + 1) * sizeof *run);
    run->end = (int32_t)at;
}

/* Makes neighbours with equal rooms one run. */
static void join_runs(struct unit_run *runs, int64_t units)
{
    struct unit_run *kept = runs;
    for (const struct unit_run *next = runs + 1; kept->end < units; next++) {
        if (memcmp(&next->room, &kept->room, sizeof next->room) != 0)
            kept++;
        *kept = *next;
    }
}

void unit_runs_take(struct unit_run *runs, int64_t units, int64_t first, int64_t end,
                    struct unit_room needs, int32_t count)
{
    if (first >= end)
        return;
    if (first > 0)
        cut_run(runs, units, first);
    cut_run(runs, units, end);
    struct unit_run *run = &runs[unit_run_number(runs, first)];
    for (; run->end < end; run++)
        unit_room_take(&run->room, needs, count);
    unit_room_take(&run->room, needs, count);
    join_runs(runs, units);
}
