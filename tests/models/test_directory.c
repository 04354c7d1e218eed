/* SPDX-License-Identifier: BSD-3-Clause */
/* A directory knows which caches may hold a line. Under random fills and writes its answer is compared with the contents of
 * every cache. */
#include <glib.h>

#include "core/rng.h"
#include "core/sim.h"
#include "models/memory/directory.h"

#define CORES 5
#define GPUS 2
#define SHARERS (CORES + GPUS)
#define LINES 3000 /* more than the sharers' table begins with, and than a cache has */
#define STEPS 60000

struct scene {
    struct directory directory;
    struct cache *inner[SHARERS], *outer[SHARERS]; /* behind the cores: L2s of GPUs alone */
    int number[SHARERS];
    address lines;
};

static int owner_of(int i)
{
    return i < CORES ? i : DIRECTORY_GPU(i);
}

static void scene_init(struct scene *scene, struct sim *sim)
{
    directory_init(&scene->directory, sim, 0, 1 << 20, 16, 5000, 60000, 100000000000);
    scene->lines =
        store_allocate(scene->directory.store, LINES * CACHE_LINE_BYTES, STORE_COARSE_GRAINED);
    for (int i = 0; i < SHARERS; i++) {
        scene->inner[i] = i < CORES ? cache_new(2 << 10, 2, false) : NULL;
        scene->outer[i] = cache_new(32 << 10, 8, false);
        scene->number[i] =
            directory_add_sharer(&scene->directory, owner_of(i), scene->inner[i], scene->outer[i]);
    }
}

static void scene_clear(struct scene *scene)
{
    for (int i = 0; i < SHARERS; i++) {
        cache_free(scene->inner[i]);
        cache_free(scene->outer[i]);
    }
    directory_clear(&scene->directory);
}

static bool holds(const struct scene *scene, int i, cache_line line)
{
    return cache_peek(scene->outer[i], line) != CACHE_MISS ||
           (scene->inner[i] != NULL && cache_peek(scene->inner[i], line) != CACHE_MISS);
}

static bool others_hold(const struct scene *scene, int me, cache_line line)
{
    for (int i = 0; i < SHARERS; i++)
        if (i != me && holds(scene, i, line))
            return true;
    return false;
}

static void fill(struct scene *scene, int i, cache_line line)
{
    if (cache_find(scene->outer[i], line) == CACHE_MISS)
        directory_fill(&scene->directory, scene->number[i], line, NULL);
    if (scene->inner[i] != NULL && cache_find(scene->inner[i], line) == CACHE_MISS)
        cache_insert(scene->inner[i], line, NULL);
}

static void test_sharers(void)
{
    struct sim *sim = sim_new(1);
    struct scene scene;
    struct rng rng;
    int64_t held = 0;
    scene_init(&scene, sim);
    rng_init(&rng, 5, "directory");
    for (int step = 0; step < STEPS; step++) {
        int who = (int)rng_below(&rng, SHARERS);
        address at = scene.lines + rng_below(&rng, LINES) * CACHE_LINE_BYTES;
        cache_line line = at / CACHE_LINE_BYTES;
        uint64_t word = (uint64_t)step;
        bool expected = others_hold(&scene, who, line), mine = holds(&scene, who, line);
        g_assert_cmpint(directory_others_hold(&scene.directory, owner_of(who), at), ==, expected);
        held += expected;
        if (rng_below(&rng, 4) > 0) {
            fill(&scene, who, line);
            continue;
        }
        directory_write(&scene.directory, owner_of(who), at, &word, sizeof word);
        g_assert_false(others_hold(&scene, who, line));
        g_assert_cmpint(holds(&scene, who, line), ==, mine);
    }
    g_assert_cmpint(held, >, STEPS / 10);
    scene_clear(&scene);
    sim_free(sim);
}

static void count(void *observer, address at)
{
    (void)at;
    ++*(int *)observer;
}

/* A node's GPUs each have an L2 whose pollers are to hear of writes. */
static void test_observers(void)
{
    struct scene scene;
    struct sim *sim = sim_new(1);
    int told[2] = {0, 0};
    uint64_t word = 1;
    scene_init(&scene, sim);
    directory_observe(&scene.directory, count, &told[0]);
    directory_observe(&scene.directory, count, &told[1]);
    directory_write(&scene.directory, DIRECTORY_DEVICE, scene.lines, &word, sizeof word);
    g_assert_cmpint(told[0], ==, 1);
    g_assert_cmpint(told[1], ==, 1);
    scene_clear(&scene);
    sim_free(sim);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/directory/sharers", test_sharers);
    g_test_add_func("/directory/observers", test_observers);
    return g_test_run();
}
