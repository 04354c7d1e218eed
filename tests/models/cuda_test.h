/* SPDX-License-Identifier: BSD-3-Clause */
/* What tests of models/cuda share: a node of two GPUs, a process on a core, and times by formula. */
#pragma once

#include <glib.h>
#include <string.h>

#include "fabric/transport_kind.h"
#include "models/cuda/cuda.h"

#define US PS_PER_US
#define MB INT64_C(1000000)

/* Links of different latency and bandwidth, so that a wrong route shows. */
static const struct node_link links[] = {
    {"cpu0", "gpu0", {"host-gpu0", 300000, 47000000000, false}},
    {"cpu0", "gpu1", {"host-gpu1", 310000, 46000000000, false}},
    {"gpu0", "gpu1", {"peer", 320000, 45000000000, false}},
};
enum { HOST_GPU0, HOST_GPU1, PEER };
#define ROUNDING_PS 2 /* of the transport's shares */

#define MOST 8

struct scene;
struct noted {
    struct scene *scene;
    int number;
};

struct scene {
    struct sim *sim;
    struct platform *platform;
    struct transport *transport;
    struct cuda_spec spec;
    struct cuda *cuda;
    struct bus_spec bus_spec;
    struct gpu_spec gpu_spec;
    struct gpu_pools gpu_pools;
    struct bus *bus;
    struct dram drams[2];
    struct gpu *gpus[2]; /* by number, if a kernel has run there */
    struct cuda_stream *stream, *other;
    struct cpu cpu;
    struct block host, pageable, gpu0, gpu1;
    int64_t bytes;
    sim_time began_ps, took_ps;
    struct cuda_completion completions[MOST];
    struct noted noted[MOST];
    sim_time done_ps[MOST];
    int order[MOST], ended;
};

static inline struct block block_on(const struct scene *scene, const char *port,
                                    enum block_kind kind, uint32_t id, int64_t bytes)
{
    return (struct block){platform_port(scene->platform, 0, port), (uint8_t)kind, id, bytes};
}

static inline struct gpu *gpu_of(void *argument, int port, bool make)
{
    struct scene *scene = argument;
    int number = port - platform_port(scene->platform, 0, "gpu0");
    if (scene->gpus[number] == NULL && make)
        scene->gpus[number] = gpu_new(scene->sim, &scene->gpu_spec, &scene->gpu_pools, scene->bus,
                                      port, &scene->drams[number], NULL, number ? "gpu1" : "gpu0");
    return scene->gpus[number];
}

static inline struct dram *dram_at(void *argument, int port)
{
    struct scene *scene = argument;
    int number = port - platform_port(scene->platform, 0, "gpu0");
    return number >= 0 && number < 2 ? &scene->drams[number] : NULL;
}

/* All of the GPU for that long: kernels of several streams run one after the other. */
static inline void launch_for(struct scene *scene, struct cuda_stream *stream, sim_time duration_ps,
                              struct cuda_completion *ended)
{
    struct kernel kernel = {.threads = 64, .work = {.latency_ps = duration_ps}};
    kernel.work_groups = gpu_kernel_occupancy(&scene->gpu_spec, &kernel);
    cuda_launch(stream, &scene->cpu, &kernel, ended);
}

