/* SPDX-License-Identifier: BSD-3-Clause */
/* Streaming wavefronts: each rate follows from the one resource that limits it, and every streamed line goes through the
 * tags of the L2. Also the L2's two partitions, and a CP's private data, which move to the L2 when the data cache is too
 * small. */
#include "l2_test.h"
#include "models/gpu/streaming.h"

#define LINES 4096

struct scene {
    struct bench bench;
    struct streaming what;
    int64_t groups;   /* work-groups that each stream the same bytes; 0: one */
    sim_time took_ps; /* of the last one */
};

static void stream(struct work_group *wg, void *argument)
{
    struct scene *scene = argument;
    sim_time start_ps = process_now(wg->process);
    work_group_stream(wg, &scene->what);
    scene->took_ps = process_now(wg->process) - start_ps;
}

static void prepare(struct scene *scene, int64_t lines_in_flight)
{
    *scene = (struct scene){0};
    bench_prepare(&scene->bench);
    scene->what = (struct streaming){.bytes = LINES * CACHE_LINE_BYTES,
                                     .target = ADDRESS_NONE,
                                     .lines_in_flight = lines_in_flight};
}

static void run(struct scene *scene, bool writes, bool reads)
{
    address no = ADDRESS_NONE;
    bench_build(&scene->bench);
    int64_t bytes = scene->what.bytes;
    scene->what.source = reads ? bench_allocate(&scene->bench, bytes, STORE_PAYLOAD) : no;
    scene->what.target = writes ? bench_allocate(&scene->bench, bytes, STORE_PAYLOAD) : no;
    struct kernel kernel = {
        .work_groups = MAX(scene->groups, 1), .threads = 64, .program = stream, .argument = scene};
    bench_launch(&scene->bench, &kernel);
    g_assert_cmpint(sim_run(scene->bench.sim), ==, SIM_FINISHED);
}

static sim_time round_trip_ps(const struct bench *bench)
{
    return gpu_l1_ps(bench) + 2 * l2_half_way_ps(bench);
}

/* One line in flight: each waits for the one before, and for an idle memory. A written line needs nothing
 * from memory. */
static void test_one_in_flight(void)
{
    struct scene scene;
    prepare(&scene, 1);
    run(&scene, false, true);
    sim_time read_ps = round_trip_ps(&scene.bench) + idle_memory_line_ps(&scene.bench);
    g_assert_cmpint(scene.took_ps, ==, LINES * read_ps);
    bench_end(&scene.bench);

    prepare(&scene, 1);
    run(&scene, true, true);
    g_assert_cmpint(scene.took_ps, ==, LINES * (read_ps + round_trip_ps(&scene.bench)));
    bench_end(&scene.bench);

    prepare(&scene, 1);
    run(&scene, true, false);
    g_assert_cmpint(scene.took_ps, ==, LINES * round_trip_ps(&scene.bench));
    bench_end(&scene.bench);
}

/* Twice the lines in flight: half the time, as long as nothing is full. */
static void test_latency_bound(void)
{
    sim_time before_ps = 0;
    for (int64_t in_flight = 1; in_flight <= 16; in_flight *= 2) {
        struct scene scene;
        prepare(&scene, in_flight);
        scene.bench.spec.gpu.memory_rate_Bps *= 1000; /* no queue in front of memory */
        run(&scene, false, true);
        if (before_ps > 0) /* ends, and lines that leave together and take turns */
            g_assert_cmpint(ABS(scene.took_ps - before_ps / 2), <, before_ps / 20);
        before_ps = scene.took_ps;
        bench_end(&scene.bench);
    }
}

/* Very many in flight: what they come to is the slowest thing on the way. */
static void check_rate(struct scene *scene, bool writes, sim_time line_ps)
{
    run(scene, writes, true);
    sim_time expected_ps = LINES * line_ps;
    g_test_message("%.1f ns for each of %d lines, expected %.1f",
                   (double)scene->took_ps / LINES / PS_PER_NS, LINES, (double)line_ps / PS_PER_NS);
    g_assert_cmpint(scene->took_ps, >=, expected_ps);
    g_assert_cmpint(scene->took_ps, <,
                    expected_ps + 2 * round_trip_ps(&scene->bench) +
                        idle_memory_line_ps(&scene->bench) + expected_ps / 100);
    bench_end(&scene->bench);
}

