/* SPDX-License-Identifier: BSD-3-Clause */
/* Micro-benchmarks: each time from the machine's parameters. */
#include "calls.h"
#include "micro_benchmark.h"

static const struct workload *const operation = &gpu_operation_workload;
static const struct workload *const launch = &kernel_launch_workload;

static sim_time l1_ps(const struct workload_run *run)
{
    return cycles_ps(run->machine.gpu.l1.latency_cycles, run->machine.gpu.clock_Hz);
}

static sim_time l2_ps(const struct workload_run *run)
{
    return cycles_ps(run->machine.gpu.l2.latency_cycles, run->machine.gpu.clock_Hz) / 2 * 2;
}

/* Past the L1, to the L2 and back; a store the same way, unless a fence takes longer. */
static void test_operations(void)
{
    struct workload_run run;
    init(&run);
    sim_time way_ps = l1_ps(&run) + l2_ps(&run);
    g_assert_cmpint(time_of(&run, operation, "operation=load"), ==, way_ps);
    g_assert_cmpint(time_of(&run, operation, "operation=store_release scope=device"), ==, way_ps);
    run.machine.gpu.device_fence_ps = 300 * NS;
    run.machine.gpu.system_fence_ps = 700 * NS;
    g_assert_cmpint(time_of(&run, operation, "operation=store_release scope=device"), ==, 300 * NS);
    g_assert_cmpint(time_of(&run, operation, "operation=store_fence"), ==, 700 * NS);
    g_assert_cmpint(time_of(&run, operation, "operation=fence"), ==, 700 * NS);
    g_assert_cmpint(time_of(&run, operation, "operation=fence scope=device"), ==, 300 * NS);
}

/* More than a load by gpu.atomic; on one line one every gpu.atomic_gap. */
static void test_atomics(void)
{
    struct workload_run run;
    init(&run);
    sim_time plain_ps = time_of(&run, operation, "operation=atomic");
    run.machine.gpu.atomic_ps = 40 * NS;
    g_assert_cmpint(time_of(&run, operation, "operation=atomic"), ==, plain_ps + 40 * NS);
    run.machine.gpu.atomic_gap_ps = 1000 * NS;
    g_assert_cmpint(time_of(&run, operation, "operation=atomic work_groups=8 repeats=50"), ==,
                    1000 * NS);
    sim_time same_ps =
        time_of(&run, operation, "operation=atomic work_groups=8 same_line=true repeats=50");
    g_assert_cmpint(llabs(same_ps - 8000 * NS), <=, 200 * NS);
    run.machine.host.atomic_gap_ps = 2000 * NS;
    same_ps = time_of(&run, operation,
                      "operation=atomic memory=host work_groups=4 same_line=true repeats=50");
    g_assert_cmpint(llabs(same_ps - 8000 * NS), <=, 200 * NS);
}

/* With the flag in its partner's memory a fence costs system_fence, as the write before it is long there. */
static void test_flags(void)
{
    struct workload_run run;
    init(&run);
    static const char *const ways[] = {"polled=local", "polled=remote"};
    run.machine.gpu.system_fence_ps = 400 * NS;
    for (size_t i = 0; i < G_N_ELEMENTS(ways); i++) {
        g_autofree char *relaxed =
            g_strconcat("partner=peer ordered=false rounds=50 ", ways[i], NULL);
        g_autofree char *ordered =
            g_strconcat("partner=peer ordered=true rounds=50 ", ways[i], NULL);
        sim_time relaxed_ps = time_of(&run, &flag_round_trip_workload, relaxed);
        sim_time more_ps = time_of(&run, &flag_round_trip_workload, ordered) - relaxed_ps;
        g_assert_cmpint(more_ps, >=, 700 * NS);
        g_assert_cmpint(more_ps, <=, 1330 * NS); /* two fences, and looks that come too early */
    }
    sim_time host_ps = time_of(&run, &flag_round_trip_workload, "ordered=false");
    g_assert_cmpint(host_ps, >, time_of(&run, operation, "operation=load memory=host"));
    g_assert_cmpint(time_of(&run, &flag_round_trip_workload, "ordered=true"), >, host_ps);
}

