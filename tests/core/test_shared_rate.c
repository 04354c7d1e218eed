/* SPDX-License-Identifier: BSD-3-Clause */
/* Processor sharing: the ends of jobs agree with formulas, and with a simulation in small time steps. */
#include "core/shared_rate.h"

#include <glib.h>

#define US PS_PER_US
#define GB 1e9

/* One job: its amount over the rate, or over its own limit. */
static void test_alone(void)
{
    struct shared_rate shared;
    struct shared_job job = {.weight = 0};
    shared_rate_init(&shared, 100 * GB, 10 * GB);
    shared_rate_begin(&shared, &job, 5 * US, 1e6, 4);
    g_assert_cmpint(shared_rate_end_ps(&shared, &job, 5 * US), ==,
                    30 * US); /* 1 MB at 4 x 10 GB/s */
    g_assert_cmpfloat_with_epsilon(shared_rate_left(&shared, &job, 10 * US), 0.8e6, 1);
    g_assert_cmpint(shared_rate_end_ps(&shared, &job, 30 * US), ==, 30 * US);
    g_assert_false(job.is_at_work);
    shared_rate_begin(&shared, &job, 40 * US, 1e6, 20);
    g_assert_cmpint(shared_rate_end_ps(&shared, &job, 40 * US), ==, 50 * US); /* at 100 GB/s */
}

/* Two of weight 1 and 3 share 40 GB/s: the second, of 60 KB, ends after 2 us; then the first has all. */
static void test_two(void)
{
    struct shared_rate shared;
    struct shared_job first = {.weight = 0}, second = {.weight = 0};
    shared_rate_init(&shared, 40 * GB, 0);
    shared_rate_begin(&shared, &first, 0, 60e3, 1);
    g_assert_cmpint(shared_rate_end_ps(&shared, &first, 0), ==, US * 3 / 2);
    shared_rate_begin(&shared, &second, 0, 60e3, 3);
    g_assert_cmpint(shared_rate_end_ps(&shared, &second, 0), ==, 2 * US);
    g_assert_cmpint(shared_rate_end_ps(&shared, &first, 0), ==,
                    3 * US); /* 20 KB in 2 us, then 40 KB in 1 */
    shared_rate_take_out(&shared, &second, US);
    g_assert_cmpint(shared_rate_end_ps(&shared, &first, US), ==,
                    US + US * 5 / 4); /* 50 KB are left */
}

/* Nothing to do is over at once. */
static void test_nothing(void)
{
    struct shared_rate shared;
    struct shared_job job = {.weight = 0};
    shared_rate_init(&shared, GB, 0);
    shared_rate_begin(&shared, &job, US, 0, 1);
    g_assert_cmpint(shared_rate_end_ps(&shared, &job, US), ==, US);
}

#define JOBS 40

/* The same jobs, their amounts worn down in steps of a nanosecond. */
static void step_through(const double *amounts, const double *weights, const sim_time *starts_ps,
                         double rate, double most, double *ends_ps)
{
    double left[JOBS];
    int over = 0;
    for (int i = 0; i < JOBS; i++)
        left[i] = amounts[i];
    for (sim_time now_ps = 0; over < JOBS; now_ps += PS_PER_NS) {
        double weight = 0;
        for (int i = 0; i < JOBS; i++)
            weight += starts_ps[i] <= now_ps && left[i] > 0 ? weights[i] : 0;
        double each = weight > 0 ? MIN(most, rate / weight) / 1e9 : 0; /* a nanosecond */
        for (int i = 0; i < JOBS; i++) {
            if (starts_ps[i] > now_ps || left[i] <= 0)
                continue;
            left[i] -= each * weights[i];
            if (left[i] <= 0) {
                ends_ps[i] = (double)(now_ps + PS_PER_NS);
                over++;
            }
        }
    }
}

/* Jobs that come and go at any time end as in small steps, and the rate is never exceeded. */
static void test_steps(void)
{
    const double rate = 50 * GB, most = 3 * GB;
    double amounts[JOBS], weights[JOBS], expected_ps[JOBS];
    sim_time starts_ps[JOBS];
    struct shared_job jobs[JOBS] = {{.weight = 0}};
    struct shared_rate shared;
    for (int i = 0; i < JOBS; i++) {
        amounts[i] = 1000 + 997 * (i * 7 % 11);
        weights[i] = 1 + i % 3;
        starts_ps[i] = (sim_time)(i * i % 23) * 50 * PS_PER_NS;
    }
    step_through(amounts, weights, starts_ps, rate, most, expected_ps);
    shared_rate_init(&shared, rate, most);
    for (sim_time at_ps = 0; at_ps <= 23 * 50 * PS_PER_NS; at_ps += 50 * PS_PER_NS)
        for (int i = 0; i < JOBS; i++)
            if (starts_ps[i] == at_ps)
                shared_rate_begin(&shared, &jobs[i], at_ps, amounts[i], weights[i]);
    sim_time now_ps = 23 * 50 * PS_PER_NS;
    for (int i = 0; i < JOBS; i++) {
        if (expected_ps[i] < (double)now_ps - 2 * PS_PER_NS)
            g_assert_false(jobs[i].is_at_work);
        else
            g_assert_cmpfloat_with_epsilon((double)shared_rate_end_ps(&shared, &jobs[i], now_ps),
                                           expected_ps[i], 30 * PS_PER_NS);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/shared_rate/alone", test_alone);
    g_test_add_func("/shared_rate/two", test_two);
    g_test_add_func("/shared_rate/nothing", test_nothing);
    g_test_add_func("/shared_rate/steps", test_steps);
    return g_test_run();
}
