/* SPDX-License-Identifier: BSD-3-Clause */
/* A kernel with in-kernel queues and kernels that ranks launch, on one GPU in one run: one dispatcher, the same
 * compute units, one memory. */
#include "../designs.h"
#include "../models/model_test.h"
#include "../software_test.h"
#include "models/job.h"
#include "protocols/shmem/device_library.h"
#include "protocols/shmem/symmetric_heap.h"

#define US PS_PER_US
#define PAYLOAD_BYTES 65536
#define PUTS 10

struct scene {
    struct bench bench;
    struct service *service;
    struct symmetric_heap *heap;
    address payload;
    struct kernel kernel;
    struct gpu_work work;
    struct job *job;
    struct kernel launched;
    bool has_kernel, has_rank;
    sim_time kernel_ps, rank_ps; /* when each had ended */
};

/* Computes and puts, again and again. */
static void compute_and_put(struct work_group *wg, void *argument)
{
    struct scene *scene = argument;
    struct device_context context;
    device_context_create(&context, scene->service, wg);
    for (int i = 0; i < PUTS; i++) {
        work_group_compute(wg, &scene->work);
        if (wg->index == 0)
            device_put(&context, &(struct device_transfer){.node = 1,
                                                           .local = scene->payload,
                                                           .remote = scene->payload,
                                                           .bytes = PAYLOAD_BYTES});
    }
    scene->kernel_ps = process_now(wg->process);
}

static void stop_at_end(struct process *self, void *argument)
{
    struct scene *scene = argument;
    if (!scene->kernel.is_finished)
        signal_wait(&scene->kernel.finished, self, "the kernel");
    service_stop(scene->service);
}

/* Launches a kernel and copies beside it. */
static void launch_and_copy(struct process *self, void *argument)
{
    (void)self;
    struct scene *scene = argument;
    struct job_process *rank = &scene->job->processes[0];
    struct cuda_stream *other = cuda_stream_new(rank->device, 0);
    cuda_launch(rank->stream, &rank->cpu, &scene->launched, NULL);
    cuda_copy_async(other, &rank->cpu, job_host_block(rank, BLOCK_PINNED, 1, 4000000),
                    job_device_block(rank, 2, 4000000), NULL);
    cuda_stream_synchronize(rank->stream, &rank->cpu);
    scene->rank_ps = cpu_now(&rank->cpu);
    cuda_stream_synchronize(other, &rank->cpu);
}

static void start_kernel(struct scene *scene)
{
    g_autoptr(GError) error = NULL;
    struct cluster *cluster = scene->bench.cluster;
    const struct design *design = design_named("comp-net");
    struct site *site = cluster_site(cluster, 0, 0);
    scene->service = service_new(cluster, site, design, 120, 1, 2, &error);
    g_assert_nonnull(scene->service);
    scene->heap = symmetric_heap_new(cluster, design, PAYLOAD_BYTES);
    scene->payload = symmetric_allocate(scene->heap, PAYLOAD_BYTES, STORE_PAYLOAD);
    scene->kernel = (struct kernel){
        .work_groups = 120, .threads = 64, .program = compute_and_put, .argument = scene};
    g_assert_true(gpu_launch(site->gpu, &scene->kernel, &error));
    process_spawn(scene->bench.sim->processes, "stop", stop_at_end, scene, 0, 0);
}

static void run_scene(struct scene *scene)
{
    GError *error = NULL;
    bench_start(&scene->bench, NODE_DISCRETE, software_tables());
    if (scene->has_kernel)
        start_kernel(scene);
    if (scene->has_rank) {
        scene->job = job_new(scene->bench.cluster, &(struct job_place){.node = 0}, 1, &error);
        g_assert_no_error(error);
        job_start(scene->job, 0, launch_and_copy, scene);
    }
    g_assert_cmpint(sim_run(scene->bench.sim), ==, SIM_FINISHED);
    job_free(scene->job);
    service_free(scene->service);
    symmetric_heap_free(scene->heap);
    bench_end(&scene->bench);
}

static struct scene scene_of(bool has_kernel, bool has_rank, struct gpu_work work, int64_t launched)
{
    struct scene scene = {.has_kernel = has_kernel, .has_rank = has_rank, .work = work};
    scene.launched = (struct kernel){.work_groups = launched, .threads = 64, .work = work};
    run_scene(&scene);
    return scene;
}

/* Both want all of the memory: beside each other each takes longer, and what they do in all as long as before. */
static void test_memory_is_shared(void)
{
    struct gpu_work work = {.bytes = 426667,
                            .memory_bytes = 426667}; /* 100 us of the memory for 120 */
    struct scene alone = scene_of(true, false, work, 0), rank = scene_of(false, true, work, 1200);
    struct scene both = scene_of(true, true, work, 1200);
    g_assert_cmpint(alone.kernel_ps, >, 1000 * US);
    g_assert_cmpint(rank.rank_ps, >, 1000 * US);
    g_assert_cmpint(both.kernel_ps, >, alone.kernel_ps + 700 * US);
    g_assert_cmpint(both.rank_ps, >, rank.rank_ps + 200 * US);
    g_assert_cmpint(MAX(both.kernel_ps, both.rank_ps), <, alone.kernel_ps + rank.rank_ps + 20 * US);
    g_assert_cmpint(MAX(both.kernel_ps, both.rank_ps), >, 2000 * US);
}

/* The rank's work-groups get the places that the kernel leaves: 480 of 64 work-items less 120. */
static void test_places_are_shared(void)
{
    struct gpu_work work = {.latency_ps = 100 * US};
    struct scene alone = scene_of(false, true, work, 480), both = scene_of(true, true, work, 480);
    g_assert_cmpint(both.rank_ps, ==, alone.rank_ps + 100 * US); /* two rounds instead of one */
    struct scene fits = scene_of(true, true, work, 360);
    g_assert_cmpint(fits.rank_ps, ==, alone.rank_ps);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    test_designs_load();
    g_test_add_func("/one_gpu/memory_is_shared", test_memory_is_shared);
    g_test_add_func("/one_gpu/places_are_shared", test_places_are_shared);
    return g_test_run();
}