/* First round trips, in which a fence reads behind a flag in vain, are not counted: a mean is that of any number of them. */
static void test_first_flags(void)
{
    struct workload_run run;
    init(&run);
    sim_time few_ps = time_of(&run, &flag_round_trip_workload, "partner=peer rounds=4");
    sim_time many_ps = time_of(&run, &flag_round_trip_workload, "partner=peer rounds=400");
    g_assert_cmpint(llabs(few_ps - many_ps), <=, many_ps / 50);
}

#define QUEUES "operation=nop bytes=8B threads=32 "

static sim_time latency_of(struct workload_run *run, const char *settings)
{
    g_autofree char *all = g_strconcat(QUEUES, settings, NULL);
    workload_run_good(run, &queue_service_workload, all);
    return workload_run_measure(run, "latency");
}

/* A post in one store saves its fences; what a server spends and a window adds is in the latency, thinking is not. */
static void test_posts(void)
{
    struct workload_run run;
    init(&run);
    const char *lone = "design=dgpu-host-queue work_groups=1 operations=50 post=";
    g_autofree char *fenced = g_strconcat(lone, "fenced", NULL);
    g_autofree char *packed = g_strconcat(lone, "packed", NULL);
    g_autofree char *line = g_strconcat(lone, "line", NULL);
    g_autofree char *slow = g_strconcat(lone, "packed service_time=5us", NULL);
    g_autofree char *thinking = g_strconcat(lone, "packed think_time=7us", NULL);
    sim_time load_ps = time_of(&run, operation, "operation=load memory=host");
    sim_time packed_ps = latency_of(&run, packed);
    g_assert_cmpint(latency_of(&run, fenced) - packed_ps, >, load_ps * 9 / 10);
    g_assert_cmpint(llabs(latency_of(&run, line) - packed_ps), <=, 20 * NS);
    sim_time more_ps = latency_of(&run, slow) - packed_ps - 5000 * NS;
    g_assert_cmpint(llabs(more_ps), <=, load_ps);
    g_assert_cmpint(llabs(latency_of(&run, thinking) - packed_ps), <=, load_ps);
    sim_time window_ps =
        latency_of(&run, "design=gpu-thread work_groups=1 operations=64 posts=8 post=packed "
                         "service_time=1us");
    g_assert_cmpint(window_ps, >, 4000 * NS);
    g_assert_cmpint(window_ps, <, 8000 * NS);
}

/* A command processor that reads many entries at a time is held up by its marks, one L2's way each, unless nobody waits for them; its
 * meter of energy, which is asked for by who is behind it in time, knows all it needs. */
static void test_asynchronous_marks(void)
{
    struct workload_run run;
    init(&run);
    run.machine.cp.core.loads_in_flight = 16;
    run.machine.gpu.l2.latency_cycles = 400;
    const char *awaited = "design=comp-net{poll_loop=unrolled} work_groups=480 operations=8 "
                          "warmup=4 post=packed";
    const char *asynchronous =
        "design=comp-net{poll_loop=unrolled,marks=asynchronous} work_groups=480 "
        "operations=8 warmup=4 post=packed";
    sim_time way_ps = 400 * cycles_ps(1, run.machine.gpu.clock_Hz);
    sim_time awaited_ps = latency_of(&run, awaited),
             asynchronous_ps = latency_of(&run, asynchronous);
    g_assert_cmpint(awaited_ps, >, 480 * way_ps * 9 / 10);
    g_assert_cmpint(asynchronous_ps, <, awaited_ps / 2);
    g_assert_cmpint(asynchronous_ps, >, 480 * way_ps / 16);
}

/* A device's read of a line that a core is taking waits until the line is back, and then has the answer, so that the work-group looks once:
 * with lines that need not be fetched, its first look is too early. */
static void test_handed_line(void)
{
    struct workload_run run;
    init(&run);
    const char *post = "design=dgpu-host-queue work_groups=1 operations=50 post=packed";
    sim_time two_looks_ps = latency_of(&run, post);
    run.machine.host.bounced_line_ps = 150 * NS;
    run.machine.host.handed_line_ps = 50 * NS;
    sim_time one_look_ps = latency_of(&run, post);
    g_assert_cmpint(one_look_ps, <, two_looks_ps);
    run.machine.host.handed_line_ps += 100 * NS;
    g_assert_cmpint(latency_of(&run, post), ==, one_look_ps + 100 * NS);
}

