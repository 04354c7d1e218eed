/* SPDX-License-Identifier: BSD-3-Clause */
/* One-shot and two-shot allreduce through peer memory, and trees: sums are right, faults show, times follow from crossings and
 * from what a GPU's port carries, more bandwidth is no slower, and the choice by trial takes the least. */
#include <inttypes.h>

#include "param_run.h"
#include "workload_run.h"

#define KIB INT64_C(1024)
#define GPUS 8
#define LARGE_KIB 256

/* Each GPU has one port to a switch. */
static void node_init(struct workload_run *run, int64_t rate_Bps)
{
    workload_run_init(run, 8);
    struct machine_spec *machine = &run->machine;
    machine->node.gpus_per_socket = GPUS;
    machine->node.peer_link = PEER_LINK_SWITCH;
    machine->nvlink = (struct direct_link_spec){
        .wire.latency_ps = 90000, .wire.rate_Bps = rate_Bps, .efficiency = 0.9};
    machine->gpu.clock_Hz = 1785000000;
    machine->gpu.compute_units = 132;
    machine->gpu.lanes = 32;
    machine->gpu.memory_rate_Bps = INT64_C(4800000000000);
}

static const int64_t port_Bps = INT64_C(20000000000), payload_Bps = INT64_C(18000000000);

static char *settings_of(int gpus, const char *algorithm, int64_t bytes)
{
    return g_strdup_printf("design=rocshmem-ipc nodes=1 gpus_per_node=%d warmup=0 rings=32 "
                           "chunk=4KiB threads=512 algorithm=%s bytes=%" PRId64 "B",
                           gpus, algorithm, bytes);
}

static sim_time took(int gpus, const char *algorithm, int64_t bytes)
{
    struct workload_run run;
    g_autofree char *settings = settings_of(gpus, algorithm, bytes);
    node_init(&run, port_Bps);
    workload_run_good(&run, &allreduce_workload, settings);
    return workload_run_measure(&run, "duration");
}

/* Of four GPUs, in a process of its own, since SimGrid keeps the machine that it has built. */
static double took_at(int64_t rate_Bps, const char *algorithm, int64_t bytes)
{
    struct workload_run run;
    g_autofree char *settings = settings_of(4, algorithm, bytes);
    node_init(&run, rate_Bps);
    param_run_once = true;
    g_autofree char *text = param_run(&allreduce_workload, settings, &run.machine, NULL);
    g_assert_true(g_str_has_prefix(text, "duration "));
    return g_ascii_strtod(text + strlen("duration "), NULL);
}

static const char *const direct[] = {"one_shot", "two_shot", "one_shot_get", "two_shot_get"};

static bool is_right(const char *algorithm, const char *shape, const char *settings)
{
    struct workload_run run;
    g_autofree char *all = g_strdup_printf(
        "design=rocshmem-ipc %s warmup=0 chunk=256B algorithm=%s %s", shape, algorithm, settings);
    node_init(&run, port_Bps);
    return workload_run_text(&run, &allreduce_workload, all);
}

static void test_data(void)
{
    static const char *const sizes[] = {"bytes=4B", "bytes=1204B rings=3", "bytes=8KiB rings=2"};
    for (size_t s = 0; s < G_N_ELEMENTS(sizes); s++) {
        g_autofree char *settings = g_strdup_printf("%s check=true", sizes[s]);
        for (size_t a = 0; a < G_N_ELEMENTS(direct); a++)
            for (int gpus = 2; gpus <= GPUS; gpus += 3) {
                g_autofree char *shape = g_strdup_printf("nodes=1 gpus_per_node=%d", gpus);
                g_assert_true(is_right(direct[a], shape, settings));
            }
        g_assert_true(is_right("tree", "nodes=1 gpus_per_node=5", settings));
        g_assert_true(is_right("tree", "nodes=3 gpus_per_node=2", settings));
    }
}

static void test_faults(void)
{
    for (size_t a = 0; a < G_N_ELEMENTS(direct); a++) {
        g_assert_false(
            is_right(direct[a], "nodes=1 gpus_per_node=4", "bytes=1KiB check=lost_chunk"));
        g_assert_nonnull(strstr(last_words(), "differs from a plain sum"));
    }
    g_assert_false(is_right("tree", "nodes=1 gpus_per_node=4", "bytes=1KiB check=lost_chunk"));
}

static void test_refusals(void)
{
    struct workload_run run;
    g_assert_false(is_right("one_shot", "nodes=2 gpus_per_node=2", "bytes=64B"));
    g_assert_nonnull(strstr(last_words(), "algorithm = one_shot takes GPUs of one node"));
    node_init(&run, port_Bps);
    g_assert_false(
        workload_run_text(&run, &allreduce_workload,
                          "design=gpu-verbs nodes=1 gpus_per_node=2 algorithm=two_shot_get"));
}

