/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of CUDA by ranks, in C: what tests of models/cuda run on machines of their own. Users have benchmarks/parts/cuda.lua. */
#pragma once

#include "workloads/interface/workload.h"

extern const struct workload cuda_copy_workload, cuda_copies_workload, kernel_launch_workload;
