/* SPDX-License-Identifier: BSD-3-Clause */
/* Work-groups that compute: alone their time follows the roofline, with others it follows from their shares, and many equal
 * work-groups that are counted as one take the same time. */
#include <glib.h>
#include <string.h>

#include "../sanitized.h"
#include "model_test.h"

#define US PS_PER_US

struct gpu_bench {
    struct bench bench;
    struct gpu *gpu;
    const struct gpu_spec *spec;
};

static void start(struct gpu_bench *bench)
{
    bench_start(&bench->bench, NODE_DISCRETE, NULL);
    bench->gpu = cluster_site(bench->bench.cluster, 0, 0)->gpu;
    bench->spec = gpu_spec_of(bench->gpu);
}

static void launch(struct gpu_bench *bench, struct kernel *kernel)
{
    g_autoptr(GError) error = NULL;
    kernel->is_queued = true;
    bool good = gpu_launch(bench->gpu, kernel, &error);
    g_assert_no_error(error);
    g_assert_true(good);
}

static sim_time run(struct gpu_bench *bench)
{
    g_assert_cmpint(sim_run(bench->bench.sim), ==, SIM_FINISHED);
    return sim_now(bench->bench.sim);
}

/* How long a lone kernel takes, without launch and end. */
static sim_time time_of(struct kernel kernel)
{
    struct gpu_bench bench;
    start(&bench);
    launch(&bench, &kernel);
    sim_time took_ps = run(&bench);
    g_assert_true(kernel.is_finished);
    bench_end(&bench.bench);
    return took_ps;
}

/* Rounding of each of several sums. */
static void assert_near(sim_time a_ps, sim_time b_ps, sim_time by_ps)
{
    if (ABS(a_ps - b_ps) > by_ps)
        g_error("%lld ps, expected %lld", (long long)a_ps, (long long)b_ps);
}

/* 12 CUs at 1.5 GHz: a work-group of 64 has one SIMD of four, 32 flops a cycle. */
static void test_flops(void)
{
    struct kernel kernel = {.work_groups = 1, .threads = 64, .work = {.flops = 48000000}};
    assert_near(time_of(kernel), 1000 * US, 1); /* 48 M at 48 GFLOP/s */
    kernel.work_groups = 12;
    assert_near(time_of(kernel), 1000 * US, 1); /* one a CU */
    kernel.work_groups = 48;
    assert_near(time_of(kernel), 1000 * US, 1); /* one a SIMD */
    kernel.work_groups = 480;
    assert_near(time_of(kernel), 10000 * US, 1);
    kernel.work_groups = 1;
    kernel.threads = 256;
    assert_near(time_of(kernel), 250 * US, 1); /* all SIMDs of a CU */
}

/* One CU's way carries 96 GB/s; its 10 wavefronts have 10 KiB in flight in 208 ns. */
static void test_bytes(void)
{
    struct kernel kernel = {.work_groups = 1, .threads = 640, .work = {.bytes = 9600000}};
    assert_near(time_of(kernel), 100 * US, 1);
    kernel.work.memory_bytes = 9600000;
    sim_time latency_ps = cycles_ps(12 + 150, 1500000000) + 100 * PS_PER_NS;
    sim_time expected_ps = muldiv_ceil(9600000, latency_ps, 10240);
    assert_near(time_of(kernel), expected_ps, 1);
    kernel.work_groups = 48; /* as many as fit: the GPU's 512 GB/s */
    assert_near(time_of(kernel), transfer_ps(48 * 9600000, INT64_C(512000000000)), 1);
}

/* A kernel of 480 wavefronts that load or store 10,000 pieces each; how long it takes. Of each piece memory moves a sector of 32 B, or
 * more if it is longer. */
static sim_time time_of_pieces(int64_t bytes, int64_t stride_bytes, bool are_stored)
{
    struct machine_spec spec;
    machine_spec_init(&spec, NULL);
    struct gpu_pieces pieces = {10000, MAX(bytes, 32), stride_bytes, are_stored};
    int64_t moved_bytes = pieces.count * pieces.bytes;
    struct kernel kernel = {
        .work_groups = 480,
        .threads = 64,
        .work = {.memory_bytes = moved_bytes, .row_bytes = gpu_row_bytes(&spec.gpu, &pieces)}};
    return time_of(kernel);
}

