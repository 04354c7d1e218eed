/* SPDX-License-Identifier: BSD-3-Clause */
/* Allreduce and the mixture of experts: their patterns carry data and give what a plain loop gives, on every
 * design; faults show; times keep the bounds that physics sets. */
#include <inttypes.h>

#include "../sanitized.h"
#include "workload_run.h"

#define NODES 48 /* of the machine; runs take some or all of them */

static void run_settings(struct workload_run *run, const struct workload *workload,
                         const char *design, const char *settings)
{
    g_autofree char *all = g_strdup_printf("design=%s %s", design, settings);
    workload_run_init(run, NODES);
    workload_run_good(run, workload, all);
}

static void check_allreduce(const char *design)
{
    static const char *const settings[] = {
        "nodes=2 bytes=4B algorithm=ring",
        "nodes=3 bytes=1204B algorithm=ring rings=4 chunk=64B",
        "nodes=5 bytes=8KiB algorithm=ring rings=3 chunk=256B",
        "nodes=8 bytes=16KiB algorithm=ring rings=2 chunk=128B",
        "nodes=8 bytes=128B algorithm=doubling",
        "nodes=7 bytes=12B algorithm=doubling",
        "nodes=8 bytes=128B algorithm=tree",
        "nodes=6 bytes=12B algorithm=tree",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(settings); i++) {
        struct workload_run run;
        if (!is_sampled(i + strlen(design), 4))
            continue;
        g_autofree char *checked = g_strdup_printf("%s warmup=0 check=true", settings[i]);
        run_settings(&run, &allreduce_workload, design, checked);
    }
}

static void test_allreduce_data(void)
{
    workload_designs(&allreduce_workload, check_allreduce);
}

static void assert_wrong(const struct workload *workload, const char *settings)
{
    struct workload_run run;
    workload_run_init(&run, NODES);
    g_assert_false(workload_run_text(&run, workload, settings));
    if (strstr(last_words(), "the pattern is wrong") == NULL)
        g_error("%s: %s", settings, last_words());
}

static void test_allreduce_faults(void)
{
    static const char *const designs[] = {"comp-net", "cpu", "inter-kernel"};
    static const char *const algorithms[] = {"ring", "doubling", "tree"};
    static const char *const faults[] = {"lost_chunk", "wrong_block"};
    for (size_t d = 0; d < G_N_ELEMENTS(designs); d++)
        for (size_t a = 0; a < G_N_ELEMENTS(algorithms); a++)
            for (size_t f = 0; f < G_N_ELEMENTS(faults); f++) {
                if (!is_sampled(d + a + f, 3))
                    continue;
                g_autofree char *settings = g_strdup_printf(
                    "design=%s nodes=4 bytes=2KiB chunk=64B warmup=0 algorithm=%s check=%s",
                    designs[d], algorithms[a], faults[f]);
                assert_wrong(&allreduce_workload, settings);
            }
}

/* What GPUs computed and CPUs reduce goes over the bus and back, at each node beside the others; the sums are right. */
static void test_copied(void)
{
    struct workload_run run;
    run_settings(&run, &allreduce_workload, "cpu", "nodes=4 bytes=1MiB algorithm=ring");
    sim_time in_host_ps = workload_run_measure(&run, "duration");
    run_settings(&run, &allreduce_workload, "cpu",
                 "nodes=4 bytes=1MiB algorithm=ring memory=copied");
    sim_time copied_ps = workload_run_measure(&run, "duration");
    g_assert_cmpint(copied_ps, >=,
                    in_host_ps + 2 * transfer_ps(1 << 20, run.machine.bus.wire.rate_Bps));
    run_settings(&run, &allreduce_workload, "cpu",
                 "nodes=4 bytes=8KiB algorithm=ring memory=copied warmup=0 check=true");
}

