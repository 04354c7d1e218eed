/* SPDX-License-Identifier: BSD-3-Clause */
/* Polls and line watchers: a poll takes as long as a load that bypasses the L1 on an idle GPU and delays nobody; a watcher
 * is told of every change that a poll could see, and of nothing else. */
#include "l2_test.h"

struct listener {
    struct line_watcher watcher;
    int told;
};

static void take_note(struct line_watcher *watcher)
{
    ((struct listener *)watcher)->told++;
}

struct scene {
    struct bench bench;
    struct cp_thread cp[2];
    struct listener listener;
    address word, lines; /* a line to watch, and others of the same size */
};

static void act(struct scene *scene, struct process *self)
{
    for (int i = 0; i < 2; i++)
        cp_thread_init(&scene->cp[i], cluster_site(scene->bench.cluster, 0, 0)->cp, i, self);
}

static void run(struct scene *scene, process_fn *fn, bool locking, enum store_kind kind)
{
    *scene = (struct scene){.listener.watcher.changed = take_note};
    bench_small_l2(&scene->bench, 1, 2, locking); /* two lines are all that it holds */
    scene->word = bench_allocate(&scene->bench, 64, kind);
    scene->lines = bench_allocate(&scene->bench, 16 * 64, kind);
    bench_run(&scene->bench, fn, scene);
    bench_end(&scene->bench);
}

static sim_time poll_ps(struct memory_client *client, address at)
{
    uint64_t word;
    sim_time start_ps = process_now(client->process);
    memory_client_poll(client, at, &word, sizeof word, POLL_WHOLE);
    return process_now(client->process) - start_ps;
}

static void load(struct memory_client *client, address at)
{
    uint64_t word;
    memory_client_acquire(client, SCOPE_DEVICE);
    memory_client_load(client, at, &word, sizeof word);
}

/* There and back, and memory on a miss. */
static void poll_times(struct process *self, void *argument)
{
    struct scene *scene = argument;
    struct memory_client *client = &scene->cp[0].memory;
    act(scene, self);
    sim_time hit_ps = cp_l1_ps(&scene->bench) + 2 * l2_half_way_ps(&scene->bench);
    g_assert_cmpint(poll_ps(client, scene->word), ==, hit_ps + idle_memory_line_ps(&scene->bench));
    g_assert_cmpint(poll_ps(client, scene->word), ==, hit_ps);
    load(client, scene->lines);
    load(client, scene->lines + 64); /* the line is pushed out */
    g_assert_cmpint(poll_ps(client, scene->word), ==, hit_ps + idle_memory_line_ps(&scene->bench));
    const struct device_memory *memory = bench_memory(&scene->bench);
    g_assert_cmpint(memory->poll_hits[L2_FROM_CP]->value, ==, 1);
    g_assert_cmpint(memory->poll_misses[L2_FROM_CP]->value, ==, 2);
    g_assert_cmpint(memory->misses[L2_FROM_CP]->value, ==, 2); /* the two loads */
}

/* Fine-grained memory answers as if idle, however many ask, and takes no bandwidth. */
static void poll_fine_grained(struct process *self, void *argument)
{
    struct scene *scene = argument;
    act(scene, self);
    sim_time expected_ps = cp_l1_ps(&scene->bench) + 2 * l2_half_way_ps(&scene->bench) +
                           idle_memory_line_ps(&scene->bench);
    for (int i = 0; i < 3; i++)
        g_assert_cmpint(poll_ps(&scene->cp[0].memory, scene->word), ==, expected_ps);
    g_assert_cmpint(bench_memory(&scene->bench)->dram->channels.bytes_served, ==, 0);
}

/* Two lines fill the cache; the first is polled, the second is older in the order of loads: a third load
 * pushes out the first all the same. */