/* 4.8 M pieces on 32 channels: apart a piece takes its channel 5.06 ns to load and 12 ns to store; nearer ones share rows, until their
 * bytes take longer, at 512 GB/s. */
static void test_pieces(void)
{
    sim_time bytes_ps = transfer_ps(4800000 * 32, INT64_C(512000000000)), off_ps = 10000;
    assert_near(time_of_pieces(8, 2048, false), 4800000 / 32 * 5060, off_ps);
    assert_near(time_of_pieces(8, 2048, true), 4800000 / 32 * 12000, off_ps);
    assert_near(time_of_pieces(8, 128, true), 4800000 / 32 * 6000, off_ps);
    assert_near(time_of_pieces(8, 64, false), bytes_ps, off_ps);
    assert_near(time_of_pieces(8192, 16384, true), 256 * bytes_ps, off_ps);
}

/* Pieces and a stream of bytes share the channels: both are over when the channels have had time for both. */
static void test_pieces_beside_bytes(void)
{
    struct gpu_bench bench;
    start(&bench);
    struct gpu_pieces pieces = {40000, 32, 4096, false};
    struct kernel one = {.work_groups = 120, .threads = 64, .stream = 1};
    struct kernel other = {.work_groups = 120, .threads = 128, .stream = 2};
    one.work =
        (struct gpu_work){.memory_bytes = 1280000, .row_bytes = gpu_row_bytes(bench.spec, &pieces)};
    other.work = (struct gpu_work){.memory_bytes = 1280000};
    launch(&bench, &one);
    launch(&bench, &other);
    assert_near(run(&bench), 300 * US + 4800000 / 32 * 5060, 10000);
    bench_end(&bench.bench);
}

/* The roofline: the longest of the three, and no less than an access. */
static void test_roofline(void)
{
    struct kernel kernel = {.work_groups = 12,
                            .threads = 256,
                            .work = {.flops = 192000, .bytes = 96000, .memory_bytes = 64}};
    assert_near(time_of(kernel), US, 1); /* flops: 192 GFLOP/s a CU; bytes: 1 us, too */
    kernel.work.flops *= 3;
    assert_near(time_of(kernel), 3 * US, 1);
    kernel.work = (struct gpu_work){.bytes = 64, .memory_bytes = 64};
    g_assert_cmpint(time_of(kernel), ==, cycles_ps(162, 1500000000) + 100 * PS_PER_NS);
    kernel.work.latency_ps = 7 * US;
    g_assert_cmpint(time_of(kernel), ==, 7 * US);
}

/* Registers and LDS leave fewer places: 64 KiB of registers a work-group are 4 a CU, 40 KiB of LDS one. */
static void test_occupancy(void)
{
    struct machine_spec spec;
    machine_spec_init(&spec, NULL);
    struct kernel kernel = {.threads = 256, .registers = 64};
    g_assert_cmpint(gpu_kernel_occupancy(&spec.gpu, &kernel), ==, 4 * 12);
    kernel.registers = 0;
    g_assert_cmpint(gpu_kernel_occupancy(&spec.gpu, &kernel), ==, 10 * 12);
    kernel.lds_bytes = 40960;
    g_assert_cmpint(gpu_kernel_occupancy(&spec.gpu, &kernel), ==, 12);
    kernel = (struct kernel){
        .work_groups = 24, .threads = 256, .lds_bytes = 40960, .work = {.latency_ps = US}};
    assert_near(time_of(kernel), 2 * US, 0); /* two rounds */
    g_autoptr(GError) error = NULL;
    kernel.lds_bytes = 65537;
    g_assert_false(gpu_kernel_fits(&spec.gpu, &kernel, &error));
    g_assert_nonnull(strstr(error->message, "LDS"));
}

/* Two kernels of different streams share the memory by their wavefronts; then the one left has it. */
static void test_streams_share(void)
{
    struct gpu_bench bench;
    struct kernel one = {.work_groups = 120, .threads = 64, .stream = 1};
    struct kernel three = {.work_groups = 120, .threads = 192, .stream = 2};
    one.work = (struct gpu_work){.memory_bytes = 1280000}; /* 153.6 MB: 300 us of the memory */
    three.work = (struct gpu_work){.memory_bytes = 1280000};
    start(&bench);
    launch(&bench, &one);
    launch(&bench, &three);
    while (!three.is_finished)
        event_run_one(bench.bench.sim->events);
    assert_near(sim_now(bench.bench.sim), 400 * US, 2); /* at three quarters */
    g_assert_false(one.is_finished);
    assert_near(run(&bench), 600 * US, 2);
    bench_end(&bench.bench);
}

