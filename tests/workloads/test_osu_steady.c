/* SPDX-License-Identifier: BSD-3-Clause */
/* Iterations that repeat: repetition is not found too early, and the results of the iterations that are left out are exact. */
#include <glib.h>

#include "workloads/bench/osu_steady.h"

#define WIDTH 3

/* What iteration `i` adds to total `k`: irregular before `settled`, then of the given period. */
static int64_t step(int64_t i, size_t k, int64_t settled, int64_t period)
{
    int64_t at = i < settled ? 100 + i * i : (i - settled) % period;
    return (int64_t)(k + 1) * 1000 + 7 * at * (k > 0);
}

static void note_iterations(struct steady *steady, int64_t *totals, int64_t from, int64_t to,
                            int64_t settled, int64_t period)
{
    for (int64_t i = from; i < to; i++) {
        for (size_t k = 0; k < WIDTH; k++)
            totals[k] += step(i, k, settled, period);
        steady_note(steady, totals);
    }
}

/* The first iteration after which there is a period. */
static int64_t iterations_to_period(int64_t settled, int64_t period, struct steady *steady,
                                    int64_t *totals)
{
    for (int64_t i = 0; i < 200; i++) {
        note_iterations(steady, totals, i, i + 1, settled, period);
        if (steady_period(steady) > 0)
            return i + 1;
    }
    return 0;
}

static void test_found_in_time(void)
{
    for (int64_t period = 1; period <= OSU_STEADY_PERIODS; period++) {
        for (int64_t settled = 0; settled < 20; settled += 6) {
            struct steady *steady = steady_new(WIDTH, 0);
            int64_t totals[WIDTH] = {5, 6, 7};
            steady_note(steady, totals);
            int64_t found = iterations_to_period(settled, period, steady, totals);
            g_assert_cmpint(steady_period(steady), ==, period);
            g_assert_cmpint(found, ==, settled + period + MAX(OSU_STEADY_REPEATS, 2 * period));
            steady_free(steady);
        }
    }
}

static void test_counted_on(void)
{
    for (int64_t period = 1; period <= OSU_STEADY_PERIODS; period++) {
        for (int64_t all = 100; all < 140; all++) {
            struct steady *steady = steady_new(WIDTH, 0), *whole = steady_new(WIDTH, 0);
            int64_t totals[WIDTH] = {5, 6, 7}, growth[WIDTH], expected[WIDTH];
            steady_note(steady, totals);
            steady_note(whole, totals);
            iterations_to_period(9, period, steady, totals);
            steady_growth(steady, all, growth);
            int64_t others[WIDTH] = {5, 6, 7};
            note_iterations(whole, others, 0, all, 9, period);
            steady_growth(whole, all, expected);
            for (size_t k = 0; k < WIDTH; k++) {
                g_assert_cmpint(growth[k], ==, expected[k]);
                g_assert_cmpint(growth[k], ==, others[k] - (int64_t)(5 + k));
            }
            steady_free(steady);
            steady_free(whole);
        }
    }
}

/* One total that grows by one more each time is enough. */
static void test_not_periodic(void)
{
    struct steady *steady = steady_new(WIDTH, 0);
    int64_t totals[WIDTH] = {0};
    for (int64_t i = 0; i < 100; i++) {
        totals[0] += 3;
        totals[1] += 5;
        totals[2] += i;
        steady_note(steady, totals);
        g_assert_cmpint(steady_period(steady), ==, 0);
    }
    g_assert_cmpint(steady_iterations(steady), ==, 99);
    steady_free(steady);
}

/* A long time of sameness ends with the first iteration that differs. */
static void test_no_longer_periodic(void)
{
    struct steady *steady = steady_new(WIDTH, 0);
    int64_t totals[WIDTH] = {0};
    note_iterations(steady, totals, 0, 50, 0, 1);
    g_assert_cmpint(steady_period(steady), ==, 1);
    totals[2]++;
    note_iterations(steady, totals, 50, 51, 0, 1);
    g_assert_cmpint(steady_period(steady), ==, 0);
    steady_free(steady);
}

/* A stock that each iteration draws on shows in no total before it is empty. */
static void test_level(void)
{
    struct steady *steady = steady_new(1, 1);
    int64_t numbers[] = {0, 30};
    steady_note(steady, numbers);
    for (int64_t i = 0; i < 60; i++) {
        numbers[0] += numbers[1] > 0 ? 5 : 7;
        numbers[1] -= numbers[1] > 0;
        steady_note(steady, numbers);
        g_assert_cmpint(steady_period(steady), ==, i < 30 + OSU_STEADY_REPEATS ? 0 : 1);
    }
    int64_t growth;
    steady_growth(steady, 100, &growth);
    g_assert_cmpint(growth, ==, 30 * 5 + 70 * 7);
    steady_free(steady);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/osu_steady/found_in_time", test_found_in_time);
    g_test_add_func("/osu_steady/counted_on", test_counted_on);
    g_test_add_func("/osu_steady/not_periodic", test_not_periodic);
    g_test_add_func("/osu_steady/no_longer_periodic", test_no_longer_periodic);
    g_test_add_func("/osu_steady/level", test_level);
    return g_test_run();
}
