/* SPDX-License-Identifier: BSD-3-Clause */
/* Workloads whose parties are Lua functions.
 *
 *     local w = program { design = p.design, nodes = 2 }
 *     local ball, bell = w:buffer("8B"), w:signals(2)
 *     w:parties { program = function(me)
 *       me:put_signal { to = 1 - me.rank, buffer = ball, signal = bell, value = 1 }
 *       me:wait_until { from = 1 - me.rank, buffer = ball, signal = bell, value = 1 }
 *       me:record("latency", me:now())
 *     end }
 *     return w:run()
 *
 * Each party is a Lua thread of its own that runs on the stack of the party's process, so an operation blocks the thread
 * wherever it is called, also inside pcall; Lua code itself takes no simulated time. All parties share the limits of the call
 * that they are part of (sandbox.h). A party's operations are those of workloads/transfer/transfer.h. */
#pragma once

#include <lua.h>

#include "core/param.h"

/* Adds the word `program`. */
void program_open(lua_State *L);

/* Adds the word `schedule`: GOAL schedules, which run on the machine of the point (goal_lua.c). */
void schedule_open(lua_State *L);

/* The parameters of `program { ... }` and `schedule { ... }`. */
extern const struct param_table program_params;
extern struct param_table schedule_params;
