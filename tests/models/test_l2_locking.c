/* SPDX-License-Identifier: BSD-3-Clause */
/* Locked lines (ComPNet18 section 4.2.2, 4.2.3; M-071, M-074): a locked store keeps its line in the L2 until a CP has
 * accessed it, however many other lines stream through; a CP's read-modify-write is atomic. */
#include "l2_test.h"
#include "models/gpu/streaming.h"

struct scene {
    struct bench bench;
    address words;   /* lines to lock */
    address payload; /* to push them out with */
    struct cp_thread cp;
    struct work_group *wg;
};

static void start(struct scene *scene, int64_t sets, int64_t ways, bool locking)
{
    *scene = (struct scene){0};
    bench_small_l2(&scene->bench, sets, ways, locking);
    scene->words = bench_allocate(&scene->bench, 64 * 64, STORE_COARSE_GRAINED);
    scene->payload = bench_allocate(&scene->bench, 1 << 20, STORE_PAYLOAD);
}

static void run(struct scene *scene, kernel_program *program)
{
    struct kernel kernel = {.work_groups = 1, .threads = 64, .program = program, .argument = scene};
    bench_launch(&scene->bench, &kernel);
    g_assert_cmpint(sim_run(scene->bench.sim), ==, SIM_FINISHED);
}

static bool is_held(const struct scene *scene, address at)
{
    return cache_peek(bench_memory(&scene->bench)->l2, at / CACHE_LINE_BYTES) != CACHE_MISS;
}

static const struct line_locks *locks_of(const struct scene *scene)
{
    return &bench_memory(&scene->bench)->locks;
}

static void store_locked(struct work_group *wg, address at)
{
    uint64_t value = 1;
    memory_client_store_locked(&wg->memory, at, &value, sizeof value);
    memory_client_release(&wg->memory, SCOPE_DEVICE);
}

/* Streams many times the cache through it. */
static void thrash(struct work_group *wg, const struct scene *scene)
{
    struct streaming what = {
        .source = scene->payload, .target = ADDRESS_NONE, .bytes = 1 << 16, .lines_in_flight = 8};
    work_group_stream(wg, &what);
}

/* As a CP thread, within the work-group's process: only the requester counts. */
static void read_as_cp(struct scene *scene, address at)
{
    uint64_t word;
    cp_thread_init(&scene->cp, cluster_site(scene->bench.cluster, 0, 0)->cp, 0, scene->wg->process);
    memory_client_load(&scene->cp.memory, at, &word, sizeof word);
}

/* 16 sets of 4 ways; three lines of one set locked. They stay as long as no CP reads them, other work-groups'
 * loads notwithstanding; the time from store to read is recorded. */
static void pinned_until_read(struct work_group *wg, void *argument)
{
    struct scene *scene = argument;
    uint64_t word;
    scene->wg = wg;
    for (address i = 0; i < 3; i++)
        store_locked(wg, scene->words + i * 16 * 64);
    sim_time last_locked_ps = process_now(wg->process) - l2_half_way_ps(&scene->bench);
    for (int i = 0; i < 10; i++) {
        thrash(wg, scene);
        memory_client_acquire(&wg->memory, SCOPE_DEVICE);
        memory_client_load(&wg->memory, scene->words, &word, sizeof word);
        for (address k = 0; k < 3; k++)
            g_assert_true(is_held(scene, scene->words + k * 16 * 64));
    }
    g_assert_cmpint(locks_of(scene)->pinned_count, ==, 3);
    sim_time read_ps =
        process_now(wg->process) + cp_l1_ps(&scene->bench) + l2_half_way_ps(&scene->bench);
    read_as_cp(scene, scene->words + 2 * 16 * 64);
    g_assert_cmpuint(locks_of(scene)->residency->count, ==, 1);
    g_assert_cmpint(locks_of(scene)->residency->maximum, ==, read_ps - last_locked_ps);
    thrash(wg, scene);
    g_assert_false(is_held(scene, scene->words + 2 * 16 * 64));
    for (address i = 0; i < 2; i++)
        read_as_cp(scene, scene->words + i * 16 * 64);
    thrash(wg, scene);
    g_assert_false(is_held(scene, scene->words));
    g_assert_cmpint(locks_of(scene)->pinned_count, ==, 0);
}

static void test_pinned_until_read(void)
{
    struct scene scene;
    start(&scene, 16, 4, true);
    run(&scene, pinned_until_read);
    bench_end(&scene.bench);
}