/* With host.bounced_line, posts of several stores to lines that cores look at make more threads slower: the port waits for lines that cores
 * took between two stores. Posts of one store take one fetch longer at most, as all lines are fetched side by side, and more
 * threads do not harm them. */
static void test_bounced_line(void)
{
    struct workload_run run;
    init(&run);
    const char *fenced = "design=dgpu-host-queue{service_threads=4} work_groups=64 operations=20 "
                         "post=fenced";
    const char *packed = "design=dgpu-host-queue{service_threads=4} work_groups=64 operations=20 "
                         "post=packed";
    const char *lone = "design=dgpu-host-queue work_groups=64 operations=20 post=fenced";
    sim_time fenced_ps = latency_of(&run, fenced), packed_ps = latency_of(&run, packed);
    g_assert_cmpint(fenced_ps, <=, latency_of(&run, lone));
    run.machine.host.bounced_line_ps = 150 * NS;
    run.machine.host.handed_line_ps = 50 * NS;
    run.machine.host.mesh_hop_ps = 2 * NS;
    g_assert_cmpint(latency_of(&run, packed), <, packed_ps + 420 * NS);
    g_assert_cmpint(latency_of(&run, fenced), >, fenced_ps + 420 * NS);
    g_assert_cmpint(latency_of(&run, fenced), >, latency_of(&run, lone));
}

/* A core that polls its cache has what stood there when its load began, so that it answers no flag before it has fetched the
 * line: a GPU thread's first look, which comes right behind its flag, is too early. */
static void test_cached_look(void)
{
    struct workload_run run;
    init(&run);
    run.machine.host.l3.latency_cycles = 400;
    sim_time load_ps = time_of(&run, operation, "operation=load memory=host");
    sim_time trip_ps = time_of(&run, &flag_round_trip_workload, "ordered=false rounds=50");
    g_assert_cmpint(trip_ps, >=, 2 * load_ps);
    g_assert_cmpint(trip_ps, <=, 2 * load_ps + 150 * NS);
}

/* A link between GPUs acknowledges writes: a fence behind one is a round trip, and nothing is gathered. What came over the bus stays
 * in the L2 where gpu.bus_allocates. */
static void test_peer_memory(void)
{
    struct workload_run run;
    init(&run);
    struct gpu_spec *gpu = &run.machine.gpu;
    sim_time load_ps = time_of(&run, operation, "operation=load memory=peer");
    sim_time fence_ps = time_of(&run, operation, "operation=store_fence memory=peer");
    sim_time host_ps = time_of(&run, operation, "operation=store_fence memory=host");
    gpu->fence_gather_ps = 150 * NS;
    g_assert_cmpint(time_of(&run, operation, "operation=store_fence memory=peer"), ==, fence_ps);
    g_assert_cmpint(time_of(&run, operation, "operation=store_fence memory=host"), >=,
                    host_ps + 290 * NS);
    gpu->bus_allocates = 1;
    sim_time line_ps = gpu->memory_latency_ps + transfer_ps(64, gpu->memory_rate_Bps);
    g_assert_cmpint(load_ps - time_of(&run, operation, "operation=load memory=peer"), ==, line_ps);
}

/* The stream looks front_end_operation behind its answer, then every front_end_gap and a load; the answer comes two operations
 * after the look that finds the flag. */
