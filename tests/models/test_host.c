/* SPDX-License-Identifier: BSD-3-Clause */
/* A CPU core: times of loads by level, coherence with what devices write, loads and stores over the bus. */
#include "model_test.h"

struct actor {
    struct bench bench;
    struct host_thread core;
    address host_word, gpu_word;
};

static sim_time cycles(const struct actor *actor, int64_t count)
{
    return cycles_ps(count, actor->bench.spec.host.core.clock_Hz);
}

static sim_time time_load(struct actor *actor, struct process *self, address at, uint64_t *word)
{
    sim_time start_ps = process_now(self);
    host_thread_load(&actor->core, at, word, sizeof *word);
    return process_now(self) - start_ps;
}

static void load_times(struct process *self, void *argument)
{
    struct actor *actor = argument;
    const struct host_spec *spec = &actor->bench.spec.host;
    uint64_t word;
    host_thread_init(&actor->core, cluster_site(actor->bench.cluster, 0, 0)->host, 0, self);
    sim_time l1_ps = cycles(actor, spec->l1.latency_cycles);
    sim_time l2_ps = cycles(actor, spec->l2.latency_cycles);
    sim_time l3_ps = cycles(actor, spec->l3.latency_cycles);
    sim_time memory_ps =
        spec->memory_latency_ps + transfer_ps(CACHE_LINE_BYTES, spec->memory_rate_Bps);
    g_assert_cmpint(time_load(actor, self, actor->host_word, &word), ==,
                    l1_ps + l2_ps + l3_ps + memory_ps);
    g_assert_cmpint(time_load(actor, self, actor->host_word, &word), ==, l1_ps);
}

static void device_writes(struct actor *actor, uint64_t word)
{
    struct site *node = cluster_site(actor->bench.cluster, 0, 0);
    struct bus_request *request = bus_request(node->bus);
    request->op = BUS_WRITE;
    request->from_slot = node->nic_slot;
    request->at = actor->host_word;
    request->bytes = sizeof word;
    memcpy(request->data, &word, sizeof word);
    bus_send(node->bus, request, 0);
}

/* What a device writes over the bus drops the core's copies; the next load finds it in the L3. */
static void sees_what_a_device_writes(struct process *self, void *argument)
{
    struct actor *actor = argument;
    struct site *node = cluster_site(actor->bench.cluster, 0, 0);
    const struct host_spec *spec = &actor->bench.spec.host;
    uint64_t word = 77;
    host_thread_init(&actor->core, node->host, 0, self);
    uint64_t before;
    time_load(actor, self, actor->host_word, &before);
    device_writes(actor, word);
    process_sleep(self, PS_PER_US);
    g_assert_cmpint(time_load(actor, self, actor->host_word, &before), ==,
                    cycles(actor, spec->l1.latency_cycles) +
                        cycles(actor, spec->l2.latency_cycles) +
                        cycles(actor, spec->l3.latency_cycles));
    g_assert_cmpuint(before, ==, 77);
}

/* A load of 32 B of GPU memory takes four uncached loads of 8 B, one after the other. Each takes what the
 * gdrcopy measurement that the parameters come from says: 0.77 to 1.10 us. */
static void uncached_loads(struct process *self, void *argument)
{
    struct actor *actor = argument;
    const struct machine_spec *spec = &actor->bench.spec;
    uint8_t data[32];
    host_thread_init(&actor->core, cluster_site(actor->bench.cluster, 0, 0)->host, 0, self);
    sim_time l2_ps = cycles_ps(spec->gpu.l2.latency_cycles, spec->gpu.clock_Hz) / 2 * 2;
    sim_time one_ps = 2 * spec->host.bus_latency_ps + 2 * spec->gpu.bus_inbound_ps + l2_ps +
                      spec->gpu.memory_latency_ps +
                      transfer_ps(CACHE_LINE_BYTES, spec->gpu.memory_rate_Bps) +
                      bus_one_way_ps(&spec->bus, 0) + bus_one_way_ps(&spec->bus, 8);
    g_assert_cmpint(one_ps, >, 770 * PS_PER_NS);
    g_assert_cmpint(one_ps, <, 1100 * PS_PER_NS);
    sim_time start_ps = process_now(self);
    host_thread_load(&actor->core, actor->gpu_word, data, sizeof data);
    sim_time took_ps = process_now(self) - start_ps;
    g_assert_cmpint(ABS(took_ps - 4 * one_ps), <=, 4 * BUS_ROUNDING_PS);
}

