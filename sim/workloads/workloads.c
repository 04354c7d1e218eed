/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/workloads.h"

#define WORKLOAD_ADDRESS(name) &name##_workload,
const struct workload *const workloads[] = {WORKLOADS(WORKLOAD_ADDRESS) NULL};
#undef WORKLOAD_ADDRESS
