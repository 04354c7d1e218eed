/* SPDX-License-Identifier: BSD-3-Clause */
/* perftest's loops: each time from the parameters that make it up. */
#include "protocols/ucx/ucx_params.h"
#include "workload_run.h"

#define NS PS_PER_NS

static sim_time latency_of(struct workload_run *run, const char *settings)
{
    workload_run_good(run, &perftest_workload, settings);
    return workload_run_measure(run, "latency");
}

static int64_t bandwidth_of(struct workload_run *run, const char *settings)
{
    workload_run_good(run, &perftest_workload, settings);
    return workload_run_measure(run, "bandwidth");
}

/* By how much the latency grows with a parameter by 100 ns. */
static sim_time growth(struct workload_run *run, sim_time *parameter_ps, const char *settings)
{
    sim_time before_ps = latency_of(run, settings), was_ps = *parameter_ps;
    *parameter_ps += 100 * NS;
    sim_time after_ps = latency_of(run, settings);
    *parameter_ps = was_ps;
    return after_ps - before_ps;
}

/* How often each step stands in a latency: a write's one way; there and back of a read; a send's receive is posted again. */
static void test_steps(void)
{
    struct workload_run run;
    workload_run_init(&run, 2);
    struct ucx_spec *ucx = UCX(run.machine);
    struct nic_spec *nic = &run.machine.nic;
    static const struct {
        const char *settings;
        int posts, packets;
    } rows[] = {{"operation=write_lat bytes=8B", 1, 1},
                {"operation=send_lat bytes=8B", 2, 1},
                {"operation=read_lat bytes=8B", 1, 2},
                {"operation=atomic_lat", 1, 2}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        const char *settings = rows[i].settings;
        g_assert_cmpint(growth(&run, &ucx->post_ps, settings), ==, rows[i].posts * 100 * NS);
        g_assert_cmpint(growth(&run, &ucx->poll_ps, settings), ==, 100 * NS);
        g_assert_cmpint(growth(&run, &nic->doorbell_latency_ps, settings), ==, 100 * NS);
        g_assert_cmpint(growth(&run, &nic->command_latency_ps, settings), ==, 100 * NS);
        g_assert_cmpint(growth(&run, &nic->packet_latency_ps, settings), ==,
                        rows[i].packets * 100 * NS);
    }
}

static void test_relations(void)
{
    struct workload_run run;
    workload_run_init(&run, 2);
    sim_time write_ps = latency_of(&run, "operation=write_lat bytes=8B");
    g_assert_cmpint(latency_of(&run, "operation=send_lat bytes=8B"), ==,
                    write_ps + UCX(run.machine)->post_ps);
    g_assert_cmpint(latency_of(&run, "operation=read_lat bytes=8B"), >, write_ps);
    g_assert_cmpint(latency_of(&run, "operation=read_lat bytes=8B"), ==,
                    latency_of(&run, "operation=atomic_lat"));
    /* what is not inline is fetched */
    g_assert_cmpint(latency_of(&run, "bytes=8B inline=0B"), >, write_ps + 100 * NS);
    g_assert_cmpint(latency_of(&run, "bytes=8B iterations=7"), ==, write_ps);
}

/* The slowest step sets the rate: the core's posts, the NIC's pipeline, the wire; a window of one waits for each. */
static void test_rates(void)
{
    struct workload_run run;
    workload_run_init(&run, 2);
    UCX(run.machine)->post_ps = 100 * NS;
    UCX(run.machine)->poll_ps = 0;
    run.machine.nic.command_gap_ps = 10 * NS;
    g_assert_cmpint(
        llabs(bandwidth_of(&run, "operation=write_bw bytes=8B iterations=5000") - 80 * 1000000), <,
        2 * 1000000);
    run.machine.nic.command_gap_ps = 400 * NS;
    g_assert_cmpint(
        llabs(bandwidth_of(&run, "operation=write_bw bytes=8B iterations=5000") - 20 * 1000000), <,
        500000);
    run.machine.nic.command_gap_ps = 10 * NS;
    int64_t large_Bps = bandwidth_of(&run, "operation=write_bw bytes=1MiB iterations=100");
    g_assert_cmpint(
        llabs(bandwidth_of(&run, "operation=write_bw bytes=4MiB iterations=100") - large_Bps), <,
        large_Bps / 50);
    g_assert_cmpint(
        llabs(bandwidth_of(&run, "operation=write_bw bytes=1MiB iterations=100 both_ways=true") -
              2 * large_Bps),
        <, large_Bps / 20);
    g_assert_cmpint(
        llabs(bandwidth_of(&run, "operation=read_bw bytes=1MiB iterations=100") - large_Bps), <,
        large_Bps / 20);
    sim_time turn_ps = latency_of(&run, "operation=read_lat bytes=64B");
    int64_t one_Bps = bandwidth_of(&run, "operation=read_bw bytes=64B tx_depth=1 iterations=50");
    g_assert_cmpint(llabs(one_Bps - 64 * PS_PER_S / turn_ps), <, one_Bps / 100);
}

static void refuse(struct workload_run *run, const char *settings, const char *sentence)
{
    g_assert_false(workload_run_text(run, &perftest_workload, settings));
    g_assert_nonnull(strstr(last_words(), sentence));
}

static void test_refused(void)
{
    struct workload_run run;
    workload_run_init(&run, 2);
    refuse(&run, "memory=gpu", "a write is seen by a core that polls its memory");
    static const char *const own[] = {"tx_depth=127", "cq_mod=1", "outstanding_reads=1", "queues=2",
                                      "both_ways=true"};
    for (size_t i = 0; i < G_N_ELEMENTS(own); i++)
        refuse(&run, own[i], "are of bandwidths (write_bw)");
    run.machine.nodes = 1;
    g_assert_false(workload_run_text(&run, &perftest_workload, "bytes=8B"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    test_designs_load();
    g_test_add_func("/perftest/steps", test_steps);
    g_test_add_func("/perftest/relations", test_relations);
    g_test_add_func("/perftest/rates", test_rates);
    g_test_add_func("/perftest/refused", test_refused);
    return g_test_run();
}
