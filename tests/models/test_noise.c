/* SPDX-License-Identifier: BSD-3-Clause */
/* Interruptions by the operating system: how much longer a single core takes, and the slowest of many cores; interruptions
 * never make anything faster, and without them nothing changes. */
#include <glib.h>
#include <math.h>

#include "models/cpu/cpu.h"
#include "models/noise/noise.h"

#define US PS_PER_US
#define MS PS_PER_MS

static struct noise_spec spec_of(sim_time period_ps, const char *durations)
{
    struct noise_spec spec = {0};
    param_set_defaults(&noise_params, &spec);
    spec.period_ps = period_ps;
    g_assert_true(param_set_text(&noise_params, param_find(&noise_params, "durations"), &spec,
                                 durations, NULL));
    g_assert_true(noise_spec_valid(&spec, NULL));
    return spec;
}

static struct noise_source source_of(sim_time period_ps, const char *durations, uint64_t seed)
{
    struct noise_source source;
    struct noise_spec spec = spec_of(period_ps, durations);
    noise_source_init(&source, &spec, seed);
    return source;
}

static struct noise core_of(const struct noise_source *source, int number)
{
    char path[32];
    struct noise noise;
    g_snprintf(path, sizeof path, "rank%d", number);
    noise_init(&noise, source, path);
    return noise;
}

/* The mean of durations, which are spread evenly over each class. */
static double mean_of(const struct noise_source *source)
{
    double sum_ps = 0, before = 0, begin_ps = 0;
    for (size_t i = 0; i < source->count; i++) {
        double end_ps = (double)source->classes[i].end, weight = (double)source->classes[i].weight;
        sum_ps += (weight - before) * (begin_ps + end_ps) / 2;
        before = weight;
        begin_ps = end_ps;
    }
    return sum_ps / before;
}

/* --- formulas --------------------------------------------------------------------------------------- */

/* In each period a core loses E[d] and works the rest: w of work take w E[d] / (period - E[d]) longer. */
static void test_one_core_loses_rate_times_duration(void)
{
    static const struct {
        sim_time period_ps;
        const char *durations;
        double mean_us;
    } cases[] = {
        {MS, "10us 1", 5},
        {MS, "10us 1; 20us 1", 10},
        {MS, "10us 0; 20us 3; 300us 1", 0.75 * 15 + 0.25 * 160},
        {20 * US, "4us 1", 2},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct noise_source source = source_of(cases[i].period_ps, cases[i].durations, 1);
        struct noise noise = core_of(&source, 0);
        sim_time work_ps = 5000 * cases[i].period_ps;
        double mean_ps = cases[i].mean_us * US, period_ps = (double)cases[i].period_ps;
        double expected = (double)work_ps * mean_ps / (period_ps - mean_ps);
        double delay = (double)noise_delay_ps(&noise, 0, work_ps);
        g_test_message("%s: %.0f us expected, %.0f us", cases[i].durations, expected / US,
                       delay / US);
        g_assert_cmpfloat(fabs(mean_of(&source) - mean_ps), <, 1);
        g_assert_cmpfloat(fabs(delay / expected - 1), <, 0.05);
    }
}

/* Pieces of work w, at any phase, far apart. A piece loses E[d] to each interruption that begins within it, with probability
 * w / period, and E[d d] / (2 E[d]) to one under way when it begins, with probability E[d] / period. What falls into a wait is
 * not lost. */
static void test_rare_work_loses_what_meets_it(void)
{
    struct noise_source source = source_of(MS, "200us 1", 1);
    struct noise noise = core_of(&source, 0);
    struct rng rng;
    rng_init(&rng, 1, "waits");
    sim_time now_ps = 0, lost_ps = 0, work_ps = 10 * US;
    int64_t pieces = 100000;
    for (int64_t i = 0; i < pieces; i++) {
        sim_time delay_ps = noise_delay_ps(&noise, now_ps, work_ps);
        lost_ps += delay_ps;
        now_ps += work_ps + delay_ps + 3 * MS + (sim_time)rng_below(&rng, MS);
    }
    double expected_us = 0.01 * 100 + 200.0 * 200.0 / 3 / (2 * 1000);
    double mean_us = (double)lost_ps / (double)pieces / US;
    g_test_message("%.2f us a piece expected, %.2f us", expected_us, mean_us);
    g_assert_cmpfloat(fabs(mean_us / expected_us - 1), <, 0.03);
}

