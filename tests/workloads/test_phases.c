/* SPDX-License-Identifier: BSD-3-Clause */
/* Drawn phases of polling loops: their effect on means, spreads and comparisons. Idle parts of a machine change no result. */
#define WORKLOAD_MEANS
#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../designs.h"
#include "../measures_manual.h"
#include "../sanitized.h"
#include "../software_test.h"
#include "workload_run.h"

static const struct workload *const gets = &get_latency_workload;

static void begin(struct workload_run *run, enum phases phases, int64_t nodes)
{
    workload_run_init(run, nodes);
    SOFTWARE(run->machine)->phases = phases;
}

/* What a process of its own tells: names that it has made up are not known elsewhere. */
struct told {
    struct workload_result result;
    char names[WORKLOAD_MAX_MEASURES][64];
};

static void tell(const struct workload_result *result, int to)
{
    struct told told = {.result = *result};
    for (size_t i = 0; i < result->count; i++)
        g_strlcpy(told.names[i], result->measures[i].name, sizeof told.names[i]);
    ssize_t written = write(to, &told, sizeof told);
    _exit(written == (ssize_t)sizeof told ? 0 : 1);
}

/* In a process of its own, as one process holds one network. */
static void run_apart(struct workload_run *run, const struct workload *workload,
                      const char *settings)
{
    int ends[2];
    g_assert_cmpint(pipe(ends), ==, 0);
    platform_simgrid_version(NULL); /* loaded once, and not in each child */
    pid_t child = fork();
    if (child == 0) {
        workload_run_good(run, workload, settings);
        tell(&run->result, ends[1]);
    }
    close(ends[1]);
    struct told told;
    size_t come = 0;
    ssize_t step;
    while (come < sizeof told &&
           (step = read(ends[0], (char *)&told + come, sizeof told - come)) > 0)
        come += (size_t)step;
    close(ends[0]);
    int status;
    g_assert_cmpint(waitpid(child, &status, 0), ==, child);
    g_assert_cmpint(status, ==, 0);
    g_assert_cmpuint(come, ==, sizeof told);
    run->result = told.result;
    for (size_t i = 0; i < run->result.count; i++)
        run->result.measures[i].name = g_intern_string(told.names[i]);
}

static bool has_measure(const struct workload_run *run, const char *name)
{
    for (size_t i = 0; i < run->result.count; i++)
        if (strcmp(run->result.measures[i].name, name) == 0)
            return true;
    return false;
}

/* Few repeats and many tell the same of a dispatch, with twice the bandwidth or without, and the spread says how well the mean is
 * known: nodes that leave a barrier up to 40 us apart begin a repeat together. */
static void test_dispatch(void)
{
    static const char *const settings[] = {"design=dgpu tokens=1",
                                           "design=dgpu tokens=1 repeats=300"};
    sim_time took_ps[4], spread_ps[4];
    for (size_t i = 0; i < G_N_ELEMENTS(took_ps); i++) {
        struct workload_run run;
        begin(&run, PHASES_DRAWN, 2);
        run.machine.network.wire.rate_Bps = INT64_C(12500000000) * (1 + (int64_t)i / 2);
        run_apart(&run, &moe_workload, settings[i % 2]);
        took_ps[i] = workload_run_measure(&run, "dispatch");
        spread_ps[i] = workload_run_measure(&run, "dispatch_spread");
        g_test_message("%lld ps, spread %lld ps", (long long)took_ps[i], (long long)spread_ps[i]);
        g_assert_cmpint(spread_ps[i], <, took_ps[i] / 5);
        g_assert_cmpint(llabs(took_ps[i] - took_ps[0]), <=, spread_ps[i] + spread_ps[0]);
    }
}

