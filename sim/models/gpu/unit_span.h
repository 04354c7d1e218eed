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