/* A put, a fence, a flag, one look: the only round that recursive doubling has for two. */
static void test_two_gpus(void)
{
    sim_time shot_ps = took(2, "one_shot", 8), round_ps = took(2, "doubling", 8);
    g_test_message("one-shot %" PRId64 " ps, a round %" PRId64 " ps", shot_ps, round_ps);
    g_assert_cmpfloat((double)shot_ps, >, 0.9 * (double)round_ps);
    g_assert_cmpfloat((double)shot_ps, <, 1.1 * (double)round_ps);
}

/* A barrier, and as much more for each peer: no more rounds. Two crossings at least: data, and the flag behind the fence. */
static void test_peers(void)
{
    sim_time two_ps = took(2, "one_shot", 8), four_ps = took(4, "one_shot", 8);
    double ratio = (double)(took(8, "one_shot", 8) - four_ps) / (2 * (double)(four_ps - two_ps));
    g_test_message("four peers more are %.2f times two more twice", ratio);
    g_assert_cmpint(two_ps, >=, 2 * 90000);
    g_assert_cmpfloat(ratio, >, 0.8);
    g_assert_cmpfloat(ratio, <, 1.2);
}

/* Flags, a load there and back, flags. */
static void test_gets(void)
{
    sim_time put_ps = took(2, "one_shot", 8), got_ps = took(2, "one_shot_get", 8);
    g_assert_cmpint(got_ps, >=, 4 * 90000);
    g_assert_cmpint(got_ps, <, 2 * put_ps);
}

/* Beyond the fixed part a port carries (n - 1) B in one shot, 2 (n - 1) / n B in two. Where all get, requests of 24 B for each
 * line go the same way as lines. */
static void test_port(void)
{
    int64_t bytes = LARGE_KIB * KIB;
    for (int gpus = 2; gpus <= 4; gpus *= 2)
        for (size_t a = 0; a < G_N_ELEMENTS(direct); a++) {
            bool is_two_shot = a % 2 == 1, gets = a >= 2;
            sim_time more_ps = took(gpus, direct[a], 2 * bytes) - took(gpus, direct[a], bytes);
            int64_t moved = (gpus - 1) * bytes * (is_two_shot ? 2 : gpus) / gpus;
            double share = (double)transfer_ps(moved, payload_Bps) / (double)more_ps;
            g_test_message("%s, %d GPUs: %.2f of the port", direct[a], gpus, share);
            g_assert_cmpfloat(share, <=, 1.01);
            g_assert_cmpfloat(share, >, gets ? 0.95 * 64 / (64 + 24) : 0.95);
        }
}

/* Few bytes go in one shot, many in two. */
static void test_order(void)
{
    g_assert_cmpint(took(4, "one_shot", 8), <, took(4, "two_shot", 8));
    g_assert_cmpint(took(4, "two_shot", LARGE_KIB * KIB), <, took(4, "one_shot", LARGE_KIB * KIB));
}

/* Twice the port's rate makes none slower by more than the 2 % by which a run may find flags at another moment. */
static void test_more_bandwidth(void)
{
    static const int64_t sizes[] = {8, 4 * KIB, 64 * KIB};
    static const char *const algorithms[] = {"one_shot", "two_shot_get", "tree"};
    for (size_t s = 0; s < G_N_ELEMENTS(sizes); s++)
        for (size_t a = 0; a < G_N_ELEMENTS(algorithms); a++) {
            double before = took_at(port_Bps, algorithms[a], sizes[s]);
            double after = took_at(2 * port_Bps, algorithms[a], sizes[s]);
            g_test_message("%s: %.0f -> %.0f ps", algorithms[a], before, after);
            g_assert_cmpfloat(after, <=, 1.02 * before);
        }
}

/* As tests/workloads/test_collectives.c has it for nodes. */
static void test_choice(void)
{
    static const int64_t sizes[] = {8, 4 * KIB, 256 * KIB};
    static const char *const others[] = {"ring", "doubling", "tree"};
    for (size_t s = 0; s < G_N_ELEMENTS(sizes); s++) {
        sim_time least_ps = SIM_TIME_LAST;
        for (size_t a = 0; a < G_N_ELEMENTS(direct); a++)
            least_ps = MIN(least_ps, took(4, direct[a], sizes[s]));
        for (size_t a = 0; a < G_N_ELEMENTS(others); a++)
            least_ps = MIN(least_ps, took(4, others[a], sizes[s]));
        g_assert_cmpfloat((double)took(4, "auto", sizes[s]), <=, 1.04 * (double)least_ps);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    test_designs_load();
    /* First, while this process has built no machine. */
    g_test_add_func("/allreduce_direct/more_bandwidth", test_more_bandwidth);
    g_test_add_func("/allreduce_direct/data", test_data);
    g_test_add_func("/allreduce_direct/faults", test_faults);
    g_test_add_func("/allreduce_direct/refusals", test_refusals);
    g_test_add_func("/allreduce_direct/two_gpus", test_two_gpus);
    g_test_add_func("/allreduce_direct/peers", test_peers);
    g_test_add_func("/allreduce_direct/gets", test_gets);
    g_test_add_func("/allreduce_direct/port", test_port);
    g_test_add_func("/allreduce_direct/order", test_order);
    g_test_add_func("/allreduce_direct/choice", test_choice);
    return g_test_run();
}
