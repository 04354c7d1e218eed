/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernel launch, occupancy and dispatch: formulas give which work-group runs at which time. */
#include "model_test.h"

struct log {
    struct bench bench;
    sim_time start_ps[1024];
    int64_t unit[1024];
    int64_t running, most;
    sim_time work_ps;
};

static void work(struct work_group *wg, void *argument)
{
    struct log *log = argument;
    log->start_ps[wg->index] = process_now(wg->process);
    log->unit[wg->index] = wg->compute_unit;
    if (++log->running > log->most)
        log->most = log->running;
    process_sleep(wg->process, log->work_ps);
    log->running--;
}

static void launch(struct log *log, struct kernel *kernel)
{
    g_autoptr(GError) error = NULL;
    kernel->program = work;
    kernel->argument = log;
    g_assert_true(gpu_launch(cluster_site(log->bench.cluster, 0, 0)->gpu, kernel, &error));
}

static int64_t occupancy(const struct gpu_spec *spec, int64_t threads)
{
    return gpu_kernel_occupancy(spec, &(struct kernel){.threads = threads});
}

/* 480 work-groups of 64 work-items fill 12 CUs of 40 wavefronts (ComPNet18 section 5.2, N-43). */
static void test_occupancy(void)
{
    struct machine_spec spec;
    machine_spec_init(&spec, NULL);
    g_assert_cmpint(occupancy(&spec.gpu, 64), ==, 480);
    g_assert_cmpint(occupancy(&spec.gpu, 65), ==, 240);
    g_assert_cmpint(occupancy(&spec.gpu, 1), ==, 480);
    g_assert_cmpint(occupancy(&spec.gpu, 64 * 40), ==, 12);
    g_assert_cmpint(occupancy(&spec.gpu, 64 * 41), ==, 0);
}

/* All work-groups that fit start together, `kernel_launch` after the doorbell; the host learns of the end
 * `kernel_end` after the last one. */
static void test_launch_times(void)
{
    struct log log = {.work_ps = 5 * PS_PER_US};
    struct kernel kernel = {.work_groups = 24, .threads = 64};
    bench_start(&log.bench, NODE_DISCRETE, NULL);
    const struct gpu_spec *gpu = &log.bench.spec.gpu;
    launch(&log, &kernel);
    g_assert_cmpint(sim_run(log.bench.sim), ==, SIM_FINISHED);
    g_assert_true(kernel.is_finished);
    for (int i = 0; i < 24; i++) {
        g_assert_cmpint(log.start_ps[i], ==, gpu->kernel_launch_ps);
        g_assert_cmpint(log.unit[i], ==, i % 12); /* round robin */
    }
    g_assert_cmpint(sim_now(log.bench.sim), ==,
                    gpu->kernel_launch_ps + log.work_ps + gpu->kernel_end_ps);
    bench_end(&log.bench);
}

/* Twice as many as fit run in two waves. */
static void test_oversubscription(void)
{
    struct log log = {.work_ps = 5 * PS_PER_US};
    struct kernel kernel = {.work_groups = 960, .threads = 64};
    bench_start(&log.bench, NODE_DISCRETE, NULL);
    const struct gpu_spec *gpu = &log.bench.spec.gpu;
    launch(&log, &kernel);
    sim_run(log.bench.sim);
    g_assert_cmpint(log.most, ==, 480);
    g_assert_cmpint(log.start_ps[479], ==, gpu->kernel_launch_ps);
    g_assert_cmpint(log.start_ps[480], ==, gpu->kernel_launch_ps + log.work_ps);
    bench_end(&log.bench);
}

/* Kernels of one GPU run one after the other. */
static void test_kernels_in_order(void)
{
    struct log log = {.work_ps = PS_PER_US};
    struct kernel first = {.work_groups = 1, .threads = 64};
    struct kernel second = {.work_groups = 1, .threads = 64};
    bench_start(&log.bench, NODE_DISCRETE, NULL);
    const struct gpu_spec *gpu = &log.bench.spec.gpu;
    launch(&log, &first);
    launch(&log, &second);
    sim_run(log.bench.sim);
    g_assert_cmpint(log.start_ps[0], ==, 2 * gpu->kernel_launch_ps + log.work_ps);
    g_assert_true(first.is_finished && second.is_finished);
    bench_end(&log.bench);
}