static void poll_is_no_use(struct process *self, void *argument)
{
    struct scene *scene = argument;
    struct memory_client *client = &scene->cp[0].memory;
    act(scene, self);
    load(client, scene->word);
    load(client, scene->lines);
    poll_ps(client, scene->word);
    load(client, scene->lines + 64);
    struct cache *l2 = bench_memory(&scene->bench)->l2;
    g_assert_cmpint(cache_peek(l2, scene->word / 64), ==, CACHE_MISS);
    g_assert_cmpint(cache_peek(l2, scene->lines / 64), !=, CACHE_MISS);
}

/* A poll sees what was released, and so does a load of the same line after it, without an acquire. */
static void poll_sees(struct process *self, void *argument)
{
    struct scene *scene = argument;
    act(scene, self);
    uint64_t word = 0, other = 0, value = 42;
    memory_client_load(&scene->cp[1].memory, scene->word, &word, sizeof word);
    memory_client_load(&scene->cp[1].memory, scene->lines, &other, sizeof other);
    memory_client_store(&scene->cp[0].memory, scene->word, &value, sizeof value);
    memory_client_store(&scene->cp[0].memory, scene->lines, &value, sizeof value);
    memory_client_release(&scene->cp[0].memory, SCOPE_DEVICE);
    memory_client_poll(&scene->cp[1].memory, scene->word, &word, sizeof word, POLL_WHOLE);
    g_assert_cmpuint(word, ==, 42);
    memory_client_load(&scene->cp[1].memory, scene->word, &word, sizeof word);
    g_assert_cmpuint(word, ==, 42);
    memory_client_load(&scene->cp[1].memory, scene->lines, &other, sizeof other);
    g_assert_cmpuint(other, ==, 0); /* the rest of the L1 was left alone */
}

static int told(struct scene *scene)
{
    int so_far = scene->listener.told;
    scene->listener.told = 0;
    return so_far;
}

static void watcher_is_told(struct process *self, void *argument)
{
    struct scene *scene = argument;
    struct device_memory *memory = bench_memory(&scene->bench);
    struct memory_client *client = &scene->cp[0].memory;
    uint64_t value = 1;
    act(scene, self);
    device_memory_watch(memory, scene->word + 8, &scene->listener.watcher);
    load(client, scene->word);
    g_assert_cmpint(told(scene), ==, 1); /* filled */
    load(client, scene->word);
    load(client, scene->lines);
    g_assert_cmpint(told(scene), ==, 0); /* nothing that a poll would notice */
    load(client, scene->lines + 64);
    g_assert_cmpint(told(scene), ==, 1); /* pushed out */
    memory_client_store(client, scene->word + 56, &value, sizeof value);
    g_assert_cmpint(told(scene), ==, 0); /* not before it is there */
    memory_client_release(client, SCOPE_DEVICE);
    g_assert_cmpint(told(scene), ==, 2); /* filled, written */
    memory_client_store_locked(client, scene->word, &value, sizeof value);
    memory_client_release(client, SCOPE_DEVICE);
    g_assert_cmpint(told(scene), ==, 2); /* written, locked */
    poll_ps(client, scene->word);
    g_assert_cmpint(told(scene), ==, 1); /* unlocked */
    memory_client_atomic(client, scene->word, ATOMIC_ADD, 1, 0);
    g_assert_cmpint(told(scene), ==, 3); /* locked, written, unlocked */
    memory_client_store(client, scene->lines, &value, sizeof value);
    memory_client_release(client, SCOPE_DEVICE);
    g_assert_cmpint(told(scene), ==, 0); /* another line */
    device_memory_unwatch(memory, &scene->listener.watcher);
    memory_client_store(client, scene->word, &value, sizeof value);
    memory_client_release(client, SCOPE_DEVICE);
    g_assert_cmpint(told(scene), ==, 0);
}

static struct line_watch table;

static void take_off(struct line_watcher *watcher)
{
    take_note(watcher);
    line_watch_remove(&table, watcher);
}

static void count_visit(struct line_watcher *watcher, void *argument)
{
    ((struct listener *)watcher)->told++;
    ++*(int *)argument;
}

