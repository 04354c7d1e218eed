/* SPDX-License-Identifier: BSD-3-Clause */
/* The owner of a line of host memory while a device stores to the line and a core polls it. Expected values are measured on
 * an H200 (probe/tables/h200_fifth, probe/predicted_lines.md): the core sees the stores of an entry at two times, 205 ns
 * apart, if the last store comes 150 to 190 ns after the first; a store of another block splits an entry only if a core
 * holds that block's line; lines with a single store cost nothing. */
#include "model_test.h"
#include "models/host/host_parts.h"

#define LINES 64
#define NS PS_PER_NS

struct scene {
    struct bench bench;
    struct host_thread core;
    address lines;
    size_t looked_at; /* of the lines, by the core, from before the stores on */
    struct {
        size_t line, word;
        sim_time at_ps;
    } stores[LINES + 2];
    size_t stores_count;
    sim_time first_ps, whole_ps; /* when the first line's first word was seen, and the second */
    sim_time all_ps;             /* when the first word of all lines that are looked at was seen */
    bool has_atomic; /* a device adds 1 to the first word of `atomic_line` at `atomic_ps` */
    size_t atomic_line;
    sim_time atomic_ps, answered_ps;
    uint64_t found; /* what the atomic found */
};

static void scene_start(struct scene *scene, size_t looked_at)
{
    *scene = (struct scene){.looked_at = looked_at};
    scene->bench.sim = sim_new(1);
    machine_spec_init(&scene->bench.spec, NULL);
    struct host_spec *spec = &scene->bench.spec.host;
    spec->bounced_line_ps = 150 * NS;
    spec->handed_line_ps = 50 * NS;
    scene->bench.cluster = cluster_new(scene->bench.sim, &scene->bench.spec, NODE_DISCRETE, NULL);
    scene->lines = site_allocate(scene->bench.cluster, cluster_site(scene->bench.cluster, 0, 0),
                                 MEMORY_HOST, LINES * CACHE_LINE_BYTES, STORE_FINE_GRAINED);
}

static void store(struct scene *scene, size_t line, size_t word, sim_time at_ps)
{
    scene->stores[scene->stores_count].line = line;
    scene->stores[scene->stores_count].word = word;
    scene->stores[scene->stores_count++].at_ps = at_ps;
}

static address word_at(const struct scene *scene, size_t line, size_t word)
{
    return scene->lines + line * CACHE_LINE_BYTES + word * sizeof(uint64_t);
}

static void send_stores(struct scene *scene)
{
    struct site *node = cluster_site(scene->bench.cluster, 0, 0);
    uint64_t one = 1;
    for (size_t i = 0; i < scene->stores_count; i++) {
        struct bus_request *request = bus_request(node->bus);
        request->op = BUS_WRITE;
        request->from_slot = node->nic_slot;
        request->at = word_at(scene, scene->stores[i].line, scene->stores[i].word);
        request->bytes = sizeof one;
        memcpy(request->data, &one, sizeof one);
        bus_send(node->bus, request, scene->stores[i].at_ps);
    }
}

static void atomic_is_answered(struct bus_request *request, void *argument)
{
    struct scene *scene = argument;
    scene->found = request->operand;
    scene->answered_ps = sim_now(scene->bench.sim);
}

static void send_atomic(struct scene *scene)
{
    struct site *node = cluster_site(scene->bench.cluster, 0, 0);
    struct bus_request *request = bus_request(node->bus);
    request->op = BUS_ATOMIC;
    request->atomic = ATOMIC_ADD;
    request->operand = 1;
    request->from_slot = node->nic_slot;
    request->at = word_at(scene, scene->atomic_line, 0);
    request->bytes = sizeof request->operand;
    request->done = atomic_is_answered;
    request->argument = scene;
    bus_send(node->bus, request, scene->atomic_ps);
}