/* A put that its work-group polls for takes longer the more bytes it has, with drawn phases alone. */
static void test_sizes(void)
{
    static const char *const sizes[] = {"8B", "512B", "4KiB"};
    sim_time took_ps[G_N_ELEMENTS(sizes)];
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
        struct workload_run run;
        begin(&run, PHASES_DRAWN, 2);
        g_autofree char *settings =
            g_strconcat("design=nvshmem-ibgda operation=put work_groups=1 bytes=", sizes[i], NULL);
        run_apart(&run, &queue_service_workload, settings);
        took_ps[i] = workload_run_measure(&run, "latency");
        g_assert_cmpint(workload_run_measure(&run, "latency_spread"), <, took_ps[i] / 100);
    }
    g_assert_cmpint(took_ps[0], <, took_ps[1]);
    g_assert_cmpint(took_ps[1], <, took_ps[2]);
}

/* A get that is waited for by looks is seen, with fixed phases, at the next look: over latencies of the network that go
 * through a look's period its mean is that of drawn phases. */
static void test_mean(void)
{
    enum { STEPS = 24 };
    double mean_ps[2] = {0, 0}, spread_ps = 0;
    for (int phases = PHASES_DRAWN; phases <= PHASES_FIXED; phases++)
        for (int i = 0; i < STEPS; i++) {
            struct workload_run run;
            begin(&run, (enum phases)phases, 2);
            run.machine.network.wire.latency_ps += 20000 * i;
            run_apart(&run, gets, "design=gpu-verbs bytes=8B repeats=100");
            mean_ps[phases] += (double)workload_run_measure(&run, "latency") / STEPS;
            if (phases == PHASES_DRAWN)
                spread_ps += (double)workload_run_measure(&run, "latency_spread") / STEPS;
        }
    g_test_message("%.0f ps drawn, %.0f ps fixed, spread %.0f ps", mean_ps[PHASES_DRAWN],
                   mean_ps[PHASES_FIXED], spread_ps);
    g_assert_cmpfloat(fabs(mean_ps[PHASES_DRAWN] - mean_ps[PHASES_FIXED]), <, spread_ps);
}

/* Twice as many repeats take twice as long, within their spreads. */
static void test_linear(void)
{
    static const char *const settings[] = {"design=comp-net bytes=8B repeats=200",
                                           "design=comp-net bytes=8B repeats=400"};
    sim_time took_ps[2], spread_ps[2];
    for (int i = 0; i < 2; i++) {
        struct workload_run run;
        begin(&run, PHASES_DRAWN, 2);
        run_apart(&run, gets, settings[i]);
        took_ps[i] = workload_run_measure(&run, "latency");
        spread_ps[i] = workload_run_measure(&run, "latency_spread");
    }
    g_assert_cmpint(llabs(took_ps[0] - took_ps[1]), <=, spread_ps[0] + spread_ps[1]);
    g_assert_cmpint(spread_ps[1], <, took_ps[1] / 20);
}