static void test_port_bound(void)
{
    struct scene scene;
    prepare(&scene, 512);
    scene.bench.spec.gpu.memory_rate_Bps *= 1000;
    check_rate(&scene, false, cycles_ps(1, scene.bench.spec.gpu.clock_Hz));
}

static void test_memory_bound(void)
{
    struct scene scene;
    prepare(&scene, 512);
    scene.bench.spec.gpu.memory_rate_Bps = 20000000000;
    check_rate(&scene, false, transfer_ps(CACHE_LINE_BYTES, 20000000000));
}

/* Of four compute units: one bank takes one of their lines in a cycle. */
static void test_bank_bound(void)
{
    struct scene scene;
    prepare(&scene, 512);
    scene.groups = 4;
    scene.bench.spec.gpu.memory_rate_Bps *= 1000;
    scene.bench.spec.gpu.l2_banks = 1;
    check_rate(&scene, false, cycles_ps(4, scene.bench.spec.gpu.clock_Hz));
}

/* A copy of more than the L2 holds: each line of the source is fetched, and each of the target but those that
 * are still in the L2 is written back. */
static void test_traffic_of_a_copy(void)
{
    struct scene scene;
    prepare(&scene, 16);
    scene.bench.spec.gpu.l2.size_bytes = 1024 * CACHE_LINE_BYTES;
    run(&scene, true, true);
    const struct device_memory *memory = bench_memory(&scene.bench);
    g_assert_cmpint(memory->misses[L2_FROM_CU]->value, ==, 2 * LINES);
    g_assert_cmpint(memory->hits[L2_FROM_CU]->value, ==, 0);
    int64_t held = 0;
    for (cache_way way = 0; way < cache_way_count(memory->l2); way++)
        held += cache_is_dirty(memory->l2, way);
    g_assert_cmpint(memory->writebacks->value, ==, LINES - held);
    g_assert_cmpint(memory->dram->channels.bytes_served, ==, (2 * LINES - held) * CACHE_LINE_BYTES);
    bench_end(&scene.bench);
}

/* A second time through a buffer that fits the L2 finds it there. */
static void test_second_time_hits(void)
{
    struct scene scene;
    prepare(&scene, 16);
    run(&scene, false, true);
    struct kernel again = {.work_groups = 1, .threads = 64, .program = stream, .argument = &scene};
    bench_launch(&scene.bench, &again);
    sim_run(scene.bench.sim);
    const struct device_memory *memory = bench_memory(&scene.bench);
    g_assert_cmpint(memory->hits[L2_FROM_CU]->value, ==, LINES);
    bench_end(&scene.bench);
}

/* An event a line, and a stop that is obeyed. */
static void test_events_and_stop(void)
{
    struct scene scene;
    prepare(&scene, 16);
    run(&scene, false, true);
    g_assert_cmpuint(event_executed(scene.bench.sim->events), <, LINES + 100);
    bench_end(&scene.bench);

    static const bool stop = true;
    prepare(&scene, 16);
    scene.what.stop = &stop;
    run(&scene, false, true);
    g_assert_cmpint(scene.took_ps, ==, 0);
    bench_end(&scene.bench);
}

/* --- the L2's two partitions ---------------------------------------------------------------------- */

#define REPLACES 1024 /* lines read from memory, after which no copy is left */

/* Two loads of one line that the L2 holds, and lines that are read or written between them. */
struct pair {
    struct bench bench;
    sim_time far_ps;
    int64_t line, lines_between;
    bool writes, is_over;
    sim_time second_ps;
};