/* Time of `count` independent loads of 8 B from lines of their own, `in_flight` at a time. */
static sim_time time_batch(struct actor *actor, struct process *self, address first, size_t count,
                           int64_t in_flight)
{
    struct memory_load loads[4] = {{0}};
    uint64_t words[4];
    g_assert_cmpuint(count, <=, G_N_ELEMENTS(loads));
    actor->bench.spec.host.core.loads_in_flight = in_flight;
    actor->bench.spec.host.device_loads_in_flight = in_flight;
    for (size_t i = 0; i < count; i++)
        loads[i] = (struct memory_load){first + i * CACHE_LINE_BYTES, &words[i], sizeof words[i]};
    sim_time start_ps = process_now(self);
    host_thread_load_all(&actor->core, loads, count);
    for (size_t i = 0; i < count; i++)
        g_assert_cmpuint(words[i], ==, 100 + i);
    return process_now(self) - start_ps;
}

static void fill(struct store *store, address first)
{
    for (uint64_t i = 0; i < 4; i++) {
        uint64_t word = 100 + i;
        store_write(store, first + i * CACHE_LINE_BYTES, &word, sizeof word);
    }
}

/* Four loads of GPU memory under way together take as long as one, and what three more take on the
 * wire; two at a time take two, one at a time four. */
static void device_loads_overlap(struct process *self, void *argument)
{
    struct actor *actor = argument;
    struct site *node = cluster_site(actor->bench.cluster, 0, 0);
    const struct bus_spec *bus = &actor->bench.spec.bus;
    fill(gpu_memory(node->gpu)->store, actor->gpu_word);
    host_thread_init(&actor->core, node->host, 0, self);
    sim_time one_ps = time_batch(actor, self, actor->gpu_word, 1, 1);
    sim_time wire_ps = transfer_ps(8 + bus->header_bytes, bus->wire.rate_Bps);
    for (int64_t in_flight = 1; in_flight <= 4; in_flight *= 2) {
        sim_time rounds = 4 / in_flight;
        sim_time took_ps = time_batch(actor, self, actor->gpu_word, 4, in_flight);
        g_assert_cmpint(took_ps, >=, rounds * one_ps + (in_flight - 1) * wire_ps - 20);
        g_assert_cmpint(took_ps, <=, rounds * (one_ps + (in_flight - 1) * wire_ps) + 20);
    }
}

/* The same for misses in the caches, which take turns at the memory. */
static void host_loads_overlap(struct process *self, void *argument)
{
    struct actor *actor = argument;
    struct site *node = cluster_site(actor->bench.cluster, 0, 0);
    const struct host_spec *spec = &actor->bench.spec.host;
    fill(host_directory(node->host)->store, actor->host_word);
    host_thread_init(&actor->core, node->host, 0, self);
    sim_time expected_ps = cycles(actor, spec->l1.latency_cycles) +
                           cycles(actor, spec->l2.latency_cycles) +
                           cycles(actor, spec->l3.latency_cycles) + spec->memory_latency_ps +
                           transfer_ps(4 * CACHE_LINE_BYTES, spec->memory_rate_Bps);
    sim_time took_ps = time_batch(actor, self, actor->host_word, 4, 4);
    g_assert_cmpint(ABS(took_ps - expected_ps), <=, 4);
    g_assert_cmpint(time_batch(actor, self, actor->host_word, 4, 4), ==,
                    cycles(actor, spec->l1.latency_cycles));
    g_assert_cmpint(time_batch(actor, self, actor->host_word, 4, 1), ==,
                    4 * cycles(actor, spec->l1.latency_cycles));
}

