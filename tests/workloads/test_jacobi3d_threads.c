/* SPDX-License-Identifier: BSD-3-Clause */
/* Jacobi3D by host threads that copy faces themselves: the data, a time by formula, and how runs with more GPUs go. */
#include "workload_run.h"

/* A node of two GPUs. */
static void open_pair(struct workload_run *run)
{
    workload_run_init(run, 1);
    run->machine.node.gpus_per_socket = 2;
}

/* Host threads that copy faces themselves: every variant's field is a plain loop's. */
static void test_threads(void)
{
    static const char *const exchanges[] = {"peer_copies", "staged_copies"};
    static const char *const fusions[] = {"none", "A", "unpack", "B", "update_pack", "C"};
    for (size_t i = 0; i < 2 * G_N_ELEMENTS(exchanges) * G_N_ELEMENTS(fusions); i++) {
        bool has_graph = i % 2 == 1;
        const char *fusion = fusions[i / 2 % G_N_ELEMENTS(fusions)];
        if (has_graph && g_str_equal(fusion, "unpack"))
            continue;
        struct workload_run run;
        g_autofree char *settings = g_strdup_printf(
            "exchange=%s nodes=1 grid=12 odf=8 fusion=%s graph=%s iterations=5 check=true",
            exchanges[i / 2 / G_N_ELEMENTS(fusions)], fusion, has_graph ? "true" : "false");
        open_pair(&run);
        workload_run_good(&run, &jacobi3d_workload, settings);
    }
    struct workload_run run;
    open_pair(&run);
    g_assert_false(
        workload_run_text(&run, &jacobi3d_workload,
                          "exchange=staged_copies nodes=1 grid=12 iterations=4 check=wrong_face"));
    g_assert_nonnull(strstr(last_words(), "the pattern is wrong"));
}

/* A block of one GPU and no neighbours: a launch and a synchronisation, and what the update takes. */
static void test_thread_alone(void)
{
    struct workload_run run;
    open_pair(&run);
    workload_run_good(&run, &jacobi3d_workload,
                      "exchange=peer_copies nodes=1 gpus=1 grid=192 iterations=10");
    const struct machine_spec *machine = &run.machine;
    const struct gpu_spec *gpu = &machine->gpu;
    double layer = 2 * 8 * 8 * 192 * 192, lost = 1 - (double)gpu->l2.size_bytes / layer;
    double bytes = 192.0 * 192 * 192 * 16 * (1 + (lost > 0 ? lost : 0) / 8);
    double expected = (double)(machine->cuda.kernel_launch_ps + machine->cuda.kernel_start_ps +
                               2 * machine->cuda.synchronize_ps) +
                      (double)cycles_ps(580, gpu->clock_Hz) +
                      bytes / (double)gpu->memory_rate_Bps * 1e12;
    g_assert_cmpfloat_with_epsilon((double)workload_run_measure(&run, "iteration") / expected, 1,
                                   0.03);
}

static int64_t alone_ps(const char *settings)
{
    struct workload_run run;
    g_autofree char *text =
        g_strdup_printf("exchange=peer_copies nodes=1 gpus=1 iterations=10 %s", settings);
    open_pair(&run);
    workload_run_good(&run, &jacobi3d_workload, text);
    return workload_run_measure(&run, "iteration");
}

/* What a kernel's instructions take: those that wait for one another once, 1180 cycles of one that packs as well against 580; the
 * others by the cell, 127 operations against 50, on the one compute unit that a block of 512 cells has, while nothing else is as
 * long. */
static void test_instructions(void)
{
    struct workload_run run;
    open_pair(&run);
    const struct gpu_spec *gpu = &run.machine.gpu;
    int64_t lanes = gpu->lanes * gpu->simds_per_cu / gpu->instruction_cycles;
    int64_t most_ps =
        cycles_ps(512 * (127 - 50) / (lanes * GPU_FLOPS_PER_INSTRUCTION), gpu->clock_Hz);
    int64_t more_ps = alone_ps("grid=8 fusion=C") - alone_ps("grid=8 fusion=B");
    int64_t chain_ps = cycles_ps(1180 - 580, gpu->clock_Hz);
    g_test_message("%" G_GINT64_FORMAT " ps more, of which %" G_GINT64_FORMAT
                   " by cycles and at most %" G_GINT64_FORMAT " by operations",
                   more_ps, chain_ps, most_ps);
    g_assert_cmpint(more_ps, >=, chain_ps);
    g_assert_cmpint(more_ps, <=, chain_ps + most_ps + 1000);
}

/* Staged faces go twice as far, and wait twice. */
static void test_staged_takes_longer(void)
{
    struct workload_run peer, staged;
    open_pair(&peer);
    open_pair(&staged);
    workload_run_good(&peer, &jacobi3d_workload,
                      "exchange=peer_copies nodes=1 grid=192 iterations=10");
    workload_run_good(&staged, &jacobi3d_workload,
                      "exchange=staged_copies nodes=1 grid=192 iterations=10");
    int64_t more_ps =
        workload_run_measure(&staged, "iteration") - workload_run_measure(&peer, "iteration");
    const struct cuda_spec *cuda = &peer.machine.cuda;
    g_assert_cmpint(more_ps, >, cuda->copy_call_ps + cuda->copy_setup_ps + cuda->synchronize_ps);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    test_designs_load();
    g_test_add_func("/jacobi3d_threads/data", test_threads);
    g_test_add_func("/jacobi3d_threads/alone", test_thread_alone);
    g_test_add_func("/jacobi3d_threads/instructions", test_instructions);
    g_test_add_func("/jacobi3d_threads/staged", test_staged_takes_longer);
    return g_test_run();
}