static void test_front_end(void)
{
    struct workload_run run;
    init(&run);
    run.machine.cuda.front_end_gap_ps = 8000 * NS;
    run.machine.cuda.front_end_operation_ps = 1000 * NS;
    const char *host = "partner=stream place=host rounds=30 ordered=false";
    time_of(&run, &flag_round_trip_workload,
            host); /* the first look comes when the answer has arrived */
    g_assert_cmpint(workload_run_measure(&run, "time_median"), <, 6000 * NS);
    const char *late = "partner=stream delay=2us rounds=30 ordered=false";
    const char *later = "partner=stream delay=5us rounds=30 ordered=false";
    sim_time first_ps = time_of(&run, &flag_round_trip_workload, late);
    sim_time second_ps = time_of(&run, &flag_round_trip_workload, later);
    g_assert_cmpint(llabs(first_ps - second_ps - 3000 * NS), <=, 50 * NS);
    g_assert_cmpint(second_ps, >, 2000 * NS);
    g_assert_cmpint(first_ps, <, 10500 * NS);
    g_assert_false(workload_run_text(&run, &flag_round_trip_workload, "partner=stream pairs=2"));
    g_assert_nonnull(strstr(last_words(), "a stream is one partner; there are 2 pairs"));
}

/* Work-groups start dispatch_gap apart; a graph's kernels side by side cost a call graph_branch each, and take as long as one. */
static void test_dispatch_and_branches(void)
{
    struct workload_run run;
    init(&run);
    sim_time one_ps = time_of(&run, launch, "work_groups=1"),
             many_ps = time_of(&run, launch, "work_groups=1000");
    run.machine.gpu.dispatch_gap_ps = 2 * NS;
    g_assert_cmpint(time_of(&run, launch, "work_groups=1000"), ==, many_ps + 2000 * NS);
    g_assert_cmpint(time_of(&run, launch, "work_groups=1"), ==, one_ps + 2 * NS);
    run.machine.gpu.dispatch_gap_ps = 0;
    run.machine.cuda.graph_branch_ps = 700 * NS;
    sim_time graph_ps = time_of(&run, launch, "kernels=1");
    g_assert_cmpint(time_of(&run, launch, "kernels=8 branches=true"), ==, graph_ps + 7 * 700 * NS);
}

/* Operations before those that count are not in the latency: with four work-groups that wait for each other each takes four times
 * the service, which the first ones do not. Streams pass through the L2 all the while. */
static void test_warm_and_streamed(void)
{
    struct workload_run run;
    init(&run);
    const char *cold = "design=gpu-thread work_groups=4 operations=8 service_time=5us";
    const char *warm = "design=gpu-thread work_groups=4 operations=8 service_time=5us warmup=8";
    const char *passed = "design=gpu-thread work_groups=4 operations=8 warmup=64";
    const char *streamed = "design=gpu-thread work_groups=4 operations=8 warmup=64 streaming=4";
    sim_time warm_ps = latency_of(&run, warm);
    g_assert_cmpint(warm_ps, >=, 4 * 5000 * NS);
    g_assert_cmpint(latency_of(&run, cold), <, warm_ps);
    latency_of(&run, passed);
    int64_t events = workload_run_measure(&run, "events");
    latency_of(&run, streamed);
    g_assert_cmpint(workload_run_measure(&run, "events"), >, 3 * events); /* one a line at least */
}

/* A core that looks ahead serves many queues sooner: its misses overlap. */
static void test_looking_ahead(void)
{
    struct workload_run run;
    init(&run);
    const char *queues = " work_groups=128 operations=20 post=packed";
    g_autofree char *single = g_strconcat("design=dgpu-host-queue", queues, NULL);
    g_autofree char *ahead = g_strconcat("design=dgpu-host-queue{poll_loop=ahead}", queues, NULL);
    run.machine.host.l3.latency_cycles = 1000;
    sim_time single_ps = latency_of(&run, single);
    g_assert_cmpint(latency_of(&run, ahead), ==, single_ps); /* one load under way */
    run.machine.host.core.loads_in_flight = 10;
    g_assert_cmpint(latency_of(&run, single), ==, single_ps);
    g_assert_cmpint(latency_of(&run, ahead), <, single_ps / 2);
}