/* On a GPU without locked stores they are plain ones. */
static void not_pinned(struct work_group *wg, void *argument)
{
    struct scene *scene = argument;
    store_locked(wg, scene->words);
    thrash(wg, scene);
    g_assert_false(is_held(scene, scene->words));
}

static void test_plain_without_locking(void)
{
    struct scene scene;
    start(&scene, 16, 4, false);
    run(&scene, not_pinned);
    g_assert_cmpint(locks_of(&scene)->pinned->maximum, ==, 0);
    bench_end(&scene.bench);
}

/* One set of two ways: the third locked store finds both locked, writes through, locks nothing, and its
 * contents are there; streams pass by. */
static void set_is_full(struct work_group *wg, void *argument)
{
    struct scene *scene = argument;
    uint64_t word = 0;
    scene->wg = wg;
    for (address i = 0; i < 3; i++)
        store_locked(wg, scene->words + i * 64);
    g_assert_true(is_held(scene, scene->words) && is_held(scene, scene->words + 64));
    g_assert_false(is_held(scene, scene->words + 128));
    g_assert_cmpint(locks_of(scene)->fallbacks->value, ==, 1);
    g_assert_cmpint(bench_memory(&scene->bench)->dram->channels.bytes_served, ==, CACHE_LINE_BYTES);
    thrash(wg, scene);
    memory_client_load(&wg->memory, scene->words + 128, &word, sizeof word);
    g_assert_cmpuint(word, ==, 1);
    read_as_cp(scene, scene->words);
    store_locked(wg, scene->words + 128); /* now there is room */
    g_assert_true(is_held(scene, scene->words + 128));
    read_as_cp(scene, scene->words + 64);
    read_as_cp(scene, scene->words + 128);
    g_assert_cmpint(locks_of(scene)->pinned_count, ==, 0);
    g_assert_cmpint(locks_of(scene)->pinned->maximum, ==, 2);
}

static void test_set_is_full(void)
{
    struct scene scene;
    start(&scene, 1, 2, true);
    run(&scene, set_is_full);
    bench_end(&scene.bench);
}

/* --- read-modify-write ------------------------------------------------------------------------- */

/* Way there, the line to the core and back, the acknowledgement: four halves, and memory the first time. */
static void rmw_time(struct process *self, void *argument)
{
    struct scene *scene = argument;
    cp_thread_init(&scene->cp, cluster_site(scene->bench.cluster, 0, 0)->cp, 0, self);
    for (int i = 0; i < 2; i++) {
        sim_time memory_ps = i == 0 ? idle_memory_line_ps(&scene->bench) : 0;
        sim_time start_ps = process_now(self);
        memory_client_atomic(&scene->cp.memory, scene->words, ATOMIC_ADD, 1, 0);
        g_assert_cmpint(process_now(self) - start_ps, ==,
                        4 * l2_half_way_ps(&scene->bench) + memory_ps);
    }
}

static void test_rmw_time(void)
{
    struct scene scene;
    start(&scene, 16, 4, false);
    bench_run(&scene.bench, rmw_time, &scene);
    bench_end(&scene.bench);
}

#define ADDITIONS 200

struct adders {
    struct bench bench;
    address word, payload;
    bool stop;
    int at_work;
    struct cp_thread cp[2];
    int started;
};

static void add_on_cu(struct work_group *wg, void *argument)
{
    struct adders *adders = argument;
    if (wg->index == 0) { /* streams over the word's sets meanwhile */
        struct streaming what = {.source = adders->payload,
                                 .target = adders->payload,
                                 .bytes = 1 << 16,
                                 .lines_in_flight = 4,
                                 .stop = &adders->stop};
        while (!adders->stop)
            work_group_stream(wg, &what);
        return;
    }
    for (int i = 0; i < ADDITIONS; i++)
        memory_client_atomic(&wg->memory, adders->word, ATOMIC_ADD, 1, 0);
    adders->stop = --adders->at_work == 0;
}

static void add_on_cp(struct process *self, void *argument)
{
    struct adders *adders = argument;
    int number = adders->started++;
    struct cp_thread *thread = &adders->cp[number];
    cp_thread_init(thread, cluster_site(adders->bench.cluster, 0, 0)->cp, number, self);
    process_sleep(self, adders->bench.spec.gpu.kernel_launch_ps);
    for (int i = 0; i < ADDITIONS; i++) {
        memory_client_atomic(&thread->memory, adders->word, ATOMIC_ADD, 1000000, 0);
        cp_thread_execute(thread, 7 * (number + 1));
    }
    adders->stop = --adders->at_work == 0;
}

