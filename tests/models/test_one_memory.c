/* SPDX-License-Identifier: BSD-3-Clause */
/* A GPU has one memory, whose rate is shared by transfers of devices, by kernels and by single accesses. Expected times are
 * bytes divided by shares of that rate. */
#include <string.h>

#include "model_test.h"
#include "models/nic/verbs.h"

#define MB INT64_C(1000000)
#define MOST 4

struct scene;
struct note {
    struct scene *scene;
    sim_time ended_ps;
};

struct scene {
    struct bench bench;
    struct kernel kernel;
    struct note notes[MOST + 1]; /* of payloads, and of the kernel */
};

static void start(struct scene *scene, int64_t memory_rate_Bps)
{
    GError *error = NULL;
    *scene = (struct scene){.bench.sim = sim_new(1)};
    machine_spec_init(&scene->bench.spec, NULL);
    scene->bench.spec.gpu.memory_rate_Bps = memory_rate_Bps;
    scene->bench.cluster = cluster_new(scene->bench.sim, &scene->bench.spec, NODE_DISCRETE, &error);
    g_assert_no_error(error);
    for (int i = 0; i <= MOST; i++)
        scene->notes[i].scene = scene;
}

static int port_of(const struct scene *scene, int node, const char *device)
{
    return platform_port(scene->bench.cluster->platform, node, device);
}

static void note_end(void *argument)
{
    struct note *note = argument;
    note->ended_ps = sim_now(note->scene->bench.sim);
}

/* The NIC of node 0 writes from its GPU's memory into the other node's, in GPU or host memory. */
static void write_block(struct scene *scene, int number, int64_t bytes, const char *to)
{
    const struct verbs_operation write = {.node = 0,
                                          .remote_node = 1,
                                          .core_port = port_of(scene, 0, "cpu0"),
                                          .local_port = port_of(scene, 0, "gpu0"),
                                          .remote_port = port_of(scene, 1, to),
                                          .bytes = bytes,
                                          .delivered = note_end,
                                          .argument = &scene->notes[number]};
    verbs_write(scene->bench.cluster->nics, &write);
}

/* As many wavefronts as there are places, each of which reads so many bytes. */
static void launch(struct scene *scene, int64_t bytes)
{
    const struct gpu_spec *spec = &scene->bench.spec.gpu;
    g_autoptr(GError) error = NULL;
    scene->kernel = (struct kernel){.work_groups = spec->waves_per_cu * spec->compute_units,
                                    .threads = spec->lanes,
                                    .is_queued = true,
                                    .work = {.memory_bytes = bytes},
                                    .done = note_end,
                                    .done_argument = &scene->notes[MOST]};
    gpu_launch(cluster_site(scene->bench.cluster, 0, 0)->gpu, &scene->kernel, &error);
    g_assert_no_error(error);
}

static void run(struct scene *scene)
{
    g_assert_cmpint(sim_run(scene->bench.sim), ==, SIM_FINISHED);
    bench_end(&scene->bench);
}

/* Latencies, headers and the first packets are some microseconds and a percent. */
static void assert_about(sim_time a_ps, sim_time expected_ps)
{
    sim_time off_ps = ABS(a_ps - expected_ps);
    if (off_ps > expected_ps / 100 + 20 * PS_PER_US)
        g_error("%lld ps, expected %lld", (long long)a_ps, (long long)expected_ps);
}

/* The rate of what carries a payload from memory to memory. */
static int64_t way_Bps(const struct scene *scene)
{
    const struct platform_route *route = platform_route(
        scene->bench.cluster->platform, port_of(scene, 0, "gpu0"), port_of(scene, 1, "gpu0"));
    return route->bandwidth_Bps;
}

