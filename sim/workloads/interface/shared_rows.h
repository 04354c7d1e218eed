/* SPDX-License-Identifier: BSD-3-Clause */
/* Parameters that many workloads have, each with its struct. A workload's table shares the rows (PARAM_SHARE). */
#ifndef GPUNETSIM_WORKLOADS_INTERFACE_SHARED_ROWS_H
#define GPUNETSIM_WORKLOADS_INTERFACE_SHARED_ROWS_H

#include <stdint.h>

#include "protocols/design.h"

/* A design on the GPUs of several nodes. */
struct shared_places {
    struct design design;
    int64_t nodes, gpus_per_node;
};
extern const struct param_record places_rows;

/* A kernel whose work-groups' operations a design serves. */
struct shared_kernel {
    struct design design;
    int64_t threads;         /* of a work-group */
    int64_t service_threads; /* 0: the design's */
    int64_t percentiles;
};
extern const struct param_record kernel_rows;

#endif