/* Kernels of different streams run side by side and share the wavefronts' places; a resident kernel is
 * in no stream and holds its place until it ends. */
static void test_streams(void)
{
    struct log log = {.work_ps = PS_PER_US};
    struct log resident_log = {.work_ps = 20 * PS_PER_US};
    struct kernel resident = {.work_groups = 1, .threads = 64, .name = "agent"};
    struct kernel first = {.work_groups = 479, .threads = 64, .stream = 1};
    struct kernel other = {.work_groups = 1, .threads = 64, .stream = 2};
    struct kernel second = {.work_groups = 1, .threads = 64, .stream = 1};
    bench_start(&log.bench, NODE_DISCRETE, NULL);
    struct gpu *gpu = cluster_site(log.bench.cluster, 0, 0)->gpu;
    sim_time launch_ps = gpu_spec_of(gpu)->kernel_launch_ps;
    g_autoptr(GError) error = NULL;
    resident.program = work;
    resident.argument = &resident_log;
    g_assert_true(gpu_launch(gpu, &resident, &error));
    launch(&log, &first);
    launch(&log, &other);
    launch(&log, &second);
    g_assert_cmpint(gpu_room(gpu, 64), ==, 479);
    g_assert_true(gpu_kernel(gpu) == &first);
    sim_run(log.bench.sim);
    g_assert_cmpint(resident_log.start_ps[0], ==, launch_ps);
    g_assert_cmpint(log.most, ==, 479); /* `other` waits for one of the first's places */
    g_assert_cmpint(log.start_ps[478], ==, launch_ps);
    g_assert_cmpint(log.start_ps[0], ==,
                    2 * launch_ps + log.work_ps); /* `second`, the last to start */
    g_assert_true(first.is_finished && other.is_finished && second.is_finished);
    bench_end(&log.bench);
}

/* With room for both, kernels of two streams start together. */
static void test_streams_side_by_side(void)
{
    struct log log = {.work_ps = PS_PER_US};
    struct kernel first = {.work_groups = 10, .threads = 64, .stream = 1};
    struct kernel other = {.work_groups = 10, .threads = 64, .stream = 2};
    bench_start(&log.bench, NODE_DISCRETE, NULL);
    launch(&log, &first);
    launch(&log, &other);
    sim_run(log.bench.sim);
    g_assert_cmpint(log.most, ==, 20);
    bench_end(&log.bench);
}

static void test_too_large(void)
{
    struct bench bench;
    bench_start(&bench, NODE_DISCRETE, NULL);
    struct kernel kernel = {.work_groups = 1, .threads = 64 * 41, .program = work};
    g_autoptr(GError) error = NULL;
    g_assert_false(gpu_launch(cluster_site(bench.cluster, 0, 0)->gpu, &kernel, &error));
    g_assert_cmpstr(error->message, ==,
                    "a kernel of 1 work-groups of 2624 work-items does not fit a compute unit of "
                    "40 wavefronts of 64 lanes");
    bench_end(&bench);
}

/* A cooperative kernel runs all at once, or is refused. */
static void test_cooperative(void)
{
    struct log log = {.work_ps = PS_PER_US};
    struct kernel kernel = {.work_groups = 480, .threads = 64, .is_cooperative = true};
    bench_start(&log.bench, NODE_DISCRETE, NULL);
    launch(&log, &kernel);
    sim_run(log.bench.sim);
    g_assert_cmpint(log.most, ==, 480);
    struct kernel larger = {.work_groups = 241, .threads = 65, .is_cooperative = true};
    g_autoptr(GError) error = NULL;
    g_assert_false(gpu_launch(cluster_site(log.bench.cluster, 0, 0)->gpu, &larger, &error));
    g_assert_cmpstr(
        error->message, ==,
        "a cooperative kernel of 241 work-groups of 65 work-items does not fit at once: "
        "240 fit on 12 compute units of 40 wavefronts");
    bench_end(&log.bench);
}

