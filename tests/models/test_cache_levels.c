/* SPDX-License-Identifier: BSD-3-Clause */
/* Every cache of a node has the size, the ways and the latency of the machine file. In a cache of `size` bytes and `ways`
 * ways, lines that are size / ways apart share one set. With one line more than there are ways, each line is evicted before
 * it is loaded again; with half that distance two sets hold twice as many lines. */
#include "l2_test.h"

struct level {
    int64_t size_bytes, ways;
    sim_time hit_ps, miss_ps; /* of a load that finds its line here, or only behind it */
};

struct walker {
    struct bench bench;
    address base;
    void (*load)(void *thread, address at);
    void *thread;
    struct process *process;
};

/* The time of a second walk over `count` lines that are `stride` bytes apart. */
static sim_time walk_again_ps(const struct walker *walker, int64_t stride, int64_t count)
{
    sim_time start_ps = 0;
    for (int walk = 0; walk < 2; walk++) {
        start_ps = process_now(walker->process);
        for (int64_t i = 0; i < count; i++)
            walker->load(walker->thread, walker->base + (address)(i * stride));
    }
    return process_now(walker->process) - start_ps;
}

static void check_level(const struct walker *walker, const struct level *level)
{
    int64_t stride = level->size_bytes / level->ways;
    g_assert_cmpint(walk_again_ps(walker, stride / 2, 2 * level->ways), ==,
                    2 * level->ways * level->hit_ps);
    g_assert_cmpint(walk_again_ps(walker, stride, level->ways + 1), ==,
                    (level->ways + 1) * level->miss_ps);
}

static void load_by_host(void *thread, address at)
{
    uint64_t word;
    host_thread_load(thread, at, &word, sizeof word);
}

static void load_by_client(void *client, address at)
{
    uint64_t word;
    memory_client_load(client, at, &word, sizeof word);
}

static void walk_host(struct process *self, void *argument)
{
    struct walker *walker = argument;
    const struct host_spec *spec = &walker->bench.spec.host;
    struct host_thread core;
    host_thread_init(&core, cluster_site(walker->bench.cluster, 0, 0)->host, 0, self);
    walker->load = load_by_host;
    walker->thread = &core;
    walker->process = self;
    sim_time l1_ps = cycles_ps(spec->l1.latency_cycles, spec->core.clock_Hz);
    sim_time l2_ps = l1_ps + cycles_ps(spec->l2.latency_cycles, spec->core.clock_Hz);
    sim_time l3_ps = l2_ps + cycles_ps(spec->l3.latency_cycles, spec->core.clock_Hz);
    sim_time memory_ps =
        l3_ps + spec->memory_latency_ps + transfer_ps(CACHE_LINE_BYTES, spec->memory_rate_Bps);
    check_level(walker, &(struct level){spec->l1.size_bytes, spec->l1.ways, l1_ps, l2_ps});
    check_level(walker, &(struct level){spec->l2.size_bytes, spec->l2.ways, l2_ps, l3_ps});
    check_level(walker, &(struct level){spec->l3.size_bytes, spec->l3.ways, l3_ps, memory_ps});
}

static void test_host(void)
{
    struct walker walker = {0};
    bench_start(&walker.bench, NODE_DISCRETE, NULL);
    const struct host_spec *spec = &walker.bench.spec.host;
    int64_t bytes = spec->l3.size_bytes / spec->l3.ways * (spec->l3.ways + 1);
    walker.base = site_allocate(walker.bench.cluster, cluster_site(walker.bench.cluster, 0, 0),
                                MEMORY_HOST, bytes, STORE_FINE_GRAINED);
    bench_run(&walker.bench, walk_host, &walker);
    bench_end(&walker.bench);
}

static void walk_cp(struct process *self, void *argument)
{
    struct walker *walker = argument;
    const struct bench *bench = &walker->bench;
    const struct gpu_spec *gpu = &bench->spec.gpu;
    struct cp_thread thread;
    cp_thread_init(&thread, cluster_site(bench->cluster, 0, 0)->cp, 0, self);
    walker->load = load_by_client;
    walker->thread = &thread.memory;
    walker->process = self;
    sim_time l1_ps = cp_l1_ps(bench), l2_ps = l1_ps + 2 * l2_half_way_ps(bench);
    check_level(walker, &(struct level){bench->spec.cp.dcache.size_bytes,
                                        bench->spec.cp.dcache.ways, l1_ps, l2_ps});
    check_level(walker, &(struct level){gpu->l2.size_bytes, gpu->l2.ways, l2_ps,
                                        l2_ps + idle_memory_line_ps(bench)});
}

static void allocate_for_l2(struct walker *walker)
{
    bench_start(&walker->bench, NODE_DISCRETE, NULL);
    const struct gpu_spec *gpu = &walker->bench.spec.gpu;
    walker->base =
        bench_allocate(&walker->bench, gpu->l2.size_bytes / gpu->l2.ways * (gpu->l2.ways + 1),
                       STORE_COARSE_GRAINED);
}

static void test_cp(void)
{
    struct walker walker = {0};
    allocate_for_l2(&walker);
    bench_run(&walker.bench, walk_cp, &walker);
    bench_end(&walker.bench);
}

static void walk_cu(struct work_group *wg, void *argument)
{
    struct walker *walker = argument;
    const struct bench *bench = &walker->bench;
    walker->load = load_by_client;
    walker->thread = &wg->memory;
    walker->process = wg->process;
    check_level(walker,
                &(struct level){bench->spec.gpu.l1.size_bytes, bench->spec.gpu.l1.ways,
                                gpu_l1_ps(bench), gpu_l1_ps(bench) + 2 * l2_half_way_ps(bench)});
}

static void test_cu(void)
{
    struct walker walker = {0};
    allocate_for_l2(&walker);
    struct kernel kernel = {
        .work_groups = 1, .threads = 64, .program = walk_cu, .argument = &walker};
    bench_launch(&walker.bench, &kernel);
    g_assert_cmpint(sim_run(walker.bench.sim), ==, SIM_FINISHED);
    bench_end(&walker.bench);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/cache-levels/host", test_host);
    g_test_add_func("/cache-levels/cp-and-l2", test_cp);
    g_test_add_func("/cache-levels/cu", test_cu);
    return g_test_run();
}
