/* SPDX-License-Identifier: BSD-3-Clause */
/* The last limit of a script: computing time. A script's instructions and memory are counted (sandbox.h), so that the same
 * script ends at the same place everywhere; but no count covers all that Lua's C code can be made to do between two
 * instructions. So a timer runs while a script runs. It belongs to the process, as signals do: one script is at work at a time. */
#pragma once

#include <lua.h>
#include <stdbool.h>

/* Seconds of processor time that a call into a script may take; the counted limits are reached in one or two seconds. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) /* everything takes several times as long */
#define WATCHDOG_SECONDS 150
#endif
#endif
#ifndef WATCHDOG_SECONDS
#define WATCHDOG_SECONDS 30
#endif

/* Starts the time of a call. When it has run out, `hook` is called at the next instruction. If no instruction follows for
 * another second, the process ends with exit code 2 and one sentence that names `path`, which has to live until watchdog_stop. */
void watchdog_start(lua_State *L, lua_Hook hook, const char *path);
void watchdog_stop(void);

/* Whether the time of the call has run out. */
bool watchdog_is_over(void);

/* Called before and after a simulation, whose time is not limited. */
void watchdog_pause(void);
void watchdog_resume(void);

/* Called before and after a simulation in which scripts run in turn, too often to set a timer each time: once a second it is
 * checked whether a script is at work, between watchdog_enter and watchdog_leave, and only such seconds count. */
void watchdog_sample(bool is_on);
void watchdog_enter(void);
void watchdog_leave(void);