/* Stores to device memory do not wait and keep their order: when the second is there, so is the first. */
static void stores_keep_their_order(struct process *self, void *argument)
{
    struct actor *actor = argument;
    struct site *node = cluster_site(actor->bench.cluster, 0, 0);
    struct store *memory = gpu_memory(node->gpu)->store;
    uint64_t payload = 1, flag = 2, seen;
    host_thread_init(&actor->core, node->host, 0, self);
    sim_time start_ps = process_now(self);
    host_thread_store(&actor->core, actor->gpu_word, &payload, sizeof payload);
    host_thread_store(&actor->core, actor->gpu_word + 64, &flag, sizeof flag);
    g_assert_cmpint(process_now(self), ==, start_ps);
    do {
        process_sleep(self, 100);
        store_read(memory, actor->gpu_word + 64, &seen, sizeof seen);
    } while (seen != flag);
    store_read(memory, actor->gpu_word, &seen, sizeof seen);
    g_assert_cmpuint(seen, ==, payload);
}

static void atomics(struct process *self, void *argument)
{
    struct actor *actor = argument;
    host_thread_init(&actor->core, cluster_site(actor->bench.cluster, 0, 0)->host, 0, self);
    address words[] = {actor->host_word, actor->gpu_word};
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
        g_assert_cmpuint(host_thread_atomic(&actor->core, words[i], ATOMIC_ADD, 3, 0), ==, 0);
        g_assert_cmpuint(host_thread_atomic(&actor->core, words[i], ATOMIC_SWAP, 9, 0), ==, 3);
        uint64_t word;
        time_load(actor, self, words[i], &word);
        g_assert_cmpuint(word, ==, 9);
    }
}

/* On an APU a core's atomic on a line that is its own takes an L1 hit; where another core holds
 * the line, the way to the directory besides; where another core has written it, a miss. */
static void ownership(struct process *self, void *argument)
{
    struct actor *actor = argument;
    struct host *host = cluster_site(actor->bench.cluster, 0, 0)->host;
    const struct host_spec *spec = &actor->bench.spec.host;
    struct host_thread other;
    uint64_t word;
    host_thread_init(&actor->core, host, 0, self);
    host_thread_init(&other, host, 1, self);
    sim_time l1_ps = cycles(actor, spec->l1.latency_cycles);
    sim_time miss_ps = l1_ps + cycles(actor, spec->l2.latency_cycles) +
                       cycles(actor, spec->l3.latency_cycles) + 2 * spec->directory_latency_ps;
    host_thread_atomic(&actor->core, actor->host_word, ATOMIC_ADD, 1, 0);
    sim_time start_ps = process_now(self);
    host_thread_atomic(&actor->core, actor->host_word, ATOMIC_ADD, 1, 0);
    g_assert_cmpint(process_now(self) - start_ps, ==, l1_ps);
    host_thread_load(&other, actor->host_word, &word, sizeof word);
    start_ps = process_now(self);
    host_thread_atomic(&actor->core, actor->host_word, ATOMIC_ADD, 1, 0);
    g_assert_cmpint(process_now(self) - start_ps, ==, l1_ps + spec->directory_latency_ps);
    start_ps = process_now(self);
    g_assert_cmpuint(host_thread_atomic(&other, actor->host_word, ATOMIC_ADD, 1, 0), ==, 3);
    g_assert_cmpint(process_now(self) - start_ps, ==, miss_ps + spec->directory_latency_ps);
}

static void test_ownership(void)
{
    struct actor actor;
    bench_start(&actor.bench, NODE_APU, NULL);
    actor.host_word = site_allocate(actor.bench.cluster, cluster_site(actor.bench.cluster, 0, 0),
                                    MEMORY_HOST, 64, STORE_FINE_GRAINED);
    bench_run(&actor.bench, ownership, &actor);
    bench_end(&actor.bench);
}

/* A store that others do not see yet, as it waits for a slow one before it, is seen by its own core. */
static void sees_its_own_stores(struct process *self, void *argument)
{
    struct actor *actor = argument;
    struct host *host = cluster_site(actor->bench.cluster, 0, 0)->host;
    address slow = actor->host_word, fast = slow + CACHE_LINE_BYTES;
    uint64_t words[2] = {1, 2}, word, of_others;
    host_thread_init(&actor->core, host, 0, self);
    host_thread_load(&actor->core, fast, &word, sizeof word);
    host_thread_store(&actor->core, slow, &words[0], sizeof words[0]);
    host_thread_store(&actor->core, fast, words, sizeof words);
    host_thread_store(&actor->core, fast + sizeof word, &words[0], sizeof words[0]);
    host_thread_load(&actor->core, fast, &word, sizeof word);
    store_read(host_directory(host)->store, fast, &of_others, sizeof of_others);
    g_assert_cmpuint(word, ==, 1);
    g_assert_cmpuint(of_others, ==, 0);
    host_thread_load(&actor->core, fast + sizeof word, &word, sizeof word);
    g_assert_cmpuint(word, ==, 1); /* the last of two */
    process_sleep(self, PS_PER_US);
    store_read(host_directory(host)->store, fast, &of_others, sizeof of_others);
    g_assert_cmpuint(of_others, ==, 1);
}

