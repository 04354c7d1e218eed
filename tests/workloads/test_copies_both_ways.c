/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies from and to the host at once: the path that a GPU's engines share, and setups beside one another. */
#include "calls.h"
#include "workload_run.h"

#define NS PS_PER_NS
#define GB INT64_C(1000000000)

static int64_t bandwidth_of(struct workload_run *run, const char *settings)
{
    workload_run_good(run, &cuda_copies_workload, settings);
    return workload_run_measure(run, "bandwidth");
}

static void init(struct workload_run *run)
{
    workload_run_init(run, 1);
    run->machine.node.gpus_per_socket = 2;
    run->machine.node.gpu_link = GPU_LINK_PCIE;
    run->machine.bus.wire.rate_Bps = 60 * GB;
    run->machine.bus.root_links = 2;
    run->machine.cuda.to_device.rate_Bps = run->machine.cuda.to_host.rate_Bps = 50 * GB;
    run->machine.host.memory_rate_Bps = 500 * GB;
}

static void assert_near(int64_t value, int64_t expected)
{
    g_assert_cmpint(llabs(value - expected), <=, expected / 50);
}

/* Both directions of one GPU share its path; one direction, and two GPUs, have all of theirs. */
static void test_rates(void)
{
    struct workload_run run;
    init(&run);
    const char *both = "bytes=64MiB to_host=1 to_device=1";
    assert_near(bandwidth_of(&run, both), 100 * GB);
    run.machine.cuda.both_ways_rate_Bps = 80 * GB;
    assert_near(bandwidth_of(&run, both), 80 * GB);
    assert_near(bandwidth_of(&run, "bytes=64MiB to_host=1 to_device=0"), 50 * GB);
    assert_near(bandwidth_of(&run, "bytes=64MiB to_host=0 to_device=1"), 50 * GB);
    assert_near(bandwidth_of(&run, "bytes=64MiB to_host=1 to_device=1 apart=true"), 100 * GB);
    run.machine.cuda.both_ways_rate_Bps = 200 * GB; /* more than the two have together */
    assert_near(bandwidth_of(&run, both), 100 * GB);
}

/* Shares are in proportion to what each direction moves alone: both end their windows together. */
static void test_shares(void)
{
    struct workload_run run;
    init(&run);
    run.machine.cuda.to_host.rate_Bps = 25 * GB;
    run.machine.cuda.both_ways_rate_Bps = 60 * GB;
    /* At 40 and 20 GB/s until the faster window ends, the rest of the other at 25: two windows in 1/40 and 1/50. */
    assert_near(bandwidth_of(&run, "bytes=64MiB"), 2 * 1000 * GB / 45);
}

/* A setup beside the other direction's copy takes beside_copy more; alone, and on two GPUs, it does not. */
static void test_setups(void)
{
    struct workload_run run;
    init(&run);
    const char *settings[] = {"bytes=64KiB to_host=1 to_device=0",
                              "bytes=64KiB to_host=1 to_device=1 apart=true",
                              "bytes=64KiB to_host=1 to_device=1"};
    run.machine.cuda.copy_call_ps = 100 * NS;
    for (size_t i = 0; i < G_N_ELEMENTS(settings); i++) {
        run.machine.cuda.beside_copy_ps = 0;
        workload_run_good(&run, &cuda_copies_workload, settings[i]);
        sim_time before_ps = workload_run_measure(&run, "time");
        run.machine.cuda.beside_copy_ps = 1000 * NS;
        workload_run_good(&run, &cuda_copies_workload, settings[i]);
        sim_time more_ps = workload_run_measure(&run, "time") - before_ps;
        g_assert_cmpint(more_ps, >=,
                        i < 2 ? 0 : 450 * NS); /* `time` is half of that of two copies */
        g_assert_cmpint(more_ps, <=, i < 2 ? 0 : 500 * NS);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/copies_both_ways/rates", test_rates);
    g_test_add_func("/copies_both_ways/shares", test_shares);
    g_test_add_func("/copies_both_ways/setups", test_setups);
    return g_test_run();
}
