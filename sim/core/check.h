/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks in three strengths. A simulator that guesses is worse than one that stops: a failed check
 * prints one line with the condition, the sentence given, simulated time, component path, seed and
 * file:line, then aborts.
 *
 *   check_debug(cond, ...)    only in debug builds (NDEBUG undefined): costly or on hot paths
 *   check_release(cond, ...)  in release builds too, unless GPUNETSIM_FAST is defined
 *   check_always(cond, ...)   in every build: the model's own conservation laws
 *
 * `...` is a printf format and its arguments: what was expected and what was found. Bad input is
 * not a failed check: at the edge (files, Lua, command line) errors are GErrors with file:line. */
#pragma once

#include "core/simtime.h"

/* The data about the run in the message of a failed check. One for each thread, set by sim_run (core/sim.h). */
struct check_context {
    const sim_time *now_ps; /* NULL outside a run */
    const char *component;  /* path of the component at work, e.g. "node0.nic"; NULL if unknown */
    uint64_t seed;
};

/* Makes `context` (kept by the caller; NULL for none) the one that messages use. Returns the one before, to be restored. */
const struct check_context *check_set_context(const struct check_context *context);

/* Prints the message and aborts. Called by the macros below. */
_Noreturn void check_failed(const char *file, int line, const char *condition, const char *format,
                            ...) __attribute__((format(printf, 4, 5)));

#define check_always(condition, ...)                                                               \
    (__builtin_expect(!!(condition), 1)                                                            \
         ? (void)0                                                                                 \
         : check_failed(__FILE__, __LINE__, #condition, __VA_ARGS__))

#ifndef GPUNETSIM_FAST
#define check_release(condition, ...) check_always(condition, __VA_ARGS__)
#else
#define check_release(condition, ...) ((void)sizeof(!!(condition)))
#endif

#ifndef NDEBUG
#define check_debug(condition, ...) check_always(condition, __VA_ARGS__)
#else
#define check_debug(condition, ...) ((void)sizeof(!!(condition)))
#endif
