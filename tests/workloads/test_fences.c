/* SPDX-License-Identifier: BSD-3-Clause */
/* Fences of GPU threads: a single one, several on one compute unit, several on different ones; and how compute units share
 * the way to the port. */
#include "../fabric/fabric_test.h"
#include "micro_benchmark.h"

static const struct workload *const operation = &gpu_operation_workload;

/* A store over the bus and its fence take what a load there takes, and are gathered twice. With others of its compute unit the rest of
 * system_fence follows; more than can join take turns, two however many there are. */
static void test_fences_that_meet(void)
{
    struct workload_run run;
    init(&run);
    struct gpu_spec *gpu = &run.machine.gpu;
    gpu->compute_units = 1;
    gpu->system_fence_ps = 600 * NS;
    sim_time load_ps = time_of(&run, operation, "operation=load memory=host");
    gpu->fence_gather_ps = 150 * NS;
    sim_time alone_ps = time_of(&run, operation, "operation=store_fence memory=host");
    g_assert_cmpint(llabs(alone_ps - load_ps - 300 * NS), <=, 10 * NS);
    sim_time two_ps = time_of(&run, operation, "operation=store_fence memory=host work_groups=2");
    g_assert_cmpint(llabs(two_ps - load_ps - 150 * NS - 600 * NS), <=, 20 * NS);
    gpu->dispatch_gap_ps = 100 * NS; /* of four, two begin in time */
    sim_time four_ps =
        time_of(&run, operation, "operation=store_fence memory=host work_groups=4 repeats=100");
    sim_time eight_ps =
        time_of(&run, operation, "operation=store_fence memory=host work_groups=8 repeats=100");
    g_assert_cmpint(llabs(four_ps - 2 * two_ps), <=, 60 * NS);
    g_assert_cmpint(llabs(eight_ps - four_ps), <=, 60 * NS);
}

/* Fences of a compute unit that begin within fence_gather go as one and take what one takes; others wait, and go together. */
static void test_fences_that_join(void)
{
    struct workload_run run;
    init(&run);
    struct gpu_spec *gpu = &run.machine.gpu;
    gpu->compute_units = 1;
    gpu->system_fence_ps = 600 * NS;
    const char *four = "operation=fence memory=host work_groups=4 repeats=50";
    sim_time alone_ps = time_of(&run, operation, "operation=fence memory=host repeats=50");
    gpu->dispatch_gap_ps = 20 * NS;
    g_assert_cmpint(llabs(time_of(&run, operation, four) - alone_ps), <=, 5 * NS);
    gpu->fence_gather_ps = 100 * NS;
    g_assert_cmpint(llabs(time_of(&run, operation, four) - alone_ps), <=, 30 * NS);
    gpu->fence_gather_ps = 30 * NS;
    g_assert_cmpint(time_of(&run, operation, four), >, alone_ps * 3 / 2);
}

/* A GPU reads behind posted writes once for all compute units whose fences come before the read leaves: those of many take what one
 * takes. Those of a unit that go in two turns hold up the fences of the others. */
static void test_fences_of_all_units(void)
{
    struct workload_run run;
    init(&run);
    struct gpu_spec *gpu = &run.machine.gpu;
    gpu->fence_gather_ps = 100 * NS;
    sim_time alone_ps = time_of(&run, operation, "operation=store_fence memory=host repeats=50");
    sim_time three_ps =
        time_of(&run, operation, "operation=store_fence memory=host work_groups=3 repeats=50");
    g_assert_cmpint(llabs(three_ps - alone_ps), <=, 20 * NS);
    gpu->compute_units = 2;
    gpu->dispatch_gap_ps =
        60 * NS; /* of four on two units, the later two of a unit come too late */
    sim_time turns_ps =
        time_of(&run, operation, "operation=store_fence memory=host work_groups=4 repeats=50");
    g_assert_cmpint(turns_ps, >, alone_ps * 3 / 2);
}