/* Whatever is a mean over what a polling server does has its spread beside it, and it is small; with fixed phases there is none. */
static void test_spreads(void)
{
    static const struct {
        const struct workload *workload;
        const char *settings, *mean, *spread;
    } cases[] = {
        {&osu_latency_workload, "design=comp-net bytes=8B placement=inter-node iterations=100",
         "latency", "latency_spread"},
        {&osu_bandwidth_workload,
         "design=comp-net bytes=8B placement=inter-node iterations=40 window=16", "bandwidth",
         "bandwidth_spread"},
        {&flag_round_trip_workload, "partner=host rounds=100", "time", "time_spread"},
        {&queue_service_workload, "design=comp-net operation=put work_groups=2 operations=20",
         "duration", "duration_spread"},
        {&neighbour_exchange_workload, "design=comp-net bytes=8B work_groups=2 iterations=20",
         "duration", "duration_spread"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        for (int phases = PHASES_DRAWN; phases <= PHASES_FIXED; phases++) {
            struct workload_run run;
            begin(&run, (enum phases)phases, 2);
            run_apart(&run, cases[i].workload, cases[i].settings);
            g_assert_true(has_measure(&run, cases[i].spread) == (phases == PHASES_DRAWN));
            if (phases == PHASES_DRAWN)
                g_assert_cmpint(workload_run_measure(&run, cases[i].spread), <,
                                workload_run_measure(&run, cases[i].mean) / 10);
        }
}

static double ratio_of(const struct workload_run *run, const char *name)
{
    for (size_t i = 0; i < run->result.count; i++)
        if (strcmp(run->result.measures[i].name, name) == 0)
            return run->result.measures[i].ratio;
    g_error("no measure %s", name);
}

/* Runs of which every third takes 5.6 us, or as long as `slow_ps`, and the others 4.7 us, each a little longer than the one before. */
struct states {
    sim_time slow_ps;
    int64_t runs;
};

static enum independent_run_end run_state(void *argument, uint64_t number,
                                          struct workload_result *result, GError **error)
{
    struct states *states = argument;
    bool is_slow = number % 3 == 1;
    (void)error;
    states->runs++;
    result->phases = 1;
    workload_add_mean_quantity(
        result, "latency", UNIT_TIME,
        (is_slow ? states->slow_ps : 4700 * PS_PER_NS) + (sim_time)number * 1000, NULL);
    workload_add_mean_ratio(result, "hit_rate", is_slow ? 0.25 : 0.75, NULL);
    workload_add_quantity(result, "messages", UNIT_COUNT, 7 + is_slow);
    return RUN_MAY_REPEAT;
}

static struct workload_run run_states(sim_time slow_ps, bool is_observed)
{
    struct states states = {.slow_ps = slow_ps};
    const struct independent_runs how = {
        .run = run_state, .argument = &states, .count = 1, .is_observed = is_observed};
    struct workload_run run;
    begin(&run, PHASES_DRAWN, 2);
    g_assert_true(independent_runs(&how, &run.result, fresh_error()));
    g_assert_cmpint(states.runs, ==, is_observed ? 1 : STAT_BATCHES);
    return run;
}

/* Means whose runs fall into two groups have the medians and shares of these beside them: 7 of 20 runs are in the slow state (number 1,
 * 4 .. 19, median 10; the median of the others is 9). Means whose groups are less than 2 % apart have none, nor have
 * what is no mean and one run alone. */
static void test_two_states(void)
{
    struct workload_run run = run_states(5600 * PS_PER_NS, false);
    g_assert_cmpint(workload_run_measure(&run, "latency_lower"), ==, 4700 * PS_PER_NS + 9 * 1000);
    g_assert_cmpint(workload_run_measure(&run, "latency_upper"), ==, 5600 * PS_PER_NS + 10 * 1000);
    g_assert_cmpfloat(ratio_of(&run, "latency_lower_share"), ==, 0.65);
    g_assert_cmpfloat(ratio_of(&run, "hit_rate_lower"), ==, 0.25);
    g_assert_cmpfloat(ratio_of(&run, "hit_rate_upper"), ==, 0.75);
    g_assert_cmpfloat(ratio_of(&run, "hit_rate_lower_share"), ==, 0.35);
    g_assert_cmpint(workload_run_measure(&run, "latency"), >, 5000 * PS_PER_NS);
    g_assert_true(has_measure(&run, "latency_spread"));
    g_assert_false(has_measure(&run, "messages_lower"));
    struct workload_run near = run_states(4760 * PS_PER_NS, false);
    g_assert_false(has_measure(&near, "latency_lower"));
    g_assert_true(has_measure(&near, "hit_rate_lower"));
    struct workload_run one = run_states(5600 * PS_PER_NS, true);
    g_assert_false(has_measure(&one, "latency_lower"));
}

/* The filling of queues is no part of a rate's spread. */
static void test_rate(void)
{
    static const char *const designs[] = {"design=dgpu", "design=apu", "design=comp-net"};
    for (size_t i = 0; i < G_N_ELEMENTS(designs); i++) {
        struct workload_run run;
        begin(&run, PHASES_DRAWN, 2);
        run_apart(&run, &message_rate_workload, designs[i]);
        g_assert_cmpfloat(ratio_of(&run, "puts_per_us_spread"), <,
                          ratio_of(&run, "puts_per_us") / 100);
    }
}

static void get_with_seed(struct workload_run *run, const char *design, uint64_t seed)
{
    g_autofree void *spec = g_malloc0(gets->params->spec_size);
    const char *const set[][2] = {{"design", design}, {"bytes", "8B"}};
    begin(run, PHASES_DRAWN, 2);
    param_set_defaults(gets->params, spec);
    for (size_t i = 0; i < G_N_ELEMENTS(set); i++)
        if (!param_set_text(gets->params, param_find(gets->params, set[i][0]), spec, set[i][1],
                            fresh_error()))
            g_error("%s", last_words());
    if (!workload_run(gets, &run->machine, spec, seed, &run->result, fresh_error()))
        g_error("%s", last_words());
}

/* Seeds differ where a loop polls. Where none does nothing is drawn, and there is no spread. */
static void test_seeds(void)
{
    static const char *const designs[] = {"openmpi-d", "gpu-verbs"};
    for (int polls = 0; polls < 2; polls++) {
        struct workload_run one, other;
        get_with_seed(&one, designs[polls], 1);
        get_with_seed(&other, designs[polls], 2);
        g_assert_true(has_measure(&one, "latency_spread") == polls);
        bool differs =
            workload_run_measure(&one, "latency") != workload_run_measure(&other, "latency");
        g_assert_true(differs == polls);
    }
}

static void compare_idle(const struct workload *workload, const char *settings)
{
    struct workload_run few, many;
    begin(&few, PHASES_DRAWN, 2);
    begin(&many, PHASES_DRAWN, 16);
    run_apart(&few, workload, settings);
    run_apart(&many, workload, settings);
    g_assert_cmpuint(few.result.count, ==, many.result.count);
    for (size_t i = 0; i < few.result.count; i++) {
        const struct workload_measure *one = &few.result.measures[i];
        const struct workload_measure *other = &many.result.measures[i];
        if (one->quantity != other->quantity || one->ratio != other->ratio)
            g_error("%s %s: %s is %" G_GINT64_FORMAT " or %.17g with 2 nodes, %" G_GINT64_FORMAT
                    " or %.17g with 16",
                    workload->name, settings, one->name, one->quantity, one->ratio, other->quantity,
                    other->ratio);
    }
}

/* Nodes that take no part change nothing: of a sanitized build a quarter of what is run. */
static void test_idle_nodes(void)
{
    size_t number = 0;
    static const struct {
        const struct workload *workload;
        const char *settings;
    } runs[] = {{&message_rate_workload, "blocks=4 messages=32 design="},
                {&queue_service_workload, "bytes=8B work_groups=4 operations=10 design="},
                {&get_latency_workload, "bytes=8B repeats=5 design="}};
    for (const char *const *design = kernel_designs(); *design != NULL; design++)
        for (size_t i = 0; i < G_N_ELEMENTS(runs); i++) {
            struct design which = test_design(*design);
            if (!runs[i].workload->accepts(&which, fresh_error()) || !is_sampled(number++, 4))
                continue;
            g_autofree char *settings = g_strconcat(runs[i].settings, *design, NULL);
            compare_idle(runs[i].workload, settings);
        }
}

/* Names of spreads are interned: those of a run apart are where this process has them if it had them before. */
static void intern_names(void)
{
    GHashTableIter all;
    gpointer measure;
    g_hash_table_iter_init(&all, measures_manual());
    while (g_hash_table_iter_next(&all, &measure, NULL)) {
        g_autofree char *name = g_strconcat(measure, "_spread", NULL);
        g_intern_string(name);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    test_designs_load();
    intern_names();
    g_test_add_func("/phases/spreads", test_spreads);
    g_test_add_func("/phases/two-states", test_two_states);
    g_test_add_func("/phases/rate", test_rate);
    g_test_add_func("/phases/dispatch", test_dispatch);
    g_test_add_func("/phases/sizes", test_sizes);
    g_test_add_func("/phases/mean", test_mean);
    g_test_add_func("/phases/linear", test_linear);
    g_test_add_func("/phases/idle-nodes", test_idle_nodes);
    g_test_add_func("/phases/seeds", test_seeds);
    return g_test_run();
}