static void test_launches(void)
{
    struct workload_run run;
    init(&run);
    struct cuda_spec *cuda = &run.machine.cuda;
    cuda->kernel_launch_ps = 2500 * NS;
    cuda->kernel_start_ps = 3500 * NS;
    cuda->synchronize_ps = 1300 * NS;
    cuda->kernel_ahead_ps = 2100 * NS;
    cuda->graph_launch_ps = 1000 * NS;
    cuda->graph_node_ps = 50 * NS;
    cuda->graph_node_start_ps = 700 * NS;
    g_assert_cmpint(time_of(&run, launch, "measured=call"), ==, 2500 * NS);
    g_assert_cmpint(time_of(&run, launch, "spin=5us"), ==, (2500 + 3500 + 5000 + 1300) * NS);
    g_assert_cmpint(time_of(&run, launch, "measured=period spin=5us"), ==, (5000 + 1400) * NS);
    g_assert_cmpint(time_of(&run, launch, "kernels=4 spin=5us"), ==,
                    (1000 + 3 * 50 + 3500 + 3 * 700 + 4 * 5000 + 1300) * NS);
    g_assert_cmpint(time_of(&run, launch, "measured=period kernels=8 spin=5us"), ==,
                    (5000 + 700) * NS);
    cuda->event_edge_ps =
        100 * NS; /* two streams in turn: the rest of kernel_start, and the edge */
    g_assert_cmpint(time_of(&run, launch, "measured=period streams=2 spin=5us"), ==,
                    (5000 + 1400 + 100) * NS);
    g_assert_false(workload_run_text(&run, launch, "streams=2"));
    g_assert_nonnull(strstr(last_words(), "several streams are for measured = period"));
    cuda->call_serial_ps = 2500 * NS;
    sim_time alone_ps = time_of(&run, launch, "measured=back_to_back launches=64 processes=1");
    sim_time three_ps = time_of(&run, launch, "measured=back_to_back launches=64 processes=3");
    g_assert_cmpint(llabs(three_ps - 3 * alone_ps), <=, alone_ps / 10);
    run.machine.gpu.compute_units = 1;
    g_assert_false(workload_run_text(&run, launch, "measured=period processes=2"));
}

/* A thread that sleeps wakes `wake` later, after a long sleep deep_wake later still, and its next launch takes slept_call more. */
static void test_sleeps(void)
{
    struct workload_run run;
    init(&run);
    struct cuda_spec *cuda = &run.machine.cuda;
    cuda->wake_ps = 8000 * NS;
    cuda->slept_call_ps = 400 * NS;
    cuda->deep_sleep_after_ps = 12000 * NS;
    cuda->deep_wake_ps = 20000 * NS;
    sim_time awake_ps = time_of(&run, launch, "spin=1us");
    g_assert_cmpint(time_of(&run, launch, "spin=1us sleeps=true"), ==, awake_ps + 8400 * NS);
    g_assert_cmpint(time_of(&run, launch, "spin=20us sleeps=true"), ==,
                    awake_ps + (19000 + 28400) * NS);
    g_assert_cmpint(time_of(&run, launch, "measured=call sleeps=true"), ==,
                    cuda->kernel_launch_ps + 400 * NS);
}

/* Beside streams, copies of lines of the L2's other partition are replaced, alone they are not: an agent beside streams is slower. */
static void test_two_partitions(void)
{
    struct workload_run run;
    init(&run);
    run.machine.gpu.l2_model = L2_STATISTICAL;
    const char *alone = "design=gpu-thread work_groups=4 operations=50 warmup=64";
    const char *beside = "design=gpu-thread work_groups=4 operations=50 warmup=64 streaming=8 "
                         "streaming_lines=64";
    sim_time alone_ps = latency_of(&run, alone), beside_ps = latency_of(&run, beside);
    run.machine.gpu.far_partition_ps = 300 * NS;
    g_assert_cmpint(llabs(latency_of(&run, alone) - alone_ps), <=, alone_ps / 50);
    g_assert_cmpint(latency_of(&run, beside), >, beside_ps + 100 * NS);
}

