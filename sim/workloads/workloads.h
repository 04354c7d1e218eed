/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of workloads. */
#pragma once

#include "workloads/interface/workload.h"

/* A new workload has its line here: LUA with a file benchmarks/parts/workloads/NAME.lua (script/workload/scripted.h), C with a
 * file that defines struct workload NAME_workload. */
#define WORKLOADS(C, LUA)                                                                          \
    LUA(get_latency)                                                                               \
    LUA(litmus)                                                                                    \
    LUA(message_rate)                                                                              \
    LUA(all_to_all)                                                                                \
    LUA(queue_service)                                                                             \
    LUA(l2_hit_rate)                                                                               \
    LUA(neighbour_exchange)                                                                        \
    C(osu_latency)                                                                                 \
    C(osu_bandwidth)                                                                               \
    LUA(perftest)                                                                                  \
    LUA(gpu_operation)                                                                             \
    LUA(gpu_power)                                                                                 \
    C(kernel_copy)                                                                                 \
    LUA(flag_round_trip)                                                                           \
    LUA(jacobi2d)                                                                                  \
    C(jacobi3d)                                                                                    \
    LUA(allreduce)                                                                                 \
    LUA(moe)

/* All workloads, and the list of them, which ends with NULL. */
#define WORKLOAD_IN_C(name) extern const struct workload name##_workload;
#define WORKLOAD_IN_LUA(name) extern struct workload name##_workload;
WORKLOADS(WORKLOAD_IN_C, WORKLOAD_IN_LUA)
#undef WORKLOAD_IN_C
#undef WORKLOAD_IN_LUA
extern const struct workload *const workloads[];

/* Loads the parameters of a workload in Lua, which has none before. Call it before the first use; later calls do nothing. False
 * and an error if its file is missing or invalid. */
bool workload_load(const struct workload *workload, GError **error);

/* Loads all workloads that can be loaded; the error is the first one. */
bool workloads_load(GError **error);
