/* SPDX-License-Identifier: BSD-3-Clause */
/* Jacobi in two dimensions: its pattern carries data and gives what a plain loop gives, on every design; its times by
 * formula where they have one. */
#include "workload_run.h"

#define US PS_PER_US

static void check_design(const char *design)
{
    static const char *const sizes[] = {"nodes=2 edge=2", "nodes=3 edge=16", "nodes=8 edge=24"};
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
        struct workload_run run;
        g_autofree char *settings =
            g_strdup_printf("design=%s %s iterations=4 warmup=1 check=true", design, sizes[i]);
        workload_run_init(&run, 8);
        workload_run_good(&run, &jacobi2d_workload, settings);
    }
}

static void test_data(void)
{
    workload_designs(&jacobi2d_workload, check_design);
}

static void check_faults(const char *design)
{
    static const char *const faults[] = {"lost_halo", "wrong_edge", "lost_round"};
    for (size_t i = 0; i < G_N_ELEMENTS(faults); i++) {
        struct workload_run run;
        g_autofree char *settings = g_strdup_printf(
            "design=%s nodes=4 edge=16 iterations=4 warmup=1 check=%s", design, faults[i]);
        workload_run_init(&run, 8);
        g_assert_false(workload_run_text(&run, &jacobi2d_workload, settings));
        if (strstr(last_words(), "the pattern is wrong") == NULL)
            g_error("%s: %s", settings, last_words());
    }
}

/* A fault in the pattern does not go by unseen. */
static void test_faults(void)
{
    check_faults("comp-net");
    check_faults("cpu");
    check_faults("inter-kernel");
}

/* A large stencil takes as long as its bytes take out of memory, and the network little beside. */
static void test_memory_bound(void)
{
    static const char *const designs[] = {"comp-net", "dgpu", "inter-kernel", "cpu", "apu"};
    for (size_t i = 0; i < G_N_ELEMENTS(designs); i++) {
        struct workload_run run;
        workload_run_init(&run, 8);
        run.machine.host.core.loads_in_flight = 10;
        g_autofree char *settings =
            g_strdup_printf("design=%s nodes=2 edge=4096 iterations=3", designs[i]);
        workload_run_good(&run, &jacobi2d_workload, settings);
        int64_t rate_Bps = strcmp(designs[i], "cpu") == 0 || strcmp(designs[i], "apu") == 0
                               ? run.machine.host.memory_rate_Bps
                               : run.machine.gpu.memory_rate_Bps;
        sim_time bytes_ps = transfer_ps(INT64_C(4096) * 4096 * 8, rate_Bps);
        sim_time took_ps = workload_run_measure(&run, "iteration");
        g_assert_cmpint(took_ps, >=, bytes_ps);
        g_assert_cmpint(took_ps, <=, bytes_ps + 40 * US);
    }
}

/* What is left out when steady is what it would have been. */
static void test_steady(void)
{
    static const char *const designs[] = {"comp-net", "dgpu", "inter-kernel", "cpu"};
    for (size_t i = 0; i < G_N_ELEMENTS(designs); i++) {
        struct workload_run run;
        int64_t iteration_ps[2], steps[2];
        for (int stops = 0; stops < 2; stops++) {
            g_autofree char *settings = g_strdup_printf(
                "design=%s edge=256 iterations=80 tolerance=%s", designs[i], stops ? "0.01" : "0");
            workload_run_init(&run, 8);
            workload_run_good(&run, &jacobi2d_workload, settings);
            iteration_ps[stops] = workload_run_measure(&run, "iteration");
            steps[stops] = workload_run_measure(&run, "iterations_run");
        }
        g_assert_cmpint(steps[0], ==, 80);
        g_assert_cmpint(steps[1], <, 50);
        g_assert_cmpfloat(ABS((double)(iteration_ps[1] - iteration_ps[0])), <=,
                          0.02 * (double)iteration_ps[0]);
    }
}

/* A slower NIC, more latency: in the direction that it has to be. */
static void test_directions(void)
{
    struct workload_run run;
    workload_run_init(&run, 8);
    workload_run_good(&run, &jacobi2d_workload, "design=comp-net nodes=4 edge=128 iterations=3");
    int64_t before_ps = workload_run_measure(&run, "iteration");
    run.machine.nic.packet_latency_ps += US;
    workload_run_good(&run, &jacobi2d_workload, "design=comp-net nodes=4 edge=128 iterations=3");
    int64_t slower_ps = workload_run_measure(&run, "iteration");
    g_assert_cmpint(slower_ps, >=,
                    before_ps + US); /* two rounds of the residual, each met by a poll */
    g_assert_cmpint(slower_ps, <=, before_ps + 8 * US);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    test_designs_load();
    g_test_add_func("/jacobi2d/data", test_data);
    g_test_add_func("/jacobi2d/faults", test_faults);
    g_test_add_func("/jacobi2d/memory_bound", test_memory_bound);
    g_test_add_func("/jacobi2d/steady", test_steady);
    g_test_add_func("/jacobi2d/directions", test_directions);
    return g_test_run();
}
