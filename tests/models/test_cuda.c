/* GPUs as message-passing software sees them, on a hand-drawn node: a CPU and two GPUs, joined each to
 * each. All expectations are computed from the parameters. */
#include <glib.h>
#include <string.h>

#include "models/cuda/cuda.h"

#define US PS_PER_US
#define MB INT64_C(1000000)

/* Links of different latency and bandwidth, so that a wrong route shows. */
static const struct node_link links[] = {
    {"cpu0", "gpu0", {"host-gpu0", 300000, 47000000000, LINK_SPLIT_DUPLEX}},
    {"cpu0", "gpu1", {"host-gpu1", 310000, 46000000000, LINK_SPLIT_DUPLEX}},
    {"gpu0", "gpu1", {"peer", 320000, 45000000000, LINK_SPLIT_DUPLEX}},
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
    struct bus *bus;
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

static struct block block_on(const struct scene *scene, const char *port, enum block_kind kind,
                             uint32_t id, int64_t bytes)
{
    return (struct block){platform_port(scene->platform, 0, port), (uint8_t)kind, id, bytes};
}

static struct gpu *gpu_of(void *argument, int port, bool make)
{
    struct scene *scene = argument;
    int number = port - platform_port(scene->platform, 0, "gpu0");
    if (scene->gpus[number] == NULL && make)
        scene->gpus[number] =
            gpu_new(scene->sim, &scene->gpu_spec, scene->bus, port, NULL, number ? "gpu1" : "gpu0");
    return scene->gpus[number];
}

/* All of the GPU for that long: kernels of several streams run one after the other. */
static void launch_for(struct scene *scene, struct cuda_stream *stream, sim_time duration_ps,
                       struct cuda_completion *ended)
{
    struct kernel kernel = {.threads = 64, .work = {.latency_ps = duration_ps}};
    kernel.work_groups = gpu_kernel_occupancy(&scene->gpu_spec, &kernel);
    cuda_launch(stream, &scene->cpu, &kernel, ended);
}

/* The blocks all have `bytes`. */
static struct scene *scene_new(enum transport_kind kind, int64_t bytes)
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
    scene->bus = bus_new(scene->sim, scene->platform, 0, &scene->bus_spec);
    cuda_set_gpus(scene->cuda, gpu_of, scene);
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

static void scene_run(struct scene *scene, process_fn *program)
{
    struct process *process =
        process_spawn(scene->sim->processes, "core", program, scene, sim_now(scene->sim), 0);
    cpu_bind(&scene->cpu, process);
    g_assert_cmpint(sim_run(scene->sim), ==, SIM_FINISHED);
    g_assert_cmpint(transport_bytes_sent(scene->transport), ==,
                    transport_bytes_arrived(scene->transport));
}

static void scene_free(struct scene *scene)
{
    cuda_free(scene->cuda);
    gpu_free(scene->gpus[0]);
    gpu_free(scene->gpus[1]);
    bus_free(scene->bus);
    transport_free(scene->transport);
    sim_free(scene->sim);
    g_free(scene);
}

static void begin(struct scene *scene)
{
    cpu_settle(&scene->cpu);
    scene->began_ps = cpu_now(&scene->cpu);
}

static void end(struct scene *scene)
{
    cpu_settle(&scene->cpu);
    scene->took_ps = cpu_now(&scene->cpu) - scene->began_ps;
}

/* Notes when and in which order completions come. */
static void note_end(void *argument)
{
    struct noted *noted = argument;
    struct scene *scene = noted->scene;
    g_assert_true(scene->completions[noted->number].is_done);
    scene->done_ps[noted->number] = sim_now(scene->sim);
    scene->order[scene->ended++] = noted->number;
}

static struct cuda_completion *completion(struct scene *scene, int number)
{
    scene->noted[number] = (struct noted){scene, number};
    scene->completions[number].done = note_end;
    scene->completions[number].argument = &scene->noted[number];
    return &scene->completions[number];
}

/* A copy alone, from its engine's choice to its end. */
static sim_time engine_ps(const struct scene *scene, int link, int64_t bytes)
{
    int64_t rate_Bps = links[link].link.bandwidth_Bps;
    int64_t chunk_bytes =
        link == PEER ? scene->spec.peer_chunk_bytes : scene->spec.copy_chunk_bytes;
    return scene->spec.copy_setup_ps + (link == PEER ? scene->spec.peer_setup_ps : 0) +
           links[link].link.latency_ps + transfer_ps(bytes, rate_Bps) +
           transfer_ps(MIN(bytes, chunk_bytes), rate_Bps);
}

static void assert_near(sim_time found_ps, sim_time expected_ps)
{
    g_assert_cmpint(found_ps, >=, expected_ps - ROUNDING_PS);
    g_assert_cmpint(found_ps, <=, expected_ps + ROUNDING_PS);
}

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

static void test_copy_within_a_gpu(void)
{
    struct scene *scene = scene_new(TRANSPORT_FLOW, 4 * MB);
    scene_run(scene, copies_locally);
    const struct cuda_spec *spec = &scene->spec;
    assert_near(scene->took_ps, spec->copy_call_ps + spec->copy_setup_ps +
                                    transfer_ps(4 * MB, spec->local_rate_Bps) +
                                    transfer_ps(spec->copy_chunk_bytes, spec->local_rate_Bps) +
                                    spec->synchronize_ps);
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
            spec->copy_call_ps + spec->copy_setup_ps + spec->pageable_setup_ps +
            links[HOST_GPU0].link.latency_ps + transfer_ps(sizes[i], spec->pageable_rate_Bps) +
            transfer_ps(MIN(sizes[i], spec->copy_chunk_bytes), spec->pageable_rate_Bps);
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

/* --- engines -------------------------------------------------------------------------------------- */

/* Copies on the same engine take turns, setup and tail included; the other direction and the peers run
 * beside them. */
static void copies_all_ways(struct process *self, void *argument)
{
    (void)self;
    struct scene *scene = argument;
    struct cuda_device *device = cuda_device(scene->cuda, scene->gpu0.port);
    struct cpu *cpu = &scene->cpu;
    cuda_copy_async(scene->stream, cpu, scene->gpu0, scene->host, completion(scene, 0));
    cuda_copy_async(scene->other, cpu, scene->gpu0, scene->host, completion(scene, 1));
    cuda_copy_async(cuda_stream_new(device, 0), cpu, scene->host, scene->gpu0,
                    completion(scene, 2));
    cuda_copy_async(cuda_stream_new(device, 0), cpu, scene->gpu1, scene->gpu0,
                    completion(scene, 3));
}

static void test_engines(void)
{
    struct scene *scene = scene_new(TRANSPORT_FLOW, 4 * MB);
    scene_run(scene, copies_all_ways);
    sim_time call_ps = scene->spec.copy_call_ps, one_ps = engine_ps(scene, HOST_GPU0, 4 * MB);
    assert_near(scene->done_ps[0], call_ps + one_ps);
    assert_near(scene->done_ps[1], call_ps + 2 * one_ps);
    assert_near(scene->done_ps[2], 3 * call_ps + one_ps);
    assert_near(scene->done_ps[3], 4 * call_ps + engine_ps(scene, PEER, 4 * MB));
    scene_free(scene);
}

/* Both GPUs copy from gpu0 to gpu1, each with its own engine: the link between them is shared. */
static void pushes_and_pulls(struct process *self, void *argument)
{
    (void)self;
    struct scene *scene = argument;
    struct cuda_device *peer = cuda_device(scene->cuda, scene->gpu1.port);
    scene->spec.copy_call_ps = 0; /* both at once */
    cuda_copy_async(scene->stream, &scene->cpu, scene->gpu1, scene->gpu0, completion(scene, 0));
    cuda_copy_async(cuda_stream_new(peer, 0), &scene->cpu, scene->gpu1, scene->gpu0,
                    completion(scene, 1));
}

static void test_link_is_shared(void)
{
    struct scene *scene = scene_new(TRANSPORT_FLOW, 4 * MB);
    scene_run(scene, pushes_and_pulls);
    sim_time more_ps = transfer_ps(4 * MB, links[PEER].link.bandwidth_Bps);
    assert_near(scene->done_ps[0], engine_ps(scene, PEER, 4 * MB) + more_ps);
    assert_near(scene->done_ps[1], engine_ps(scene, PEER, 4 * MB) + more_ps);
    scene_free(scene);
}

static void launches_by_priority(struct process *self, void *argument)
{
    (void)self;
    struct scene *scene = argument;
    struct cuda_device *device = cuda_device(scene->cuda, scene->gpu0.port);
    const int priorities[] = {0, 0, 0, -1, -5};
    for (int i = 0; i < 5; i++)
        launch_for(scene, cuda_stream_new(device, priorities[i]), 100 * US, completion(scene, i));
    cuda_stream_synchronize(scene->stream, &scene->cpu);
}

/* The kernel at work is not preempted; then the lowest number first, then who came first. */
static void test_priorities_of_kernels(void)
{
    struct scene *scene = scene_new(TRANSPORT_FLOW, 1000);
    scene_run(scene, launches_by_priority);
    const int order[] = {0, 4, 3, 1, 2};
    g_assert_cmpint(scene->ended, ==, 5);
    for (int i = 0; i < 5; i++) {
        g_assert_cmpint(scene->order[i], ==, order[i]);
        g_assert_cmpint(scene->done_ps[order[i]], ==,
                        scene->spec.kernel_launch_ps + scene->spec.kernel_start_ps +
                            (i + 1) * 100 * US);
    }
    scene_free(scene);
}

static void copies_by_priority(struct process *self, void *argument)
{
    (void)self;
    struct scene *scene = argument;
    struct cuda_device *device = cuda_device(scene->cuda, scene->gpu0.port);
    struct cuda_stream *urgent = cuda_stream_new(device, -1);
    cuda_copy_async(scene->stream, &scene->cpu, scene->gpu0, scene->host, completion(scene, 0));
    cuda_copy_async(scene->other, &scene->cpu, scene->gpu0, scene->host, completion(scene, 1));
    cuda_copy_async(urgent, &scene->cpu, scene->gpu0, scene->host, completion(scene, 2));
    cuda_copy_async(urgent, &scene->cpu, scene->gpu0, scene->host, completion(scene, 3));
}

/* Of an urgent stream all that is ready goes first. */
static void test_priorities_of_copies(void)
{
    struct scene *scene = scene_new(TRANSPORT_SEGMENT, 4 * MB);
    scene_run(scene, copies_by_priority);
    const int order[] = {0, 2, 3, 1};
    for (int i = 0; i < 4; i++) {
        g_assert_cmpint(scene->order[i], ==, order[i]);
        assert_near(scene->done_ps[order[i]],
                    scene->spec.copy_call_ps + (i + 1) * engine_ps(scene, HOST_GPU0, 4 * MB));
    }
    scene_free(scene);
}

/* --- streams and events --------------------------------------------------------------------------- */

static void fills_a_stream(struct process *self, void *argument)
{
    (void)self;
    struct scene *scene = argument;
    struct cpu *cpu = &scene->cpu;
    cuda_copy_async(scene->stream, cpu, scene->gpu0, scene->host, completion(scene, 0));
    launch_for(scene, scene->stream, 50 * US, completion(scene, 1));
    cuda_event_record(scene->stream, cpu, completion(scene, 2));
    cuda_copy_async(scene->stream, cpu, scene->host, scene->gpu0, completion(scene, 3));
    cuda_stream_synchronize(scene->stream, cpu);
    end(scene);
}

static void test_stream_order(void)
{
    struct scene *scene = scene_new(TRANSPORT_FLOW, 4 * MB);
    scene_run(scene, fills_a_stream);
    sim_time copy_ps = engine_ps(scene, HOST_GPU0, 4 * MB);
    sim_time first_ps = scene->spec.copy_call_ps + copy_ps;
    sim_time kernel_ps = first_ps + scene->spec.kernel_start_ps + 50 * US;
    assert_near(scene->done_ps[0], first_ps);
    assert_near(scene->done_ps[1], kernel_ps);
    g_assert_cmpint(scene->done_ps[2], ==, scene->done_ps[1]);
    assert_near(scene->done_ps[3], kernel_ps + copy_ps);
    assert_near(scene->took_ps, kernel_ps + copy_ps + scene->spec.synchronize_ps);
    scene_free(scene);
}

/* Two kernels of half the GPU each run side by side; a copy beside them and they slow each other down. */
static void launches_beside(struct process *self, void *argument)
{
    (void)self;
    struct scene *scene = argument;
    struct kernel half = {.work_groups = 240, .threads = 64, .work = {.memory_bytes = 1066667}};
    scene->spec.kernel_launch_ps = scene->spec.copy_call_ps = 0;
    cuda_launch(scene->stream, &scene->cpu, &half, completion(scene, 0));
    cuda_launch(scene->other, &scene->cpu, &half, completion(scene, 1));
    cuda_copy_async(cuda_stream_new(cuda_device(scene->cuda, scene->gpu0.port), 0), &scene->cpu,
                    scene->host, scene->gpu0, completion(scene, 2));
}

/* Together they move 512 MB at 512 GB/s: 1 ms, and the copy's 37.6 MB as long as it lasts. Alone it would take
 * 800 us at 47 GB/s; the memory has 512 / (512 + 47) of what is asked for. */
static void test_kernels_and_copies_share(void)
{
    struct scene *scene = scene_new(TRANSPORT_FLOW, 37600000);
    scene_run(scene, launches_beside);
    sim_time start_ps = scene->spec.kernel_start_ps;
    g_assert_cmpint(scene->done_ps[0], ==, scene->done_ps[1]);
    sim_time slower_ps = scene->done_ps[0] - start_ps - 1000 * US;
    g_assert_cmpint(slower_ps, >, 70 * US);
    g_assert_cmpint(slower_ps, <, 75 * US); /* 73.4 us of the memory for the copy */
    sim_time copy_ps = scene->done_ps[2] - scene->spec.copy_setup_ps;
    g_assert_cmpint(copy_ps, >, 800 * US * 559 / 512 - 5 * US);
    g_assert_cmpint(copy_ps, <, 800 * US * 559 / 512 + 5 * US);
    scene_free(scene);
}

/* A graph of three kernels of 10 us each, launched twice: one call each time, and what starts a node inside it. */
#define NODES 3
#define NODE_PS (10 * US)

static void count_node(void *argument)
{
    ++*(int *)argument;
}

static void launches_graphs(struct process *self, void *argument)
{
    (void)self;
    struct scene *scene = argument;
    struct cpu *cpu = &scene->cpu;
    struct kernel kernel = {.work_groups = 1, .threads = 64, .work = {.latency_ps = NODE_PS}};
    struct cuda_graph_node nodes[NODES];
    int ended = 0;
    for (int i = 0; i < NODES; i++)
        nodes[i] = (struct cuda_graph_node){kernel, count_node, &ended};
    struct cuda_graph *graph = cuda_graph_new(scene->cuda, cpu, nodes, NODES);
    cpu_settle(cpu);
    sim_time began_ps = sim_now(scene->sim);
    g_assert_cmpint(began_ps, ==, NODES * scene->spec.graph_instantiate_ps);
    cuda_graph_launch(scene->stream, cpu, graph, completion(scene, 0));
    g_assert_cmpint(sim_now(scene->sim) - began_ps, ==,
                    scene->spec.graph_launch_ps + (NODES - 1) * scene->spec.graph_node_ps);
    cuda_stream_synchronize(scene->stream, cpu);
    g_assert_cmpint(ended, ==, NODES);
    sim_time again_ps = sim_now(scene->sim);
    cuda_graph_launch(scene->stream, cpu, graph, completion(scene, 1));
    cuda_stream_synchronize(scene->stream, cpu);
    g_assert_cmpint(ended, ==, 2 * NODES);
    scene->took_ps = sim_now(scene->sim) - again_ps;
    g_assert_cmpint(cuda_device_kernels(cuda_device(scene->cuda, scene->gpu0.port)).kernels, ==,
                    2 * NODES);
    cuda_graph_free(graph);
}

static void test_graphs(void)
{
    struct scene *scene = scene_new(TRANSPORT_FLOW, 64);
    scene_run(scene, launches_graphs);
    const struct cuda_spec *spec = &scene->spec;
    sim_time call_ps = spec->graph_launch_ps + (NODES - 1) * spec->graph_node_ps;
    sim_time gpu_ps =
        spec->kernel_start_ps + NODES * NODE_PS + (NODES - 1) * spec->graph_node_start_ps;
    g_assert_cmpint(scene->took_ps, ==, call_ps + gpu_ps + spec->synchronize_ps);
    scene_free(scene);
}

/* Two streams of another GPU wait for a kernel here; a third one for an event that never was. */
static void waits_across(struct process *self, void *argument)
{
    (void)self;
    struct scene *scene = argument;
    struct cpu *cpu = &scene->cpu;
    struct cuda_device *peer = cuda_device(scene->cuda, scene->gpu1.port);
    struct cuda_stream *first = cuda_stream_new(peer, 0), *second = cuda_stream_new(peer, 0);
    struct cuda_completion *event = completion(scene, 0);
    scene->spec.event_record_ps = scene->spec.event_wait_ps = scene->spec.kernel_launch_ps = 0;
    launch_for(scene, scene->stream, 500 * US, NULL);
    cuda_event_record(scene->stream, cpu, event);
    cuda_stream_wait_event(first, cpu, event);
    cuda_stream_wait_event(second, cpu, event);
    launch_for(scene, first, 10 * US, completion(scene, 1));
    launch_for(scene, second, 10 * US, completion(scene, 2));
    cuda_stream_wait_event(scene->other, cpu, completion(scene, 4));
    cuda_event_record(scene->other, cpu, completion(scene, 3));
}

static void test_events_across_devices(void)
{
    struct scene *scene = scene_new(TRANSPORT_FLOW, 1000);
    scene_run(scene, waits_across);
    sim_time start_ps = scene->spec.kernel_start_ps;
    g_assert_cmpint(scene->done_ps[3], ==, 0);
    g_assert_cmpint(scene->done_ps[0], ==, start_ps + 500 * US);
    g_assert_cmpint(scene->done_ps[1], ==, 2 * start_ps + 510 * US);
    g_assert_cmpint(scene->done_ps[2], ==, 2 * start_ps + 520 * US);
    scene_free(scene);
}

/* A wait is for what the event was given to at that time, though it is given anew before the stream
 * comes to it. */
static void records_anew(struct process *self, void *argument)
{
    (void)self;
    struct scene *scene = argument;
    struct cpu *cpu = &scene->cpu;
    struct cuda_completion *event = completion(scene, 0);
    launch_for(scene, scene->other, 200 * US, NULL);
    cuda_event_record(scene->stream, cpu, event);
    cuda_stream_wait_event(scene->other, cpu, event); /* soon over, behind a long kernel */
    launch_for(scene, scene->other, 10 * US, completion(scene, 1));
    cpu_settle(cpu);
    process_sleep(self, 20 * US);
    g_assert_true(event->is_done);
    launch_for(scene, scene->stream, 900 * US, NULL);
    cuda_event_record(scene->stream, cpu, event);
    g_assert_false(cuda_event_query(scene->cuda, cpu, event));
    cuda_stream_synchronize(scene->stream, cpu);
    g_assert_true(cuda_event_query(scene->cuda, cpu, event));
}

static void test_event_recorded_anew(void)
{
    struct scene *scene = scene_new(TRANSPORT_FLOW, 1000);
    scene_run(scene, records_anew);
    /* the GPU's one kernel at a time: 200, then the 900 that was ready first, then 10 */
    sim_time first_ps = scene->spec.kernel_launch_ps + scene->spec.kernel_start_ps + 200 * US;
    g_assert_cmpint(scene->done_ps[1], ==, first_ps + 900 * US + 10 * US);
    scene_free(scene);
}

static void polls_an_event(struct process *self, void *argument)
{
    (void)self;
    struct scene *scene = argument;
    struct cuda_completion event = {.notify = &scene->cpu};
    cuda_copy_async(scene->stream, &scene->cpu, scene->gpu0, scene->host, NULL);
    cuda_event_record(scene->stream, &scene->cpu, &event);
    g_assert_false(cuda_event_query(scene->cuda, &scene->cpu, &event));
    cpu_wait(&scene->cpu, "event");
    scene->done_ps[0] = cpu_now(&scene->cpu);
    begin(scene);
    g_assert_true(cuda_event_query(scene->cuda, &scene->cpu, &event));
    end(scene);
}

static void test_event_query_and_notify(void)
{
    struct scene *scene = scene_new(TRANSPORT_FLOW, 4 * MB);
    scene_run(scene, polls_an_event);
    const struct cuda_spec *spec = &scene->spec;
    assert_near(scene->done_ps[0], spec->copy_call_ps + engine_ps(scene, HOST_GPU0, 4 * MB));
    g_assert_cmpint(scene->took_ps, ==, spec->event_query_ps);
    g_assert_cmpint(scene->cpu.time_ps[CPU_CUDA], ==,
                    spec->copy_call_ps + spec->event_record_ps + 2 * spec->event_query_ps);
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
    g_assert_cmpint(ucx_spent(scene, cpu, known, false, false), ==, read_ps + spec->gdr_map_ps);
    g_assert_cmpint(ucx_spent(scene, cpu, known, false, false), ==, read_ps);
    g_assert_cmpint(ucx_spent(scene, cpu, known, true, true), ==,
                    write_ps + spec->gdr_cross_socket_ps);
    g_assert_cmpint(ucx_spent(scene, &second, known, true, false), ==, write_ps + spec->gdr_map_ps);
    for (int i = 0; i < 2; i++)
        g_assert_cmpint(ucx_spent(scene, cpu, nameless, true, false), ==,
                        write_ps + spec->gdr_map_ps);
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
    g_assert_cmpint(scene->cpu.time_ps[CPU_CUDA], ==, 2 * scene->spec.ipc_open_ps);
    g_assert_cmpint(second.time_ps[CPU_CUDA], ==, scene->spec.ipc_open_ps);
    scene_free(scene);
}

/* --- anything ------------------------------------------------------------------------------------- */

enum { STREAMS = 6, STEPS = 400 };

struct chaos {
    struct scene *scene;
    uint32_t seed;
    struct cuda_stream *streams[STREAMS];
    struct cuda_completion completions[STEPS];
    struct step {
        struct chaos *chaos;
        int stream;
        sim_time done_ps;
    } steps[STEPS];
    int last_of[STREAMS]; /* last step of the stream that has ended */
    int ended;
};

static void step_ended(void *argument)
{
    struct step *step = argument;
    struct chaos *chaos = step->chaos;
    int number = (int)(step - chaos->steps);
    g_assert_cmpint(chaos->last_of[step->stream], <, number);
    chaos->last_of[step->stream] = number;
    step->done_ps = sim_now(chaos->scene->sim);
    chaos->ended++;
}

static void does_anything(struct process *self, void *argument)
{
    (void)self;
    struct chaos *chaos = argument;
    struct scene *scene = chaos->scene;
    struct cpu *cpu = &scene->cpu;
    const struct block blocks[] = {scene->host, scene->gpu0, scene->gpu1, scene->pageable};
    GRand *rand = g_rand_new_with_seed(chaos->seed);
    for (int i = 0; i < STEPS; i++) {
        int number = g_rand_int_range(rand, 0, STREAMS);
        struct cuda_stream *stream = chaos->streams[number];
        struct cuda_completion *ended = &chaos->completions[i];
        chaos->steps[i] = (struct step){chaos, number, -1};
        *ended = (struct cuda_completion){.done = step_ended, .argument = &chaos->steps[i]};
        if (i > 0 && g_rand_boolean(rand))
            cuda_stream_wait_event(stream, cpu, &chaos->completions[g_rand_int_range(rand, 0, i)]);
        int what = g_rand_int_range(rand, 0, 6);
        if (what < 4) {
            int to = g_rand_int_range(rand, 0, 4);
            struct block from = blocks[to == 1 || to == 2 ? what : 1 + what % 2];
            from.bytes = g_rand_int_range(rand, 0, 1000000);
            cuda_copy_async(stream, cpu, blocks[to], from, ended);
        } else if (what == 4) {
            launch_for(scene, stream, g_rand_int_range(rand, 0, 50) * US, ended);
        } else {
            cuda_event_record(stream, cpu, ended);
        }
    }
    for (int i = 0; i < STREAMS; i++)
        cuda_stream_synchronize(chaos->streams[i], cpu);
    g_assert_cmpint(chaos->ended, ==, STEPS);
    g_rand_free(rand);
}

static void chaos_run(struct chaos *chaos, uint32_t seed)
{
    *chaos = (struct chaos){.scene = scene_new(TRANSPORT_FLOW, 1), .seed = seed};
    struct scene *scene = chaos->scene;
    for (int i = 0; i < STREAMS; i++) {
        int port = i % 2 ? scene->gpu0.port : scene->gpu1.port;
        chaos->streams[i] = cuda_stream_new(cuda_device(scene->cuda, port), i % 3);
        chaos->last_of[i] = -1;
    }
    struct process *process =
        process_spawn(scene->sim->processes, "core", does_anything, chaos, 0, 0);
    cpu_bind(&scene->cpu, process);
    g_assert_cmpint(sim_run(scene->sim), ==, SIM_FINISHED);
    scene_free(scene);
}

/* Streams keep their order, everything ends, and again at the same times. */
static void test_anything(void)
{
    struct chaos *chaos = g_new(struct chaos, 1), *again = g_new(struct chaos, 1);
    for (uint32_t seed = 1; seed <= 20; seed++) {
        chaos_run(chaos, seed);
        chaos_run(again, seed);
        for (int i = 0; i < STEPS; i++)
            g_assert_cmpint(chaos->steps[i].done_ps, ==, again->steps[i].done_ps);
    }
    g_free(chaos);
    g_free(again);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/cuda/lone_copy", test_lone_copy);
    g_test_add_func("/cuda/copy_within_a_gpu", test_copy_within_a_gpu);
    g_test_add_func("/cuda/pageable_copy_blocks", test_pageable_copy_blocks);
    g_test_add_func("/cuda/async_call_and_idle_synchronize", test_async_call_and_idle_synchronize);
    g_test_add_func("/cuda/engines", test_engines);
    g_test_add_func("/cuda/link_is_shared", test_link_is_shared);
    g_test_add_func("/cuda/priorities_of_kernels", test_priorities_of_kernels);
    g_test_add_func("/cuda/priorities_of_copies", test_priorities_of_copies);
    g_test_add_func("/cuda/stream_order", test_stream_order);
    g_test_add_func("/cuda/kernels_and_copies_share", test_kernels_and_copies_share);
    g_test_add_func("/cuda/graphs", test_graphs);
    g_test_add_func("/cuda/events_across_devices", test_events_across_devices);
    g_test_add_func("/cuda/event_recorded_anew", test_event_recorded_anew);
    g_test_add_func("/cuda/event_query_and_notify", test_event_query_and_notify);
    g_test_add_func("/cuda/mapped_copies", test_mapped_copies);
    g_test_add_func("/cuda/handles_are_opened_once", test_handles_are_opened_once);
    g_test_add_func("/cuda/anything", test_anything);
    return g_test_run();
}
