/* SPDX-License-Identifier: BSD-3-Clause */
/* Jacobi in three dimensions: every variant's field is a plain loop's; its kernels, bytes and times by formula where they
 * have one; what is left out when iterations repeat is what it would have been. */
#include "workload_run.h"
#include "workloads/patterns/block_grid.h"

#define US PS_PER_US

static const char *const chares[] = {"charm-h", "charm-messaging", "charm-channel"};

/* A node has one GPU. */
static struct workload_run good(int64_t nodes, const char *settings)
{
    struct workload_run run;
    workload_run_init(&run, nodes);
    workload_run_good(&run, &jacobi3d_workload, settings);
    return run;
}

/* The same with every iteration simulated. */
static struct workload_run exactly(int64_t nodes, const char *settings)
{
    struct workload_run run;
    workload_run_init(&run, nodes);
    SOFTWARE(run.machine)->exact = true;
    workload_run_good(&run, &jacobi3d_workload, settings);
    return run;
}

static struct workload_run good_of(const char *design, const char *settings)
{
    g_autofree char *text = g_strdup_printf("design=%s %s", design, settings);
    return good(8, text);
}

/* --- data ----------------------------------------------------------------------------------------- */

static void check_design(const char *design)
{
    good_of(design, "nodes=1 grid=5 iterations=2 warmup=0 check=true");
    good_of(design, "nodes=2 grid=6 iterations=3 warmup=1 check=true");
    good_of(design, "nodes=8 scaling=strong grid=13 iterations=4 warmup=1 check=true");
    good_of(design, "nodes=8 grid=6 iterations=3 optimised=false check=true");
    good_of(design, "nodes=4 grid=6 iterations=3 priorities=false check=true");
}

static void test_data(void)
{
    workload_designs(&jacobi3d_workload, check_design);
}

static void test_chares(void)
{
    static const char *const settings[] = {
        "nodes=2 grid=12 odf=2",
        "nodes=1 grid=12 odf=16",
        "nodes=4 grid=12 odf=8 optimised=false",
        "nodes=4 grid=12 odf=4 completion=sync",
        "nodes=4 grid=12 odf=4 completion=sync optimised=false",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(chares); i++)
        for (size_t j = 0; j < G_N_ELEMENTS(settings); j++) {
            g_autofree char *text =
                g_strdup_printf("%s iterations=5 warmup=1 check=true", settings[j]);
            good_of(chares[i], text);
        }
}

static void test_fusion(void)
{
    static const char *const designs[] = {"charm-channel", "charm-messaging", "charm-h",
                                          "openmpi-d",     "openmpi-h",       "ampi-h"};
    static const char *const fusions[] = {"none", "A", "unpack", "B", "update_pack", "C"};
    for (size_t i = 0; i < G_N_ELEMENTS(designs); i++)
        for (size_t j = 0; j < G_N_ELEMENTS(fusions); j++)
            for (int graph = 0; graph < 2; graph++) {
                if (graph && g_str_equal(fusions[j], "unpack"))
                    continue;
                g_autofree char *text = g_strdup_printf(
                    "nodes=4 grid=12 odf=%d fusion=%s graph=%s fused_threads=%s iterations=5 check=true",
                    i < 3 ? 4 : 1, fusions[j], graph ? "true" : "false",
                    graph && j > 0 ? "sum" : "max");
                good_of(designs[i], text);
            }
}

static void test_variants_of_ranks(void)
{
    good_of("openmpi-h", "nodes=8 grid=6 iterations=3 overlap=true check=true");
    good_of("openmpi-d", "nodes=8 grid=6 iterations=3 overlap=true fusion=B check=true");
    good_of("ampi-d", "nodes=8 grid=6 iterations=3 overlap=true check=true");
    good_of("charm4py-h", "nodes=8 grid=6 iterations=3 oversized_halo=true check=true");
    good_of("charm4py-d", "nodes=8 grid=6 iterations=3 oversized_halo=true check=true");
}

