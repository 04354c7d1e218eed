/* SPDX-License-Identifier: BSD-3-Clause */
/* Several loads of a command processor under way together: their time by formula, and that they
 * see what loads one after the other would see. */
#include "model_test.h"

#define LINES 8

struct actor {
    struct bench bench;
    struct cp_thread thread;
    address lines;
};

static address line(const struct actor *actor, uint64_t index)
{
    return actor->lines + index * CACHE_LINE_BYTES;
}

/* Loads a word of each line, `in_flight` at a time; they are `base` and its successors. Returns
 * the time. */
static sim_time load_all(struct actor *actor, int64_t in_flight, uint64_t base)
{
    struct memory_load loads[LINES];
    uint64_t words[LINES];
    actor->bench.spec.cp.core.loads_in_flight = in_flight;
    for (uint64_t i = 0; i < LINES; i++)
        loads[i] = (struct memory_load){line(actor, i) + 8, &words[i], sizeof words[i]};
    sim_time start_ps = process_now(actor->thread.process);
    cp_thread_load_all(&actor->thread, loads, LINES);
    for (uint64_t i = 0; i < LINES; i++)
        g_assert_cmpuint(words[i], ==, base + i);
    return process_now(actor->thread.process) - start_ps;
}

static void write_lines(struct actor *actor, uint64_t base)
{
    struct device_memory *memory = gpu_memory(cluster_site(actor->bench.cluster, 0, 0)->gpu);
    for (uint64_t i = 0; i < LINES; i++) {
        uint64_t word = base + i;
        device_memory_write(memory, line(actor, i) + 8, &word, sizeof word);
    }
}

static void begin(struct actor *actor, struct process *self)
{
    cp_thread_init(&actor->thread, cluster_site(actor->bench.cluster, 0, 0)->cp, 0, self);
    write_lines(actor, 100);
    load_all(actor, 1, 100); /* into the L2 */
}

/* A load that hits in the L2 takes the L1's and the L2's latency; k at a time, so many fewer
 * rounds. Consecutive lines lie in different banks. */
static void times(struct process *self, void *argument)
{
    struct actor *actor = argument;
    const struct machine_spec *spec = &actor->bench.spec;
    begin(actor, self);
    sim_time one_ps = cycles_ps(spec->cp.dcache.latency_cycles, spec->cp.core.clock_Hz) +
                      cycles_ps(spec->gpu.l2.latency_cycles, spec->gpu.clock_Hz) / 2 * 2;
    for (int64_t in_flight = 1; in_flight <= LINES; in_flight *= 2) {
        memory_client_acquire(&actor->thread.memory, SCOPE_DEVICE);
        g_assert_cmpint(load_all(actor, in_flight, 100), ==, LINES / in_flight * one_ps);
    }
}

/* Without an acquire a load finds the old copy in the L1, with one it finds what was written. */
static void freshness(struct process *self, void *argument)
{
    struct actor *actor = argument;
    begin(actor, self);
    write_lines(actor, 200);
    load_all(actor, 4, 100);
    memory_client_acquire(&actor->thread.memory, SCOPE_DEVICE);
    load_all(actor, 4, 200);
}

/* A load that meets another's read-modify-write waits until that is over, and sees its result. */
static void change_word(struct process *self, void *argument)
{
    struct actor *actor = argument;
    struct cp_thread other;
    cp_thread_init(&other, cluster_site(actor->bench.cluster, 0, 0)->cp, 1, self);
    memory_client_atomic(&other.memory, line(actor, 3) + 8, ATOMIC_ADD, 1000, 0);
}

static void behind_a_lock(struct process *self, void *argument)
{
    struct actor *actor = argument;
    begin(actor, self);
    memory_client_acquire(&actor->thread.memory, SCOPE_DEVICE);
    process_spawn(actor->bench.sim->processes, "other", change_word, actor, process_now(self), 0);
    process_sleep(self, 10 * PS_PER_NS);
    uint64_t words[2];
    struct memory_load loads[] = {{line(actor, 3) + 8, &words[0], 8},
                                  {line(actor, 4) + 8, &words[1], 8}};
    cp_thread_load_all(&actor->thread, loads, 2);
    g_assert_cmpuint(words[0], ==, 1103);
    g_assert_cmpuint(words[1], ==, 104);
}

static void run_case(gconstpointer argument)
{
    process_fn *const *fn = argument;
    struct actor actor;
    bench_start(&actor.bench, NODE_DISCRETE, NULL);
    actor.bench.spec.cp.core.loads_in_flight = LINES;
    actor.lines = site_allocate(actor.bench.cluster, cluster_site(actor.bench.cluster, 0, 0),
                                MEMORY_GPU, LINES * CACHE_LINE_BYTES, STORE_COARSE_GRAINED);
    bench_run(&actor.bench, *fn, &actor);
    bench_end(&actor.bench);
}

int main(int argc, char **argv)
{
    static process_fn *const fns[] = {times, freshness, behind_a_lock};
    g_test_init(&argc, &argv, NULL);
    g_test_add_data_func("/load-batch/times", &fns[0], run_case);
    g_test_add_data_func("/load-batch/freshness", &fns[1], run_case);
    g_test_add_data_func("/load-batch/behind-a-lock", &fns[2], run_case);
    return g_test_run();
}
