/* SPDX-License-Identifier: BSD-3-Clause */
/* A ring buffer keeps the numbers of the last iterations, as many as are needed to compute the growth of further ones. */
#include "workloads/bench/osu_steady.h"

#include <glib.h>
#include <string.h>

#include "core/check.h"
#include "workloads/patterns/steady_stop.h"

/* The growth in an iteration is the difference of two rows. */
#define ROWS (OSU_STEADY_PERIODS + 2)

struct steady {
    size_t totals, width; /* with the levels */
    int64_t noted;        /* rows */
    int64_t *first;
    int64_t *rows;
    GArray *digests; /* uint64_t: digests of iterations */
    int64_t period;
};

struct steady *steady_new(size_t totals, size_t levels)
{
    struct steady *steady = g_new0(struct steady, 1);
    steady->totals = totals;
    steady->width = totals + levels;
    steady->first = g_new0(int64_t, steady->width);
    steady->rows = g_new0(int64_t, steady->width * ROWS);
    steady->digests = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    return steady;
}

void steady_free(struct steady *steady)
{
    if (!steady)
        return;
    g_free(steady->first);
    g_free(steady->rows);
    g_array_unref(steady->digests);
    g_free(steady);
}

/* The numbers after one of the last iterations, `i` >= 0; -1: those before the first iteration. */
static int64_t *row(const struct steady *steady, int64_t i)
{
    return steady->rows + (size_t)((i + 1) % ROWS) * steady->width;
}

/* The digest of the growth in iteration `i` and of the levels after it. */
static uint64_t digest(const struct steady *steady, int64_t i)
{
    const int64_t *here = row(steady, i), *before = row(steady, i - 1);
    uint64_t digest = 0;
    for (size_t k = 0; k < steady->width; k++)
        digest = steady_mix(digest, k < steady->totals ? here[k] - before[k] : here[k]);
    return digest;
}

void steady_note(struct steady *steady, const int64_t *numbers)
{
    int64_t i = steady->noted++ - 1;
    memcpy(row(steady, i), numbers, steady->width * sizeof *numbers);
    if (i < 0) {
        memcpy(steady->first, numbers, steady->width * sizeof *numbers);
        return;
    }
    uint64_t added = digest(steady, i);
    g_array_append_val(steady->digests, added);
    steady->period = steady_period_of((const uint64_t *)(void *)steady->digests->data, i + 1,
                                      OSU_STEADY_PERIODS, OSU_STEADY_REPEATS);
}

int64_t steady_period(const struct steady *steady)
{
    return steady->period;
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
