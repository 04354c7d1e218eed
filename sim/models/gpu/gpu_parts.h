/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by gpu.c and dispatch.c, and private to this folder. */
#pragma once

#include "models/gpu/compute.h"
#include "models/gpu/gather.h"
#include "models/gpu/gpu.h"
#include "models/memory/dram.h"

struct compute_unit {
    struct cache *l1; /* NULL: no program has run on it yet */
    struct gather fences;
    sim_time port_free_ps; /* when its way to the L2 is free, for streams */
    sim_time copy_free_ps; /* when it is free for copies by loads and stores */
};

/* compute.c: what jobs share beside their CUs. */
struct compute {
    struct dram *dram;
    sim_time memory_latency_ps; /* through the L2 */
    struct list spans;          /* spans of CUs (unit_span.h) */
    struct compute_job *alone;  /* the only job, if its shares are not worked out CU by CU */
    int64_t jobs;
    sim_time busy_since_ps, busy_ps; /* while there are any; up to then */
};
void compute_init(struct compute *compute, const struct gpu_spec *spec, struct unit_pools *pools,
                  struct dram *dram, bool is_apu);

/* A bus request at work in the GPU. */
struct gpu_inbound {
    struct gpu *gpu;
    struct bus_request *request;
    struct line_waiter waiter;
};

struct gpu {
    struct sim *sim;
    const struct gpu_spec *spec;
    uint64_t *used; /* of the spec (GPU_READ) */
    char *path;
    struct device_memory memory;
    struct compute_unit *compute_units;
    struct gpu_pools *pools;
    struct compute compute;

    /* dispatch.c */
    struct unit_run *rooms;    /* what the CUs have free */
    struct list kernels;       /* launched, not finished, in the order of the launches */
    int64_t started;           /* work-groups that run a program */
    sim_time dispatch_free_ps; /* when the next work-group may start */
    int64_t next_unit;         /* round robin over the compute units */
    struct list work_groups;   /* those that have not ended, in the order of dispatch */
    int64_t running;           /* how many work-groups run */
    sim_time ended_ps; /* sum of the times of the kernels that have ended, without resident ones */
};

/* What the dispatcher holds; the size of a struct cohort. */
size_t gpu_cohort_bytes(void);
void gpu_dispatch_init(struct gpu *gpu);
void gpu_dispatch_clear(struct gpu *gpu);
