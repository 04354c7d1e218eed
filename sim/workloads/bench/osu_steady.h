/* SPDX-License-Identifier: BSD-3-Clause */
/* When a benchmark's iterations repeat themselves, the rest of them need not be simulated.
 *
 * After each iteration the benchmark notes its totals (the clock, the cores' times by account, the
 * counts of protocols) and its levels: what runs full or empty (heaps, stocks of messages).
 * Iterations are periodic with period p when each of the last ones added to every total exactly
 * what the one p before it did, and left every level as that one left it. A simulation is
 * deterministic, so what repeats in all of these goes on to repeat, unless there is a level that
 * nobody notes. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Longest period that is looked for. */
#define OSU_STEADY_PERIODS 16

/* Iterations that have to repeat, at least; and no fewer than two periods. */
#define OSU_STEADY_REPEATS 8

struct steady;

/* `totals` numbers are noted each time, and `levels` behind them. */
struct steady *steady_new(size_t totals, size_t levels);
void steady_free(struct steady *steady);

/* Takes totals and levels as they are after an iteration; the first time those before the first. */
void steady_note(struct steady *steady, const int64_t *numbers);

/* The shortest period, 1 to OSU_STEADY_PERIODS; 0 if the iterations noted do not repeat (yet). */
int64_t steady_period(const struct steady *steady);

/* Iterations noted. */
int64_t steady_iterations(const struct steady *steady);

/* What the totals will have grown by after `iterations` in all, at least those noted; `growth`
 * gets a number for each. If there are more than those noted, there has to be a period. */
void steady_growth(const struct steady *steady, int64_t iterations, int64_t *growth);
