/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies of a process that has its GPUs for itself: by formula, by kind of memory, through mapped memory. */
#include "cuda_test.h"

/* --- lone copies ---------------------------------------------------------------------------------- */

static const int64_t sizes[] = {0, 1, 1000, 65536, 65537, 4 * MB};

static void copies_up(struct process *self, void *argument)
{
    (void)self;
    struct scene *scene = argument;
    begin(scene);
    cuda_copy(scene->stream, &scene->cpu, scene->gpu0, scene->host);
    end(scene);
}

static void copies_down(struct process *self, void *argument)
{
    (void)self;
    struct scene *scene = argument;
    begin(scene);
    cuda_copy(scene->stream, &scene->cpu, scene->host, scene->gpu0);
    end(scene);
}

static void copies_to_peer(struct process *self, void *argument)
{
    (void)self;
    struct scene *scene = argument;
    begin(scene);
    cuda_copy(scene->stream, &scene->cpu, scene->gpu1, scene->gpu0);
    end(scene);
}

static void test_lone_copy(void)
{
    const struct {
        process_fn *program;
        int link;
    } ways[] = {{copies_up, HOST_GPU0}, {copies_down, HOST_GPU0}, {copies_to_peer, PEER}};
    for (int kind = TRANSPORT_FLOW; kind <= TRANSPORT_SEGMENT; kind++)
        for (size_t way = 0; way < G_N_ELEMENTS(ways); way++)
            for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
                struct scene *scene = scene_new((enum transport_kind)kind, sizes[i]);
                scene_run(scene, ways[way].program);
                sim_time core_ps = scene->spec.copy_call_ps + scene->spec.synchronize_ps;
                assert_near(scene->took_ps, core_ps + engine_ps(scene, ways[way].link, sizes[i]));
                g_assert_cmpint(scene->cpu.time_ps[CPU_CUDA], ==, scene->took_ps);
                g_assert_false(scene->cpu.is_notified); /* blocking leaves nothing behind */
                scene_free(scene);
            }
}

static void copies_locally(struct process *self, void *argument)
{
    (void)self;
    struct scene *scene = argument;
    begin(scene);
    cuda_copy(scene->stream, &scene->cpu, scene->gpu0, scene->gpu0);
    end(scene);
}

/* Its bytes are read and written in one memory. */
static void test_copy_within_a_gpu(void)
{
    struct scene *scene = scene_new(TRANSPORT_FLOW, 4 * MB);
    scene_run(scene, copies_locally);
    const struct cuda_spec *spec = &scene->spec;
    sim_time engine_ps = transfer_ps(4 * MB, spec->local_rate_Bps) +
                         transfer_ps(spec->copy_chunk_bytes, spec->local_rate_Bps);
    sim_time memory_ps = transfer_ps(2 * 4 * MB, scene->gpu_spec.memory_rate_Bps);
    assert_near(scene->took_ps, spec->copy_call_ps + spec->copy_setup_ps +
                                    MAX(engine_ps, memory_ps) + spec->synchronize_ps);
    scene_free(scene);
}

static void copies_pageable(struct process *self, void *argument)
{
    (void)self;
    struct scene *scene = argument;
    begin(scene);
    cuda_copy_async(scene->stream, &scene->cpu, scene->gpu0, scene->pageable, NULL);
    end(scene);
    cuda_stream_synchronize(scene->stream, &scene->cpu);
}

/* The call itself takes as long as the copy. */
static void test_pageable_copy_blocks(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
        struct scene *scene = scene_new(TRANSPORT_FLOW, sizes[i]);
        scene_run(scene, copies_pageable);
        const struct cuda_spec *spec = &scene->spec;
        sim_time copy_ps =
            spec->copy_call_ps + spec->copy_setup_ps + spec->pageable.setup_ps +
            links[HOST_GPU0].link.latency_ps + transfer_ps(sizes[i], spec->pageable.rate_Bps) +
            transfer_ps(MIN(sizes[i], spec->copy_chunk_bytes), spec->pageable.rate_Bps);
        assert_near(scene->took_ps, copy_ps);
        assert_near(scene->cpu.time_ps[CPU_CUDA], copy_ps + spec->synchronize_ps);
        scene_free(scene);
    }
}