/* While writes wait for a line that a core has (host.bounced_line), nobody takes the run for one in which nothing is under way. */
static void waits_for_a_line(struct process *self, void *argument)
{
    struct actor *actor = argument;
    const struct quiescence *quiescence = &actor->bench.sim->quiescence;
    uint64_t word;
    host_thread_init(&actor->core, cluster_site(actor->bench.cluster, 0, 0)->host, 0, self);
    device_writes(actor, 1);
    process_sleep(self, PS_PER_US);
    host_thread_load(&actor->core, actor->host_word, &word, sizeof word);
    device_writes(actor, 2);
    device_writes(actor, 3);
    g_assert_cmpint(quiescence->held, ==, 0);
    process_sleep(self, PS_PER_US);
    g_assert_cmpint(quiescence->held, ==, 2);
    process_sleep(self, 9 * PS_PER_US);
    g_assert_cmpint(quiescence->held, ==, 0);
    host_thread_load(&actor->core, actor->host_word, &word, sizeof word);
    g_assert_cmpuint(word, ==, 3);
}

static void test_waits_for_a_line(void)
{
    struct actor actor;
    GError *error = NULL;
    actor.bench.sim = sim_new(1);
    machine_spec_init(&actor.bench.spec, NULL);
    actor.bench.spec.host.bounced_line_ps = 5 * PS_PER_US;
    actor.bench.cluster = cluster_new(actor.bench.sim, &actor.bench.spec, NODE_DISCRETE, &error);
    g_assert_no_error(error);
    actor.host_word = site_allocate(actor.bench.cluster, cluster_site(actor.bench.cluster, 0, 0),
                                    MEMORY_HOST, 64, STORE_FINE_GRAINED);
    bench_run(&actor.bench, waits_for_a_line, &actor);
    bench_end(&actor.bench);
}

static void run_case(gconstpointer argument)
{
    process_fn *const *fn = argument;
    struct actor actor;
    bench_start(&actor.bench, NODE_DISCRETE, NULL);
    actor.host_word = site_allocate(actor.bench.cluster, cluster_site(actor.bench.cluster, 0, 0),
                                    MEMORY_HOST, 256, STORE_FINE_GRAINED);
    actor.gpu_word = site_allocate(actor.bench.cluster, cluster_site(actor.bench.cluster, 0, 0),
                                   MEMORY_GPU, 256, STORE_FINE_GRAINED);
    bench_run(&actor.bench, *fn, &actor);
    bench_end(&actor.bench);
}

int main(int argc, char **argv)
{
    static process_fn *const fns[] = {
        load_times, sees_what_a_device_writes, uncached_loads,     stores_keep_their_order,
        atomics,    device_loads_overlap,      host_loads_overlap, sees_its_own_stores};
    g_test_init(&argc, &argv, NULL);
    g_test_add_data_func("/host/load-times", &fns[0], run_case);
    g_test_add_data_func("/host/sees-what-a-device-writes", &fns[1], run_case);
    g_test_add_data_func("/host/uncached-loads", &fns[2], run_case);
    g_test_add_data_func("/host/stores-keep-their-order", &fns[3], run_case);
    g_test_add_data_func("/host/atomics", &fns[4], run_case);
    g_test_add_data_func("/host/device-loads-overlap", &fns[5], run_case);
    g_test_add_data_func("/host/host-loads-overlap", &fns[6], run_case);
    g_test_add_data_func("/host/sees-its-own-stores", &fns[7], run_case);
    g_test_add_func("/host/ownership", test_ownership);
    g_test_add_func("/host/waits_for_a_line", test_waits_for_a_line);
    return g_test_run();
}
