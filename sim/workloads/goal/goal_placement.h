/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the ranks of a schedule stand on a machine. */
#pragma once

#include <glib.h>
#include <stdint.h>

#include "models/job.h"
#include "protocols/design.h"

/* The device on which a rank calculates; and the memory where its messages begin and end. */
enum goal_device {
    GOAL_ON_CORE,
    GOAL_ON_GPU,
    GOAL_ON_BOTH, /* CPU stream 1 is the GPU, the others are cores */
};
enum goal_memory { GOAL_OWN_MEMORY, GOAL_HOST_MEMORY, GOAL_GPU_MEMORY };
enum goal_order {
    GOAL_BLOCK,       /* a node is filled before the next */
    GOAL_ROUND_ROBIN, /* rank r on node r mod nodes */
};

#define GOAL_DESIGN "openmpi-d" /* the design if none is given */

struct goal_placement {
    struct design design;   /* the design whose runtime carries messages */
    int64_t device;         /* enum goal_device */
    int64_t memory;         /* enum goal_memory; by default the device's own */
    int64_t ranks_per_node; /* 0: one for each GPU, or as many as give each CPU stream a core */
    int64_t order;          /* enum goal_order */
};
extern const struct param_table goal_placement_params;
extern const struct param_record goal_placement_rows; /* the same, for tables that share rows */

/* The place of a rank. */
struct goal_place {
    /* the rank's GPU; for a rank on a core, a GPU of the same socket, chosen by the core's number */
    struct job_place at;
    /* the core of its first CPU stream, numbered within the node, socket by socket */
    int32_t core;
};

/* "gpu", "core" or "both", then ",memory=...", ",ranks_per_node=N", ",order=..." and ",design=..."; and the design (NULL: the
 * one in the text, else openmpi-d), whose text may contain commas. False and an error of one sentence (ERROR_USE) otherwise. */
bool goal_placement_parse(const char *text, const char *design, struct goal_placement *placement,
                          GError **error);

/* True if the calculations of a CPU stream are kernels. */
bool goal_placement_is_kernel(const struct goal_placement *placement, uint32_t cpu);

/* True if messages begin and end in GPU memory. */
bool goal_placement_in_gpu(const struct goal_placement *placement);

/* The places of `ranks` ranks with `cpus` CPU streams each, by rank. Rank i of the n of a node is on GPU i * GPUs / n, or
 * begins at core i * cores / n: fewer ranks than devices are spread as far apart as possible, and more ranks than GPUs share
 * GPUs. If the ranks do not fit, NULL and an error that says how many do. The caller frees it with g_free. */
struct goal_place *goal_placement_apply(const struct goal_placement *placement,
                                        const struct machine_spec *machine, uint32_t ranks,
                                        uint32_t cpus, GError **error);

/* The number of cores in all sockets of a node. */
int64_t goal_placement_cores(const struct machine_spec *machine);
