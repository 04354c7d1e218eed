/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of graphs whose branches start side by side: how soon one follows another. */
#include "calls.h"
#include "workload_run.h"

#define NS PS_PER_NS

static sim_time time_of(struct workload_run *run, const char *settings)
{
    workload_run_good(run, &kernel_launch_workload, settings);
    return workload_run_measure(run, "time");
}

static void init(struct workload_run *run)
{
    workload_run_init(run, 1);
    run->machine.cuda.graph_branch_ps = 100 * NS;
    run->machine.cuda.graph_turn_ps = 20000 * NS;
}

/* From graph to graph a turn for each of eight channels but one, where that takes longer than the calls. */
static void test_rows(void)
{
    struct workload_run run;
    init(&run);
    const char *some = "measured=back_to_back launches=8 kernels=16 branches=true";
    const char *more = "measured=back_to_back launches=9 kernels=16 branches=true";
    sim_time each_ps = 9 * time_of(&run, more) - 8 * time_of(&run, some);
    g_assert_cmpint(llabs(each_ps - 7 * 20000 * NS), <=, 10 * NS);
    const char *three = "measured=back_to_back launches=8 kernels=3 branches=true";
    const char *longer = "measured=back_to_back launches=9 kernels=3 branches=true";
    each_ps = 9 * time_of(&run, longer) - 8 * time_of(&run, three);
    g_assert_cmpint(llabs(each_ps - 2 * 20000 * NS), <=, 10 * NS);
}

/* The call gives branch after branch to the GPU: the graph before need not be under way at its end. */
static void test_long_calls(void)
{
    struct workload_run run;
    init(&run);
    const char *row = "measured=back_to_back launches=8 kernels=16 branches=true";
    run.machine.cuda.graph_branch_ps = 1000 * NS;
    sim_time turned_ps = time_of(&run, row);
    run.machine.cuda.graph_turn_ps = 0;
    g_assert_cmpint(turned_ps, >, 2 * time_of(&run, row));
}

/* Nothing turns in chains, and in a graph that follows none. */
static void test_none(void)
{
    struct workload_run run;
    init(&run);
    const char *settings[] = {"measured=back_to_back launches=8 kernels=4",
                              "kernels=16 branches=true"};
    for (size_t i = 0; i < G_N_ELEMENTS(settings); i++) {
        run.machine.cuda.graph_turn_ps = 20000 * NS;
        sim_time turned_ps = time_of(&run, settings[i]);
        run.machine.cuda.graph_turn_ps = 0;
        g_assert_cmpint(turned_ps, ==, time_of(&run, settings[i]));
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/graph_turns/rows", test_rows);
    g_test_add_func("/graph_turns/long_calls", test_long_calls);
    g_test_add_func("/graph_turns/none", test_none);
    return g_test_run();
}
