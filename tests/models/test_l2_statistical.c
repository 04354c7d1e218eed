/* SPDX-License-Identifier: BSD-3-Clause */
/* The statistical model of the L2 is compared with the model that stores every line: for the same accesses the two hit rates
 * differ by no more than a stated number. */
#include <math.h>
#include <string.h>

#include "../sanitized.h"
#include "core/rng.h"
#include "l2_test.h"
#include "models/gpu/streaming.h"

/* --- the caches by themselves ------------------------------------------------------------------ */

enum { SETS = 85, WAYS = 16, LINES = SETS * WAYS };

static struct cache *make(bool statistical)
{
    struct rng chance;
    rng_init(&chance, 1, "test");
    return statistical ? cache_new_statistical(LINES * CACHE_LINE_BYTES, WAYS, &chance)
                       : cache_new(LINES * CACHE_LINE_BYTES, WAYS, false);
}

static bool use(struct cache *cache, cache_line line)
{
    if (cache_find(cache, line) != CACHE_MISS)
        return true;
    cache_insert(cache, line, NULL);
    return false;
}

/* `count` lines that come once, from `*next` on: in order, as streams do. */
static void pass(struct cache *cache, bool statistical, cache_line *next, int64_t count)
{
    if (statistical)
        cache_pass_through(cache, count);
    else
        for (int64_t i = 0; i < count; i++)
            cache_insert(cache, *next + (cache_line)i, NULL);
    *next += (cache_line)count;
}

#define FIRST_OF_STREAM (UINT64_C(1) << 34)

/* `hot` lines are used at random; between two uses 0 to 2 * `between` lines of a stream come by. Returns the
 * hit rate of the uses. */
static double hit_rate_under_stream(bool statistical, uint64_t hot, uint64_t between)
{
    enum { USES = 8000, WARMUP = 2000 };
    struct cache *cache = make(statistical);
    struct rng rng;
    rng_init(&rng, 7, "uses");
    cache_line next = FIRST_OF_STREAM;
    int64_t hits = 0;
    for (int64_t i = 0; i < USES + WARMUP; i++) {
        pass(cache, statistical, &next, (int64_t)rng_below(&rng, 2 * between + 1));
        bool hit = use(cache, rng_below(&rng, hot) * 67); /* over all sets alike */
        hits += hit && i >= WARMUP;
    }
    cache_free(cache);
    return (double)hits / USES;
}

/* The bound is 0.03 where a stream decides, which is what it is for, from never pushed out to always. A line
 * is used every `hot` uses on the average, in which `hot * between` lines pass; the L2 has 1360. */
static void test_under_a_stream(void)
{
    static const uint64_t hot[] = {8, 40, 160};
    static const uint64_t between[] = {1, 2, 5, 10, 20, 40, 80, 160, 320, 640};
    double worst = 0;
    for (size_t h = 0; h < G_N_ELEMENTS(hot); h++) {
        double before = 1;
        for (size_t b = 0; b < G_N_ELEMENTS(between); b++) {
            if (!is_sampled(h + b, 3))
                continue;
            double lines = hit_rate_under_stream(false, hot[h], between[b]);
            double chance = hit_rate_under_stream(true, hot[h], between[b]);
            g_test_message("%3d hot lines, %3d between: by lines %.3f, by chance %.3f", (int)hot[h],
                           (int)between[b], lines, chance);
            worst = fmax(worst, fabs(lines - chance));
            g_assert_cmpfloat(chance, <=, before + 0.01); /* more pressure, fewer hits */
            before = chance;
        }
    }
    g_test_message("largest distance %.3f", worst);
    g_assert_cmpfloat(worst, <, 0.03);
}

/* Without a stream, lines used at random out of more than fit: what fits hits. Here the bound is 0.08, at just
 * as many lines as fit: by chance some sets get more than their share. */