/* N cores work for w < period from the start on. Each is met with p = w / period (and meets no second interruption), for a time
 * that is uniform up to D. So F(x) = 1 - p (1 - x / D), and the slowest is late by the integral of 1 - F(x)^N over 0 .. D, which is
 * D (1 - (1 - (1 - p)^(N + 1)) / (p (N + 1))). */
static void test_many_wait_for_the_slowest(void)
{
    static const int counts[] = {1, 6, 48, 384, 3072};
    double p = 0.1, longest_us = 50;
    for (size_t i = 0; i < G_N_ELEMENTS(counts); i++) {
        int n = counts[i], trials = n < 100 ? 4000 : 400;
        double sum_us = 0, squares = 0;
        for (int trial = 0; trial < trials; trial++) {
            struct noise_source source = source_of(MS, "50us 1", (uint64_t)trial);
            sim_time slowest_ps = 0;
            for (int core = 0; core < n; core++) {
                struct noise noise = core_of(&source, core);
                sim_time delay_ps = noise_delay_ps(&noise, 0, 100 * US);
                slowest_ps = MAX(slowest_ps, delay_ps);
            }
            sum_us += (double)slowest_ps / US;
            squares += (double)slowest_ps / US * (double)slowest_ps / US;
        }
        double expected_us = longest_us * (1 - (1 - pow(1 - p, n + 1)) / (p * (n + 1)));
        double mean_us = sum_us / trials;
        double error_us = sqrt((squares / trials - mean_us * mean_us) / trials);
        g_test_message("%d cores: the slowest %.3f us late expected, %.3f us", n, expected_us,
                       mean_us);
        g_assert_cmpfloat(fabs(mean_us - expected_us), <, 4 * error_us);
    }
}

static double slowdown_of(const char *slow_gpus, uint64_t seed, int gpu)
{
    struct noise_spec spec = {0};
    char path[32];
    param_set_defaults(&noise_params, &spec);
    if (slow_gpus != NULL)
        g_assert_true(param_set_text(&noise_params, param_find(&noise_params, "slow_gpus"), &spec,
                                     slow_gpus, NULL));
    g_snprintf(path, sizeof path, "node%d.gpu", gpu);
    return noise_slowdown(&spec, seed, path);
}

/* N GPUs whose slowdowns are uniform up to D wait for the slowest: the mean of the greatest of N such draws is D N / (N + 1). If one of ten is
 * between D and 6 D slower, F(x) = 0.9 + 0.1 (x - D) / (5 D) there and 0.9 x / D before, and the mean of the greatest is the integral of
 * 1 - F(x)^N: D (1 - 0.9^N / (N + 1)) + 5 D (1 - (1 - 0.9^(N + 1)) / (0.1 (N + 1))). */
static void test_many_gpus_wait_for_the_slowest(void)
{
    static const int counts[] = {1, 6, 48, 384, 3072};
    for (size_t i = 0; i < 2 * G_N_ELEMENTS(counts); i++) {
        int n = counts[i / 2], trials = n < 100 ? 2000 : 100;
        bool has_outliers = i % 2 == 1;
        double sum = 0, squares = 0;
        for (int trial = 0; trial < trials; trial++) {
            double slowest = 0;
            for (int gpu = 0; gpu < n; gpu++) {
                double one =
                    slowdown_of(has_outliers ? "8% 9; 48% 1" : "8% 1", (uint64_t)trial, gpu);
                slowest = MAX(slowest, one - 1);
            }
            sum += slowest;
            squares += slowest * slowest;
        }
        double expected = has_outliers ? 0.08 * (1 - pow(0.9, n) / (n + 1)) +
                                             0.4 * (1 - (1 - pow(0.9, n + 1)) / (0.1 * (n + 1)))
                                       : 0.08 * n / (n + 1);
        double mean = sum / trials, error = sqrt((squares / trials - mean * mean) / trials);
        g_test_message("%d GPUs: %.5f expected, %.5f", n, expected, mean);
        g_assert_cmpfloat(fabs(mean - expected), <, 4 * error + 1e-6);
    }
    g_assert_cmpfloat(slowdown_of(NULL, 1, 0), ==, 1);
    g_assert_cmpfloat(slowdown_of("8% 1", 1, 0), ==, slowdown_of("8% 1", 1, 0));
    g_assert_cmpfloat(slowdown_of("8% 1", 1, 0), !=, slowdown_of("8% 1", 2, 0));
    g_assert_cmpfloat(slowdown_of("8% 1", 1, 0), !=, slowdown_of("8% 1", 1, 1));
}

