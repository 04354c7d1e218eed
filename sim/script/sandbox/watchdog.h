/* SPDX-License-Identifier: BSD-3-Clause */
/* The last limit of a script: computing time. What a script may do is counted (sandbox.h), so that
 * the same script ends at the same place everywhere; but no count covers all that Lua's C code can
 * be made to do between two instructions. So a timer runs while a script does. It belongs to the
 * process, as signals do: one script is at work at a time. */
#pragma once

#include <lua.h>
#include <stdbool.h>

/* Seconds of processor time that a call into a script may take; its counted limits come to an end
 * in one or two. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) /* all takes several times as long */
#define WATCHDOG_SECONDS 150
#endif
#endif
#ifndef WATCHDOG_SECONDS
#define WATCHDOG_SECONDS 30
#endif

/* Starts the time of a call. When it is over, `hook` is called at the next instruction. If no
 * instruction follows for a second more, the process ends with one sentence on `path`, which has to
 * last until watchdog_stop, and exit code 2. */
void watchdog_start(lua_State *L, lua_Hook hook, const char *path);
void watchdog_stop(void);

/* Whether the time of the call is over. */
bool watchdog_is_over(void);

/* Around simulations, which may take their time. */
void watchdog_pause(void);
void watchdog_resume(void);

/* Around a simulation in which scripts run by turns, too often for a timer of their own: of each second it is asked
 * whether a script is at work just then, between watchdog_enter and watchdog_leave, and those seconds count. */
void watchdog_sample(bool is_on);
void watchdog_enter(void);
void watchdog_leave(void);