/* The blocks all have `bytes`. */
static inline struct scene *scene_new(enum transport_kind kind, int64_t bytes)
{
    static const char *const ports[] = {"cpu0", "gpu0", "gpu1"};
    const struct platform_spec node = {
        .name = "node",
        .nodes = 1,
        .node = {
            .ports = ports, .port_count = 3, .links = links, .link_count = G_N_ELEMENTS(links)}};
    struct scene *scene = g_new0(struct scene, 1);
    struct transport_spec transport;
    GError *error = NULL;
    scene->sim = sim_new(1);
    scene->platform = platform_get(&node, &error);
    g_assert_no_error(error);
    param_set_defaults(&transport_params, &transport);
    transport.kind = kind;
    param_set_defaults(&cuda_params, &scene->spec);
    scene->spec.peer_setup_ps = 700000;
    scene->transport = transport_new(scene->sim, scene->platform, &transport);
    scene->cuda = cuda_new(scene->sim, scene->platform, scene->transport, &scene->spec);
    param_set_defaults(&bus_params, &scene->bus_spec);
    param_set_defaults(&gpu_params, &scene->gpu_spec);
    gpu_pools_init(&scene->gpu_pools, &scene->gpu_spec);
    for (int i = 0; i < 2; i++) {
        dram_init(&scene->drams[i], scene->gpu_spec.memory_latency_ps,
                  scene->gpu_spec.memory_rate_Bps);
        gpu_computes_on(&scene->drams[i], &scene->gpu_spec, false);
    }
    scene->bus = bus_new(scene->sim, scene->platform, 0, &scene->bus_spec);
    cuda_set_gpus(scene->cuda, gpu_of, dram_at, scene);
    scene->host = block_on(scene, "cpu0", BLOCK_PINNED, 1, bytes);
    scene->pageable = block_on(scene, "cpu0", BLOCK_PAGEABLE, 2, bytes);
    scene->gpu0 = block_on(scene, "gpu0", BLOCK_DEVICE, 3, bytes);
    scene->gpu1 = block_on(scene, "gpu1", BLOCK_DEVICE, 4, bytes);
    scene->bytes = bytes;
    struct cuda_device *device = cuda_device(scene->cuda, scene->gpu0.port);
    g_assert_true(device == cuda_device(scene->cuda, scene->gpu0.port));
    scene->stream = cuda_stream_new(device, 0);
    scene->other = cuda_stream_new(device, 0);
    cpu_init(&scene->cpu, scene->sim, NULL);
    return scene;
}

static inline void scene_run(struct scene *scene, process_fn *program)
{
    struct process *process =
        process_spawn(scene->sim->processes, "core", program, scene, sim_now(scene->sim), 0);
    scene->cpu.process = process;
    g_assert_cmpint(sim_run(scene->sim), ==, SIM_FINISHED);
    g_assert_cmpint(scene->transport->bytes_sent, ==, scene->transport->bytes_arrived);
}

static inline void scene_free(struct scene *scene)
{
    cuda_free(scene->cuda);
    gpu_free(scene->gpus[0]);
    gpu_free(scene->gpus[1]);
    gpu_pools_clear(&scene->gpu_pools);
    bus_free(scene->bus);
    transport_free(scene->transport);
    sim_free(scene->sim);
    g_free(scene);
}

static inline void begin(struct scene *scene)
{
    cpu_settle(&scene->cpu);
    scene->began_ps = cpu_now(&scene->cpu);
}

static inline void end(struct scene *scene)
{
    cpu_settle(&scene->cpu);
    scene->took_ps = cpu_now(&scene->cpu) - scene->began_ps;
}

/* Notes when and in which order completions come. */
static inline void note_end(void *argument)
{
    struct noted *noted = argument;
    struct scene *scene = noted->scene;
    g_assert_true(scene->completions[noted->number].is_done);
    scene->done_ps[noted->number] = sim_now(scene->sim);
    scene->order[scene->ended++] = noted->number;
}

static inline struct cuda_completion *completion(struct scene *scene, int number)
{
    scene->noted[number] = (struct noted){scene, number};
    scene->completions[number].done = note_end;
    scene->completions[number].argument = &scene->noted[number];
    return &scene->completions[number];
}

/* A copy alone, from its engine's choice to its end. */
static inline sim_time engine_ps(const struct scene *scene, int link, int64_t bytes)
{
    int64_t rate_Bps = links[link].link.bandwidth_Bps;
    int64_t chunk_bytes =
        link == PEER ? scene->spec.peer_chunk_bytes : scene->spec.copy_chunk_bytes;
    return scene->spec.copy_setup_ps + (link == PEER ? scene->spec.peer_setup_ps : 0) +
           links[link].link.latency_ps + transfer_ps(bytes, rate_Bps) +
           transfer_ps(MIN(bytes, chunk_bytes), rate_Bps);
}

static inline void assert_near(sim_time found_ps, sim_time expected_ps)
{
    g_assert_cmpint(found_ps, >=, expected_ps - ROUNDING_PS);
    g_assert_cmpint(found_ps, <=, expected_ps + ROUNDING_PS);
}