/* Arithmetic is slow for packing, and memory for the update: so that what does not wait overtakes the kernel before. */
static void make_slow(struct gpu_spec *gpu, const char *fault)
{
    if (g_str_equal(fault, "early_pack")) {
        gpu->instruction_cycles = 1000;
        gpu->clock_Hz = 100000000;
    } else {
        gpu->memory_rate_Bps = 100000000;
        gpu->l2.size_bytes = 1024;
    }
}

/* A fault in the pattern does not go by unseen. */
static void test_faults(void)
{
    static const char *const faults[] = {"wrong_face", "early_pack", "early_update"};
    static const char *const designs[] = {"charm-h", "charm-channel", "openmpi-d"};
    for (size_t i = 0; i < G_N_ELEMENTS(faults); i++)
        for (size_t j = 0; j < G_N_ELEMENTS(designs); j++) {
            struct workload_run run;
            g_autofree char *settings = g_strdup_printf(
                "design=%s nodes=4 grid=16 iterations=4 warmup=1 check=%s", designs[j], faults[i]);
            workload_run_init(&run, 8);
            make_slow(&run.machine.gpu, faults[i]);
            g_assert_false(workload_run_text(&run, &jacobi3d_workload, settings));
            if (strstr(last_words(), "the pattern is wrong") == NULL)
                g_error("%s: %s", settings, last_words());
        }
}

/* --- formulas ------------------------------------------------------------------------------------- */

static double ratio(const struct workload_run *run, const char *name)
{
    for (size_t i = 0; i < run->result.count; i++)
        if (strcmp(run->result.measures[i].name, name) == 0)
            return run->result.measures[i].ratio;
    g_error("no measure %s", name);
}

/* A block's kernels in an iteration: one for the update, one to pack and one to unpack each face, or all. */
static double kernels_of(const char *fusion, double faces)
{
    double pack = g_str_equal(fusion, "A") || g_str_equal(fusion, "B") ? 1 : faces;
    double unpack = g_str_equal(fusion, "B") ? 1 : faces;
    return g_str_equal(fusion, "C") ? 1 : 1 + pack + unpack;
}

static void test_kernels(void)
{
    static const char *const fusions[] = {"none", "A", "B", "C"};
    const int64_t cells[AXES] = {24, 24, 24};
    struct block_grid grid = block_grid_find(cells, 8);
    double faces = 0;
    for (int64_t block = 0; block < 8; block++)
        for (int face = 0; face < FACES; face++)
            faces += block_grid_neighbour(&grid, block, face) >= 0;
    for (size_t i = 0; i < G_N_ELEMENTS(fusions); i++)
        for (int graph = 0; graph < 2; graph++) {
            g_autofree char *text = g_strdup_printf(
                "design=charm-channel nodes=1 odf=8 scaling=strong grid=24 fusion=%s graph=%s iterations=20",
                fusions[i], graph ? "true" : "false");
            struct workload_run run = good(8, text);
            double expected = 8 * kernels_of(fusions[i], faces / 8);
            g_assert_cmpfloat_with_epsilon(ratio(&run, "kernels"), expected, 0.2);
        }
}

/* Where nobody is to be waited for, an iteration is the kernel's launch and start, and its bytes; nothing overlaps. */
static void test_memory_bound(void)
{
    struct workload_run run = good(8, "design=charm-channel nodes=1 grid=512 iterations=4");
    double cells = 512.0 * 512 * 512, layer = 2 * 8 * 8 * 512 * 512; /* 33.5 MB */
    double held = (double)run.machine.gpu.l2.size_bytes / layer;     /* of two planes of 8 */
    double bytes = cells * 8 * (16 + 2 * (1 - held)) / 8;
    g_assert_cmpfloat(held, <, 0.5);
    sim_time bytes_ps = transfer_ps((int64_t)bytes, run.machine.gpu.memory_rate_Bps);
    sim_time took_ps = workload_run_measure(&run, "iteration");
    g_assert_cmpint(took_ps, >=, bytes_ps);
    g_assert_cmpint(took_ps, <=, bytes_ps + 42 * US);
    g_assert_cmpint(workload_run_measure(&run, "gpu_busy"), >=, bytes_ps);
}

