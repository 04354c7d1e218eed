/* SPDX-License-Identifier: BSD-3-Clause */
/* A core that looks at many lines in turn and runs ahead of its looks: what a round takes, by formulas, and that fill
 * buffers do not make it longer. */
#include "core/rng.h"
#include "model_test.h"

#define PLACES 128

struct round {
    int64_t fill_buffers, instructions, reorder_instructions, mispredict_cycles;
    bool is_new[PLACES]; /* a device has written it since the round before */
    bool is_found[PLACES];
    bool is_waited[PLACES]; /* for the clock, behind the look */
};

struct scene {
    struct bench bench;
    const struct round *round;
    struct host_thread core;
    address lines;
    size_t place;
    sim_time took_ps;
};

static bool next_line(void *argument, size_t place, address *at)
{
    const struct scene *scene = argument;
    *at = scene->lines + (scene->place + place) % PLACES * CACHE_LINE_BYTES;
    return true;
}

static void look_at_all(struct scene *scene, const bool *found)
{
    for (scene->place = 0; scene->place < PLACES; scene->place++) {
        uint64_t word;
        host_thread_execute(&scene->core, scene->round->instructions);
        host_thread_poll(&scene->core, scene->lines + scene->place * CACHE_LINE_BYTES, &word,
                         sizeof word, POLL_WHOLE);
        host_thread_looked(&scene->core, found[scene->place]);
        if (scene->round->is_waited[scene->place])
            host_thread_waited(&scene->core);
    }
}

/* All lines are in the L1; then devices write those that are new; then the round that counts. */
static void run_rounds(struct process *self, void *argument)
{
    struct scene *scene = argument;
    struct site *site = cluster_site(scene->bench.cluster, 0, 0);
    uint64_t word = 0;
    host_thread_init(&scene->core, site->host, 0, self);
    host_thread_looks_ahead(&scene->core, next_line, scene, PLACES);
    look_at_all(scene, scene->round->is_found);
    look_at_all(scene, scene->round->is_found);
    process_sleep(self, PS_PER_US);
    for (size_t i = 0; i < PLACES; i++)
        if (scene->round->is_new[i])
            directory_write(host_directory(site->host), DIRECTORY_DEVICE,
                            scene->lines + i * CACHE_LINE_BYTES, &word, sizeof word);
    sim_time start_ps = process_now(self);
    look_at_all(scene, scene->round->is_found);
    scene->took_ps = process_now(self) - start_ps;
}

static sim_time time_of(const struct round *round, sim_time *miss_ps)
{
    struct scene scene = {.round = round};
    scene.bench.sim = sim_new(1);
    machine_spec_init(&scene.bench.spec, NULL);
    struct host_spec *spec = &scene.bench.spec.host;
    spec->l3.latency_cycles = 1000;
    spec->core.loads_in_flight = round->fill_buffers;
    spec->reorder_instructions = round->reorder_instructions;
    spec->mispredict_cycles = round->mispredict_cycles;
    scene.bench.cluster = cluster_new(scene.bench.sim, &scene.bench.spec, NODE_DISCRETE, NULL);
    scene.lines = site_allocate(scene.bench.cluster, cluster_site(scene.bench.cluster, 0, 0),
                                MEMORY_HOST, PLACES * CACHE_LINE_BYTES, STORE_FINE_GRAINED);
    bench_run(&scene.bench, run_rounds, &scene);
    if (miss_ps != NULL)
        *miss_ps = cycles_ps(spec->l1.latency_cycles + spec->l2.latency_cycles + 1000,
                             spec->core.clock_Hz);
    bench_end(&scene.bench);
    return scene.took_ps;
}

static sim_time instruction_ps(int64_t instructions)
{
    return instructions * PS_PER_NS / 8; /* 4 GHz, 2 a cycle */
}

/* All are new and found, as predicted: a line by the time that a fill buffer has for it, or by the instructions of a look;
 * beside that the first misses, as loads are made at looks. */
