/* SPDX-License-Identifier: BSD-3-Clause */
/* What workloads refuse: places that the machine does not have, and results that do not fit. */
#include "workload_run.h"

/* A place that the machine has not is told by both worlds, before anything is built on it. */
static void test_places_missing(void)
{
    struct workload_run run;
    workload_run_init(&run, 2);
    const char *const designs[] = {"gpu-thread", "openmpi-d"};
    for (size_t i = 0; i < G_N_ELEMENTS(designs); i++) {
        const struct {
            const struct workload *workload;
            const char *settings;
        } cases[] = {
            {&allreduce_workload, "nodes=3 bytes=64B check=false design="},
            {&moe_workload, "nodes=3 tokens=2 top_k=1 check=false design="},
            {&all_to_all_workload, "nodes=3 bytes=64B design="},
            {&jacobi2d_workload, "nodes=3 edge=64 check=false design="},
        };
        for (size_t j = 0; j < G_N_ELEMENTS(cases); j++) {
            g_autofree char *settings = g_strconcat(cases[j].settings, designs[i], NULL);
            g_assert_false(workload_run_text(&run, cases[j].workload, settings));
            bool is_told =
                strstr(last_words(), "place 2: the machine has no node 2; it has 2") != NULL ||
                strstr(last_words(), "it takes a machine of at least 3 nodes") != NULL;
            if (!is_told)
                g_error("%s: %s", settings, last_words());
        }
    }
}

/* 200 kW a core for a while are more than the femtojoules that an integer holds: such an energy has no value, the others do. */
static void test_energy_too_large(void)
{
    struct workload_run run;
    workload_run_init(&run, 2);
    run.machine.host.core.active_power_mW = run.machine.host.core.polling_power_mW = 200000000;
    workload_run_good(&run, &all_to_all_workload, "nodes=2 bytes=1GiB repeats=2 design=openmpi-d");
    for (size_t i = 0; i < run.result.count; i++) {
        const struct workload_measure *measure = &run.result.measures[i];
        if (g_str_equal(measure->name, "rank_energy") || g_str_equal(measure->name, "energy"))
            g_assert_true(measure->is_absent);
        if (g_str_equal(measure->name, "nic_energy"))
            g_assert_false(measure->is_absent);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    test_designs_load();
    g_test_add_func("/refusals/places_missing", test_places_missing);
    g_test_add_func("/refusals/energy_too_large", test_energy_too_large);
    return g_test_run();
}