/* A chare's synchronisation holds up its PE: with callbacks kernels of two chares run at once. */
static void test_completion(void)
{
    const char *settings = "design=charm-channel nodes=1 odf=4 grid=48 iterations=20 completion=";
    g_autofree char *async = g_strconcat(settings, "async", NULL),
                    *sync = g_strconcat(settings, "sync", NULL);
    struct workload_run by_callbacks = good(8, async), blocking = good(8, sync);
    g_assert_cmpint(workload_run_measure(&by_callbacks, "iteration"), <,
                    workload_run_measure(&blocking, "iteration"));
}

/* --- the program ---------------------------------------------------------------------------------- */

/* By how much an iteration is shorter with one synchronisation and streams of their own for copies. */
static sim_time saved_ps(const char *design)
{
    struct workload_run one = good_of(design, "nodes=8 grid=384 iterations=20"),
                        two = good_of(design, "nodes=8 grid=384 iterations=20 optimised=false");
    return workload_run_measure(&two, "iteration") - workload_run_measure(&one, "iteration");
}

/* One synchronisation an iteration instead of two: all that is saved where no face goes by host memory. Where faces of 1.1 MiB
 * do, streams of their own save more. */
static void test_optimised(void)
{
    sim_time synchronisation_ps = saved_ps("charm-channel");
    g_assert_cmpint(synchronisation_ps, >, 0);
    sim_time saved_staged_ps = saved_ps("charm-h");
    g_test_message("%lld and %lld ps", (long long)synchronisation_ps, (long long)saved_staged_ps);
    g_assert_cmpint(saved_staged_ps, >, 2 * synchronisation_ps);
}

/* Blocks wait for their neighbours alone: messages come an iteration before the receiver's. */
static void test_no_barrier(void)
{
    struct workload_run run = good_of("charm-messaging", "nodes=8 grid=96 odf=4 iterations=20");
    g_assert_cmpint(workload_run_measure(&run, "early_messages"), >, 0);
}

/* Blocks behind one another are a PE's: of 1 x 2 x 3 blocks on two nodes three have a neighbour on the other one, and send it a
 * face of 24 x 8 cells. Two cables carry it, with headers. */
static void test_mapping(void)
{
    struct workload_run run;
    workload_run_init(&run, 8);
    run.machine.network.wire.byte_energy_fJ = 1000;
    workload_run_good(
        &run, &jacobi3d_workload,
        "design=charm-channel nodes=2 odf=3 scaling=strong grid=24 iterations=4 warmup=1");
    double bytes = (double)workload_run_measure(&run, "network_energy") / 1000 / 2;
    g_assert_cmpint(workload_run_measure(&run, "blocks_y"), ==, 2);
    g_assert_cmpint(workload_run_measure(&run, "blocks_z"), ==, 3);
    g_test_message("%.0f B", bytes);
    g_assert_cmpfloat(bytes, >, 2 * 3 * 24 * 8 * 8);
    g_assert_cmpfloat(bytes, <, 1.4 * 2 * 3 * 24 * 8 * 8);
}

/* Three faces leave a block, one behind the other, before the first has come: none, one and two are ahead of them. */
static void test_bytes_ahead(void)
{
    struct workload_run run = good_of("charm-channel", "nodes=8 grid=96 iterations=4");
    int64_t face_bytes = 96 * 96 * 8;
    g_assert_cmpint(workload_run_measure(&run, "bytes_ahead"), ==, face_bytes);
}

/* --- what repeats --------------------------------------------------------------------------------- */