/* Eight work-groups and both CPs add to one word under streaming: the sum is exact, somebody waited, and at the
 * end no lock is left. */
static void test_sum_is_exact(void)
{
    enum { WORK_GROUPS = 8, CPS = 2 };
    struct adders adders = {.at_work = WORK_GROUPS + CPS};
    bench_small_l2(&adders.bench, 4, 2, true);
    adders.word = bench_allocate(&adders.bench, 64, STORE_COARSE_GRAINED);
    adders.payload = bench_allocate(&adders.bench, 1 << 16, STORE_PAYLOAD);
    struct kernel kernel = {
        .work_groups = WORK_GROUPS + 1, .threads = 64, .program = add_on_cu, .argument = &adders};
    bench_launch(&adders.bench, &kernel);
    for (int i = 0; i < CPS; i++)
        process_spawn(adders.bench.sim->processes, "adder", add_on_cp, &adders, 0, 0);
    g_assert_cmpint(sim_run(adders.bench.sim), ==, SIM_FINISHED);
    struct device_memory *memory = bench_memory(&adders.bench);
    uint64_t sum;
    store_read(memory->store, adders.word, &sum, sizeof sum);
    g_assert_cmpuint(sum, ==,
                     (uint64_t)WORK_GROUPS * ADDITIONS + (uint64_t)CPS * ADDITIONS * 1000000);
    g_assert_cmpint(memory->locks.waits->value, >, 0);
    g_assert_true(list_is_empty(&memory->locks.taken));
    for (cache_way way = 0; way < cache_way_count(memory->l2); way++)
        g_assert_false(cache_is_locked(memory->l2, way));
    bench_end(&adders.bench);
}

/* While a CP's read-modify-write is under way a store of a work-group waits: it is not lost under the write.
 * The CP's read reaches the L2 at t, its write at t + there and back; the store arrives half way between. */
static void store_between(struct work_group *wg, void *argument)
{
    struct adders *adders = argument;
    const struct bench *bench = &adders->bench;
    uint64_t value = 77;
    process_sleep(wg->process, l2_half_way_ps(bench) - gpu_l1_ps(bench));
    memory_client_store(&wg->memory, adders->word, &value, sizeof value);
}

static void add_once(struct process *self, void *argument)
{
    struct adders *adders = argument;
    struct cp_thread *thread = &adders->cp[0];
    cp_thread_init(thread, cluster_site(adders->bench.cluster, 0, 0)->cp, 0, self);
    memory_client_atomic(&thread->memory, adders->word, ATOMIC_ADD, 5, 0); /* the line is there */
    process_sleep_until(self, adders->bench.spec.gpu.kernel_launch_ps);
    g_assert_cmpuint(memory_client_atomic(&thread->memory, adders->word, ATOMIC_ADD, 5, 0), ==, 5);
}

static void test_store_waits(void)
{
    struct adders adders = {0};
    bench_small_l2(&adders.bench, 4, 2, false);
    adders.word = bench_allocate(&adders.bench, 64, STORE_COARSE_GRAINED);
    struct kernel kernel = {
        .work_groups = 1, .threads = 64, .program = store_between, .argument = &adders};
    bench_launch(&adders.bench, &kernel);
    bench_run(&adders.bench, add_once, &adders);
    struct device_memory *memory = bench_memory(&adders.bench);
    uint64_t word;
    store_read(memory->store, adders.word, &word, sizeof word);
    g_assert_cmpuint(word, ==, 77);
    g_assert_cmpint(memory->locks.waits->value, ==, 1);
    bench_end(&adders.bench);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/l2-locking/pinned-until-read", test_pinned_until_read);
    g_test_add_func("/l2-locking/plain-without-locking", test_plain_without_locking);
    g_test_add_func("/l2-locking/set-is-full", test_set_is_full);
    g_test_add_func("/l2-locking/rmw-time", test_rmw_time);
    g_test_add_func("/l2-locking/sum-is-exact", test_sum_is_exact);
    g_test_add_func("/l2-locking/store-waits", test_store_waits);
    return g_test_run();
}