/* D-19: no ring moves its 2 (N - 1) / N of the buffer faster than the wire does; large ones come near. */
static void test_allreduce_bound(void)
{
    static const char *const designs[] = {"comp-net", "dgpu", "gpu-verbs", "inter-kernel", "cpu"};
    for (size_t d = 0; d < G_N_ELEMENTS(designs); d++)
        for (int64_t nodes = 2; nodes <= 8; nodes *= 2) {
            struct workload_run run;
            if (!is_sampled(d + (size_t)nodes, 5))
                continue;
            g_autofree char *settings =
                g_strdup_printf("nodes=%d bytes=8MiB algorithm=ring warmup=0", (int)nodes);
            run_settings(&run, &allreduce_workload, designs[d], settings);
            int64_t bytes = 2 * (nodes - 1) * (8 << 20) / nodes;
            sim_time least_ps = transfer_ps(bytes, run.machine.network.wire.rate_Bps);
            sim_time took_ps = workload_run_measure(&run, "duration");
            g_assert_cmpint(took_ps, >=, least_ps);
            g_assert_cmpint(took_ps, <=, least_ps * 2);
        }
}

static sim_time comp_net_ps(struct workload_run *run, int nodes, const char *settings)
{
    g_autofree char *all = g_strdup_printf("nodes=%d warmup=0 %s", nodes, settings);
    run_settings(run, &allreduce_workload, "comp-net", all);
    return workload_run_measure(run, "duration");
}

/* 2 log2 n steps, each a round of doubling; a node with two children looks at them in turn. */
static void test_tree_steps(void)
{
    struct workload_run run;
    sim_time round_ps = comp_net_ps(&run, 2, "algorithm=doubling bytes=4B");
    for (int nodes = 2, steps = 2; nodes <= 8; nodes *= 2, steps += 2) {
        double ratio = (double)comp_net_ps(&run, nodes, "algorithm=tree bytes=4B") /
                       (double)(steps * round_ps);
        g_test_message("%d nodes: %.2f of %d rounds", nodes, ratio, steps);
        g_assert_cmpfloat(ratio, >, 0.9);
        g_assert_cmpfloat(ratio, <, 1.3);
    }
}

/* D-19 holds for trees: the mean of all nodes sends 2 (n - 1) / n of the buffer. With both trees none sends more than twice it, behind
 * the 2 log2 n steps of the first chunk. */
static void test_tree_bound(void)
{
    struct workload_run run;
    int64_t bytes = IS_SANITIZED ? 1 << 20 : 4 << 20;
    g_autofree char *settings =
        g_strdup_printf("algorithm=tree rings=32 chunk=16KiB bytes=%" PRId64 "B", bytes);
    sim_time took_ps = comp_net_ps(&run, 8, settings);
    sim_time step_ps = comp_net_ps(&run, 2, "algorithm=doubling bytes=16KiB");
    sim_time least_ps = transfer_ps(2 * 7 * bytes / 8, run.machine.network.wire.rate_Bps);
    g_test_message("%.2f of the bound", (double)took_ps / (double)least_ps);
    g_assert_cmpint(took_ps, >=, least_ps);
    g_assert_cmpint(took_ps, <=, 2 * least_ps + 6 * step_ps);
}

/* The choice by trial takes no longer than the best of all algorithms, within what extrapolated steps may differ. */
static void test_allreduce_choice(void)
{
    static const char *const algorithms[] = {"ring", "doubling", "tree", "auto"};
    static const char *const sizes[] = {"64B", "64KiB", "4MiB"};
    for (size_t s = 0; s < G_N_ELEMENTS(sizes); s++) {
        sim_time least_ps = SIM_TIME_LAST, took_ps = 0;
        for (size_t a = 0; a < G_N_ELEMENTS(algorithms); a++) {
            struct workload_run run;
            g_autofree char *settings =
                g_strdup_printf("nodes=12 bytes=%s algorithm=%s", sizes[s], algorithms[a]);
            run_settings(&run, &allreduce_workload, "gpu-verbs", settings);
            took_ps = workload_run_measure(&run, "duration");
            if (a + 1 < G_N_ELEMENTS(algorithms))
                least_ps = MIN(least_ps, took_ps);
        }
        g_test_message("%s: least %" PRId64 " ps, chosen %" PRId64 " ps", sizes[s], least_ps,
                       took_ps);
        g_assert_cmpfloat((double)took_ps, <=, 1.04 * (double)least_ps);
    }
}

