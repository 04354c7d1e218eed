/* SPDX-License-Identifier: BSD-3-Clause */
/* Energy meters: the energy in each state is the power of that state times the time spent in it. */
#include <glib.h>

#include "core/energy.h"

static const char *const names[] = {"idle", "polling", "busy"};
static const int64_t power_mW[] = {500, 3000, 8000};

static double total_J(const struct energy_meter *meter, sim_time now_ps)
{
    double sum_J = 0;
    for (size_t state = 0; state < meter->states; state++)
        sum_J += energy_state_J(meter, now_ps, state);
    return sum_J;
}

/* 1 ms idle at 0.5 W, 2 ms busy at 8 W, 3 ms polling at 3 W, 4 ms idle again:
 * 0.5 mJ + 16 mJ + 9 mJ + 2 mJ. */
static void test_states(void)
{
    struct energy_meter meter;
    energy_init(&meter, names, power_mW, 3, 7);
    energy_set_state(&meter, 7 + 1 * PS_PER_MS, 2);
    energy_set_state(&meter, 7 + 3 * PS_PER_MS, 1);
    energy_set_state(&meter, 7 + 6 * PS_PER_MS, 0);
    sim_time end_ps = 7 + 10 * PS_PER_MS;
    g_assert_cmpfloat_with_epsilon(total_J(&meter, end_ps), 27.5e-3, 1e-15);
    g_assert_cmpfloat_with_epsilon(energy_state_J(&meter, end_ps, 0), 2.5e-3, 1e-15);
    g_assert_cmpfloat_with_epsilon(energy_state_J(&meter, end_ps, 1), 9e-3, 1e-15);
    g_assert_cmpfloat_with_epsilon(energy_state_J(&meter, end_ps, 2), 16e-3, 1e-15);
    g_assert_cmpint(energy_state_time_ps(&meter, end_ps, 0), ==, 5 * PS_PER_MS);
    g_assert_cmpint(energy_state_time_ps(&meter, end_ps, 1), ==, 3 * PS_PER_MS);
    g_assert_cmpint(energy_state_time_ps(&meter, end_ps, 2), ==, 2 * PS_PER_MS);
}

/* Reading in between changes nothing. */
static void test_reading(void)
{
    struct energy_meter meter;
    energy_init(&meter, names, power_mW, 3, 0);
    g_assert_cmpfloat(total_J(&meter, 0), ==, 0);
    for (int i = 0; i < 10; i++)
        g_assert_cmpfloat_with_epsilon(total_J(&meter, i * PS_PER_S), 0.5 * i, 1e-12);
    energy_set_state(&meter, 10 * PS_PER_S, 0); /* the state it is in */
    g_assert_cmpfloat_with_epsilon(total_J(&meter, 10 * PS_PER_S), 5, 1e-12);
}

/* A process ahead of time has noted changes that lie in the future of who asks: he learns what it was then. */
static void test_ahead(void)
{
    struct energy_meter meter;
    energy_init(&meter, names, power_mW, 3, 0);
    energy_set_state(&meter, 10 * PS_PER_S, 1);
    energy_set_state(&meter, 10 * PS_PER_S, 0); /* in no time: not a stretch of its own */
    energy_set_state(&meter, 20 * PS_PER_S, 1);
    energy_set_state(&meter, 30 * PS_PER_S, 2);
    for (int i = 0; i <= 40; i++) {
        sim_time expected_ps[3] = {MIN(i, 20) * PS_PER_S, CLAMP(i - 20, 0, 10) * PS_PER_S,
                                   MAX(i - 30, 0) * PS_PER_S};
        double energy_J = 0;
        for (size_t state = 0; state < 3; state++) {
            g_assert_cmpint(energy_state_time_ps(&meter, i * PS_PER_S, state), ==,
                            expected_ps[state]);
            energy_J += (double)expected_ps[state] * (double)power_mW[state] * 1e-15;
        }
        g_assert_cmpfloat_with_epsilon(total_J(&meter, i * PS_PER_S), energy_J, 1e-9);
    }
}

/* Two states in turn are as if each change were told. */
static void test_alternate(void)
{
    struct energy_meter meter, told;
    energy_init(&meter, names, power_mW, 3, 0);
    energy_init(&told, names, power_mW, 3, 0);
    energy_alternate(&meter, 5, 1, 3, 2, 4);
    sim_time next_ps = 5;
    size_t state = 2;
    for (sim_time now_ps = 5; now_ps < 100; now_ps++) {
        if (now_ps == next_ps) {
            state = 3 - state;
            energy_set_state(&told, now_ps, state);
            next_ps += state == 1 ? 3 : 4;
        }
        for (size_t i = 0; i < 3; i++)
            g_assert_cmpint(energy_state_time_ps(&meter, now_ps, i), ==,
                            energy_state_time_ps(&told, now_ps, i));
        g_assert_cmpfloat(total_J(&meter, now_ps), ==, total_J(&told, now_ps));
    }
    energy_set_state(&meter, 99, 0);
    energy_set_state(&told, 99, 0);
    g_assert_cmpfloat(total_J(&meter, 200), ==, total_J(&told, 200));
}

/* Who asks for a time within states in turn that are over by now learns what each had until then. */
static void test_alternate_ahead(void)
{
    struct energy_meter meter;
    energy_init(&meter, names, power_mW, 3, 0);
    energy_alternate(&meter, 10, 1, 3, 2, 4);
    energy_set_state(&meter, 50, 0);
    energy_alternate(&meter, 60, 2, 5, 1, 5);
    energy_set_state(&meter, 80, 0);
    sim_time expected_ps[3] = {0};
    for (sim_time now_ps = 0; now_ps <= 100; now_ps++) {
        for (size_t state = 0; state < 3; state++)
            g_assert_cmpint(energy_state_time_ps(&meter, now_ps, state), ==, expected_ps[state]);
        size_t state = 0;
        if (now_ps >= 10 && now_ps < 50)
            state = (now_ps - 10) % 7 < 3 ? 1 : 2;
        else if (now_ps >= 60 && now_ps < 80)
            state = (now_ps - 60) % 10 < 5 ? 2 : 1;
        expected_ps[state]++;
    }
}

/* A megawatt for a day are 8.64e25 fJ, more than 64 bits hold. */
static void test_large(void)
{
    const int64_t megawatt_mW = 1000000000;
    struct energy_meter meter;
    energy_init(&meter, names, &megawatt_mW, 1, 0);
    g_assert_cmpfloat_with_epsilon(total_J(&meter, 86400 * PS_PER_S), 8.64e10, 1e-3);
}

static void test_backwards(void)
{
    if (g_test_subprocess()) {
        struct energy_meter meter;
        energy_init(&meter, names, power_mW, 3, 100);
        energy_set_state(&meter, 99, 1);
        return;
    }
    g_test_trap_subprocess(NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
    g_test_trap_assert_failed();
    g_test_trap_assert_stderr("*an energy meter's time went back by 1 ps*");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/energy/states-and-events", test_states);
    g_test_add_func("/energy/reading", test_reading);
    g_test_add_func("/energy/ahead", test_ahead);
    g_test_add_func("/energy/alternate", test_alternate);
    g_test_add_func("/energy/alternate-ahead", test_alternate_ahead);
    g_test_add_func("/energy/large", test_large);
    g_test_add_func("/energy/backwards", test_backwards);
    return g_test_run();
}