static void synchronizes_idle(struct process *self, void *argument)
{
    (void)self;
    struct scene *scene = argument;
    begin(scene);
    cuda_copy_async(scene->stream, &scene->cpu, scene->gpu0, scene->host, NULL);
    end(scene);
    cuda_stream_synchronize(scene->stream, &scene->cpu);
    scene->done_ps[0] = scene->took_ps;
    begin(scene);
    cuda_stream_synchronize(scene->stream, &scene->cpu);
    end(scene);
}

static void test_async_call_and_idle_synchronize(void)
{
    struct scene *scene = scene_new(TRANSPORT_FLOW, 4 * MB);
    scene_run(scene, synchronizes_idle);
    g_assert_cmpint(scene->done_ps[0], ==, scene->spec.copy_call_ps);
    g_assert_cmpint(scene->took_ps, ==, scene->spec.synchronize_ps);
    scene_free(scene);
}

/* --- mapped memory and handles -------------------------------------------------------------------- */

static sim_time ucx_spent(struct scene *scene, struct cpu *cpu, struct block block, bool is_write,
                          bool is_cross_socket)
{
    sim_time before_ps = cpu->time_ps[CPU_LIBRARY];
    cuda_gdr_copy(scene->cuda, cpu, block, is_write, is_cross_socket);
    return cpu->time_ps[CPU_LIBRARY] - before_ps;
}

static void test_mapped_copies(void)
{
    struct scene *scene = scene_new(TRANSPORT_FLOW, 3001);
    const struct cuda_spec *spec = &scene->spec;
    struct cpu *cpu = &scene->cpu, second;
    cpu_init(&second, scene->sim, NULL);
    sim_time read_ps = spec->gdr_call_ps + transfer_ps(3001, spec->gdr_read_rate_Bps);
    sim_time write_ps = spec->gdr_call_ps + transfer_ps(3001, spec->gdr_write_rate_Bps);
    struct block known = scene->gpu0, nameless = scene->gpu1;
    nameless.id = 0;
    g_assert_cmpint(ucx_spent(scene, cpu, known, false, false), ==, read_ps + spec->map_ps);
    g_assert_cmpint(ucx_spent(scene, cpu, known, false, false), ==, read_ps);
    g_assert_cmpint(ucx_spent(scene, cpu, known, true, true), ==,
                    write_ps + spec->gdr_cross_socket_ps);
    g_assert_cmpint(ucx_spent(scene, &second, known, true, false), ==, write_ps + spec->map_ps);
    for (int i = 0; i < 2; i++)
        g_assert_cmpint(ucx_spent(scene, cpu, nameless, true, false), ==, write_ps + spec->map_ps);
    scene_free(scene);
}

static void test_handles_are_opened_once(void)
{
    struct scene *scene = scene_new(TRANSPORT_FLOW, 1000);
    struct cpu second;
    cpu_init(&second, scene->sim, NULL);
    for (int i = 0; i < 3; i++) {
        cuda_ipc_open(scene->cuda, &scene->cpu, scene->gpu0);
        cuda_ipc_open(scene->cuda, &scene->cpu, scene->gpu1);
        cuda_ipc_open(scene->cuda, &second, scene->gpu1);
    }
    g_assert_cmpint(scene->cpu.time_ps[CPU_CUDA], ==, 2 * scene->spec.map_ps);
    g_assert_cmpint(second.time_ps[CPU_CUDA], ==, scene->spec.map_ps);
    scene_free(scene);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/cuda/lone_copy", test_lone_copy);
    g_test_add_func("/cuda/copy_within_a_gpu", test_copy_within_a_gpu);
    g_test_add_func("/cuda/pageable_copy_blocks", test_pageable_copy_blocks);
    g_test_add_func("/cuda/async_call_and_idle_synchronize", test_async_call_and_idle_synchronize);
    g_test_add_func("/cuda/mapped_copies", test_mapped_copies);
    g_test_add_func("/cuda/handles_are_opened_once", test_handles_are_opened_once);
    return g_test_run();
}
