/* What gpu.c and dispatch.c share; for this folder only. */
#ifndef GPUNETSIM_MODELS_GPU_GPU_PARTS_H
#define GPUNETSIM_MODELS_GPU_GPU_PARTS_H

#include "core/pool.h"
#include "models/gpu/gpu.h"

struct compute_unit {
    struct cache *l1;
    int64_t free_waves;
    sim_time port_free_ps; /* of its way to the L2, for streams */
};

/* A bus request at work in the GPU. */
struct gpu_inbound {
    struct gpu *gpu;
    struct bus_request *request;
    struct line_waiter waiter;
};

struct gpu {
    struct sim *sim;
    const struct gpu_spec *spec;
    char *path;
    struct device_memory memory;
    struct compute_unit *compute_units;
    struct pool inbound; /* of struct gpu_inbound */

    /* dispatch.c */
    struct kernel *kernels;         /* launched, not finished, in the order of the launches */
    int64_t next_unit;              /* round robin over the compute units */
    struct work_group *work_groups; /* that have not ended */
};

/* Frees what the dispatcher holds. */
void gpu_dispatch_clear(struct gpu *gpu);

#endif