/* Steps of a ring that are left out are as those done: within twice the tolerance of the whole, which has two halves. */
static void test_allreduce_steady(void)
{
    static const char *const designs[] = {"comp-net", "inter-kernel", "cpu"};
    for (size_t d = 0; d < G_N_ELEMENTS(designs); d++) {
        struct workload_run whole, short_one;
        if (!is_sampled(d + 2, 3))
            continue;
        run_settings(&whole, &allreduce_workload, designs[d],
                     "nodes=48 bytes=16MiB algorithm=ring warmup=0");
        run_settings(&short_one, &allreduce_workload, designs[d],
                     "nodes=48 bytes=16MiB algorithm=ring warmup=0 tolerance=0.02");
        g_assert_cmpint(workload_run_measure(&short_one, "steps_run"), <,
                        workload_run_measure(&whole, "steps_run"));
        double all = (double)workload_run_measure(&whole, "duration");
        double stopped = (double)workload_run_measure(&short_one, "duration");
        g_test_message("%s: %.0f ps, %.0f stopped", designs[d], all, stopped);
        g_assert_cmpfloat(ABS(stopped - all), <=, 0.04 * all);
    }
}

/* A short last chunk that overtakes the long one before it is not taken for it. */
static void test_overtaking(void)
{
    struct workload_run run;
    run_settings(&run, &allreduce_workload, "apu",
                 "nodes=8 bytes=1250000B algorithm=ring rings=1 tolerance=0.02");
    run_settings(&run, &allreduce_workload, "comp-net",
                 "nodes=8 bytes=1250000B algorithm=ring rings=1 tolerance=0.02");
}

static void check_moe(const char *design)
{
    static const char *const settings[] = {
        "nodes=2 tokens=3 top_k=2 experts=4 packing=packed",
        "nodes=4 tokens=6 top_k=3 experts=8 packing=token work_groups=2",
        "nodes=8 tokens=5 top_k=4 experts=16 packing=packed work_groups=3",
        "nodes=4 tokens=5 top_k=3 experts=8 packing=token work_groups=7",
        "nodes=4 tokens=6 top_k=3 experts=8 packing=token work_groups=3 posting=last",
        "nodes=4 tokens=6 top_k=3 experts=8 packing=packed work_groups=3 posting=last",
        "nodes=4 tokens=5 top_k=3 experts=10 packing=token work_groups=5 posting=choice",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(settings); i++) {
        struct workload_run run;
        if (!is_sampled(i + strlen(design), 3))
            continue;
        g_autofree char *checked = g_strdup_printf("%s warmup=0 repeats=1 check=true", settings[i]);
        run_settings(&run, &moe_workload, design, checked);
    }
}

static void test_moe_data(void)
{
    workload_designs(&moe_workload, check_moe);
}

static void test_moe_faults(void)
{
    static const char *const faults[] = {"lost_token", "wrong_expert"};
    static const char *const designs[] = {"comp-net", "cpu"};
    for (size_t d = 0; d < G_N_ELEMENTS(designs); d++)
        for (size_t f = 0; f < G_N_ELEMENTS(faults); f++) {
            g_autofree char *settings = g_strdup_printf(
                "design=%s nodes=4 tokens=8 top_k=4 experts=8 warmup=0 repeats=1 check=%s",
                designs[d], faults[f]);
            assert_wrong(&moe_workload, settings);
        }
}

/* Every choice is a token on its way or at home; packed there is a message for each pair at most. */
static void test_moe_counts(void)
{
    struct workload_run run;
    run_settings(&run, &moe_workload, "comp-net",
                 "nodes=8 tokens=16 top_k=8 packing=token phase=dispatch");
    int64_t each = workload_run_measure(&run, "messages");
    g_assert_cmpint(each, <=, 16 * 8);
    g_assert_cmpint(each, >=, 16 * 8 * 3 / 4); /* an eighth stays at home */
    run_settings(&run, &moe_workload, "comp-net",
                 "nodes=8 tokens=16 top_k=8 packing=packed phase=dispatch");
    g_assert_cmpint(workload_run_measure(&run, "messages"), ==, 7);
}

