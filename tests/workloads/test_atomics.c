/* SPDX-License-Identifier: BSD-3-Clause */
/* Atomics of many blocks on host memory and on another GPU's memory: the time between two of them. */
#include "workload_run.h"

#define NS PS_PER_NS

static const struct workload *const operation = &gpu_operation_workload;

static void init(struct workload_run *run)
{
    workload_run_init(run, 2);
    run->machine.node.gpus_per_socket = 2;
    run->machine.node.peer_link = PEER_LINK_NODE;
}

static sim_time time_of(struct workload_run *run, const char *settings)
{
    workload_run_good(run, operation, settings);
    return workload_run_measure(run, "time");
}

/* 64 blocks on lines of their own take 64 turns where these are longer than one atomic; a lone one takes no turn's time. */
static void test_turns_at_the_host(void)
{
    struct workload_run run;
    init(&run);
    sim_time lone_ps = time_of(&run, "operation=atomic memory=host");
    run.machine.host.atomic_turn_ps = 500 * NS;
    g_assert_cmpint(time_of(&run, "operation=atomic memory=host"), ==, lone_ps);
    sim_time many_ps = time_of(&run, "operation=atomic memory=host work_groups=64 repeats=50");
    g_assert_cmpint(llabs(many_ps - 32000 * NS), <=, 700 * NS);
}

/* Atomics of another GPU keep a line for longer than its own do, if at all. */
static void test_peers_on_one_line(void)
{
    struct workload_run run;
    init(&run);
    const char *own = "operation=atomic work_groups=8 same_line=true repeats=50";
    const char *peer = "operation=atomic memory=peer work_groups=8 same_line=true repeats=50";
    run.machine.gpu.atomic_gap_ps = 1000 * NS;
    g_assert_cmpint(llabs(time_of(&run, peer) - 8000 * NS), <=, 200 * NS);
    run.machine.gpu.peer_atomic_gap_ps = 2000 * NS;
    g_assert_cmpint(llabs(time_of(&run, own) - 8000 * NS), <=, 200 * NS);
    g_assert_cmpint(llabs(time_of(&run, peer) - 16000 * NS), <=, 400 * NS);
    run.machine.gpu.peer_atomic_gap_ps = 500 * NS;
    g_assert_cmpint(llabs(time_of(&run, peer) - 8000 * NS), <=, 200 * NS);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    test_designs_load();
    g_test_add_func("/atomics/turns_at_the_host", test_turns_at_the_host);
    g_test_add_func("/atomics/peers_on_one_line", test_peers_on_one_line);
    return g_test_run();
}
