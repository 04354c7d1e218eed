/* SPDX-License-Identifier: BSD-3-Clause */
/* Workload functions: one word for each entry of workloads[], and the result that it returns. */
#pragma once

#include <lua.h>

#include "study/model/study.h"
#include "workloads/interface/workload.h"

/* Adds a word for each workload. */
void workload_open(lua_State *L);

/* The result object at `index`, or NULL if it is something else. */
const struct workload_result *workload_result_at(lua_State *L, int index);

/* Applies the overrides to the design of a workload; raises an error if its axes cannot be combined or `accepts` refuses it.
 * The state keeps it as the design of the point at work. */
void workload_settle_design(lua_State *L, bool (*accepts)(const struct design *, GError **),
                            struct design *design);

/* Pushes an empty result. */
struct workload_result *workload_push_result(lua_State *L);