/* One payload takes as long as the slower of its way and the memories at both ends. */
static void test_lone_payload(void)
{
    static const int64_t rates_Bps[] = {1000 * MB, 5000 * MB, 512000 * MB};
    for (size_t i = 0; i < G_N_ELEMENTS(rates_Bps); i++) {
        struct scene scene;
        start(&scene, rates_Bps[i]);
        int64_t slower_Bps = MIN(rates_Bps[i], way_Bps(&scene));
        write_block(&scene, 0, 64 * MB, "gpu0");
        run(&scene);
        assert_about(scene.notes[0].ended_ps, transfer_ps(64 * MB, slower_Bps));
        g_assert_cmpint(scene.notes[0].ended_ps, >=, transfer_ps(64 * MB, slower_Bps));
    }
}

/* The same without a limit as with the usual one: an idle memory adds nothing. */
static void test_idle_memory(void)
{
    static const int64_t sizes[] = {8, 64, 4096, 1 << 20};
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
        sim_time ended_ps[2];
        for (int fast = 0; fast < 2; fast++) {
            struct scene scene;
            start(&scene, fast ? 100000000 * MB : 512000 * MB);
            write_block(&scene, 0, sizes[i], "gpu0");
            write_block(&scene, 1, sizes[i], "cpu0");
            run(&scene);
            ended_ps[fast] = scene.notes[1].ended_ps;
        }
        g_assert_cmpint(ended_ps[0], ==, ended_ps[1]);
    }
}

/* Several payloads at once have no more than the memory's rate together. */
static void test_payloads_share(void)
{
    struct scene scene;
    start(&scene, 2000 * MB);
    for (int i = 0; i < MOST; i++)
        write_block(&scene, i, 10 * (i + 1) * MB, "cpu0");
    run(&scene);
    sim_time before_ps = 0;
    for (int i = 0; i < MOST; i++) { /* what is left of each is 10 MB more than of the one before */
        before_ps += transfer_ps((MOST - i) * 10 * MB, 2000 * MB);
        assert_about(scene.notes[i].ended_ps, before_ps);
    }
}

/* A kernel that fills the memory and a NIC whose way is as fast as the memory have half of it each; then the kernel
 * has it alone. */
static void test_kernel_beside(void)
{
    struct scene scene;
    start(&scene, 1000 * MB);
    scene.bench.spec.gpu.memory_rate_Bps = way_Bps(&scene);
    bench_end(&scene.bench);
    start(&scene, scene.bench.spec.gpu.memory_rate_Bps);
    int64_t rate_Bps = way_Bps(&scene),
            places = scene.bench.spec.gpu.waves_per_cu * scene.bench.spec.gpu.compute_units;
    launch(&scene, 100 * MB / places);
    write_block(&scene, 0, 20 * MB, "cpu0");
    run(&scene);
    assert_about(scene.notes[0].ended_ps, transfer_ps(40 * MB, rate_Bps));
    assert_about(scene.notes[MOST].ended_ps, transfer_ps(120 * MB, rate_Bps));
}

/* --- lines beside flows ------------------------------------------------------------------------- */

#define RATE_BPS INT64_C(512000000000)
#define LATENCY_PS (208 * PS_PER_NS) /* of flows; of lines half of it */

/* A memory with a flow of wavefronts that ask for `times` its rate. */
static void flow_at(struct dram *dram, struct shared_job *flow, double times, double bytes)
{
    const int64_t wave_bytes = 1024, waves = RATE_BPS / 1000 * LATENCY_PS / 1000000000 / wave_bytes;
    *dram = (struct dram){.latency_ps = 0};
    dram_init(dram, LATENCY_PS / 2, RATE_BPS);
    dram_set_wavefronts(dram, wave_bytes, LATENCY_PS, 480);
    double weight = (double)waves * times;
    *flow = (struct shared_job){.asks = weight * dram->flows.most, .is_counted = true};
    shared_rate_begin(&dram->flows, flow, 0, bytes, weight);
}