static void load_again(struct process *self, void *argument)
{
    struct pair *pair = argument;
    struct device_memory *memory = bench_memory(&pair->bench);
    address at = bench_allocate(&pair->bench, 16 * CACHE_LINE_BYTES, STORE_PAYLOAD);
    address other =
        bench_allocate(&pair->bench, (pair->lines_between + 1) * CACHE_LINE_BYTES, STORE_PAYLOAD);
    at += (address)pair->line * CACHE_LINE_BYTES;
    device_memory_access(memory, L2_FROM_CU, at, false);
    for (int64_t i = 0; i < pair->lines_between; i++)
        device_memory_stream(memory, other + (address)i * CACHE_LINE_BYTES, 1, pair->writes);
    process_sleep(self, (pair->is_over ? 1001 : 900) * PS_PER_NS); /* banks are idle again */
    pair->second_ps = device_memory_access(memory, L2_FROM_CU, at, false);
}

static sim_time second_load_ps(struct pair pair)
{
    bench_prepare(&pair.bench);
    pair.bench.spec.gpu.far_partition_ps = pair.far_ps;
    bench_build(&pair.bench);
    bench_run(&pair.bench, load_again, &pair);
    bench_end(&pair.bench);
    return pair.second_ps;
}

/* Of 16 lines in a row eight have their home in the other partition. Their second load takes the way there if REPLACES lines
 * have been read between, and not if one fewer has been read, any number written, or none for a microsecond. */
static void test_two_partitions(void)
{
    const sim_time far_ps = 100 * PS_PER_NS;
    int64_t far = 0;
    for (int64_t line = 0; line < 16; line++) {
        g_assert_cmpint(second_load_ps((struct pair){.far_ps = far_ps, .line = line}), ==, 0);
        struct pair pair = {.far_ps = far_ps, .line = line, .lines_between = REPLACES};
        sim_time second_ps = second_load_ps(pair);
        g_assert_true(second_ps == 0 || second_ps == far_ps);
        far += second_ps == far_ps;
        pair.writes = true;
        g_assert_cmpint(second_load_ps(pair), ==, 0);
        pair.writes = false;
        pair.is_over = true;
        g_assert_cmpint(second_load_ps(pair), ==, 0);
        pair = (struct pair){.far_ps = far_ps, .line = line, .lines_between = REPLACES - 1};
        g_assert_cmpint(second_load_ps(pair), ==, 0);
    }
    g_assert_cmpint(far, ==, 8);
}

/* Whatever the machine: more lines between make no load faster, nor does a longer way; without one nothing does. */
static void test_partitions_of_any_machine(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(28);
    for (int i = 0; i < 100; i++) {
        struct pair pair = {.far_ps = g_rand_int_range(rand, 1, 1000) * PS_PER_NS,
                            .line = g_rand_int_range(rand, 0, 16),
                            .lines_between = g_rand_int_range(rand, 0, 4 * REPLACES)};
        sim_time second_ps = second_load_ps(pair);
        struct pair more = pair, longer = pair, none = pair;
        more.lines_between *= 2;
        longer.far_ps *= 2;
        none.far_ps = 0;
        g_assert_cmpint(second_load_ps(more), >=, second_ps);
        g_assert_cmpint(second_load_ps(longer), ==, 2 * second_ps);
        g_assert_cmpint(second_load_ps(none), ==, 0);
    }
}

/* --- private data of a CP ---------------------------------------------------------------------- */

struct library {
    struct bench bench;
    int64_t l2_first_accesses; /* in the first half */
    int64_t l2_accesses;       /* in the second half */
    int64_t l2_dirty_lines;
};

static int64_t private_accesses(const struct device_memory *memory)
{
    return memory->hits[L2_FROM_CP_PRIVATE]->value + memory->misses[L2_FROM_CP_PRIVATE]->value;
}

