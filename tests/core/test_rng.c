/* SPDX-License-Identifier: BSD-3-Clause */
/* Random streams: the first numbers of a stream are fixed, and the moments of the draws are right. The statistical bounds
 * are five standard deviations of each estimate; the seeds are fixed, so the result of the test never changes. */
#include <glib.h>

#include "core/rng.h"
#include "core/simtime.h"

#define DRAWS 1000000

/* Whether an estimate lies within five standard deviations of what is expected. */
static void assert_near(double obtained, double expected, double variance)
{
    double distance = obtained - expected;
    g_assert_cmpfloat(distance * distance, <=, 25 * variance);
}

/* The same for how often something of probability p happened. */
static void assert_probability(guint happened, double p)
{
    assert_near(happened, DRAWS * p, DRAWS * p * (1 - p));
}

/* The generator's reference output from the state 1, 2, 3, 4. */
static void test_generator(void)
{
    const uint64_t expected[] = {11520, 0, 1509978240, UINT64_C(1215971899390074240),
                                 UINT64_C(1216172134540287360)};
    struct rng rng = {{1, 2, 3, 4}};
    for (size_t i = 0; i < G_N_ELEMENTS(expected); i++)
        g_assert_cmpuint(rng_next(&rng), ==, expected[i]);
}

/* Seeding, computed by a second implementation from the definitions in rng.c. A change here
 * changes the results of every study: do not. */
static void test_frozen(void)
{
    const uint64_t expected[] = {UINT64_C(0xabfcfb952baf5fbe), UINT64_C(0x359c9bde001b27f7),
                                 UINT64_C(0xc02693bcde65a2aa), UINT64_C(0xb651c772c1145345)};
    const int64_t expected_ps[] = {280937, 2599031, 191223, 9631, 490311, 1492658};
    struct rng rng;
    rng_init(&rng, 42, "node0.gpu");
    for (size_t i = 0; i < G_N_ELEMENTS(expected); i++)
        g_assert_cmpuint(rng_next(&rng), ==, expected[i]);
    rng_init(&rng, 7, "nic");
    for (size_t i = 0; i < G_N_ELEMENTS(expected_ps); i++)
        g_assert_cmpint(rng_exponential_ps(&rng, PS_PER_US), ==, expected_ps[i]);
}

/* Streams of other names or seeds begin with other numbers. */
static void test_names(void)
{
    struct rng a, b, c, d;
    rng_init(&a, 1, "node0.gpu");
    rng_init(&b, 1, "node1.gpu");
    rng_init(&c, 2, "node0.gpu");
    rng_init(&d, 1, "node0.gpu");
    uint64_t first = rng_next(&a);
    g_assert_cmpuint(first, !=, rng_next(&b));
    g_assert_cmpuint(first, !=, rng_next(&c));
    g_assert_cmpuint(first, ==, rng_next(&d));
}

/* Each of `bound` values is binomial with p = 1/bound. */
static void test_below(void)
{
    const uint64_t bounds[] = {1, 2, 3, 10, 100};
    struct rng rng;
    rng_init(&rng, 1, "below");
    for (size_t b = 0; b < G_N_ELEMENTS(bounds); b++) {
        guint counts[100] = {0};
        for (int i = 0; i < DRAWS; i++) {
            uint64_t value = rng_below(&rng, bounds[b]);
            g_assert_cmpuint(value, <, bounds[b]);
            counts[value]++;
        }
        for (uint64_t v = 0; v < bounds[b]; v++)
            assert_probability(counts[v], 1 / (double)bounds[b]);
    }
}

/* With bound 3 * 2^62 there are four 64-bit numbers to three results: without refusing some, every
 * third result would come twice as often as the others. */
static void test_below_unbiased(void)
{
    struct rng rng;
    guint thirds = 0;
    rng_init(&rng, 1, "unbiased");
    for (int i = 0; i < DRAWS; i++)
        thirds += rng_below(&rng, UINT64_C(3) << 62) % 3 == 0;
    assert_probability(thirds, 1.0 / 3);
}

/* Uniform in [0, 1): mean 1/2, variance 1/12. */
static void test_double(void)
{
    struct rng rng;
    double sum = 0;
    rng_init(&rng, 1, "double");
    for (int i = 0; i < DRAWS; i++) {
        double value = rng_double(&rng);
        g_assert_true(value >= 0 && value < 1);
        sum += value;
    }
    assert_near(sum / DRAWS, 0.5, 1.0 / 12 / DRAWS);
}

/* Exponential of mean m: E X = m with variance m^2, E X^2 = 2 m^2 with variance 20 m^4, and
 * P(X > k m / 4) = exp(-1/4)^k. */
static void test_exponential(void)
{
    const int64_t mean_ps = PS_PER_US;
    const double exp_minus_quarter = 0.77880078307140487;
    struct rng rng;
    double sum = 0, squares = 0;
    guint above[40] = {0};
    rng_init(&rng, 1, "exponential");
    for (int i = 0; i < DRAWS; i++) {
        int64_t value_ps = rng_exponential_ps(&rng, mean_ps);
        double x = (double)value_ps / (double)mean_ps;
        sum += x;
        squares += x * x;
        for (int k = 0; k < 40 && value_ps > k * mean_ps / 4; k++)
            above[k]++;
    }
    assert_near(sum / DRAWS, 1, 1.0 / DRAWS);
    assert_near(squares / DRAWS, 2, 20.0 / DRAWS);
    double p = 1;
    for (int k = 1; k < 40; k++)
        assert_probability(above[k], p *= exp_minus_quarter);
}

/* Means at the ends of the range: 1 ps gives 0, 1, 2, ... with P(0) = 1 - exp(-1/2), since results
 * are rounded to the nearest; the greatest mean stays within the range of times. */
static void test_exponential_extremes(void)
{
    const double exp_minus_half = 0.60653065971263342;
    struct rng rng;
    guint zeros = 0;
    rng_init(&rng, 1, "extremes");
    for (int i = 0; i < DRAWS; i++) {
        zeros += rng_exponential_ps(&rng, 1) == 0;
        g_assert_cmpint(rng_exponential_ps(&rng, SIM_TIME_MAX), >=, 0);
    }
    assert_probability(zeros, 1 - exp_minus_half);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/rng/generator", test_generator);
    g_test_add_func("/rng/frozen", test_frozen);
    g_test_add_func("/rng/names", test_names);
    g_test_add_func("/rng/below", test_below);
    g_test_add_func("/rng/below-unbiased", test_below_unbiased);
    g_test_add_func("/rng/double", test_double);
    g_test_add_func("/rng/exponential", test_exponential);
    g_test_add_func("/rng/exponential-extremes", test_exponential_extremes);
    return g_test_run();
}