static void look(struct process *self, void *argument)
{
    struct scene *scene = argument;
    uint64_t words[2], seen = 0;
    host_thread_init(&scene->core, cluster_site(scene->bench.cluster, 0, 0)->host, 0, self);
    for (size_t i = 0; i < scene->looked_at; i++)
        host_thread_load(&scene->core, word_at(scene, i, 0), words, sizeof words);
    process_sleep(self, PS_PER_US);
    send_stores(scene);
    if (scene->has_atomic)
        send_atomic(scene);
    for (sim_time end_ps = process_now(self) + 30 * PS_PER_US; process_now(self) < end_ps;)
        for (size_t i = 0; i < scene->looked_at; i++) {
            host_thread_load(&scene->core, word_at(scene, i, 0), words, sizeof words);
            sim_time now_ps = process_now(self);
            if (words[0] != 0 && (seen & UINT64_C(1) << i) == 0)
                scene->all_ps = now_ps;
            seen |= (uint64_t)(words[0] != 0) << i;
            if (i == 0 && words[0] != 0 && scene->first_ps == 0)
                scene->first_ps = now_ps;
            if (i == 0 && words[1] != 0 && scene->whole_ps == 0)
                scene->whole_ps = now_ps;
        }
    g_assert_cmpuint(seen, ==, UINT64_MAX >> (64 - scene->looked_at));
}

static void scene_run(struct scene *scene)
{
    bench_run(&scene->bench, look, scene);
    bench_end(&scene->bench);
}

/* How far apart the two stores of an entry are seen. */
static sim_time apart_ps(sim_time gap_ps)
{
    struct scene scene;
    scene_start(&scene, 1);
    store(&scene, 0, 0, 0);
    store(&scene, 0, 1, gap_ps);
    scene_run(&scene);
    return scene.whole_ps - scene.first_ps;
}

/* What comes while the port fetches the line, or before the waiting core's request is there, is seen at once; what
 * comes later has to fetch the line again. */
static void test_gap(void)
{
    for (sim_time gap_ps = 0; gap_ps < 150 * NS; gap_ps += 10 * NS)
        g_assert_cmpint(apart_ps(gap_ps), ==, 0);
    for (sim_time gap_ps = 190 * NS; gap_ps < 230 * NS; gap_ps += 10 * NS) {
        g_assert_cmpint(apart_ps(gap_ps), >=, 200 * NS);
        g_assert_cmpint(apart_ps(gap_ps), <=, 240 * NS);
    }
}

/* Another block's store comes between the stores of an entry. The port waits for its line if a core has that, and the core that waits for
 * the entry gets it meanwhile. */
static void test_between(void)
{
    for (size_t looked_at = 1; looked_at <= 2; looked_at++) {
        struct scene scene;
        scene_start(&scene, looked_at);
        store(&scene, 0, 0, 0);
        store(&scene, 1, 0, 10 * NS);
        store(&scene, 0, 1, 20 * NS);
        scene_run(&scene);
        if (looked_at == 1)
            g_assert_cmpint(scene.whole_ps, ==, scene.first_ps);
        else
            g_assert_cmpint(scene.whole_ps - scene.first_ps, >=, 150 * NS);
    }
}

/* n stores to lines of their own, against looks at all: lines are fetched side by side and none twice, so that the last is seen one
 * fetch, and a pass of looks that miss, behind its store. */
static void test_single_stores(void)
{
    struct scene scene;
    for (size_t lines = 1; lines <= LINES; lines *= 2) {
        scene_start(&scene, lines);
        for (size_t i = 0; i < lines; i++)
            store(&scene, i, 0, (sim_time)i * 5 * NS);
        scene_run(&scene);
        const struct host_spec *spec = &scene.bench.spec.host;
        sim_time miss_ps =
            cycles_ps(spec->l1.latency_cycles + spec->l2.latency_cycles + spec->l3.latency_cycles,
                      spec->core.clock_Hz);
        sim_time pass_ps = (sim_time)lines * (miss_ps + spec->handed_line_ps);
        sim_time stored_ps = scene.all_ps - scene.first_ps;
        g_assert_cmpint(stored_ps, <=, (sim_time)lines * 5 * NS + 2 * pass_ps);
    }
}

/* --- a core that asks late --------------------------------------------------------------------------- */

struct late_look {
    struct scene scene;
    sim_time from_ps; /* of the look, behind the first store */
    sim_time took_ps;
    uint64_t words[2]; /* what it saw */
};

