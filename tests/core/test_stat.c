/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistics: small cases are computed by hand, and quantiles are compared with a sorted list. */
#include <glib.h>
#include <math.h>
#include <stdlib.h>

#include "core/rng.h"
#include "core/stat.h"

static const struct stat_info reads = {"reads", "1", "loads served"};
static const struct stat_info queue = {"queue", "1", "requests that wait"};
static const struct stat_info latency = {"latency", "ps", "from request to answer"};

static void test_level(void)
{
    struct stat_registry *registry = stat_registry_new();
    struct stat_level *level = stat_level_new(registry, "node0.nic", &queue, 1000);
    g_assert_cmpfloat(stat_level_mean(level, 1000), ==, 0);
    stat_level_set(level, 1100, 4); /* 0 for 100 ps */
    stat_level_set(level, 1150, 1); /* 4 for 50 ps */
    stat_level_set(level, 1150, 2); /* 1 for no time */
    /* 2 for 50 ps: (0*100 + 4*50 + 2*50) / 200 */
    g_assert_cmpfloat(stat_level_mean(level, 1200), ==, 1.5);
    g_assert_cmpint(level->maximum, ==, 4);
    stat_registry_free(registry);
}

/* 2^62 for 2^40 ps: the area needs more than 64 bits. */
static void test_level_large(void)
{
    struct stat_registry *registry = stat_registry_new();
    struct stat_level *level = stat_level_new(registry, "node0.nic", &queue, 0);
    stat_level_set(level, 0, INT64_C(1) << 62);
    stat_level_set(level, INT64_C(1) << 40, 0);
    g_assert_cmpfloat(stat_level_mean(level, INT64_C(1) << 41), ==, 0x1p61);
    stat_registry_free(registry);
}