/* Iterations that repeat are counted on, to the picosecond. */
static void test_counted_on(void)
{
    static const char *const settings[] = {
        "design=charm-h nodes=8 grid=48",
        "design=charm-channel nodes=8 grid=48 odf=2",
        "design=charm-messaging nodes=2 grid=48",
        "design=openmpi-d nodes=8 grid=48",
        "design=charm4py-d nodes=4 grid=48",
        "design=charm-h nodes=4 grid=48 odf=4 fusion=C graph=true",
    };
    int counted_on = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(settings); i++) {
        g_autofree char *text = g_strconcat(settings[i], " iterations=37 warmup=10", NULL);
        struct workload_run counted = good(8, text), simulated = exactly(8, text);
        counted_on += workload_run_measure(&counted, "iterations_run") < 37;
        g_assert_cmpint(workload_run_measure(&simulated, "iterations_run"), ==, 37);
        g_assert_cmpint(workload_run_measure(&counted, "iteration"), ==,
                        workload_run_measure(&simulated, "iteration"));
    }
    g_assert_cmpint(counted_on, >=, 4);
}

/* All iterations take the same time for twenty iterations, while copies that nobody waits for end a little earlier in each of them; then
 * a scheduler polls once less. What is counted on is longer by that poll, 0.15 % at most. */
static void test_hidden_transient(void)
{
    const char *text =
        "design=charm-channel nodes=4 grid=48 odf=4 fusion=C graph=true iterations=100 warmup=10";
    struct workload_run counted = good(8, text), simulated = exactly(8, text);
    int64_t counted_ps = workload_run_measure(&counted, "iteration"),
            iteration_ps = workload_run_measure(&simulated, "iteration");
    g_test_message("%d iterations: %d of %d ps",
                   (int)workload_run_measure(&counted, "iterations_run"), (int)counted_ps,
                   (int)iteration_ps);
    g_assert_cmpint(counted_ps, >=, iteration_ps);
    g_assert_cmpint(counted_ps - iteration_ps, <=, 200000); // cuda.event_query
}

/* Iterations that are taken to be steady are so: the run of all of them is within a tenth of a percent, with many blocks that wait
 * for each other. The last iterations have no next one beside them and tell nothing of the others. */
static void test_steady(void)
{
    static const char *const settings[] = {
        "design=charm-channel nodes=8 grid=96 odf=4",
        "design=charm-channel nodes=8 grid=384 odf=2 fusion=B",
        "design=charm-messaging nodes=8 grid=192 odf=8",
        "design=charm-h nodes=8 grid=384 odf=4",
        "design=openmpi-h nodes=8 grid=192",
        "design=ampi-d nodes=8 grid=192",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(settings); i++) {
        g_autofree char *text = g_strconcat(settings[i], " iterations=100 warmup=3 tolerance=0.005",
                                            NULL),
                        *all = g_strconcat(settings[i], " iterations=100 warmup=3", NULL);
        struct workload_run steady = good(8, text), simulated = exactly(8, all);
        double iteration_ps = (double)workload_run_measure(&simulated, "iteration");
        double off = (double)workload_run_measure(&steady, "iteration") / iteration_ps - 1;
        g_test_message("%d iterations: %+.3f %%",
                       (int)workload_run_measure(&steady, "iterations_run"), 100 * off);
        g_assert_cmpint(workload_run_measure(&steady, "iterations_run"), <, 30);
        g_assert_cmpfloat(ABS(off), <, 0.001);
    }
}

/* --- segments ------------------------------------------------------------------------------------- */

static sim_time in_segments(const char *settings, int64_t segment_bytes, int64_t segments)
{
    struct workload_run run;
    workload_run_init(&run, 8);
    run.machine.transport.kind = TRANSPORT_SEGMENT;
    run.machine.transport.segment_bytes = segment_bytes;
    run.machine.transport.segments = segments;
    workload_run_good(&run, &jacobi3d_workload, settings);
    return workload_run_measure(&run, "iteration");
}

/* The scenarios' segments, 64 KiB for faces of 4.5 MiB and 4 KiB for some of 72 KiB, sixteen of a face at most, move an
 * iteration by less than 1 % against as many segments of 4 KiB as it takes. */