static void test_by_itself(void)
{
    static const uint64_t lines[] = {LINES / 2, LINES, LINES * 3 / 2, LINES * 2, LINES * 4};
    for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) {
        double rates[2];
        for (int kind = 0; kind < 2; kind++)
            rates[kind] = hit_rate_under_stream(kind == 1, lines[i], 0);
        g_test_message("%4d lines: by lines %.3f, by chance %.3f", (int)lines[i], rates[0],
                       rates[1]);
        g_assert_cmpfloat(fabs(rates[0] - rates[1]), <, 0.08);
    }
}

/* A locked line stays, however much passes; unlocked by a use it begins a new life. */
static void test_locked(void)
{
    struct cache *cache = make(true);
    cache_way way = cache_insert(cache, 5, NULL);
    cache_set_locked(cache, way, true);
    cache_pass_through(cache, 100 * LINES);
    g_assert_cmpint(cache_find(cache, 5), ==, way);
    cache_set_locked(cache, way, false);
    g_assert_cmpint(cache_peek(cache, 5), ==, way);
    cache_pass_through(cache, 100 * LINES);
    g_assert_cmpint(cache_peek(cache, 5), ==, CACHE_MISS);
    cache_free(cache);
}

/* The watch on deaths: due no later than the line is gone, and after the line is known to be gone no more. */
static void test_deaths(void)
{
    struct cache *cache = make(true);
    cache_insert(cache, 5, NULL);
    while (cache_peek(cache, 5) != CACHE_MISS) {
        g_assert_false(cache_death_is_due(cache));
        g_assert_true(cache_expect_death(cache, 5));
        cache_pass_through(cache, 1);
    }
    g_assert_true(cache_death_is_due(cache));
    cache_forget_deaths(cache);
    g_assert_false(cache_expect_death(cache, 5));
    cache_pass_through(cache, LINES);
    g_assert_false(cache_death_is_due(cache));
    cache_free(cache);
}

/* --- in a GPU ---------------------------------------------------------------------------------- */

struct scene {
    struct bench bench;
    address payload, words;
    bool stop;
    int64_t uses;
    struct listener {
        struct line_watcher watcher;
        int told;
    } listener;
};

static void stream(struct work_group *wg, void *argument)
{
    struct scene *scene = argument;
    struct streaming what = {.source = scene->payload + (address)(wg->index << 22),
                             .target = ADDRESS_NONE,
                             .bytes = 1 << 22,
                             .lines_in_flight = 4,
                             .stop = &scene->stop};
    while (!scene->stop)
        work_group_stream(wg, &what);
}

/* A CP that comes back to each of 40 lines every few us. */
static void come_back(struct process *self, void *argument)
{
    struct scene *scene = argument;
    struct cp_thread thread;
    cp_thread_init(&thread, cluster_site(scene->bench.cluster, 0, 0)->cp, 0, self);
    for (int64_t i = 0; i < scene->uses; i++) {
        uint64_t word;
        memory_client_acquire(&thread.memory, SCOPE_DEVICE);
        memory_client_load(&thread.memory, scene->words + (address)(i % 40) * 65 * 64, &word,
                           sizeof word);
    }
    scene->stop = true;
}

struct outcome {
    double hit_rate;
    sim_time took_ps;
    int64_t streamed_lines;
    uint64_t events;
};

static struct outcome run_gpu(enum l2_model model, int64_t work_groups)
{
    struct scene scene = {.uses = 4000};
    bench_prepare(&scene.bench);
    scene.bench.spec.gpu.compute_units = 1;
    scene.bench.spec.gpu.l2.size_bytes = LINES * CACHE_LINE_BYTES;
    scene.bench.spec.gpu.l2_model = model;
    bench_build(&scene.bench);
    scene.payload = bench_allocate(&scene.bench, work_groups << 22, STORE_PAYLOAD);
    scene.words = bench_allocate(&scene.bench, 40 * 65 * 64, STORE_COARSE_GRAINED);
    struct kernel kernel = {
        .work_groups = work_groups, .threads = 64, .program = stream, .argument = &scene};
    bench_launch(&scene.bench, &kernel);
    bench_run(&scene.bench, come_back, &scene);
    const struct device_memory *memory = bench_memory(&scene.bench);
    int64_t hits = memory->hits[L2_FROM_CP]->value, misses = memory->misses[L2_FROM_CP]->value;
    struct outcome outcome = {(double)hits / (double)(hits + misses), sim_now(scene.bench.sim),
                              memory->misses[L2_FROM_CU]->value,
                              event_executed(scene.bench.sim->events)};
    bench_end(&scene.bench);
    return outcome;
}

