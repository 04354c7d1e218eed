/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops that are divided among cores: their time follows from the machine's parameters. */
#include <glib.h>

#include "models/host/host.h"

static struct host_spec spec_of(void)
{
    struct host_spec spec;
    param_set_defaults(&host_params, &spec);
    spec.core.loads_in_flight = 10;
    return spec;
}

/* 16 cores at 4 GHz with 8 flops a cycle: 512 GFLOP/s, and the region's own time. */
static void test_flops(void)
{
    struct host_spec spec = spec_of();
    struct parallel_loop loop = {.flops = 512000000, .bytes = 8};
    g_assert_cmpint(parallel_loop_ps(&spec, &loop, 16, 1), ==,
                    1000 * PS_PER_US + spec.parallel_region_ps);
    g_assert_cmpint(parallel_loop_ps(&spec, &loop, 1, 1), ==, 16000 * PS_PER_US); /* no region */
}

/* Each level's rate: L1 64 B a cycle; L2 10 lines in 8 cycles are more than that; L3 10 lines in 28
 * cycles; memory 153.6 GB/s of all, or 10 lines in 67 ns of one. */
static void test_levels(void)
{
    struct host_spec spec = spec_of();
    g_assert_cmpint(parallel_thread_Bps(&spec, 65536, 16, 1), ==, INT64_C(256000000000));
    g_assert_cmpint(parallel_thread_Bps(&spec, 65537, 16, 1), ==, INT64_C(256000000000));
    spec.l2.latency_cycles = 16;
    g_assert_cmpint(parallel_thread_Bps(&spec, 65537, 16, 1), ==, INT64_C(160000000000));
    spec.l2.latency_cycles = 8;
    spec.l2.size_bytes = 131072;
    g_assert_cmpint(parallel_thread_Bps(&spec, 1 << 20, 16, 1), ==,
                    muldiv_ceil(640, PS_PER_S, 7000));
    g_assert_cmpint(parallel_thread_Bps(&spec, (1 << 20) + 1, 16, 1), ==,
                    INT64_C(9552238806)); /* 640 B in 67 ns */
    g_assert_cmpint(parallel_thread_Bps(&spec, 1 << 20, 16, 2), ==,
                    INT64_C(4800000000)); /* half of all, 1 / 16 of it */
}

/* More work never takes less, more threads no longer but for the region. */
static void test_monotonic(void)
{
    struct host_spec spec = spec_of();
    sim_time before_ps = 0;
    for (int64_t bytes = 64; bytes < INT64_C(1) << 32; bytes *= 2) {
        struct parallel_loop loop = {.flops = bytes, .bytes = bytes, .working_set_bytes = bytes};
        sim_time took_ps = parallel_loop_ps(&spec, &loop, 16, 1);
        g_assert_cmpint(took_ps, >=, before_ps);
        g_assert_cmpint(took_ps, <=,
                        parallel_loop_ps(&spec, &loop, 4, 1) + spec.parallel_region_ps);
        before_ps = took_ps;
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/parallel/flops", test_flops);
    g_test_add_func("/parallel/levels", test_levels);
    g_test_add_func("/parallel/monotonic", test_monotonic);
    return g_test_run();
}
