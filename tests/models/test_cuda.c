/* SPDX-License-Identifier: BSD-3-Clause */
/* GPUs as message-passing software sees them, on a hand-drawn node: a CPU and two GPUs, joined each to
 * each. All expectations are computed from the parameters. */
#include "cuda_test.h"

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

static void two_kernels_and_two_copies(struct process *self, void *argument)
{
    (void)self;
    struct scene *scene = argument;
    struct cpu *cpu = &scene->cpu;
    launch_for(scene, scene->stream, scene->began_ps, completion(scene, 0));
    launch_for(scene, scene->stream, 1 * US, completion(scene, 1));
    cpu_spend(cpu, CPU_APPLICATION, 100 * US - cpu_now(cpu));
    cpu_settle(cpu);
    cuda_copy_async(scene->stream, cpu, scene->gpu0, scene->host, completion(scene, 2));
    cuda_copy_async(scene->other, cpu, scene->gpu0, scene->host, completion(scene, 3));
}

/* What is done ahead of an operation begins once it is queued: one that is queued just before the other ends waits for the rest,
 * so a faster first operation never makes the second one later. */
static void test_ahead(void)
{
    static const sim_time first_ps[] = {500000, 1200000, 2900000,
                                        6 * US}; /* 9.5 to 15 us; the second is queued at 10 us */
    static const int64_t bytes[] = {1000, 20000, 40000, 400000};
    for (size_t i = 0; i < G_N_ELEMENTS(first_ps); i++) {
        struct scene *scene = scene_new(TRANSPORT_FLOW, bytes[i]);
        struct cuda_spec *spec = &scene->spec;
        spec->kernel_launch_ps = spec->copy_call_ps = 5 * US;
        spec->kernel_start_ps = spec->copy_setup_ps = 4 * US;
        spec->kernel_ahead_ps = spec->copy_ahead_ps = 3 * US;
        scene->began_ps = first_ps[i];
        scene_run(scene, two_kernels_and_two_copies);
        sim_time ended_ps = 9 * US + first_ps[i], copy_ps = engine_ps(scene, HOST_GPU0, bytes[i]);
        assert_near(scene->done_ps[0], ended_ps);
        assert_near(scene->done_ps[1], MAX(14 * US, ended_ps + 1 * US) + 1 * US);
        assert_near(scene->done_ps[2], 105 * US + copy_ps);
        assert_near(scene->done_ps[3], MAX(110 * US, 105 * US + copy_ps - 3 * US) + copy_ps);
        scene_free(scene);
    }
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
    scene->cpu.process = process;
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
    g_test_add_func("/cuda/engines", test_engines);
    g_test_add_func("/cuda/link_is_shared", test_link_is_shared);
    g_test_add_func("/cuda/priorities_of_kernels", test_priorities_of_kernels);
    g_test_add_func("/cuda/priorities_of_copies", test_priorities_of_copies);
    g_test_add_func("/cuda/stream_order", test_stream_order);
    g_test_add_func("/cuda/ahead", test_ahead);
    g_test_add_func("/cuda/kernels_and_copies_share", test_kernels_and_copies_share);
    g_test_add_func("/cuda/graphs", test_graphs);
    g_test_add_func("/cuda/events_across_devices", test_events_across_devices);
    g_test_add_func("/cuda/event_recorded_anew", test_event_recorded_anew);
    g_test_add_func("/cuda/event_query_and_notify", test_event_query_and_notify);
    g_test_add_func("/cuda/anything", test_anything);
    return g_test_run();
}