/* Hit rates within 0.05, what is streamed within 2 %. */
static void test_in_a_gpu(void)
{
    for (int64_t work_groups = 1; work_groups <= (IS_SANITIZED ? 4 : 32); work_groups *= 2) {
        struct outcome lines = run_gpu(L2_LINES, work_groups);
        struct outcome chance = run_gpu(L2_STATISTICAL, work_groups);
        g_test_message("%2d work-groups: by lines %.3f, %d lines, %d events; by chance %.3f, %d "
                       "lines, %d events",
                       (int)work_groups, lines.hit_rate, (int)lines.streamed_lines,
                       (int)lines.events, chance.hit_rate, (int)chance.streamed_lines,
                       (int)chance.events);
        g_assert_cmpfloat(fabs(lines.hit_rate - chance.hit_rate), <, 0.05);
        double per_line = (double)lines.streamed_lines / (double)lines.took_ps;
        double by_chance = (double)chance.streamed_lines / (double)chance.took_ps;
        g_assert_cmpfloat(fabs(by_chance / per_line - 1), <, 0.02);
    }
}

static void take_note(struct line_watcher *watcher)
{
    ((struct listener *)watcher)->told++;
}

/* A line that leaves unseen is told all the same: polls that always hit until then, miss once, and hit. */
static void poll_and_be_told(struct process *self, void *argument)
{
    struct scene *scene = argument;
    struct cp_thread thread;
    uint64_t word;
    cp_thread_init(&thread, cluster_site(scene->bench.cluster, 0, 0)->cp, 0, self);
    struct device_memory *memory = bench_memory(&scene->bench);
    scene->listener.watcher.changed = take_note;
    memory_client_poll(&thread.memory, scene->words, &word, sizeof word, POLL_WHOLE);
    device_memory_watch(memory, scene->words, &scene->listener.watcher);
    for (int i = 0; i < 2000; i++) {
        process_sleep(self, 100 * PS_PER_NS);
        int64_t misses = memory->poll_misses[L2_FROM_CP]->value;
        bool was_told = scene->listener.told > 0;
        scene->listener.told = 0;
        memory_client_poll_at_l2(&thread.memory, scene->words, &word, sizeof word);
        g_assert_true(was_told || memory->poll_misses[L2_FROM_CP]->value == misses);
    }
    g_assert_cmpint(memory->poll_misses[L2_FROM_CP]->value, >, 1);
    device_memory_unwatch(memory, &scene->listener.watcher);
    scene->stop = true;
}

static void test_watched(void)
{
    struct scene scene = {0};
    bench_prepare(&scene.bench);
    scene.bench.spec.gpu.compute_units = 1;
    scene.bench.spec.gpu.l2.size_bytes = LINES * CACHE_LINE_BYTES;
    scene.bench.spec.gpu.l2_model = L2_STATISTICAL;
    bench_build(&scene.bench);
    scene.payload = bench_allocate(&scene.bench, 4 << 22, STORE_PAYLOAD);
    scene.words = bench_allocate(&scene.bench, 64, STORE_COARSE_GRAINED);
    struct kernel kernel = {.work_groups = 4, .threads = 64, .program = stream, .argument = &scene};
    bench_launch(&scene.bench, &kernel);
    bench_run(&scene.bench, poll_and_be_told, &scene);
    bench_end(&scene.bench);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/l2-statistical/under-a-stream", test_under_a_stream);
    g_test_add_func("/l2-statistical/by-itself", test_by_itself);
    g_test_add_func("/l2-statistical/locked", test_locked);
    g_test_add_func("/l2-statistical/deaths", test_deaths);
    g_test_add_func("/l2-statistical/in-a-gpu", test_in_a_gpu);
    g_test_add_func("/l2-statistical/watched", test_watched);
    return g_test_run();
}