static void look_once(struct process *self, void *argument)
{
    struct late_look *late = argument;
    struct scene *scene = &late->scene;
    host_thread_init(&scene->core, cluster_site(scene->bench.cluster, 0, 0)->host, 0, self);
    for (size_t i = 0; i < 2; i++)
        host_thread_load(&scene->core, word_at(scene, i, 0), late->words, sizeof late->words);
    process_sleep(self, PS_PER_US);
    send_stores(scene);
    process_sleep(self, late->from_ps);
    sim_time from_ps = process_now(self);
    host_thread_load(&scene->core, word_at(scene, 0, 0), late->words, sizeof late->words);
    late->took_ps = process_now(self) - from_ps;
}

/* A look at the first line, at a time after the first of its two stores came. The port has that line after 150 ns and performs the first
 * store. The second store comes 145 ns behind the first; if `is_between`, a store comes before it whose line the port does not have
 * before 140 ns later, so that it waits. */
static struct late_look look_at(sim_time from_ps, bool is_between)
{
    struct late_look late = {.from_ps = from_ps};
    scene_start(&late.scene, 2);
    store(&late.scene, 0, 0, 0);
    if (is_between)
        store(&late.scene, 1, 0, 140 * NS);
    store(&late.scene, 0, 1, 145 * NS);
    bench_run(&late.scene.bench, look_once, &late);
    bench_end(&late.scene.bench);
    return late;
}

/* A core that asks before the first store is performed has the line 50 ns behind its arrival, half of which the port keeps it. One that
 * asks later, while the second store waits, has it 25 ns behind the arrival, which is its way, or when its look would have been served
 * anyway. It sees the first store alone. */
static void test_late_look(void)
{
    sim_time half_ps = 25 * NS;
    struct late_look early = look_at(300 * NS, true), plain = look_at(800 * NS, true);
    sim_time arrived_ps = early.from_ps + early.took_ps - 2 * half_ps - 1;
    int waited = 0;
    for (sim_time from_ps = arrived_ps + 1; from_ps < arrived_ps + 100 * NS; from_ps += 5 * NS) {
        struct late_look late = look_at(from_ps, true);
        sim_time least_ps = arrived_ps + half_ps - from_ps;
        g_assert_cmpint(late.took_ps, ==, MAX(plain.took_ps, least_ps));
        g_assert_true(late.words[0] != 0 && late.words[1] == 0);
        waited += late.took_ps > plain.took_ps;
    }
    g_assert_cmpint(waited, >, 2);
    g_assert_true(early.words[0] != 0 && early.words[1] == 0);
    g_assert_true(look_at(arrived_ps + 1, false).words[1] != 0);
}

/* --- an atomic behind a store ------------------------------------------------------------------------- */

/* A device's atomic on a line's first word, 10 ns behind a store to the first line, or long before it. */
static struct scene atomic_of(size_t line, bool is_behind)
{
    struct scene scene;
    scene_start(&scene, 1);
    store(&scene, 0, 0, is_behind ? 0 : 10 * PS_PER_US);
    scene.has_atomic = true;
    scene.atomic_line = line;
    scene.atomic_ps = 10 * NS;
    scene_run(&scene);
    return scene;
}

/* An atomic does not pass the posted writes before it (PCI Express Base Specification, ordering rules, C2a): on the word of a store that waits for its
 * line it finds what is stored, and on any other it is answered later by what the store waits behind it, 150 - 10 ns. */
static void test_atomic(void)
{
    struct scene same = atomic_of(0, true), behind = atomic_of(1, true),
                 alone = atomic_of(1, false);
    g_assert_cmpuint(same.found, ==, 1);
    g_assert_cmpuint(behind.found, ==, 0);
    g_assert_cmpint(behind.answered_ps - alone.answered_ps, ==, 140 * NS);
}

int main(int argument_count, char **arguments)
{
    g_test_init(&argument_count, &arguments, NULL);
    g_test_add_func("/host-lines/gap", test_gap);
    g_test_add_func("/host-lines/between", test_between);
    g_test_add_func("/host-lines/single-stores", test_single_stores);
    g_test_add_func("/host-lines/late-look", test_late_look);
    g_test_add_func("/host-lines/atomic", test_atomic);
    return g_test_run();
}