/* Whatever the machine: more streams make no agent faster, but for 1 % that depends on who comes first; no stream is as none asked for. */
static void test_streams_slow_agents_down(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(28);
    for (int i = 0; i < 5; i++) {
        struct workload_run run;
        init(&run);
        struct gpu_spec *gpu = &run.machine.gpu;
        gpu->l2_model = L2_STATISTICAL;
        gpu->far_partition_ps = g_rand_int_range(rand, 0, 300) * NS;
        gpu->memory_latency_ps = g_rand_int_range(rand, 50, 400) * NS;
        gpu->memory_rate_Bps = g_rand_int_range(rand, 100, 5000) * INT64_C(1000000000);
        g_autofree char *agent = g_strdup_printf(
            "design=%s work_groups=%d operations=40 warmup=64 streaming_lines=64",
            g_rand_boolean(rand) ? "gpu-thread" : "gpu-warp", g_rand_int_range(rand, 2, 12));
        sim_time before_ps = latency_of(&run, agent);
        for (int streams = 0; streams <= 16; streams = streams == 0 ? 1 : 4 * streams) {
            g_autofree char *beside = g_strdup_printf("%s streaming=%d", agent, streams);
            sim_time beside_ps = latency_of(&run, beside);
            g_test_message("%s: %lld ps", beside, (long long)beside_ps);
            g_assert_cmpint(beside_ps, >=, before_ps - before_ps / 100);
            if (streams == 0)
                g_assert_cmpint(beside_ps, ==, before_ps);
            before_ps = beside_ps;
        }
    }
}

static void test_copies(void)
{
    struct workload_run run;
    init(&run);
    struct cuda_spec *cuda = &run.machine.cuda;
    sim_time in_ps = time_of(&run, &cuda_copy_workload, "direction=host-to-device bytes=64B");
    sim_time out_ps = time_of(&run, &cuda_copy_workload, "direction=device-to-host bytes=64B");
    g_assert_cmpint(in_ps, ==, out_ps);
    cuda->to_host.setup_ps = 900 * NS;
    g_assert_cmpint(time_of(&run, &cuda_copy_workload, "direction=device-to-host bytes=64B"), ==,
                    out_ps + 900 * NS);
    cuda->inline_copy_bytes = 64;
    cuda->inline_setup_ps = cuda->copy_setup_ps - 300 * NS;
    cuda->inline_rate_Bps = INT64_C(1000000000);
    g_assert_cmpint(time_of(&run, &cuda_copy_workload, "direction=host-to-device bytes=64B"), ==,
                    in_ps - 300 * NS + 64 * NS);
    g_assert_cmpint(time_of(&run, &cuda_copy_workload, "direction=host-to-device bytes=128B"), >,
                    in_ps);
    cuda->beside_kernel_ps = 1700 * NS;
    g_assert_cmpint(
        time_of(&run, &cuda_copy_workload, "direction=device-to-host bytes=64B resident=true"), ==,
        out_ps + 900 * NS + 1700 * NS);
    cuda->to_device.rate_Bps = INT64_C(1000000000);
    cuda->copy_chunk_bytes = 64;
    sim_time large_ps = time_of(&run, &cuda_copy_workload, "direction=host-to-device bytes=1MiB");
    g_assert_cmpint(llabs(large_ps - 1048576 * NS), <=, 20000 * NS);
    sim_time inline_ps = time_of(&run, &cuda_copy_workload, "memory=pageable bytes=64B");
    g_assert_cmpint(inline_ps, ==,
                    time_of(&run, &cuda_copy_workload, "memory=pinned bytes=64B")); /* no staging */
    sim_time large_out_ps =
        time_of(&run, &cuda_copy_workload, "direction=device-to-host bytes=1KiB");
    sim_time large_in_ps = time_of(&run, &cuda_copy_workload, "bytes=1KiB");
    cuda->to_device.setup_ps = 400 * NS;
    g_assert_cmpint(time_of(&run, &cuda_copy_workload, "bytes=1KiB"), ==, large_in_ps + 400 * NS);
    g_assert_cmpint(time_of(&run, &cuda_copy_workload, "direction=device-to-host bytes=1KiB"), ==,
                    large_out_ps);
    cuda->copy_call_ps = 0;
    cuda->copy_ahead_ps = cuda->copy_setup_ps;
    sim_time row_ps =
        time_of(&run, &cuda_copy_workload, "direction=host-to-device bytes=1MiB window=16");
    g_assert_cmpint(llabs(row_ps - 1048576 * NS), <=, 2000 * NS);
}

