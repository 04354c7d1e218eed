/* SPDX-License-Identifier: BSD-3-Clause */
/* Energy of service threads by state: at every moment a thread is in exactly one state, energy is power times time, and each
 * design spends its time in the state in which it waits. */
#include <glib.h>
#include <string.h>

#include "queue_load.h"

static void prepare(struct load *load, const char *design, const char *work_groups)
{
    load_init(load);
    SOFTWARE(load->machine)->phases = PHASES_FIXED;
    set_design(load, design, 2);
    set(load, "work_groups", work_groups);
    set(load, "operations", "10");
}

static void go(struct load *load)
{
    load->result = (struct workload_result){.count = 0};
    load_run(load);
}

static double measure(const struct load *load, const char *name)
{
    for (size_t i = 0; i < load->result.count; i++) {
        const struct workload_measure *measure = &load->result.measures[i];
        if (strcmp(measure->name, name) == 0)
            return measure->is_ratio ? measure->ratio : (double)measure->quantity;
    }
    g_error("no measure %s", name);
}

static void check_books(const struct load *load, const int64_t *power_mW, int threads)
{
    static const char *const states[] = {"active", "polling", "stalled", "idle"};
    double times = 0, energies_fJ = 0, threads_ps = threads * measure(load, "duration");
    for (size_t i = 0; i < G_N_ELEMENTS(states); i++) {
        char time_name[32], energy_name[32];
        g_snprintf(time_name, sizeof time_name, "time_%s", states[i]);
        g_snprintf(energy_name, sizeof energy_name, "energy_%s", states[i]);
        double share = measure(load, time_name), energy_fJ = measure(load, energy_name);
        double expected_fJ = (double)power_mW[i] * share * threads_ps;
        g_assert_cmpfloat_with_epsilon(energy_fJ, expected_fJ, 1 + 1e-6 * expected_fJ);
        times += share;
        energies_fJ += energy_fJ;
    }
    g_assert_cmpfloat_with_epsilon(times, 1, 1e-9);
    g_assert_cmpfloat_with_epsilon(energies_fJ, measure(load, "service_energy"),
                                   10 + 1e-9 * energies_fJ);
}

static void test_books(void)
{
    for (size_t d = 0; kernel_designs()[d] != NULL; d++) {
        struct load load;
        const struct agent_kind *kind = design_server_kind(design_named(kernel_designs()[d]));
        prepare(&load, kernel_designs()[d], "16");
        if (kind->is_initiator)
            continue; /* nobody serves */
        int64_t power_mW[AGENT_STATES];
        agent_power(kind, &load.machine, power_mW);
        const struct design *design = design_named(kernel_designs()[d]);
        int threads = design->queue.count > 0 ? 1 : 2;
        bool is_at_target = design->coalesce.count > 0 || design->word_set_by == WORD_SET_BY_SERVER;
        set_design(&load, kernel_designs()[d], threads); /* no more than queues */
        go(&load);
        check_books(&load, power_mW, is_at_target ? 2 * threads : threads);
        g_assert_cmpfloat(measure(&load, "time_active"), >, 0);
        g_assert_cmpfloat(measure(&load, "time_polling"), >, 0);
        g_assert_cmpfloat(measure(&load, "time_stalled"), >, 0);
    }
}

/* A thread without a queue leaves its core idle: half of two threads' time. */
static void test_unused(void)
{
    struct load load;
    prepare(&load, "apu", "1");
    go(&load);
    g_assert_cmpfloat(measure(&load, "time_idle"), ==, 0.5);
}

/* Few work-groups: a CPU core polls its own cache, and with its queues across the bus waits for
 * loads nearly all the time. */
static void test_where_time_goes(void)
{
    struct load load;
    prepare(&load, "dgpu-host-queue", "2");
    go(&load);
    g_assert_cmpfloat(measure(&load, "time_polling"), >, 0.5);
    prepare(&load, "dgpu", "2");
    go(&load);
    g_assert_cmpfloat(measure(&load, "time_stalled"), >, 0.95);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    test_designs_load();
    g_test_add_func("/service-energy/books", test_books);
    g_test_add_func("/service-energy/unused", test_unused);
    g_test_add_func("/service-energy/where-time-goes", test_where_time_goes);
    return g_test_run();
}