/* --- properties ------------------------------------------------------------------------------------- */

/* More work never ends earlier, no work is never faster, and the way that work is cut does not matter. */
static void test_never_faster(void)
{
    struct rng rng;
    rng_init(&rng, 7, "test");
    for (int run = 0; run < 300; run++) {
        struct noise_source source = source_of(MS, "10us 5; 30us 2; 900us 1", (uint64_t)run);
        struct noise whole = core_of(&source, run), pieces = whole;
        sim_time from_ps = (sim_time)rng_below(&rng, 5 * MS), now_ps = from_ps, done_ps = 0;
        sim_time work_ps = (sim_time)rng_below(&rng, 8 * MS);
        sim_time delay_ps = noise_delay_ps(&whole, from_ps, work_ps);
        g_assert_cmpint(delay_ps, >=, 0);
        while (done_ps < work_ps) {
            sim_time piece_ps = 1 + (sim_time)rng_below(&rng, MS / 2);
            piece_ps = MIN(piece_ps, work_ps - done_ps);
            now_ps += piece_ps + noise_delay_ps(&pieces, now_ps, piece_ps);
            done_ps += piece_ps;
        }
        g_assert_cmpint(now_ps, ==, from_ps + work_ps + delay_ps);
    }
}

static void test_streams(void)
{
    struct noise_source source = source_of(MS, "10us 1", 1), other = source_of(MS, "10us 1", 2);
    struct noise one = core_of(&source, 0), same = core_of(&source, 0),
                 second = core_of(&source, 1), later = core_of(&other, 0), none = {0};
    sim_time delay_ps = noise_delay_ps(&one, 0, 100 * MS);
    g_assert_cmpint(noise_delay_ps(&same, 0, 100 * MS), ==, delay_ps);
    g_assert_cmpint(noise_delay_ps(&second, 0, 100 * MS), !=, delay_ps);
    g_assert_cmpint(noise_delay_ps(&later, 0, 100 * MS), !=, delay_ps);
    g_assert_cmpint(noise_delay_ps(&none, 0, 100 * MS), ==, 0);
}

/* --- a core ----------------------------------------------------------------------------------------- */

struct scene {
    struct sim *sim;
    struct cpu cpu;
    struct process *process;
    struct noise_source source;
    sim_time seen_ps[3];
};

static void wake(void *argument)
{
    cpu_notify(&((struct scene *)argument)->cpu);
}

/* Interruptions begin at 1, 11, 21 .. us and take just below 2 us. */
static void works_and_waits(struct process *self, void *argument)
{
    struct scene *scene = argument;
    cpu_spend(&scene->cpu, CPU_LIBRARY, 5 * US);
    cpu_settle(&scene->cpu);
    scene->seen_ps[0] = process_now(self);
    cpu_wait(&scene->cpu, "a message");
    scene->seen_ps[1] = process_now(self);
    cpu_wait(&scene->cpu, "another");
    scene->seen_ps[2] = process_now(self);
}