/* One sentence where a machine has no second GPU, or too few cores. */
static void test_refused(void)
{
    struct workload_run run;
    init(&run);
    run.machine.host.cores = 2;
    g_assert_false(workload_run_text(&run, &flag_round_trip_workload, "pairs=3"));
    g_assert_nonnull(strstr(last_words(), "3 pairs take as many CPU cores; the socket has 2"));
    g_assert_false(workload_run_text(&run, &queue_service_workload,
                                     "design=dgpu work_groups=1 operation=put post=packed"));
    g_assert_nonnull(strstr(last_words(), "are for operation = nop"));
    g_assert_false(workload_run_text(&run, &queue_service_workload,
                                     "design=gpu-verbs work_groups=1 operation=put post=line"));
    g_assert_nonnull(strstr(last_words(), "to a server's queue"));
    run.machine.node.gpus_per_socket = 1;
    g_assert_false(workload_run_text(&run, operation, "memory=peer"));
    g_assert_nonnull(strstr(last_words(), "at least 2 GPUs; this one has 1"));
}

/* Percentiles that are asked for lie between the smallest and the largest, in their order; what is there is not added again. */
static void test_percentiles(void)
{
    struct workload_run run;
    init(&run);
    workload_run_good(&run, &queue_service_workload,
                      QUEUES "design=dgpu work_groups=20 operations=50 percentiles=10,50,90,99.9");
    sim_time before_ps = workload_run_measure(&run, "latency_min");
    static const char *const names[] = {"latency_p10", "latency_p50", "latency_p90",
                                        "latency_p99_9", "latency_max"};
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        sim_time next_ps = workload_run_measure(&run, names[i]);
        g_assert_cmpint(next_ps, >=, before_ps);
        before_ps = next_ps;
    }
    size_t medians = 0;
    for (size_t i = 0; i < run.result.count; i++)
        medians += strcmp(run.result.measures[i].name, "latency_p50") == 0;
    g_assert_cmpuint(medians, ==, 1);
    workload_run_good(&run, &get_latency_workload, "design=dgpu bytes=8B percentiles=25");
    g_assert_cmpint(workload_run_measure(&run, "latency_p25"), >, 0);
    workload_run_good(&run, &neighbour_exchange_workload, "design=comp-net percentiles=25");
    g_assert_cmpint(workload_run_measure(&run, "turn_p25"), >, 0);
}

/* The warm-up of puts is not counted. */
static void test_warm_up(void)
{
    struct workload_run run;
    init(&run);
    workload_run_good(&run, &message_rate_workload, "design=gpu-verbs warps=4 messages=64");
    sim_time cold_ps = workload_run_measure(&run, "duration");
    workload_run_good(&run, &message_rate_workload,
                      "design=gpu-verbs warps=4 messages=64 warmup=64");
    sim_time warm_ps = workload_run_measure(&run, "duration");
    g_assert_cmpint(warm_ps, <=, cold_ps);
    g_assert_cmpint(warm_ps, >, cold_ps / 2);
}

/* Streams of one GPU run side by side, as do those of two; the socket's way to its memory is shared unless it is wider. */
static void test_copies_at_once(void)
{
    struct workload_run run;
    init(&run);
    static const char *const one = "to_host=1 to_device=0 bytes=16MiB";
    static const char *const two = "to_host=2 to_device=0 bytes=16MiB";
    workload_run_good(&run, &cuda_copies_workload, one);
    int64_t one_Bps = workload_run_measure(&run, "bandwidth");
    workload_run_good(&run, &cuda_copies_workload, "to_host=1 to_device=1 bytes=16MiB");
    g_assert_cmpint(workload_run_measure(&run, "bandwidth"), >, one_Bps * 19 / 10);
    workload_run_good(&run, &cuda_copies_workload, two);
    g_assert_cmpint(llabs(workload_run_measure(&run, "bandwidth") - one_Bps), <, one_Bps / 5);
    g_assert_false(
        workload_run_text(&run, &cuda_copies_workload, "to_host=0 to_device=0 bytes=8B"));
    g_assert_false(workload_run_text(&run, &cuda_copies_workload,
                                     "to_host=2 to_device=2 apart=true bytes=8B"));
}