static void test_all_new(void)
{
    struct round round = {.reorder_instructions = 10000};
    for (size_t i = 0; i < PLACES; i++)
        round.is_new[i] = round.is_found[i] = true;
    for (round.fill_buffers = 2; round.fill_buffers <= 16; round.fill_buffers *= 2)
        for (round.instructions = 8; round.instructions <= 1000; round.instructions *= 5) {
            sim_time miss_ps, took_ps = time_of(&round, &miss_ps);
            sim_time each_ps =
                MAX(miss_ps / round.fill_buffers, instruction_ps(round.instructions));
            g_assert_cmpint(took_ps, >=, (PLACES - round.fill_buffers) * each_ps);
            g_assert_cmpint(took_ps, <=, PLACES * each_ps + 2 * miss_ps);
        }
}

/* The reorder window holds one look more: two misses at a time, however many fill buffers there are. */
static void test_window(void)
{
    struct round round = {.fill_buffers = 16, .instructions = 8, .reorder_instructions = 8};
    for (size_t i = 0; i < PLACES; i++)
        round.is_new[i] = round.is_found[i] = true;
    sim_time miss_ps, took_ps = time_of(&round, &miss_ps);
    sim_time two_ps = miss_ps + instruction_ps(8);
    g_assert_cmpint(took_ps, >=, PLACES / 2 * miss_ps);
    g_assert_cmpint(took_ps, <=, PLACES / 2 * two_ps + miss_ps);
}

/* Nothing is new: a look takes its instructions, and the latency of a hit once; each that finds something now and then is
 * mispredicted, and so has that latency behind it. */
static void test_mispredicted(void)
{
    struct round round = {.fill_buffers = 16,
                          .instructions = 12,
                          .reorder_instructions = 512,
                          .mispredict_cycles = 20};
    sim_time hits_ps = PLACES * instruction_ps(12);
    g_assert_cmpint(time_of(&round, NULL), ==, hits_ps);
    for (size_t i = 10; i < 60; i += 10)
        round.is_found[i] = true;
    sim_time once_ps = (20 + 2) * PS_PER_NS / 4; /* 2 cycles to the L1 */
    g_assert_cmpint(time_of(&round, NULL), ==, hits_ps + 5 * once_ps);
    for (size_t i = 0; i < PLACES; i++)
        round.is_found[i] = true;
    g_assert_cmpint(time_of(&round, NULL), ==, hits_ps); /* that is predicted, too */
    for (size_t i = 10; i < 60; i += 10)
        round.is_waited[i] = true;
    g_assert_cmpint(time_of(&round, NULL), ==, hits_ps + 5 * once_ps);
}

/* All predictions are right. With wrong ones a load that is made sooner may be one that is taken from another. */
static void test_more_fill_buffers(void)
{
    struct rng rng;
    rng_init(&rng, 5, "look-ahead");
    for (int i = 0; i < 40; i++) {
        struct round round = {.instructions = 1 + (int64_t)rng_below(&rng, 100),
                              .reorder_instructions = 1 + (int64_t)rng_below(&rng, 1000)};
        uint64_t share = 1 + rng_below(&rng, 10);
        for (size_t place = 0; place < PLACES; place++)
            round.is_new[place] = round.is_found[place] = rng_below(&rng, share) == 0;
        sim_time before_ps = SIM_TIME_MAX;
        for (round.fill_buffers = 1; round.fill_buffers <= 16; round.fill_buffers++) {
            sim_time took_ps = time_of(&round, NULL);
            g_assert_cmpint(took_ps, <=, before_ps);
            before_ps = took_ps;
        }
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/look-ahead/all-new", test_all_new);
    g_test_add_func("/look-ahead/window", test_window);
    g_test_add_func("/look-ahead/mispredicted", test_mispredicted);
    g_test_add_func("/look-ahead/more-fill-buffers", test_more_fill_buffers);
    return g_test_run();
}