static void test_a_core_works_and_waits(void)
{
    struct scene scene = {.sim = sim_new(1), .source = source_of(10 * US, "1999999ps 0; 2us 1", 1)};
    cpu_init(&scene.cpu, scene.sim, NULL);
    scene.cpu.process = process_spawn(scene.sim->processes, "core", works_and_waits, &scene, 0, 0);
    noise_init(&scene.cpu.noise, &scene.source, "core");
    scene.cpu.noise.next_ps = US;
    event_schedule(scene.sim->events, 8 * US, wake, &scene);
    event_schedule(scene.sim->events, 12 * US, wake, &scene);
    g_assert_cmpint(sim_run(scene.sim), ==, SIM_FINISHED);
    g_assert_cmpint(scene.seen_ps[0], ==, 7 * US);  /* 5 us of work, and one interruption */
    g_assert_cmpint(scene.seen_ps[1], ==, 8 * US);  /* between two */
    g_assert_cmpint(scene.seen_ps[2], ==, 13 * US); /* woken within the second */
    g_assert_cmpint(scene.cpu.time_ps[CPU_SYSTEM], ==, 2 * US);
    g_assert_cmpint(scene.cpu.time_ps[CPU_LIBRARY], ==, 5 * US);
    g_assert_cmpint(scene.cpu.time_ps[CPU_WAIT], ==, 6 * US);
    sim_free(scene.sim);
}

/* --- the description -------------------------------------------------------------------------------- */

static void assert_refused_by(const char *name, const char *text, const char *says)
{
    struct noise_spec spec = {0};
    g_autoptr(GError) error = NULL;
    g_assert_false(
        param_set_text(&noise_params, param_find(&noise_params, name), &spec, text, &error));
    g_assert_nonnull(strstr(error->message, says));
}

static void assert_refused(const char *durations, const char *says)
{
    assert_refused_by("durations", durations, says);
}

static void test_refusals(void)
{
    static const char *const bad[] = {"8 99",   "8%",         "% 99",   "x% 99",    "8%% 99",
                                      "-8% 99", "0% 99",      "nan% 1", "10001% 1", "8us 99",
                                      "8% x",   "8% 1; 8% 1", "8% 0",   ""};
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++)
        assert_refused_by("slow_gpus", bad[i], i < 4 ? "is no slowdown and its weight" : "");

    struct noise_spec spec = spec_of(MS, "10us 1; 900us 1");
    g_autoptr(GError) error = NULL;
    spec.period_ps = 900 * US;
    g_assert_false(noise_spec_valid(&spec, &error));
    g_assert_cmpstr(error->message, ==,
                    "noise.durations of up to 900us do not fit into noise.period = 900us");
    assert_refused("", "there is no duration");
    assert_refused("10us", "no duration and its weight");
    assert_refused("10us x", "no duration and its weight");
    assert_refused("10 1", "no duration and its weight");
    assert_refused("20us 1; 10us 1", "durations rise");
    assert_refused("0us 1", "durations rise");
    assert_refused("10us 0", "all weights");
    spec = (struct noise_spec){.period_ps = MS};
    g_clear_error(&error);
    g_assert_false(noise_spec_valid(&spec, &error));
    g_assert_cmpstr(error->message, ==, "noise.period needs noise.durations");
}

static void test_who_is_interrupted(void)
{
    struct noise_spec spec = spec_of(MS, "10us 1");
    g_assert_true(noise_reaches(&spec, 64, true));
    g_assert_false(noise_reaches(&spec, 63, true));
    g_assert_false(noise_reaches(&spec, 64, false));
    spec.nodes = 1;
    g_assert_true(noise_reaches(&spec, 2, false));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/noise/one_core_loses_rate_times_duration",
                    test_one_core_loses_rate_times_duration);
    g_test_add_func("/noise/rare_work_loses_what_meets_it", test_rare_work_loses_what_meets_it);
    g_test_add_func("/noise/many_wait_for_the_slowest", test_many_wait_for_the_slowest);
    g_test_add_func("/noise/many_gpus_wait_for_the_slowest", test_many_gpus_wait_for_the_slowest);
    g_test_add_func("/noise/never_faster", test_never_faster);
    g_test_add_func("/noise/streams", test_streams);
    g_test_add_func("/noise/a_core_works_and_waits", test_a_core_works_and_waits);
    g_test_add_func("/noise/refusals", test_refusals);
    g_test_add_func("/noise/who_is_interrupted", test_who_is_interrupted);
    return g_test_run();
}
