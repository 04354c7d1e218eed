/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of workloads. */
#pragma once

#include "workloads/interface/workload.h"

/* A new one is a file with its struct workload NAME_workload, and its line here. */
#define WORKLOADS(WORKLOAD)                                                                        \
    WORKLOAD(get_latency)                                                                          \
    WORKLOAD(litmus)                                                                               \
    WORKLOAD(message_rate)                                                                         \
    WORKLOAD(all_to_all)                                                                           \
    WORKLOAD(queue_service)                                                                        \
    WORKLOAD(l2_hit_rate)                                                                          \
    WORKLOAD(neighbour_exchange)                                                                   \
    WORKLOAD(osu_latency)                                                                          \
    WORKLOAD(osu_bandwidth)                                                                        \
    WORKLOAD(perftest)                                                                             \
    WORKLOAD(gpu_operation)                                                                        \
    WORKLOAD(gpu_power)                                                                            \
    WORKLOAD(kernel_copy)                                                                          \
    WORKLOAD(flag_round_trip)                                                                      \
    WORKLOAD(jacobi2d)                                                                             \
    WORKLOAD(jacobi3d)                                                                             \
    WORKLOAD(allreduce)                                                                            \
    WORKLOAD(moe)

/* Each kind, and the list of all kinds, which ends with NULL. */
#define WORKLOAD_DECLARED(name) extern const struct workload name##_workload;
WORKLOADS(WORKLOAD_DECLARED)
#undef WORKLOAD_DECLARED
extern const struct workload *const workloads[];