static int compare_values(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The value at the rank asked for, from the sorted list, and one bucket above it at most: exact
 * below 64, within 1/32 from there on. */
static void check_quantiles(const struct stat_histogram *histogram, const int64_t *sorted,
                            size_t count)
{
    for (size_t percent = 1; percent <= 100; percent++) {
        size_t rank = (percent * count + 99) / 100; /* count is a multiple of 100: exact */
        int64_t expected = sorted[rank - 1];
        int64_t obtained = stat_quantile(histogram, (double)percent / 100);
        g_assert_cmpint(obtained, >=, expected);
        g_assert_cmpint(obtained - expected, <=, expected / 32);
    }
}

static void test_histogram(void)
{
    enum { COUNT = 10000 };
    int64_t *values = g_new(int64_t, COUNT);
    for (unsigned bits = 5; bits <= 63; bits += 2) {
        struct stat_registry *registry = stat_registry_new();
        struct stat_histogram *histogram = stat_histogram_new(registry, "node0", &latency);
        struct rng rng;
        double sum = 0;
        rng_init(&rng, bits, "histogram");
        for (size_t i = 0; i < COUNT; i++) {
            values[i] = (int64_t)(rng_next(&rng) >> (64 - bits) >> rng_below(&rng, bits));
            sum += (double)values[i];
            stat_record(histogram, values[i]);
        }
        qsort(values, COUNT, sizeof *values, compare_values);
        g_assert_cmpuint(histogram->count, ==, COUNT);
        g_assert_cmpint(histogram->minimum, ==, values[0]);
        g_assert_cmpint(histogram->maximum, ==, values[COUNT - 1]);
        g_assert_cmpint(stat_quantile(histogram, 0), ==, values[0]);
        g_assert_cmpint(stat_quantile(histogram, 1), ==, values[COUNT - 1]);
        g_assert_cmpfloat_with_epsilon(stat_mean(histogram), sum / COUNT, sum / COUNT * 1e-12);
        check_quantiles(histogram, values, COUNT);
        stat_registry_free(registry);
    }
    g_free(values);
}

/* The first and last value of every octave, where a bucket's number could be off by one. */
static void test_histogram_edges(void)
{
    for (int bits = 0; bits < 63; bits++) {
        for (int64_t offset = -1; offset <= 1; offset++) {
            struct stat_registry *registry = stat_registry_new();
            struct stat_histogram *histogram = stat_histogram_new(registry, "node0", &latency);
            int64_t value = (INT64_C(1) << bits) + offset;
            stat_record(histogram, value);
            stat_record(histogram, INT64_MAX);
            int64_t median = stat_quantile(histogram, 0.5);
            g_assert_cmpint(median, >=, value);
            g_assert_cmpint(median - value, <=, value / 32);
            stat_registry_free(registry);
        }
    }
}

static void test_histogram_empty(void)
{
    struct stat_registry *registry = stat_registry_new();
    struct stat_histogram *histogram = stat_histogram_new(registry, "node0", &latency);
    g_assert_cmpfloat(stat_mean(histogram), ==, 0);
    g_assert_cmpint(stat_quantile(histogram, 0.5), ==, 0);
    stat_registry_free(registry);
}

static void list(const char *path, const struct stat_info *info, const char *field, double value,
                 void *argument)
{
    g_string_append_printf(argument, "%s.%s%s%s=%g\n", path, info->name, field ? "." : "",
                           field ? field : "", value);
}

static char *list_all(const struct stat_registry *registry, sim_time now_ps)
{
    GString *text = g_string_new(NULL);
    stat_visit(registry, now_ps, list, text);
    return g_string_free(text, FALSE);
}

/* Everything is listed in order of registration; a reset keeps the level, and it alone. */
static void test_visit_and_reset(void)
{
    struct stat_registry *registry = stat_registry_new();
    struct stat_histogram *histogram = stat_histogram_new(registry, "z", &latency);
    struct stat_counter *counter = stat_counter_new(registry, "a", &reads);
    struct stat_level *level = stat_level_new(registry, "m", &queue, 0);
    stat_count(counter, 3);
    stat_count(counter, 4);
    stat_record(histogram, 10);
    stat_record(histogram, 30);
    stat_level_set(level, 50, 6);
    stat_level_set(level, 60, 2);
    char *text = list_all(registry, 100); /* (6*10 + 2*40) / 100 */
    g_assert_cmpstr(text, ==,
                    "z.latency.count=2\nz.latency.mean=20\nz.latency.min=10\nz.latency.p50=10\n"
                    "z.latency.p90=30\nz.latency.p99=30\nz.latency.max=30\na.reads=7\n"
                    "m.queue.mean=1.4\nm.queue.max=6\n");
    g_free(text);

    stat_reset(registry, 100);
    text = list_all(registry, 110);
    g_assert_cmpstr(text, ==,
                    "z.latency.count=0\nz.latency.mean=0\nz.latency.min=0\nz.latency.p50=0\n"
                    "z.latency.p90=0\nz.latency.p99=0\nz.latency.max=0\na.reads=0\n"
                    "m.queue.mean=2\nm.queue.max=2\n");
    g_free(text);
    stat_registry_free(registry);
}

/* A sum reads what others keep, any distance apart, and counts from a reset on. */
static void test_sum(void)
{
    static const struct stat_info info = {"time", "ps", "of all"};
    struct {
        int64_t other, time;
    } cores[3] = {{100, 1}, {100, 20}, {100, 300}};
    struct stat_registry *registry = stat_registry_new();
    stat_sum_new(registry, "cores", &info, &cores[0].time, sizeof *cores, G_N_ELEMENTS(cores));
    g_autofree char *before = list_all(registry, 0);
    g_assert_cmpstr(before, ==, "cores.time=321\n");
    stat_reset(registry, 0);
    cores[1].time += 5;
    g_autofree char *after = list_all(registry, 0);
    g_assert_cmpstr(after, ==, "cores.time=5\n");
    stat_registry_free(registry);
}

/* Of 1, 2, 3 and 4 by hand: t = 3.182, the deviation is sqrt(5/3). Many units in batches: as wide as the deviation of
 * uniform numbers says. Of equal ones none; a single unit has no spread. */
static void test_spread(void)
{
    struct stat_units units = {.count = 0};
    for (int i = 0; i <= 4; i++) {
        stat_unit_ends(&units, i * (i + 1) / 2);
        if (i == 1)
            g_assert_cmpfloat(stat_spread(&units), <, 0);
    }
    g_assert_cmpfloat_with_epsilon(stat_spread(&units), 3.182 * sqrt(5.0 / 3) / 2, 1e-9);
    g_assert_cmpfloat_with_epsilon(stat_relative_spread(&units), stat_spread(&units) / 2.5, 1e-9);
    struct rng rng;
    rng_init(&rng, 1, "spread");
    struct stat_units many = {.count = 0}, equal = {.count = 0};
    for (int i = 0; i < 20000; i++) {
        stat_unit(&many, rng_double(&rng));
        stat_unit(&equal, 7);
    }
    double expected = 2.1 * sqrt(1.0 / 12 / 20000);
    g_assert_cmpfloat(stat_spread(&many), >, expected / 2);
    g_assert_cmpfloat(stat_spread(&many), <, expected * 2);
    g_assert_cmpfloat(stat_spread(&equal), ==, 0);
}

/* Units of which the first third are unlike the others: the spread is that of the others where a transient is expected, and far
 * wider where none is. Units without a transient keep theirs within a factor of 2. */
static void test_transient(void)
{
    struct stat_units plain = {.count = 0}, steady = {.has_transient = true},
                      alike = {.has_transient = true}, rest = {.count = 0};
    struct rng rng;
    rng_init(&rng, 1, "transient");
    for (int i = 0; i < 1920; i++) {
        double value = 100 + rng_double(&rng);
        bool fills = i < 640;
        stat_unit(&plain, fills ? value / 10 : value);
        stat_unit(&steady, fills ? value / 10 : value);
        stat_unit(&alike, value);
        if (!fills)
            stat_unit(&rest, value);
    }
    g_assert_cmpfloat(stat_relative_spread(&plain), >, 0.1);
    g_assert_cmpfloat(stat_relative_spread(&steady), <, 2 * stat_relative_spread(&rest));
    g_assert_cmpfloat(stat_relative_spread(&steady), >, stat_relative_spread(&rest) / 2);
    g_assert_cmpfloat(stat_relative_spread(&alike), >, stat_relative_spread(&rest) / 2);
}

/* --- two groups ------------------------------------------------------------------------------------- */

enum shape { EVEN, NORMAL, SKEWED, TWO_NORMALS, SHAPES };

/* A value of a distribution with one peak, or of two normal ones whose means are ten deviations apart, of which the lower has 62 %. */
static double draw(struct rng *rng, enum shape shape)
{
    double sum = -6;
    if (shape == EVEN)
        return rng_double(rng);
    if (shape == SKEWED)
        return -log(1 - rng_double(rng));
    for (int i = 0; i < 12; i++)
        sum += rng_double(rng);
    return shape == TWO_NORMALS && rng_double(rng) > 0.62 ? sum + 10 : sum;
}

/* In how many of 20,000 samples two groups are seen. */
static int seen_in(enum shape shape, int values, struct rng *rng)
{
    int seen = 0;
    for (int trial = 0; trial < 20000; trial++) {
        struct stat_units units = {.count = 0};
        struct stat_groups groups;
        for (int i = 0; i < values; i++)
            stat_unit(&units, draw(rng, shape));
        seen += stat_two_groups(&units, &groups);
    }
    return seen;
}

/* Evenly distributed values are taken for two groups once in 1,000 samples at most, within the scatter of 20,000 samples; normal ones more
 * rarely, and skewed ones (exponential) in less than one of 100. Two normal ones that are ten deviations apart are seen in most samples of 20. */
static void test_chance_of_groups(void)
{
    static const int most[] = {[EVEN] = 34, [NORMAL] = 34, [SKEWED] = 140};
    struct rng rng;
    rng_init(&rng, 1, "groups");
    for (int values = 4; values <= STAT_BATCHES; values += 4)
        for (enum shape shape = EVEN; shape < TWO_NORMALS; shape++) {
            int seen = seen_in(shape, values, &rng);
            g_test_message("%d values of shape %d: %d of 20,000", values, (int)shape, seen);
            g_assert_cmpint(seen, <=, most[shape]);
        }
    g_assert_cmpint(seen_in(NORMAL, STAT_BATCHES, &rng), <=, 10);
    g_assert_cmpint(seen_in(TWO_NORMALS, STAT_BATCHES, &rng), >, 17000);
}

/* Medians and share by hand; values in any order. Less than a fifth of the values are no group, nor are less than two, nor equal values,
 * and batches of several units are none of these values. */
static void test_groups(void)
{
    static const double values[] = {5.6, 4.7, 4.75, 5.6, 4.65, 4.7, 4.7, 4.75, 5.65, 4.7};
    struct stat_units units = {.count = 0}, rare = {.count = 0}, alike = {.count = 0},
                      many = {.count = 0}, few = {.count = 0};
    struct stat_groups groups;
    for (size_t i = 0; i < 10; i++)
        stat_unit(&units, values[i]);
    g_assert_true(stat_two_groups(&units, &groups));
    g_assert_cmpfloat(groups.lower, ==, 4.7);
    g_assert_cmpfloat(groups.upper, ==, 5.6);
    g_assert_cmpfloat(groups.lower_share, ==, 0.7);
    for (int i = 0; i < 20; i++) {
        stat_unit(&rare, i < 3 ? 9 : 1);
        stat_unit(&alike, 4.7);
    }
    for (int i = 0; i < 40; i++)
        stat_unit(&many, i % 2);
    for (int i = 0; i < 3; i++)
        stat_unit(&few, i % 2);
    g_assert_false(stat_two_groups(&rare, &groups));
    g_assert_false(stat_two_groups(&alike, &groups));
    g_assert_false(stat_two_groups(&many, &groups));
    g_assert_false(stat_two_groups(&few, &groups));
    stat_unit(&few, 1); /* 0 1 0 1 */
    g_assert_true(stat_two_groups(&few, &groups));
    g_assert_cmpfloat(groups.lower_share, ==, 0.5);
}

/* Whether 300 values, 20 or `upper`, are of two kinds: these are the last `run` of each `every` times `run` values. */
static bool has_kinds(int run, int every, int64_t upper, struct stat_groups *kinds)
{
    struct stat_histogram values = {.count = 0};
    for (int i = 0; i < 300; i++)
        stat_record(&values, i / run % every == every - 1 ? upper : 20);
    return stat_two_kinds(&values, kinds);
}

/* Two kinds, 20 and 30, of which the upper one has 100 of 300 values in rows of 25: means and share by hand. A tenth of the mean apart they
 * are none, nor by turns, nor if only the first values are others, nor with a share below 5 %. */
static void test_kinds(void)
{
    struct stat_groups kinds;
    g_assert_true(has_kinds(25, 3, 30, &kinds));
    g_assert_cmpfloat(kinds.lower, ==, 20);
    g_assert_cmpfloat(kinds.upper, ==, 30);
    g_assert_cmpfloat(fabs(kinds.lower_share - 200.0 / 300), <, 1e-9);
    g_assert_false(has_kinds(25, 3, 22, &kinds));
    g_assert_false(has_kinds(1, 3, 30, &kinds));
    g_assert_false(has_kinds(10, 30, 30, &kinds));
    struct stat_histogram first = {.count = 0}, none = {.count = 0};
    for (int i = 0; i < 300; i++)
        stat_record(&first, i < 40 ? 30 : 20);
    g_assert_false(stat_two_kinds(&first, &kinds));
    g_assert_false(stat_two_kinds(&none, &kinds));
}

/* Values of one kind, however skewed or flat, are taken for two in less than one of 200 samples of 100. */
static void test_chance_of_kinds(void)
{
    struct rng rng;
    rng_init(&rng, 1, "kinds");
    for (enum shape shape = EVEN; shape < TWO_NORMALS; shape++) {
        int seen = 0;
        for (int sample = 0; sample < 1000; sample++) {
            struct stat_histogram values = {.count = 0};
            struct stat_groups kinds;
            for (int i = 0; i < 100; i++)
                stat_record(&values, (int64_t)(1e6 * (8 + draw(&rng, shape))));
            seen += stat_two_kinds(&values, &kinds);
        }
        g_test_message("shape %d: %d of 1,000", (int)shape, seen);
        g_assert_cmpint(seen, <, 5);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/stat/level", test_level);
    g_test_add_func("/stat/level-large", test_level_large);
    g_test_add_func("/stat/histogram", test_histogram);
    g_test_add_func("/stat/histogram-edges", test_histogram_edges);
    g_test_add_func("/stat/histogram-empty", test_histogram_empty);
    g_test_add_func("/stat/visit-and-reset", test_visit_and_reset);
    g_test_add_func("/stat/sum", test_sum);
    g_test_add_func("/stat/spread", test_spread);
    g_test_add_func("/stat/transient", test_transient);
    g_test_add_func("/stat/groups", test_groups);
    g_test_add_func("/stat/kinds", test_kinds);
    g_test_add_func("/stat/chance-of-kinds", test_chance_of_kinds);
    g_test_add_func("/stat/chance-of-groups", test_chance_of_groups);
    return g_test_run();
}