static void compute_some(struct work_group *wg, void *argument)
{
    work_group_compute(wg, argument);
}

/* A resident kernel's work slows a kernel beside it on its CU down, and is slowed down by it. */
static void test_resident_beside(void)
{
    struct gpu_bench bench;
    struct gpu_work work = {.flops = 192000000}; /* 4 ms of a SIMD */
    struct kernel resident = {.work_groups = 1,
                              .threads = 64,
                              .program = compute_some,
                              .argument = &work,
                              .name = "agent"};
    struct kernel other = {.work_groups = 12, .threads = 256, .work = {.flops = 192000000}};
    start(&bench);
    launch(&bench, &resident);
    launch(&bench, &other);
    while (!other.is_finished)
        event_run_one(bench.bench.sim->events);
    /* Five wavefronts on four SIMDs have 0.8 of one each: the kernel's 1 ms takes 1.25, 1 ms of the agent's 4 is done. */
    assert_near(sim_now(bench.bench.sim), 1250 * US, 2);
    assert_near(run(&bench), 1250 * US + 3000 * US, 2);
    bench_end(&bench.bench);
}

/* --- counted as one by one ---------------------------------------------------------------------- */

/* Kernels of several streams, launched one after the other. */
struct launcher {
    struct gpu_bench bench;
    struct kernel kernels[6];
    sim_time ends_ps[6];
    sim_time gap_ps;
    int count;
};

static void note_end(void *argument)
{
    struct launcher *launcher = ((void **)argument)[0];
    size_t number = (size_t)((void **)argument)[1];
    launcher->ends_ps[number] = sim_now(launcher->bench.bench.sim);
}

static void launch_all(struct process *self, void *argument)
{
    struct launcher *launcher = argument;
    for (int i = 0; i < launcher->count; i++) {
        launch(&launcher->bench, &launcher->kernels[i]);
        process_sleep(self, launcher->gap_ps);
    }
}

/* All of them; with `programs` each work-group is a process, one after the other as CUs have room. */
static void run_all(struct launcher *launcher, bool programs)
{
    void *notes[6][2];
    struct gpu_work works[6];
    start(&launcher->bench);
    for (int i = 0; i < launcher->count; i++) {
        struct kernel *kernel = &launcher->kernels[i];
        works[i] = kernel->work;
        notes[i][0] = launcher;
        notes[i][1] = (void *)(size_t)i;
        kernel->done = note_end;
        kernel->done_argument = notes[i];
        kernel->program = programs ? compute_some : NULL;
        kernel->argument = &works[i];
    }
    bench_run(&launcher->bench.bench, launch_all, launcher);
    bench_end(&launcher->bench.bench);
}

/* The same kernels counted and one by one: each ends at the same time within `percent` of its own. */
static void compare(const struct kernel *kernels, int count, sim_time gap_ps, double percent)
{
    struct launcher counted = {.count = count, .gap_ps = gap_ps}, single = counted;
    for (int i = 0; i < count; i++)
        counted.kernels[i] = single.kernels[i] = kernels[i];
    run_all(&counted, false);
    run_all(&single, true);
    for (int i = 0; i < count; i++) {
        double off =
            100 * (double)(counted.ends_ps[i] - single.ends_ps[i]) / (double)single.ends_ps[i];
        if (ABS(off) > percent)
            g_error("kernel %d ends at %lld ps counted, %lld one by one: %.2f %%", i,
                    (long long)counted.ends_ps[i], (long long)single.ends_ps[i], off);
    }
}