/* Each watcher that is left is visited once, whichever were removed. */
static void test_visit(void)
{
    enum { WATCHERS = 200 };
    static struct listener listeners[WATCHERS];
    struct line_watch watch = {0};
    int visited = 0;
    line_watch_visit(&watch, count_visit, &visited);
    for (int i = 0; i < WATCHERS; i++)
        line_watch_add(&watch, (cache_line)(i / 2), &listeners[i].watcher);
    for (int i = 0; i < WATCHERS; i++)
        if (i % 4 < 2 || i % 3 == 0)
            line_watch_remove(&watch, &listeners[i].watcher);
    line_watch_visit(&watch, count_visit, &visited);
    g_assert_cmpint(visited, ==, (int)watch.count);
    for (int i = 0; i < WATCHERS; i++) {
        g_assert_cmpint(listeners[i].told, ==, i % 4 >= 2 && i % 3 != 0);
        if (listeners[i].told > 0)
            line_watch_remove(&watch, &listeners[i].watcher);
    }
    line_watch_visit(&watch, count_visit, &visited);
    g_assert_cmpint(visited, ==, WATCHERS / 3);
    line_watch_clear(&watch);
}

/* The table by itself: many watchers, several a line, one that takes itself off while it is told. */
static void test_table(void)
{
    enum { WATCHERS = 1000, LINES = 300 };
    static struct listener listeners[WATCHERS];
    int expected = 0;
    for (int i = 0; i < WATCHERS; i++) {
        listeners[i].watcher.changed = i % 3 == 0 ? take_off : take_note;
        line_watch_add(&table, (cache_line)(i % LINES), &listeners[i].watcher);
        expected += i % LINES == 7;
    }
    for (int turn = 0; turn < 2; turn++)
        line_watch_changed(&table, 7);
    int sum = 0;
    for (int i = 0; i < WATCHERS; i++) {
        g_assert_true(listeners[i].told == 0 || i % LINES == 7);
        g_assert_true(listeners[i].told <= (i % 3 == 0 ? 1 : 2));
        sum += listeners[i].told > 0;
    }
    g_assert_cmpint(sum, ==, expected);
    for (int i = 0; i < WATCHERS; i++)
        if (listeners[i].watcher.changed == take_note || listeners[i].told == 0)
            line_watch_remove(&table, &listeners[i].watcher);
    g_assert_cmpuint(table.count, ==, 0);
    for (int i = 0; i < LINE_WATCH_BUCKETS; i++) {
        g_assert_true(list_is_empty(&table.buckets[i].watchers));
        g_assert_cmpuint(table.buckets[i].marks, ==, 0);
    }
    line_watch_clear(&table);
}

static void test_poll_times(void)
{
    struct scene scene;
    run(&scene, poll_times, false, STORE_COARSE_GRAINED);
}

static void test_poll_fine_grained(void)
{
    struct scene scene;
    run(&scene, poll_fine_grained, false, STORE_FINE_GRAINED);
}

static void test_poll_is_no_use(void)
{
    struct scene scene;
    run(&scene, poll_is_no_use, false, STORE_COARSE_GRAINED);
}

static void test_poll_sees(void)
{
    struct scene scene;
    run(&scene, poll_sees, false, STORE_COARSE_GRAINED);
}

static void test_watcher_is_told(void)
{
    struct scene scene;
    run(&scene, watcher_is_told, true, STORE_COARSE_GRAINED);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/l2-watch/poll-times", test_poll_times);
    g_test_add_func("/l2-watch/poll-fine-grained", test_poll_fine_grained);
    g_test_add_func("/l2-watch/poll-is-no-use", test_poll_is_no_use);
    g_test_add_func("/l2-watch/poll-sees", test_poll_sees);
    g_test_add_func("/l2-watch/watcher-is-told", test_watcher_is_told);
    g_test_add_func("/l2-watch/visit", test_visit);
    g_test_add_func("/l2-watch/table", test_table);
    return g_test_run();
}
