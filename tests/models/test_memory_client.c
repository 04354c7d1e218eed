/* SPDX-License-Identifier: BSD-3-Clause */
/* A work-group's and a CP's loads, stores, acquires and releases: times by formula, and what is seen when. */
#include "model_test.h"
#include "models/memory/store.h"

struct actor {
    struct bench bench;
    struct cp_thread cp[2]; /* two cores: two L1s that are not coherent */
    address word;
};

static sim_time l1_ps(const struct bench *bench)
{
    return cycles_ps(bench->spec.cp.dcache.latency_cycles, bench->spec.cp.core.clock_Hz);
}

static sim_time l2_half_ps(const struct bench *bench)
{
    return cycles_ps(bench->spec.gpu.l2.latency_cycles, bench->spec.gpu.clock_Hz) / 2;
}

static void actor_start(struct actor *actor, struct process *self)
{
    for (int i = 0; i < 2; i++)
        cp_thread_init(&actor->cp[i], cluster_site(actor->bench.cluster, 0, 0)->cp, i, self);
}

static uint64_t load(struct cp_thread *thread, address at)
{
    uint64_t word;
    memory_client_load(&thread->memory, at, &word, sizeof word);
    return word;
}

static void store(struct cp_thread *thread, address at, uint64_t word)
{
    memory_client_store(&thread->memory, at, &word, sizeof word);
}

/* Miss everywhere: L1, L2 there and back, device memory, one line at its rate. Then an L1 hit. After an
 * acquire an L2 hit. */
static void load_times(struct process *self, void *argument)
{
    struct actor *actor = argument;
    actor_start(actor, self);
    struct bench *bench = &actor->bench;
    sim_time memory_ps = bench->spec.gpu.memory_latency_ps +
                         transfer_ps(CACHE_LINE_BYTES, bench->spec.gpu.memory_rate_Bps);
    sim_time start_ps = process_now(self);
    load(&actor->cp[0], actor->word);
    g_assert_cmpint(process_now(self) - start_ps, ==,
                    l1_ps(bench) + 2 * l2_half_ps(bench) + memory_ps);

    start_ps = process_now(self);
    load(&actor->cp[0], actor->word + 8);
    g_assert_cmpint(process_now(self) - start_ps, ==, l1_ps(bench));

    memory_client_acquire(&actor->cp[0].memory, SCOPE_DEVICE);
    start_ps = process_now(self);
    load(&actor->cp[0], actor->word);
    g_assert_cmpint(process_now(self) - start_ps, ==, l1_ps(bench) + 2 * l2_half_ps(bench));
}

/* Without an acquire core 1 goes on seeing what its L1 holds; with one it sees what core 0 released. A
 * work-group scope does not reach that far. */
static void stale_until_acquire(struct process *self, void *argument)
{
    struct actor *actor = argument;
    actor_start(actor, self);
    g_assert_cmpuint(load(&actor->cp[1], actor->word), ==, 0);
    store(&actor->cp[0], actor->word, 42);
    memory_client_release(&actor->cp[0].memory, SCOPE_DEVICE);
    g_assert_cmpuint(load(&actor->cp[1], actor->word), ==, 0);
    memory_client_acquire(&actor->cp[1].memory, SCOPE_WORK_GROUP);
    g_assert_cmpuint(load(&actor->cp[1], actor->word), ==, 0);
    memory_client_acquire(&actor->cp[1].memory, SCOPE_DEVICE);
    g_assert_cmpuint(load(&actor->cp[1], actor->word), ==, 42);
}

/* A store does not wait; a release waits until it has been to the L2 and back; it is there half way. */
static void release_waits(struct process *self, void *argument)
{
    struct actor *actor = argument;
    actor_start(actor, self);
    struct bench *bench = &actor->bench;
    struct store *memory = gpu_memory(cluster_site(bench->cluster, 0, 0)->gpu)->store;
    uint64_t seen;
    sim_time start_ps = process_now(self);
    store(&actor->cp[0], actor->word, 7);
    g_assert_cmpint(process_now(self), ==, start_ps);
    process_sleep(self, l1_ps(bench) + l2_half_ps(bench) - 1);
    store_read(memory, actor->word, &seen, sizeof seen);
    g_assert_cmpuint(seen, ==, 0);
    process_sleep(self, 1);
    store_read(memory, actor->word, &seen, sizeof seen);
    g_assert_cmpuint(seen, ==, 7);
    memory_client_release(&actor->cp[0].memory, SCOPE_DEVICE);
    g_assert_cmpint(process_now(self) - start_ps, ==, l1_ps(bench) + 2 * l2_half_ps(bench));
}