/* Lone kernels of any size and mix, the last round full or not: to the rounding of each round. */
static void test_counted_alone(void)
{
    static const struct gpu_work works[] = {{.flops = 300000},
                                            {.bytes = 70000, .memory_bytes = 70000},
                                            {.flops = 90000, .bytes = 40000, .memory_bytes = 12800},
                                            {.latency_ps = 3 * US}};
    static const int64_t sizes[] = {1, 7, 12, 100, 479, 480, 481, 960, 1337, 4800};
    for (size_t w = 0; w < G_N_ELEMENTS(works); w++)
        for (size_t s = 0; s < G_N_ELEMENTS(sizes); s++) {
            if (!is_sampled(w + s, 4))
                continue;
            struct kernel kernel = {
                .work_groups = sizes[s], .threads = s % 2 ? 64 : 256, .work = works[w]};
            compare(&kernel, 1, 0, 0.01);
        }
}

/* Kernels that come while others are at work, with more rounds than fit: those that have not begun move to places that
 * become free, and the urgent one is not held up by them. What is left is that a counted round ends as a whole. */
static void test_counted_together(void)
{
    static const struct kernel kernels[] = {
        {.work_groups = 300, .threads = 64, .stream = 1, .work = {.flops = 2000000}},
        {.work_groups = 3000,
         .threads = 64,
         .stream = 2,
         .work = {.bytes = 40000, .memory_bytes = 40000}},
        {.work_groups = 40, .threads = 256, .stream = 3, .priority = -1, .work = {.flops = 400000}},
        {.work_groups = 700,
         .threads = 128,
         .stream = 4,
         .work = {.flops = 40000, .memory_bytes = 9000}},
    };
    compare(kernels, 2, 5 * US, 1);
    compare(kernels, 4, 5 * US, 6);
    compare(kernels + 1, 2, 60 * US, 3);
}

/* The 3,000 wait behind an urgent one for at most the round that is at work. */
static void test_urgent(void)
{
    struct launcher launcher = {.count = 2, .gap_ps = 50 * US};
    launcher.kernels[0] = (struct kernel){
        .work_groups = 48000, .threads = 64, .stream = 1, .work = {.latency_ps = 10 * US}};
    launcher.kernels[1] = (struct kernel){.work_groups = 12,
                                          .threads = 64,
                                          .stream = 2,
                                          .priority = -1,
                                          .work = {.latency_ps = 10 * US}};
    run_all(&launcher, false);
    g_assert_cmpint(launcher.ends_ps[1], ==, 70 * US);
    g_assert_cmpint(launcher.ends_ps[0], ==,
                    1010 * US); /* 12 places less for a round: one more round */
}

/* One event a kernel, not one a work-group. */
static void test_counted_events(void)
{
    struct gpu_bench bench;
    struct kernel kernel = {.work_groups = 1000001, .threads = 64, .work = {.flops = 1000}};
    start(&bench);
    uint64_t before = event_executed(bench.bench.sim->events);
    launch(&bench, &kernel);
    run(&bench);
    g_assert_cmpuint(event_executed(bench.bench.sim->events) - before, <, 10);
    bench_end(&bench.bench);
}

/* A copy at 64 GB/s and a kernel that could take all of 512 GB/s ask for 9 / 8 of the memory: both get 8 / 9. */
static void test_copy_shares(void)
{
    struct gpu_bench bench;
    struct kernel kernel = {
        .work_groups = 480, .threads = 64, .work = {.memory_bytes = 1066667}}; /* 1 ms */
    struct dram_flow copy = {.dram = NULL};
    start(&bench);
    launch(&bench, &kernel);
    event_run_one(bench.bench.sim->events);
    dram_flow_begin(&copy, gpu_memory(bench.gpu)->dram, 0, 32000000,
                    INT64_C(64000000000)); /* 500 us of the link */
    assert_near(dram_flow_end_ps(&copy, 0), 562500000, PS_PER_NS);
    assert_near(run(&bench), 1062500000, 2 * PS_PER_NS);
    bench_end(&bench.bench);
}

/* What the copy takes, alone or beside others, is its link's time, however many wavefronts there is place for and whatever they keep in
 * flight: neither says anything of a memory in which no kernel is at work. */