/* A thread that sleeps is woken later, where it waits at all. */
static void test_sleeping_thread(void)
{
    struct workload_run run;
    init(&run);
    run.machine.cuda.wake_ps = 7000 * NS;
    sim_time polls_ps = time_of(&run, launch, "measured=synchronize spin=50us");
    g_assert_cmpint(time_of(&run, launch, "measured=synchronize spin=50us sleeps=true"), ==,
                    polls_ps + 7000 * NS);
    g_assert_cmpint(time_of(&run, launch, "measured=call sleeps=true"), ==,
                    time_of(&run, launch, "measured=call"));
}

static void test_power(void)
{
    struct workload_run run;
    init(&run);
    struct gpu_spec *gpu = &run.machine.gpu;
    *gpu = (struct gpu_spec){.idle_power_mW = 100000,
                             .spin_power_mW = 50,
                             .memory_energy_fJ = 100000,
                             .link_energy_fJ = 150000};
    workload_run_good(&run, &gpu_power_workload, "spinning=0");
    g_assert_cmpint(workload_run_measure(&run, "power"), ==, 100000);
    workload_run_good(&run, &gpu_power_workload, "spinning=100");
    g_assert_cmpint(workload_run_measure(&run, "power"), ==, 105000);
    workload_run_good(&run, &gpu_power_workload, "memory_rate=1TB/s link_rate=100GB/s");
    g_assert_cmpint(workload_run_measure(&run, "power"), ==, 225000);
}

/* Agents on the GPU draw what their work-groups add. */
static void test_power_of_agents(void)
{
    struct workload_run run;
    init(&run);
    run.machine.gpu.spin_power_mW = 50;
    workload_run_good(&run, &queue_service_workload, QUEUES "design=gpu-thread work_groups=4");
    int64_t duration_ps = workload_run_measure(&run, "duration");
    int64_t energy_fJ = workload_run_measure(&run, "energy");
    g_assert_cmpint(energy_fJ % 50, ==, 0);
    g_assert_cmpint(energy_fJ / 50, >=, duration_ps / 2);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    test_designs_load();
    g_test_add_func("/micro_benchmarks/operations", test_operations);
    g_test_add_func("/micro_benchmarks/atomics", test_atomics);
    g_test_add_func("/micro_benchmarks/flags", test_flags);
    g_test_add_func("/micro_benchmarks/first_flags", test_first_flags);
    g_test_add_func("/micro_benchmarks/posts", test_posts);
    g_test_add_func("/micro_benchmarks/asynchronous_marks", test_asynchronous_marks);
    g_test_add_func("/micro_benchmarks/handed_line", test_handed_line);
    g_test_add_func("/micro_benchmarks/bounced_line", test_bounced_line);
    g_test_add_func("/micro_benchmarks/cached_look", test_cached_look);
    g_test_add_func("/micro_benchmarks/peer_memory", test_peer_memory);
    g_test_add_func("/micro_benchmarks/front_end", test_front_end);
    g_test_add_func("/micro_benchmarks/dispatch_and_branches", test_dispatch_and_branches);
    g_test_add_func("/micro_benchmarks/warm_and_streamed", test_warm_and_streamed);
    g_test_add_func("/micro_benchmarks/looking_ahead", test_looking_ahead);
    g_test_add_func("/micro_benchmarks/launches", test_launches);
    g_test_add_func("/micro_benchmarks/copies", test_copies);
    g_test_add_func("/micro_benchmarks/sleeps", test_sleeps);
    g_test_add_func("/micro_benchmarks/two_partitions", test_two_partitions);
    g_test_add_func("/micro_benchmarks/streams_slow_agents_down", test_streams_slow_agents_down);
    g_test_add_func("/micro_benchmarks/refused", test_refused);
    g_test_add_func("/micro_benchmarks/percentiles", test_percentiles);
    g_test_add_func("/micro_benchmarks/warm_up", test_warm_up);
    g_test_add_func("/micro_benchmarks/copies_at_once", test_copies_at_once);
    g_test_add_func("/micro_benchmarks/sleeping_thread", test_sleeping_thread);
    g_test_add_func("/micro_benchmarks/power", test_power);
    g_test_add_func("/micro_benchmarks/power_of_agents", test_power_of_agents);
    return g_test_run();
}