static void test_segments(void)
{
    static const struct {
        const char *settings;
        int64_t segment_bytes;
    } cases[] = {
        {"design=charm-channel nodes=8 grid=768 iterations=6 warmup=2", 65536},
        {"design=charm-h nodes=8 grid=768 iterations=6 warmup=2", 65536},
        {"design=charm-channel nodes=8 grid=768 odf=4 iterations=6 warmup=2", 65536},
        {"design=charm-channel nodes=8 grid=96 iterations=20 warmup=2", 4096},
        {"design=openmpi-d nodes=8 grid=96 iterations=20 warmup=2", 4096},
        {"design=charm-channel nodes=8 grid=96 odf=4 iterations=20 warmup=2", 4096},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        double small_ps = (double)in_segments(cases[i].settings, 4096, INT64_C(1000000000));
        double coarse_ps = (double)in_segments(cases[i].settings, cases[i].segment_bytes, 16);
        g_test_message("%+.3f %%", 100 * (coarse_ps / small_ps - 1));
        g_assert_cmpfloat(ABS(coarse_ps / small_ps - 1), <, 0.01);
    }
}

/* --- refusals ------------------------------------------------------------------------------------- */

static void test_refused(void)
{
    static const char *const cases[][2] = {
        {"design=openmpi-d odf=2", "odf > 1 takes chares"},
        {"design=charm4py-d fusion=A", "fusion and graphs take a program that is not in Python"},
        {"exchange=peer_copies nodes=2", "take one node"},
        {"exchange=staged_copies overlap=true", "go with exchange"},
        {"design=charm-channel overlap=true", "overlap = true takes a program"},
        {"design=charm-channel nodes=3", "nodes are a power of two"},
        {"design=charm-channel nodes=8 scaling=strong grid=2 odf=64", "less than one cell"},
        {"design=charm4py-d nodes=2 grid=1048576", "cells; at most 1099511627776 are accepted"},
        {"design=openmpi-d completion=sync", "is of chares"},
        {"design=openmpi-d oversized_halo=true", "Charm4py's program"},
        {"design=charm-channel fusion=unpack graph=true", "graph = true goes with"},
        {"design=charm-channel grid=256 check=true", "check = true takes at most"},
        {"design=charm-channel nodes=1 gpus=2", "gpus = 2: a node of this machine has 1"},
        {"exchange=peer_copies design=charm4py-d", "take no design"},
        {"exchange=peer_copies optimised=false", "optimised go with exchange"},
        {"design=charm-channel fused_threads=sum", "takes a kernel for several faces"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct workload_run run;
        workload_run_init(&run, 8);
        g_assert_false(workload_run_text(&run, &jacobi3d_workload, cases[i][0]));
        if (strstr(last_words(), cases[i][1]) == NULL)
            g_error("%s: %s", cases[i][0], last_words());
    }
    struct workload_run exact;
    workload_run_init(&exact, 8);
    SOFTWARE(exact.machine)->exact = true;
    g_assert_false(
        workload_run_text(&exact, &jacobi3d_workload, "design=charm-channel tolerance=0.1"));
    g_assert_nonnull(strstr(last_words(), "tolerance has to be 0"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    test_designs_load();
    g_test_add_func("/jacobi3d/data", test_data);
    g_test_add_func("/jacobi3d/chares", test_chares);
    g_test_add_func("/jacobi3d/fusion", test_fusion);
    g_test_add_func("/jacobi3d/variants_of_ranks", test_variants_of_ranks);
    g_test_add_func("/jacobi3d/faults", test_faults);
    g_test_add_func("/jacobi3d/kernels", test_kernels);
    g_test_add_func("/jacobi3d/memory_bound", test_memory_bound);
    g_test_add_func("/jacobi3d/completion", test_completion);
    g_test_add_func("/jacobi3d/optimised", test_optimised);
    g_test_add_func("/jacobi3d/no-barrier", test_no_barrier);
    g_test_add_func("/jacobi3d/mapping", test_mapping);
    g_test_add_func("/jacobi3d/bytes_ahead", test_bytes_ahead);
    g_test_add_func("/jacobi3d/counted_on", test_counted_on);
    g_test_add_func("/jacobi3d/hidden_transient", test_hidden_transient);
    g_test_add_func("/jacobi3d/steady", test_steady);
    g_test_add_func("/jacobi3d/segments", test_segments);
    g_test_add_func("/jacobi3d/refused", test_refused);
    return g_test_run();
}