/* A core sees its own store at once, through its L1. */
static void own_store_is_seen(struct process *self, void *argument)
{
    struct actor *actor = argument;
    actor_start(actor, self);
    load(&actor->cp[0], actor->word);
    store(&actor->cp[0], actor->word, 9);
    g_assert_cmpuint(load(&actor->cp[0], actor->word), ==, 9);
}

/* Atomics of both cores meet at the L2: no addition is lost, and no L1 keeps an old value. */
static void atomics_meet(struct process *self, void *argument)
{
    struct actor *actor = argument;
    actor_start(actor, self);
    load(&actor->cp[0], actor->word);
    g_assert_cmpuint(memory_client_atomic(&actor->cp[0].memory, actor->word, ATOMIC_ADD, 5, 0), ==,
                     0);
    g_assert_cmpuint(memory_client_atomic(&actor->cp[1].memory, actor->word, ATOMIC_ADD, 3, 0), ==,
                     5);
    g_assert_cmpuint(load(&actor->cp[0], actor->word), ==, 8);
    g_assert_cmpuint(
        memory_client_atomic(&actor->cp[0].memory, actor->word, ATOMIC_COMPARE_SWAP, 1, 7), ==, 8);
    g_assert_cmpuint(
        memory_client_atomic(&actor->cp[0].memory, actor->word, ATOMIC_COMPARE_SWAP, 1, 8), ==, 8);
    g_assert_cmpuint(memory_client_atomic(&actor->cp[0].memory, actor->word, ATOMIC_SWAP, 2, 0), ==,
                     1);
}

/* Host memory lies across the bus: out of the GPU, two links, the host's L3 and memory, and back. */
static sim_time host_load_ps(const struct bench *bench, int64_t bytes)
{
    const struct machine_spec *spec = &bench->spec;
    sim_time at_host_ps = 2 * spec->host.bus_latency_ps +
                          cycles_ps(spec->host.l3.latency_cycles, spec->host.core.clock_Hz) +
                          spec->host.memory_latency_ps +
                          transfer_ps(CACHE_LINE_BYTES, spec->host.memory_rate_Bps);
    return l1_ps(bench) + 2 * (l2_half_ps(bench) + spec->gpu.bus_outbound_ps) + at_host_ps +
           bus_one_way_ps(&spec->bus, 0) + bus_one_way_ps(&spec->bus, bytes);
}

static void load_over_the_bus(struct process *self, void *argument)
{
    struct actor *actor = argument;
    actor_start(actor, self);
    sim_time expected_ps = host_load_ps(&actor->bench, 8);
    sim_time start_ps = process_now(self);
    load(&actor->cp[0], actor->word);
    sim_time took_ps = process_now(self) - start_ps;
    g_assert_cmpint(ABS(took_ps - expected_ps), <=, BUS_ROUNDING_PS);
}

/* A posted store returns at once. A device-scope release does not care for it, a system-scope one reads
 * behind it, and then it is there. */
static void release_flushes_the_bus(struct process *self, void *argument)
{
    struct actor *actor = argument;
    actor_start(actor, self);
    struct store *memory = host_directory(cluster_site(actor->bench.cluster, 0, 0)->host)->store;
    uint64_t seen;
    sim_time start_ps = process_now(self);
    store(&actor->cp[0], actor->word, 11);
    memory_client_release(&actor->cp[0].memory, SCOPE_DEVICE);
    g_assert_cmpint(process_now(self), ==, start_ps);
    memory_client_release(&actor->cp[0].memory, SCOPE_SYSTEM);
    sim_time took_ps = process_now(self) - start_ps;
    g_assert_cmpint(took_ps, >, bus_one_way_ps(&actor->bench.spec.bus, 0) * 2);
    store_read(memory, actor->word, &seen, sizeof seen);
    g_assert_cmpuint(seen, ==, 11);
    start_ps = process_now(self);
    memory_client_release(&actor->cp[0].memory, SCOPE_SYSTEM); /* nothing is left to flush */
    g_assert_cmpint(process_now(self), ==, start_ps);
}