/* Kernels tell what comes; whoever stores the words, all of them come. */
static void test_moe_tellers(void)
{
    static const char *const designs[] = {"nvshmem-ibrc", "nvshmem-ibgda", "comp-net",
                                          "dgpu{word_set_by=server}", "triggered"};
    static const char *const settings[] = {
        "nodes=4 tokens=5 top_k=3 experts=10 packing=token work_groups=5 telling_groups=2 posting=choice",
        "nodes=3 tokens=4 top_k=2 experts=7 packing=packed work_groups=2 telling_groups=2",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(designs) * G_N_ELEMENTS(settings); i++) {
        struct workload_run run;
        g_autofree char *checked =
            g_strdup_printf("%s warmup=0 repeats=1 check=true", settings[i % 2]);
        run_settings(&run, &moe_workload, designs[i / 2], checked);
    }
}

/* A signal for each expert of other GPUs goes before the tokens, who is one of few: the server's time, where it serves. */
static void test_moe_told(void)
{
    static const char *const designs[] = {"nvshmem-ibrc",
                                          "nvshmem-ibrc{word_set_by=nic,signal_by=put}"};
    sim_time took_ps[2][2];
    for (int i = 0; i < 4; i++) {
        struct workload_run run;
        g_autofree char *settings = g_strdup_printf(
            "nodes=4 tokens=1 top_k=2 experts=%d packing=token work_groups=6 telling_groups=4 "
            "phase=dispatch repeats=1",
            i % 2 ? 128 : 64);
        run_settings(&run, &moe_workload, designs[i / 2], settings);
        took_ps[i / 2][i % 2] = workload_run_measure(&run, "dispatch");
    }
    /* 48 more words: told by a message each costs the server there a load over the bus and an answer */
    sim_time by_server_ps = took_ps[0][1] - took_ps[0][0],
             by_nic_ps = took_ps[1][1] - took_ps[1][0];
    g_assert_cmpint(by_nic_ps, >, 0);
    g_assert_cmpint(by_server_ps, >, by_nic_ps + INT64_C(48) * 300 * PS_PER_NS);
}

/* One message to each GPU: what it takes is its bytes on the wire, whether other work-groups have nothing to do or there are none. */
static void test_moe_bound(void)
{
    for (int groups = 1; groups <= 8; groups *= 8) {
        struct workload_run run;
        g_autofree char *settings = g_strdup_printf(
            "nodes=2 tokens=1024 top_k=1 experts=2 work_groups=%d repeats=2", groups);
        run_settings(&run, &moe_workload, "gpu-verbs", settings);
        sim_time took_ps = workload_run_measure(&run, "duration");
        /* Half of the tokens, 1 KiB there and 2 KiB back; those drawn by chance are a few percent more or less. */
        sim_time wire_ps = transfer_ps(512 * 3 * 1024, run.machine.network.wire.rate_Bps);
        g_test_message("%d work-groups: %.1f us, %.1f on the wire", groups, (double)took_ps / 1e6,
                       (double)wire_ps / 1e6);
        g_assert_cmpint(took_ps, >, wire_ps * 9 / 10);
        g_assert_cmpint(took_ps, <, wire_ps * 5 / 4);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    test_designs_load();
    g_test_add_func("/allreduce/data", test_allreduce_data);
    g_test_add_func("/allreduce/faults", test_allreduce_faults);
    g_test_add_func("/allreduce/bound", test_allreduce_bound);
    g_test_add_func("/allreduce/steady", test_allreduce_steady);
    g_test_add_func("/allreduce/tree_steps", test_tree_steps);
    g_test_add_func("/allreduce/tree_bound", test_tree_bound);
    g_test_add_func("/allreduce/choice", test_allreduce_choice);
    g_test_add_func("/allreduce/overtaking", test_overtaking);
    g_test_add_func("/allreduce/copied", test_copied);
    g_test_add_func("/moe/data", test_moe_data);
    g_test_add_func("/moe/faults", test_moe_faults);
    g_test_add_func("/moe/counts", test_moe_counts);
    g_test_add_func("/moe/bound", test_moe_bound);
    g_test_add_func("/moe/tellers", test_moe_tellers);
    g_test_add_func("/moe/told", test_moe_told);
    return g_test_run();
}