/* What is under way beyond what the memory passes in the latency stands before a line. */
static void test_line_waits(void)
{
    static const double times[] = {0.5, 1, 1.5, 2, 4};
    for (size_t i = 0; i < G_N_ELEMENTS(times); i++) {
        struct dram dram;
        struct shared_job flow;
        flow_at(&dram, &flow, times[i], 1e12);
        sim_time at_ps = 1000 * PS_PER_US; /* it has settled */
        sim_time alone_ps = LATENCY_PS / 2 + transfer_ps(64, RATE_BPS);
        sim_time waits_ps = dram_access(&dram, at_ps, 64) - at_ps - alone_ps;
        sim_time expected_ps = (sim_time)(MAX(times[i] - 1, 0) * (double)LATENCY_PS);
        g_assert_cmpint(ABS(waits_ps - expected_ps), <=, LATENCY_PS / 50);
    }
}

/* A flow loses a quarter that lines take, if it wanted all of the rate, and nothing if it wanted half. */
static void test_lines_take(void)
{
    for (int half = 0; half < 2; half++) {
        struct dram dram;
        struct shared_job flow;
        double bytes = (double)RATE_BPS / 1e6 * 100; /* 100 us at all of the rate */
        flow_at(&dram, &flow, half ? 0.5 : 1.0001, bytes);
        sim_time expected_ps = half ? 200 * PS_PER_US : 133333333, end_ps;
        for (end_ps = 0; flow.is_at_work; end_ps += 4 * 125 * PS_PER_NS / 1000)
            dram_access(&dram, end_ps, 64);
        g_assert_cmpint(ABS(end_ps - expected_ps), <=, expected_ps / 100);
    }
}

/* Lines that are always under way, and a flow: both have what stands for them in the queue. */
static void test_lines_and_flow_share(void)
{
    enum { LINES = 1664 }; /* as many as the memory passes in LATENCY_PS */
    struct dram dram;
    struct shared_job flow;
    static sim_time next_ps[LINES];
    flow_at(&dram, &flow, 2, 1e15);
    for (int i = 0; i < LINES; i++)
        next_ps[i] = i;
    double before = shared_rate_left(&dram.flows, &flow, 0);
    int64_t lines = 0;
    sim_time at_ps = 0;
    for (size_t i = 0; at_ps < 100 * PS_PER_US; i = (i + 1) % LINES) { /* first in, first out */
        at_ps = next_ps[i];
        next_ps[i] = dram_access(&dram, at_ps, 64) + LATENCY_PS / 2;
        lines++;
    }
    double flowed = before - shared_rate_left(&dram.flows, &flow, at_ps);
    double all = flowed + (double)lines * 64;
    /* 104 KiB of lines, 208 KiB of the flow */
    g_assert_cmpfloat(ABS(all / ((double)RATE_BPS * 100e-6) - 1), <, 0.02);
    g_assert_cmpfloat(ABS(flowed / all - 2.0 / 3), <, 0.02);
}

/* --- what passes through the L2 ------------------------------------------------------------------ */

struct watching {
    struct line_watcher watcher;
    struct scene *scene;
    sim_time gone_ps;
};

static void line_changes(struct line_watcher *watcher)
{
    struct watching *watching = (struct watching *)watcher;
    if (watching->gone_ps == 0)
        watching->gone_ps = sim_now(watching->scene->bench.sim);
}

/* A line in the L2 that nobody uses is pushed out, and who watches it is told, once a kernel has moved as much as the L2
 * holds: with exact tags when that is so, with statistical ones about then. */