/* Fine-grained memory is never in the L2: every load that leaves the L1 pays for memory. */
static void fine_grained_pays(struct process *self, void *argument)
{
    struct actor *actor = argument;
    actor_start(actor, self);
    const struct bench *bench = &actor->bench;
    sim_time expected_ps = l1_ps(bench) + 2 * l2_half_ps(bench) +
                           bench->spec.gpu.memory_latency_ps +
                           transfer_ps(CACHE_LINE_BYTES, bench->spec.gpu.memory_rate_Bps);
    for (int i = 0; i < 3; i++) {
        sim_time start_ps = process_now(self);
        load(&actor->cp[0], actor->word);
        g_assert_cmpint(process_now(self) - start_ps, ==, expected_ps);
        memory_client_acquire(&actor->cp[0].memory, SCOPE_SYSTEM);
        process_sleep(self, PS_PER_US);
    }
}

/* In an APU host memory is coherent: the CPU's store drops the line from the GPU's L2. */
static void coherent_in_an_apu(struct process *self, void *argument)
{
    struct actor *actor = argument;
    actor_start(actor, self);
    struct host_thread core;
    host_thread_init(&core, cluster_site(actor->bench.cluster, 0, 0)->host, 0, self);
    uint64_t word = 5;
    g_assert_cmpuint(load(&actor->cp[0], actor->word), ==, 0);
    host_thread_store(&core, actor->word, &word, sizeof word);
    process_sleep(self, PS_PER_US);
    memory_client_acquire(&actor->cp[0].memory, SCOPE_SYSTEM);
    g_assert_cmpuint(load(&actor->cp[0], actor->word), ==, 5);

    store(&actor->cp[0], actor->word, 6);
    memory_client_release(&actor->cp[0].memory, SCOPE_SYSTEM);
    host_thread_load(&core, actor->word, &word, sizeof word);
    g_assert_cmpuint(word, ==, 6);
}

struct test_case {
    const char *path;
    process_fn *fn;
    enum node_form form;
    enum node_memory memory;
    enum store_kind kind;
};

static void run_case(gconstpointer argument)
{
    const struct test_case *test_case = argument;
    struct actor actor;
    bench_start(&actor.bench, test_case->form, NULL);
    actor.word = site_allocate(actor.bench.cluster, cluster_site(actor.bench.cluster, 0, 0),
                               test_case->memory, 64, test_case->kind);
    bench_run(&actor.bench, test_case->fn, &actor);
    bench_end(&actor.bench);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"load-times", load_times, NODE_DISCRETE, MEMORY_GPU, STORE_COARSE_GRAINED},
        {"stale-until-acquire", stale_until_acquire, NODE_DISCRETE, MEMORY_GPU,
         STORE_COARSE_GRAINED},
        {"release-waits", release_waits, NODE_DISCRETE, MEMORY_GPU, STORE_COARSE_GRAINED},
        {"own-store-is-seen", own_store_is_seen, NODE_DISCRETE, MEMORY_GPU, STORE_COARSE_GRAINED},
        {"atomics-meet", atomics_meet, NODE_DISCRETE, MEMORY_GPU, STORE_COARSE_GRAINED},
        {"atomics-meet-over-the-bus", atomics_meet, NODE_DISCRETE, MEMORY_HOST, STORE_FINE_GRAINED},
        {"load-over-the-bus", load_over_the_bus, NODE_DISCRETE, MEMORY_HOST, STORE_FINE_GRAINED},
        {"release-flushes-the-bus", release_flushes_the_bus, NODE_DISCRETE, MEMORY_HOST,
         STORE_FINE_GRAINED},
        {"fine-grained-pays", fine_grained_pays, NODE_DISCRETE, MEMORY_GPU, STORE_FINE_GRAINED},
        {"coherent-in-an-apu", coherent_in_an_apu, NODE_APU, MEMORY_HOST, STORE_FINE_GRAINED},
    };
    g_test_init(&argc, &argv, NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        char *path = g_strdup_printf("/memory-client/%s", cases[i].path);
        g_test_add_data_func(path, &cases[i], run_case);
        g_free(path);
    }
    return g_test_run();
}