/* Compute units lie at most port_spread apart, the first in the middle, and none is nearer than the port. */
static void test_port_spread(void)
{
    struct workload_run run;
    init(&run);
    struct gpu_spec *gpu = &run.machine.gpu;
    const char *load = "operation=load memory=host";
    sim_time before_ps = time_of(&run, operation, load), least_ps = 0, most_ps = 0, sum_ps = 0;
    gpu->port_spread_ps = 80 * NS;
    g_assert_cmpint(time_of(&run, operation, load), ==, before_ps);
    for (int64_t unit = 0; unit < 127; unit++) {
        sim_time offset_ps = gpu_port_offset_ps(gpu, unit);
        least_ps = MIN(least_ps, offset_ps);
        most_ps = MAX(most_ps, offset_ps);
        sum_ps += offset_ps;
    }
    g_assert_cmpint(most_ps - least_ps, >, 78 * NS);
    g_assert_cmpint(most_ps - least_ps, <=, 80 * NS);
    g_assert_cmpint(llabs(sum_ps), <=, 127 * NS);
    gpu->bus_outbound_ps = 10 * NS;
    for (int64_t unit = 0; unit < 127; unit++)
        g_assert_cmpint(gpu_port_offset_ps(gpu, unit), >=, -10 * NS);
}

/* Where a fence does not read behind a write over the bus it takes system_fence with one under way, too, but ends no earlier than
 * the write has arrived, and is the same as before over a link. */
static void test_fence_without_a_read(void)
{
    struct workload_run run;
    init(&run);
    struct gpu_spec *gpu = &run.machine.gpu;
    const char *host = "operation=store_fence memory=host",
               *peer = "operation=store_fence memory=peer";
    sim_time load_ps = time_of(&run, operation, "operation=load memory=host");
    gpu->system_fence_ps = 700 * NS;
    sim_time fence_ps = time_of(&run, operation, "operation=fence memory=host");
    sim_time peer_ps = time_of(&run, operation, peer);
    gpu->fence_reads_back = 0;
    g_assert_cmpint(time_of(&run, operation, host), ==, fence_ps);
    g_assert_cmpint(time_of(&run, operation, peer), ==, peer_ps);
    gpu->system_fence_ps = 10 * NS;
    sim_time arrives_ps = time_of(&run, operation, host);
    g_assert_cmpint(arrives_ps, >, load_ps / 4);
    g_assert_cmpint(arrives_ps, <, load_ps * 3 / 4);
}

/* The far GPU acknowledges what is written over NVLink, and an NVSwitch forwards that: behind stores to a peer a fence takes a round
 * trip, which is what a load there takes, with nothing gathered. */
static void expect_acknowledgements(int64_t peer_link)
{
    struct workload_run run;
    init(&run);
    struct gpu_spec *gpu = &run.machine.gpu;
    run.machine.node.peer_link = peer_link;
    gpu->compute_units = 1;
    gpu->fence_gather_ps = 150 * NS;
    sim_time load_ps = time_of(&run, operation, "operation=load memory=peer");
    sim_time fence_ps = time_of(&run, operation, "operation=store_fence memory=peer");
    g_assert_cmpint(llabs(fence_ps - load_ps), <=, 10 * NS);
    gpu->fence_reads_back = 0;
    g_assert_cmpint(time_of(&run, operation, "operation=store_fence memory=peer"), ==, fence_ps);
}

static void test_fence_over_a_link(void)
{
    expect_acknowledgements(PEER_LINK_NODE);
}

static void test_fence_over_an_nvswitch(void)
{
    expect_acknowledgements(PEER_LINK_SWITCH);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    test_designs_load();
    add_test("/fences/that_meet", test_fences_that_meet);
    add_test("/fences/that_join", test_fences_that_join);
    add_test("/fences/of_all_units", test_fences_of_all_units);
    add_test("/fences/port_spread", test_port_spread);
    add_test("/fences/without_a_read", test_fence_without_a_read);
    add_test("/fences/over_a_link", test_fence_over_a_link);
    add_test("/fences/over_an_nvswitch", test_fence_over_an_nvswitch);
    return g_test_run();
}
