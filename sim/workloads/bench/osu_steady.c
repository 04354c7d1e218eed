/* SPDX-License-Identifier: BSD-3-Clause */
/* The numbers after the last iterations are kept in a ring; `repeated[p]` counts, as of now, the
 * iterations in a row that added what the one p before them did. */
#include "workloads/bench/osu_steady.h"

#include <glib.h>
#include <stdbool.h>
#include <string.h>

#include "core/check.h"

/* What an iteration added is the difference of two rows. */
#define ROWS (STEADY_PERIODS + 2)

struct steady {
    size_t totals, width; /* with the levels */
    int64_t noted;        /* rows */
    int64_t *first;
    int64_t *rows;
    int64_t repeated[STEADY_PERIODS + 1];
};

struct steady *steady_new(size_t totals, size_t levels)
{
    struct steady *steady = g_new0(struct steady, 1);
    steady->totals = totals;
    steady->width = totals + levels;
    steady->first = g_new0(int64_t, steady->width);
    steady->rows = g_new0(int64_t, steady->width * ROWS);
    return steady;
}

void steady_free(struct steady *steady)
{
    if (!steady)
        return;
    g_free(steady->first);
    g_free(steady->rows);
    g_free(steady);
}

/* The numbers after iteration `i` >= 0, one of the last; of -1 for those before the first. */
static int64_t *row(const struct steady *steady, int64_t i)
{
    return steady->rows + (size_t)((i + 1) % ROWS) * steady->width;
}

/* Whether iteration `i` added what `other` did, and left the same levels. */
static bool same(const struct steady *steady, int64_t i, int64_t other)
{
    const int64_t *here = row(steady, i), *before = row(steady, i - 1);
    const int64_t *there = row(steady, other), *then = row(steady, other - 1);
    for (size_t k = 0; k < steady->totals; k++) {
        if (here[k] - before[k] != there[k] - then[k])
            return false;
    }
    for (size_t k = steady->totals; k < steady->width; k++) {
        if (here[k] != there[k])
            return false;
    }
    return true;
}

void steady_note(struct steady *steady, const int64_t *numbers)
{
    int64_t i = steady->noted++ - 1;
    memcpy(row(steady, i), numbers, steady->width * sizeof *numbers);
    if (i < 0)
        memcpy(steady->first, numbers, steady->width * sizeof *numbers);
    for (int64_t period = 1; period <= MIN(i, STEADY_PERIODS); period++)
        steady->repeated[period] = same(steady, i, i - period) ? steady->repeated[period] + 1 : 0;
}

int64_t steady_period(const struct steady *steady)
{
    for (int64_t period = 1; period <= STEADY_PERIODS; period++) {
        if (steady->repeated[period] >= MAX(STEADY_REPEATS, 2 * period))
            return period;
    }
    return 0;
}

int64_t steady_iterations(const struct steady *steady)
{
    return MAX(0, steady->noted - 1);
}

void steady_growth(const struct steady *steady, int64_t iterations, int64_t *growth)
{
    int64_t last = steady_iterations(steady) - 1, more = iterations - 1 - last;
    int64_t period = more > 0 ? steady_period(steady) : 1;
    check_always(more >= 0 && period > 0, "totals of %lld iterations from %lld that do not repeat",
                 (long long)iterations, (long long)last + 1);
    const int64_t *now = row(steady, last);
    const int64_t *one_before = more > 0 ? row(steady, last - period) : now;
    const int64_t *partly = more > 0 ? row(steady, last - period + more % period) : now;
    for (size_t k = 0; k < steady->totals; k++)
        growth[k] = now[k] - steady->first[k] + more / period * (now[k] - one_before[k]) +
                    (partly[k] - one_before[k]);
}
