/* SPDX-License-Identifier: BSD-3-Clause */
/* Stores of a core to lines that a device has read in the meantime: formulas give when others see these stores. */
#include "model_test.h"
#include "models/host/host_parts.h"

#define LINES 12

struct scene {
    struct bench bench;
    struct host_thread core;
    address lines;
    bool are_read; /* by a device, between the core's load and its store */
    sim_time took_ps, stored_ps;
};

static address line_at(const struct scene *scene, size_t i)
{
    return scene->lines + i * CACHE_LINE_BYTES;
}

static void store_to_all(struct process *self, void *argument)
{
    struct scene *scene = argument;
    struct host *host = cluster_site(scene->bench.cluster, 0, 0)->host;
    uint64_t word = 7;
    host_thread_init(&scene->core, host, 0, self);
    for (size_t i = 0; i < LINES; i++)
        host_thread_load(&scene->core, line_at(scene, i), &word, sizeof word);
    process_sleep(self, PS_PER_US);
    for (size_t i = 0; i < LINES && scene->are_read; i++)
        store_buffer_device_reads(host, line_at(scene, i) / CACHE_LINE_BYTES);
    sim_time start_ps = process_now(self);
    for (size_t i = 0; i < LINES; i++)
        host_thread_store(&scene->core, line_at(scene, i), &word, sizeof word);
    scene->stored_ps = process_now(self) - start_ps;
    host_thread_atomic(&scene->core, line_at(scene, 0), ATOMIC_ADD, 1, 0);
    scene->took_ps = process_now(self) - start_ps;
}

static struct scene run(int64_t owned_at_once, int64_t stores_under_way, bool are_read,
                        sim_time *l1_ps, sim_time *miss_ps)
{
    struct scene scene = {.are_read = are_read};
    scene.bench.sim = sim_new(1);
    machine_spec_init(&scene.bench.spec, NULL);
    struct host_spec *spec = &scene.bench.spec.host;
    spec->owned_at_once = owned_at_once;
    spec->stores_under_way = stores_under_way;
    *l1_ps = cycles_ps(spec->l1.latency_cycles, spec->core.clock_Hz);
    *miss_ps = *l1_ps + cycles_ps(spec->l2.latency_cycles, spec->core.clock_Hz) +
               cycles_ps(spec->l3.latency_cycles, spec->core.clock_Hz);
    scene.bench.cluster = cluster_new(scene.bench.sim, &scene.bench.spec, NODE_DISCRETE, NULL);
    scene.lines = site_allocate(scene.bench.cluster, cluster_site(scene.bench.cluster, 0, 0),
                                MEMORY_HOST, LINES * CACHE_LINE_BYTES, STORE_FINE_GRAINED);
    bench_run(&scene.bench, store_to_all, &scene);
    bench_end(&scene.bench);
    return scene;
}

/* A line that nobody has read is the core's own: its store is seen after a hit in the L1; so is any if lines stay with the core. */
static void test_own(void)
{
    sim_time l1_ps, miss_ps;
    g_assert_cmpint(run(4, 112, false, &l1_ps, &miss_ps).took_ps, ==, l1_ps);
    g_assert_cmpint(run(0, 112, true, &l1_ps, &miss_ps).took_ps, ==, l1_ps);
}

/* Lines that a device has read are asked for, so many at a time, each as long as a miss; the core itself goes on. */
static void test_read(void)
{
    for (int64_t at_once = 1; at_once <= LINES; at_once++) {
        sim_time l1_ps, miss_ps;
        struct scene scene = run(at_once, 112, true, &l1_ps, &miss_ps);
        g_assert_cmpint(scene.took_ps, ==, l1_ps + (LINES + at_once - 1) / at_once * miss_ps);
        g_assert_cmpint(scene.stored_ps, ==, 0);
    }
}

/* With room for four stores, the core waits until the eighth is seen before it makes the twelfth. */
static void test_room(void)
{
    sim_time l1_ps, miss_ps;
    struct scene scene = run(2, 4, true, &l1_ps, &miss_ps);
    g_assert_cmpint(scene.stored_ps, >=, (LINES - 4) / 2 * miss_ps);
    g_assert_cmpint(scene.stored_ps, <=, l1_ps + (LINES - 4) / 2 * (miss_ps + l1_ps));
}

int main(int argument_count, char **arguments)
{
    g_test_init(&argument_count, &arguments, NULL);
    g_test_add_func("/store-buffer/own", test_own);
    g_test_add_func("/store-buffer/read", test_read);
    g_test_add_func("/store-buffer/room", test_room);
    return g_test_run();
}
