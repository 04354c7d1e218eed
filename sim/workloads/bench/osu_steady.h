/* SPDX-License-Identifier: BSD-3-Clause */
/* Detects that a benchmark's iterations repeat, so that the rest need not be simulated.
 *
 * After each iteration the benchmark notes its totals (the clock, the cores' times by account, the counts of protocols) and its
 * levels, which may run full or empty (heaps, stocks of messages). Iterations have period p when each of the last ones added to
 * every total exactly as much as the iteration p before, and left every level as that one did. A simulation is deterministic,
 * so iterations that agree in all of these go on repeating, unless some level is not noted. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The longest period that is searched for. */
#define OSU_STEADY_PERIODS 16

/* The least number of iterations that have to repeat; at least two periods, too. */
#define OSU_STEADY_REPEATS 8

struct steady;

/* Each note has `totals` numbers, followed by `levels` numbers. */
struct steady *steady_new(size_t totals, size_t levels);
void steady_free(struct steady *steady);

/* Notes the totals and levels after an iteration; the first call notes those before the first iteration. */
void steady_note(struct steady *steady, const int64_t *numbers);

/* The shortest period, 1 to OSU_STEADY_PERIODS; 0 if the iterations noted do not repeat (yet). */
int64_t steady_period(const struct steady *steady);

/* The number of iterations noted. */
int64_t steady_iterations(const struct steady *steady);

/* The growth of each total, in `growth`, after `iterations` in all, which is at least the number noted. If it is more, a period
 * must have been found. */
void steady_growth(const struct steady *steady, int64_t iterations, int64_t *growth);