static void call_library(struct process *self, void *argument)
{
    struct library *library = argument;
    const struct device_memory *memory = bench_memory(&library->bench);
    struct cp_thread thread;
    cp_thread_init(&thread, cluster_site(library->bench.cluster, 0, 0)->cp, 0, self);
    cp_thread_serve_queues(&thread, 0);
    for (int i = 0; i < 2000; i++) {
        if (i == 1000)
            library->l2_first_accesses = private_accesses(memory);
        memory_client_acquire(&thread.memory, SCOPE_DEVICE);
        cp_thread_execute(&thread, 200);
        cp_thread_touch_data(&thread, 200);
    }
    library->l2_accesses = private_accesses(memory) - library->l2_first_accesses;
    for (cache_way way = 0; way < cache_way_count(memory->l2); way++)
        library->l2_dirty_lines += cache_is_dirty(memory->l2, way);
}

static struct library run_library(int64_t private_bytes)
{
    struct library library = {0};
    bench_prepare(&library.bench);
    library.bench.spec.cp.private_data_bytes = private_bytes;
    bench_build(&library.bench);
    bench_run(&library.bench, call_library, &library);
    bench_end(&library.bench);
    return library;
}

/* 32 KiB of data cache: half of it is there from the start and does not leave it, acquires
 * notwithstanding; what is more than that does, the more the more. An access to the L2 is a touch
 * that missed, or a written line that was pushed out and lies in the L2 from then on. */
static void test_private_data_spills(void)
{
    g_assert_cmpint(run_library(0).l2_accesses, ==, 0);
    g_assert_cmpint(run_library(16 << 10).l2_first_accesses, ==, 0);
    g_assert_cmpint(run_library(16 << 10).l2_accesses, ==, 0);
    g_assert_cmpint(run_library(16 << 10).l2_dirty_lines, ==, 0);
    int64_t before = 0;
    for (int64_t bytes = 64 << 10; bytes <= 1 << 20; bytes *= 2) {
        struct library library = run_library(bytes);
        g_assert_cmpint(library.l2_accesses, >, before);
        g_assert_cmpint(library.l2_dirty_lines, >, 0);
        before = library.l2_accesses;
    }
    g_assert_cmpint(before, <, 2 * 1000 * 10); /* ten touches a call of 200 instructions */
}

/* A turn of the polling loop touches nothing: its polls are alike. */
static void poll_turns(struct process *self, void *argument)
{
    struct library *library = argument;
    struct cp_thread thread;
    cp_thread_init(&thread, cluster_site(library->bench.cluster, 0, 0)->cp, 0, self);
    cp_thread_serve_queues(&thread, 0);
    for (int i = 0; i < 1000; i++)
        cp_thread_touch_data(&thread, 12);
    library->l2_accesses = bench_memory(&library->bench)->misses[L2_FROM_CP_PRIVATE]->value;
}

static void test_polling_touches_nothing(void)
{
    struct library library = {0};
    bench_prepare(&library.bench);
    library.bench.spec.cp.private_data_bytes = 1 << 20;
    bench_build(&library.bench);
    bench_run(&library.bench, poll_turns, &library);
    g_assert_cmpint(library.l2_accesses, ==, 0);
    bench_end(&library.bench);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/l2-streaming/one-in-flight", test_one_in_flight);
    g_test_add_func("/l2-streaming/latency-bound", test_latency_bound);
    g_test_add_func("/l2-streaming/port-bound", test_port_bound);
    g_test_add_func("/l2-streaming/memory-bound", test_memory_bound);
    g_test_add_func("/l2-streaming/bank-bound", test_bank_bound);
    g_test_add_func("/l2-streaming/traffic-of-a-copy", test_traffic_of_a_copy);
    g_test_add_func("/l2-streaming/second-time-hits", test_second_time_hits);
    g_test_add_func("/l2-streaming/events-and-stop", test_events_and_stop);
    g_test_add_func("/l2-streaming/two-partitions", test_two_partitions);
    g_test_add_func("/l2-streaming/partitions-of-any-machine", test_partitions_of_any_machine);
    g_test_add_func("/l2-streaming/private-data-spills", test_private_data_spills);
    g_test_add_func("/l2-streaming/polling-touches-nothing", test_polling_touches_nothing);
    return g_test_run();
}
