/* SPDX-License-Identifier: BSD-3-Clause */
/* Parameters that many workloads share, with their structs. A workload's table includes the rows by PARAM_SHARE. */
#pragma once

#include <stdint.h>

#include "core/param.h"
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
    int64_t threads; /* of a work-group */
    int64_t percentiles;
};
extern const struct param_record kernel_rows;

/* Single rows, each for a field that is a plain number: SHARED_ROW(warmup, SPEC, "4") is the parameter `warmup`, by
 * default 4; without a default ("") it must be given. */
extern const struct param_record bytes_row, chunk_row; /* of a payload or message; of a piece */
extern const struct param_record iterations_row, repeats_row; /* how many are measured */
extern const struct param_record warmup_row;    /* iterations before the measured ones */
extern const struct param_record tolerance_row; /* difference at which steps are alike (double) */
extern const struct param_record work_groups_row, threads_row;
extern const struct param_record rings_row;
extern const struct param_record cooperative_row; /* flag */

/* The rows that workloads in Lua share, by the name of their table ("places", "kernel", "warmup"); NULL: unknown name. */
const struct param_record *shared_rows_of(const char *name);

#define SHARED_ROW(field, spec, default_text)                                                      \
    PARAM_SHARE("", field, spec, &field##_row, #field "=" default_text, "")
