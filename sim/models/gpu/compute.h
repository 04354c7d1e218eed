/* SPDX-License-Identifier: BSD-3-Clause */
/* What work-groups do between their transfers: a cost by roofline and occupancy.
 *
 * A work-group's work is floating-point operations, bytes through its compute unit's way to the L2, and, of
 * these, bytes of device memory. The three go on side by side, and the work is over when all have: alone, after the
 * longest of them. Work-groups at work at the same time share
 *
 *   their CU's SIMDs     by wavefronts; a wavefront has one SIMD at most: simds_per_cu x lanes x
 *                        GPU_FLOPS_PER_INSTRUCTION / instruction_cycles a cycle, for all of a CU
 *   their CU's way       by wavefronts: a line in a cycle
 *   the GPU's memory     by wavefronts, none getting more than what it keeps in flight in a memory's latency
 *                        (Little's law: few wavefronts do not fill memory_rate), and with what devices
 *                        move to and from it (models/memory/dram.h)
 *
 * Equal work-groups that begin together are one job, whatever their number. CUs of a job alone on its GPU are one
 * closed form; with others each is worked out by itself.
 *
 * Source of the shape: roofline (Williams et al., CACM 2009) by work-group; ComPNet18 Table 1; M-084. Left out: SIMDs of
 * a CU are not told apart. */
#pragma once

#include "core/event.h"
#include "core/list.h"
#include "core/shared_rate.h"
#include "models/gpu/unit_span.h"

struct gpu;
struct gpu_spec;
struct work_group;

/* The work of one work-group; all values >= 0. */
struct gpu_work {
    int64_t flops;
    int64_t bytes;        /* loaded and stored */
    int64_t memory_bytes; /* bytes of these that go to or from device memory */
    sim_time latency_ps;  /* the least time it takes: steps that wait for one another */
    int64_t
        in_flight_bytes; /* bytes that a wavefront has in flight at a time, loaded and stored; 0: gpu.wave_in_flight */
    bool is_mixed;     /* reads and writes of memory take turns: GPU_MIXED_SHARE */
    int64_t row_bytes; /* gpu_row_bytes of its pieces; only beside memory_bytes */
};

/* Pieces of device memory that a kernel loads, or stores, one by one: their number, the bytes of one, and from the beginning of one to
 * the next. */
struct gpu_pieces {
    int64_t count, bytes, stride_bytes;
    bool are_stored;
};

/* A piece of device memory that lies apart from others takes its channel the time of a row that is opened, or that of its bytes, if
 * these take longer. Returns what the memory could have moved in the time by which rows take longer than the pieces' bytes: in a
 * memory without other users the pieces take max(bytes / memory_rate, count x time of a row / memory_channels). */
int64_t gpu_row_bytes(const struct gpu_spec *spec, const struct gpu_pieces *pieces);

/* `groups` equal work-groups of `waves` wavefronts each. The caller's, in place until `done` is called. */
struct compute_job {
    struct gpu_work work;
    int64_t groups, waves;
    int64_t unit;                  /* the CU that has all of them; or, */
    const struct unit_run *counts; /* if not NULL: how many are on each CU, as `groups` */
    event_fn *done;
    void *argument;

    /* compute.c's */
    struct gpu *gpu;
    sim_time start_ps, least_ps;
    int64_t most_on_unit; /* how many work-groups are on the CU that has most */
    bool is_alone;        /* nothing else computes on its CUs */
    event_handle end;
    struct shared_job memory;
    struct list parts; /* its parts on spans of CUs (unit_span.h), if it is not alone */
};

/* Begins the job now, on CUs where its work-groups have their places; `done(argument)` is an event. */
void compute_begin(struct gpu *gpu, struct compute_job *job);

/* The fraction of the job's work that remains, 0 to 1. */
double compute_left(struct compute_job *job);

/* Reduces the job to `numerator` / `denominator` of its work, but no less than what is already done. */
void compute_shorten(struct compute_job *job, int64_t numerator, int64_t denominator);

/* How long work-groups have been at work on this GPU up to now, at least one at a time. */
sim_time compute_busy_ps(const struct gpu *gpu);

/* Called by a work-group's program: it does `work`; and `groups` equal ones do, spread evenly over all CUs, for which it
 * stands (struct kernel, programs). */
void work_group_compute(struct work_group *wg, const struct gpu_work *work);
void work_group_compute_many(struct work_group *wg, const struct gpu_work *work, int64_t groups);
