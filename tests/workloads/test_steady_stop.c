/* SPDX-License-Identifier: BSD-3-Clause */
/* When long runs stop: steps that repeat are counted on exactly, steady ones within their tolerance; all parties do the
 * same steps, and what is used up keeps a run going. */
#include <glib.h>

#include "workloads/patterns/steady_stop.h"

enum { PARTIES = 3, MOST_PARTIES = 3 };

/* How long `step` takes a party, and what it has in stock then. */
typedef struct steady_step step_fn(int64_t step, int64_t party);

/* All parties go through their steps, until they stop. Returns what all steps take. */
static sim_time play(const struct steady_setup *setup, step_fn *next, int64_t *simulated)
{
    struct steady_stop stop;
    sim_time now_ps[MOST_PARTIES] = {0};
    steady_stop_open(&stop, setup);
    int64_t done[MOST_PARTIES] = {0}, going = setup->parties;
    while (going > 0) {
        going = 0;
        for (int64_t party = 0; party < setup->parties; party++)
            for (int turn = 0; turn < (party == 0 && done[0] == 0 ? 2 : 1); turn++) {
                if (!steady_stop_begins(&stop, done[party]))
                    continue;
                struct steady_step step = next(done[party], party);
                now_ps[party] += step.took_ps;
                step.now_ps = now_ps[party];
                steady_stop_note(&stop, done[party]++, party, &step);
                going++;
            }
    }
    for (int64_t party = 1; party < setup->parties; party++)
        g_assert_cmpint(done[party], ==, done[0]);
    sim_time total_ps = steady_stop_total_ps(&stop);
    *simulated = steady_stop_simulated(&stop);
    g_assert_cmpint(*simulated + steady_stop_left(&stop), ==, setup->steps);
    steady_stop_close(&stop);
    return total_ps;
}

/* Steps of 100 ns, and with that of each party, which differ too little to drift apart: the slowest one's. */
static struct steady_step even(int64_t step, int64_t party)
{
    (void)step;
    return (struct steady_step){.took_ps = 100000 + party};
}

/* A warm-up, then a period of three steps. */
static struct steady_step by_threes(int64_t step, int64_t party)
{
    return (struct steady_step){.took_ps = step < 5 ? 1000 - 7 * step : 100000 + step % 3 + party};
}

static struct steady_step using_up(int64_t step, int64_t party)
{
    return (struct steady_step){.took_ps = 100 + party, .stock = 1000 - step};
}

/* Falls by a share of 1/1000 of a step each. */
static struct steady_step falling(int64_t step, int64_t party)
{
    return (struct steady_step){.took_ps = 1000000 - 1000 * step + party};
}

/* Party 0 is faster than the others by 1 % for 40 steps; then it waits for them, and all are slower. */
static struct steady_step drifting_apart(int64_t step, int64_t party)
{
    return (struct steady_step){.took_ps = step >= 40 ? 1050 : party == 0 ? 990 : 1000};
}

static void test_repeats(void)
{
    static step_fn *const functions[] = {even, by_threes};
    for (size_t i = 0; i < G_N_ELEMENTS(functions); i++)
        for (int64_t warmup = 0; warmup <= 8; warmup += 4) {
            struct steady_setup setup = {
                .warmup = warmup, .steps = 101, .parties = PARTIES, .are_all = true, .window = 4};
            int64_t counted, all;
            sim_time counted_ps = play(&setup, functions[i], &counted);
            setup.are_all = false;
            sim_time all_ps = play(&setup, functions[i], &all);
            g_assert_cmpint(counted, <, 30);
            g_assert_cmpint(all, ==, 101);
            g_assert_cmpint(counted_ps, ==, all_ps);
        }
}

/* Of a single party of many nothing repeats; it is steady when two windows are: of eight steps, a step more to stop at. */
static void test_windows(void)
{
    struct steady_setup setup = {.steps = 100, .parties = 1, .window = 4, .tolerance = 0.01};
    int64_t simulated;
    g_assert_cmpint(play(&setup, even, &simulated), ==, 100 * 100000);
    g_assert_cmpint(simulated, ==, 9);
    /* From a step to the fourth behind it 0.4 %: the rest is taken to be like the first eight, whose mean is 996,500 ps. */
    sim_time all_ps = 100 * 1000000 - 1000 * 99 * 100 / 2, nine_ps = 9 * 1000000 - 1000 * 8 * 9 / 2;
    g_assert_cmpint(play(&setup, falling, &simulated), ==, nine_ps + 91 * 996500);
    g_assert_cmpint(simulated, ==, 9);
    setup.tolerance = 0.003;
    g_assert_cmpint(play(&setup, falling, &simulated), ==, all_ps);
    g_assert_cmpint(simulated, ==, 100);
}

/* The last party's steps alone look steady from the first window on. Two windows of the later ones end with step 48. */
static void test_drift(void)
{
    struct steady_setup setup = {.steps = 100, .parties = PARTIES, .window = 4, .tolerance = 0.005};
    int64_t simulated;
    g_assert_cmpint(play(&setup, drifting_apart, &simulated), ==, 40 * 1000 + 60 * 1050);
    g_assert_cmpint(simulated, ==, 49);
}

/* Each party repeats its own step exactly while it drifts away from the others. Repetition is found once all take as long. */
static void test_repeats_adrift(void)
{
    struct steady_setup setup = {.steps = 100, .parties = PARTIES, .are_all = true, .window = 4};
    int64_t simulated;
    g_assert_cmpint(play(&setup, drifting_apart, &simulated), ==, 40 * 1000 + 60 * 1050);
    g_assert_cmpint(simulated, ==, 45);
}

static void test_stock(void)
{
    struct steady_setup setup = {
        .steps = 50, .parties = PARTIES, .are_all = true, .window = 4, .tolerance = 0.1};
    int64_t simulated;
    play(&setup, using_up, &simulated);
    g_assert_cmpint(simulated, ==, 50);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/steady-stop/repeats", test_repeats);
    g_test_add_func("/steady-stop/windows", test_windows);
    g_test_add_func("/steady-stop/drift", test_drift);
    g_test_add_func("/steady-stop/repeats_adrift", test_repeats_adrift);
    g_test_add_func("/steady-stop/stock", test_stock);
    return g_test_run();
}