/* A work-group that waits for one that has no room: found as a deadlock, not a hang (M-076). */
static void wait_for_the_last(struct work_group *wg, void *argument)
{
    struct signal *last_has_come = argument;
    if (wg->index == wg->kernel->work_groups - 1)
        signal_all(last_has_come);
    else
        signal_wait(last_has_come, wg->process, "the last work-group");
}

static void test_deadlock(void)
{
    struct bench bench;
    struct signal last_has_come;
    g_autoptr(GError) error = NULL;
    for (int64_t work_groups = 480; work_groups <= 481; work_groups++) {
        bench_start(&bench, NODE_DISCRETE, NULL);
        signal_init(&last_has_come);
        struct kernel kernel = {.work_groups = work_groups,
                                .threads = 64,
                                .program = wait_for_the_last,
                                .argument = &last_has_come};
        g_assert_true(gpu_launch(cluster_site(bench.cluster, 0, 0)->gpu, &kernel, &error));
        enum sim_end end = sim_run(bench.sim);
        g_assert_cmpint(end, ==, work_groups == 480 ? SIM_FINISHED : SIM_DEADLOCK);
        if (end == SIM_DEADLOCK) {
            char *report = sim_deadlock_report(bench.sim, 1);
            g_assert_nonnull(strstr(report, "node0.gpu.wg0"));
            g_assert_nonnull(strstr(report, "the last work-group"));
            g_free(report);
        }
        bench_end(&bench);
    }
}

/* --- units as runs -------------------------------------------------------------------------------- */

enum { UNITS = 12 };

static void take_each(struct unit_room *rooms, int64_t first, int64_t end, struct unit_room needs,
                      int32_t count)
{
    for (int64_t unit = first; unit < end; unit++)
        unit_room_take(&rooms[unit], needs, count);
}

/* Runs hold the same as an array of all units, whatever is taken and given back, in no more runs than are needed. */
static void test_unit_runs(void)
{
    struct unit_run runs[UNITS] = {{UNITS, {1000, 2000, 3000, 4000}}};
    struct unit_room rooms[UNITS];
    g_autoptr(GRand) rand = g_rand_new_with_seed(7);
    for (int unit = 0; unit < UNITS; unit++)
        rooms[unit] = runs[0].room;
    for (int trial = 0; trial < 2000; trial++) {
        int64_t first = g_rand_int_range(rand, 0, UNITS),
                end = first + g_rand_int_range(rand, 0, UNITS - (int)first + 1);
        struct unit_room needs = {1, 2, g_rand_int_range(rand, 0, 2), 4};
        int32_t count = g_rand_int_range(rand, -2, 3);
        unit_runs_take(runs, UNITS, first, end, needs, count);
        take_each(rooms, first, end, needs, count);
        for (int unit = 0; unit < UNITS; unit++)
            g_assert_cmpint(memcmp(&unit_run_of(runs, unit)->room, &rooms[unit], sizeof *rooms), ==,
                            0);
        for (const struct unit_run *run = runs; run->end < UNITS; run++)
            g_assert_cmpint(memcmp(&rooms[run->end - 1], &rooms[run->end], sizeof *rooms), !=, 0);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/dispatch/unit-runs", test_unit_runs);
    g_test_add_func("/dispatch/occupancy", test_occupancy);
    g_test_add_func("/dispatch/launch-times", test_launch_times);
    g_test_add_func("/dispatch/oversubscription", test_oversubscription);
    g_test_add_func("/dispatch/kernels-in-order", test_kernels_in_order);
    g_test_add_func("/dispatch/streams", test_streams);
    g_test_add_func("/dispatch/streams-side-by-side", test_streams_side_by_side);
    g_test_add_func("/dispatch/too-large", test_too_large);
    g_test_add_func("/dispatch/cooperative", test_cooperative);
    g_test_add_func("/dispatch/deadlock", test_deadlock);
    return g_test_run();
}