static void test_copies_alone(void)
{
    static const int64_t places[] = {1, 480, 100000}, wave_bytes[] = {64, 1024, 1048576};
    for (size_t i = 0; i < G_N_ELEMENTS(places) * G_N_ELEMENTS(wave_bytes); i++) {
        struct dram dram = {.latency_ps = 0};
        struct dram_flow first = {.dram = NULL}, second = {.dram = NULL};
        dram_init(&dram, 100 * PS_PER_NS, INT64_C(512000000000));
        dram_set_wavefronts(&dram, wave_bytes[i / G_N_ELEMENTS(places)], 208 * PS_PER_NS,
                            places[i % G_N_ELEMENTS(places)]);
        dram_flow_begin(&first, &dram, 0, 32000000, INT64_C(64000000000));
        assert_near(dram_flow_end_ps(&first, 0), 500 * US, 1);
        dram_flow_begin(&second, &dram, 100 * US, 32000000, INT64_C(32000000000));
        assert_near(dram_flow_end_ps(&first, 100 * US), 500 * US, 1);
        assert_near(dram_flow_end_ps(&second, 100 * US), 1100 * US, 1);
    }
}

/* A kernel goes faster than the copy's link beside it; when it has ended, the copy gets its link's rate again. */
static void test_copy_after_kernel(void)
{
    struct dram dram = {.latency_ps = 0};
    struct dram_flow copy = {.dram = NULL};
    struct shared_job kernel = {.is_counted = true};
    dram_init(&dram, 100 * PS_PER_NS, INT64_C(512000000000));
    dram_set_wavefronts(&dram, 4096, 208 * PS_PER_NS, 480);
    shared_rate_begin(&dram.flows, &kernel, 0, 44800000, 420);
    /* weights 420 and 480 / 8: 448 and 64 GB/s, until the kernel ends after 100 us */
    dram_flow_begin(&copy, &dram, 0, 32000000, INT64_C(64000000000));
    assert_near(shared_rate_end_ps(&dram.flows, &kernel, 0), 100 * US, 1);
    assert_near(dram_flow_end_ps(&copy, 0), 500 * US, 1);
    assert_near(dram_flow_end_ps(&copy, 200 * US), 500 * US, 1);
}

/* 100 work-groups, three of which run a program; one of these computes for the other 97. */
static int64_t programs_seen;
static void compute_for_all(struct work_group *wg, void *argument)
{
    programs_seen++;
    if (wg->index == 2)
        work_group_compute_many(wg, argument, 98);
    else
        work_group_compute(wg, argument);
}

static void test_programs(void)
{
    struct gpu_bench bench;
    struct gpu_work work = {.flops = 480000};
    struct kernel kernel = {.work_groups = 480,
                            .threads = 64,
                            .program = compute_for_all,
                            .argument = &work,
                            .programs = 3};
    struct kernel behind = {
        .work_groups = 1, .threads = 64, .stream = 2, .work = {.latency_ps = US}};
    start(&bench);
    programs_seen = 0;
    launch(&bench, &kernel);
    launch(&bench, &behind); /* all places are held */
    while (!kernel.is_finished)
        event_run_one(bench.bench.sim->events);
    g_assert_cmpint(programs_seen, ==, 3);
    sim_time kernel_ps = sim_now(bench.bench.sim);
    /* 98 and 2 on 12 CUs: 9 or 10 on one of them, of 10 us each on four SIMDs */
    g_assert_cmpint(kernel_ps, >=, 20 * US);
    g_assert_cmpint(kernel_ps, <=, 25 * US);
    g_assert_false(behind.is_finished);
    assert_near(run(&bench), kernel_ps + US, 2);
    bench_end(&bench.bench);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/compute/flops", test_flops);
    g_test_add_func("/compute/bytes", test_bytes);
    g_test_add_func("/compute/pieces", test_pieces);
    g_test_add_func("/compute/pieces_beside_bytes", test_pieces_beside_bytes);
    g_test_add_func("/compute/roofline", test_roofline);
    g_test_add_func("/compute/occupancy", test_occupancy);
    g_test_add_func("/compute/streams_share", test_streams_share);
    g_test_add_func("/compute/resident_beside", test_resident_beside);
    g_test_add_func("/compute/counted_alone", test_counted_alone);
    g_test_add_func("/compute/counted_together", test_counted_together);
    g_test_add_func("/compute/urgent", test_urgent);
    g_test_add_func("/compute/counted_events", test_counted_events);
    g_test_add_func("/compute/copies_alone", test_copies_alone);
    g_test_add_func("/compute/copy_after_kernel", test_copy_after_kernel);
    g_test_add_func("/compute/copy_shares", test_copy_shares);
    g_test_add_func("/compute/programs", test_programs);
    return g_test_run();
}