static void test_kernel_thrashes(void)
{
    for (int model = L2_LINES; model <= L2_STATISTICAL; model++) {
        struct scene scene;
        start(&scene, 512000 * MB);
        struct cluster *cluster = scene.bench.cluster;
        struct gpu_spec *spec = &scene.bench.spec.gpu;
        spec->l2_model = model;
        struct site *site = cluster_site(cluster, 0, 0);
        struct device_memory *memory = gpu_memory(site->gpu);
        address at = site_allocate(cluster, site, MEMORY_GPU, 64, STORE_COARSE_GRAINED);
        struct watching watching = {.watcher = {.changed = line_changes}, .scene = &scene};
        device_memory_access(memory, L2_FROM_CP, at, false);
        g_assert_cmpint(device_memory_access(memory, L2_FROM_CP, at, false), <, 10 * PS_PER_NS);
        device_memory_watch(memory, at, &watching.watcher);
        launch(&scene, 4 * spec->l2.size_bytes / (spec->waves_per_cu * spec->compute_units));
        g_assert_cmpint(sim_run(scene.bench.sim), ==, SIM_FINISHED);
        sim_time full_ps = transfer_ps(spec->l2.size_bytes, spec->memory_rate_Bps);
        sim_time by_ps = model == L2_LINES ? full_ps / 100 : full_ps;
        g_assert_cmpint(ABS(watching.gone_ps - full_ps), <, by_ps);
        device_memory_unwatch(memory, &watching.watcher);
        g_assert_cmpint(device_memory_access(memory, L2_FROM_CP, at, false), >=,
                        spec->memory_latency_ps);
        bench_end(&scene.bench);
    }
}

/* --- whatever the machine ------------------------------------------------------------------------ */

/* Up to three users of a drawn memory, of whom `mask` says which are there; their ends, 0 of those who are not. */
static void ends_of(uint32_t seed, unsigned mask, int64_t rate_times, sim_time ends_ps[3])
{
    struct scene scene;
    g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
    int64_t rate_Bps = g_rand_int_range(rand, 1000, 1000000) * MB;
    start(&scene, rate_times * rate_Bps);
    int64_t places = scene.bench.spec.gpu.waves_per_cu * scene.bench.spec.gpu.compute_units;
    int64_t bytes[3];
    for (int i = 0; i < 3; i++)
        bytes[i] = (int64_t)g_rand_int_range(rand, 1, 30000) * 1000;
    for (int i = 0; i < 2; i++)
        if (mask & 1u << i)
            write_block(&scene, i, bytes[i], i == 0 ? "gpu0" : "cpu0");
    if (mask & 4)
        launch(&scene, bytes[2] * (int64_t)g_rand_int_range(rand, 1, 100) / places + 1);
    g_assert_cmpint(sim_run(scene.bench.sim), ==, SIM_FINISHED);
    for (int i = 0; i < 3; i++)
        ends_ps[i] = scene.notes[i < 2 ? i : MOST].ended_ps;
    bench_end(&scene.bench);
}

/* A user more helps nobody, and twice the rate slows nobody. Shares round to a picosecond. */
static void test_any_machine(void)
{
    for (uint32_t seed = 0; seed < 100; seed++)
        for (unsigned mask = 1; mask < 8; mask++) {
            sim_time with_ps[3], twice_ps[3], without_ps[3];
            ends_of(seed, mask, 1, with_ps);
            ends_of(seed, mask, 2, twice_ps);
            for (int i = 0; i < 3; i++)
                g_assert_cmpint(twice_ps[i], <=, with_ps[i] + 2);
            for (unsigned left_out = 0; left_out < 3; left_out++) {
                ends_of(seed, mask & ~(1u << left_out), 1, without_ps);
                for (unsigned i = 0; i < 3; i++)
                    if (i != left_out)
                        g_assert_cmpint(without_ps[i], <=, with_ps[i] + 2);
            }
        }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/one_memory/lone_payload", test_lone_payload);
    g_test_add_func("/one_memory/idle_memory", test_idle_memory);
    g_test_add_func("/one_memory/payloads_share", test_payloads_share);
    g_test_add_func("/one_memory/kernel_beside", test_kernel_beside);
    g_test_add_func("/one_memory/line_waits", test_line_waits);
    g_test_add_func("/one_memory/lines_take", test_lines_take);
    g_test_add_func("/one_memory/lines_and_flow_share", test_lines_and_flow_share);
    g_test_add_func("/one_memory/kernel_thrashes", test_kernel_thrashes);
    g_test_add_func("/one_memory/any_machine", test_any_machine);
    return g_test_run();
}
