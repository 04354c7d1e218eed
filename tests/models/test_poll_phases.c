/* SPDX-License-Identifier: BSD-3-Clause */
/* Phases of polling loops. If a change may come at any point of a loop of period P, the loop notices it after P/2 on
 * average, plus the time in which the answer comes back. With drawn phases this also holds for a fixed time between the
 * start of the wait and the change; with fixed phases a wait lasts a whole number of periods. */
#include <math.h>

#include "model_test.h"
#include "models/gpu/poll_wait.h"
#include "models/memory/store.h"

enum { STEPS = 64, EACH = 8, WAITS = 400, LOOKS_BEFORE = 6 };

struct scene {
    struct bench bench;
    enum node_memory where;
    address word;
    struct cp_thread core;
    uint64_t value; /* that the word will have */
    sim_time period_ps;
    double late_ps[STEPS]; /* means over waits: from the change until the process goes on */
};

static void change(void *argument)
{
    struct scene *scene = argument;
    struct gpu *gpu = cluster_site(scene->bench.cluster, 0, 0)->gpu;
    struct host *host = cluster_site(scene->bench.cluster, 0, 0)->host;
    if (scene->where == MEMORY_GPU)
        device_memory_write(gpu_memory(gpu), scene->word, &scene->value, sizeof scene->value);
    else
        store_write(host_directory(host)->store, scene->word, &scene->value, sizeof scene->value);
}

/* How long a wait lasts whose word changes `after_ps` after its begin. */
static sim_time wait_ps(struct scene *scene, sim_time after_ps)
{
    struct process *self = scene->core.memory.process;
    process_sync(self);
    sim_time start_ps = process_now(self);
    scene->value++;
    event_schedule(scene->bench.sim->events, start_ps + after_ps, change, scene);
    memory_client_wait_words(&scene->core.memory, &scene->word, 1, word_equals(scene->value), 0,
                             true);
    return process_now(self) - start_ps;
}

static void wait_often(struct process *self, void *argument)
{
    struct scene *scene = argument;
    cp_thread_init(&scene->core, cluster_site(scene->bench.cluster, 0, 0)->cp, 0, self);
    wait_ps(scene, 0);
    scene->period_ps = wait_ps(scene, 0); /* its only look finds the change */
    for (int step = 0; step < STEPS; step++) {
        sim_time after_ps = (LOOKS_BEFORE * STEPS + step) * scene->period_ps / STEPS;
        for (int i = 0; i < WAITS; i++)
            scene->late_ps[step] += (double)(wait_ps(scene, after_ps) - after_ps) / WAITS;
    }
}

static void run(struct scene *scene, enum node_memory where, bool draws)
{
    *scene = (struct scene){.where = where};
    bench_start(&scene->bench, NODE_DISCRETE, NULL);
    if (draws)
        process_system_draw_phases(scene->bench.sim->processes, 1);
    scene->word = site_allocate(scene->bench.cluster, cluster_site(scene->bench.cluster, 0, 0),
                                where, 64, STORE_FINE_GRAINED);
    bench_run(&scene->bench, wait_often, scene);
    bench_end(&scene->bench);
}

static void test_mean(gconstpointer argument)
{
    struct scene fixed, drawn;
    enum node_memory where = *(const enum node_memory *)argument;
    double even_ps = 0, all_ps = 0;
    run(&fixed, where, false);
    run(&drawn, where, true);
    double period_ps = (double)fixed.period_ps;
    for (int step = 0; step < STEPS; step++)
        even_ps += fixed.late_ps[step] /
                   STEPS; /* over changes at even times: P/2 and the way home, to P/STEPS/2 */
    for (int step = 0; step < STEPS; step += EACH) {
        double looks =
            (fixed.late_ps[step] + (LOOKS_BEFORE + (double)step / STEPS) * period_ps) / period_ps;
        g_test_message(
            "changed at %d/%d of a look of %.0f ps: seen %.0f ps later, with drawn phases %.0f, by "
            "formula %.0f",
            step, STEPS, period_ps, fixed.late_ps[step], drawn.late_ps[step], even_ps);
        g_assert_cmpfloat(fabs(looks - round(looks)), <, 1e-4);
        g_assert_cmpfloat(fabs(drawn.late_ps[step] - even_ps), <, period_ps / 10);
        all_ps += drawn.late_ps[step] / (STEPS / EACH);
    }
    g_assert_cmpfloat(fabs(all_ps - even_ps), <, period_ps / 30);
}

/* A look whose process is far ahead of the simulated time, with a shift that is larger than the look: the answer comes after
 * the look has begun, and at most one way there later than without a shift. */
static void look_shifted(struct process *self, void *argument)
{
    struct scene *scene = argument;
    struct memory_client *client = &scene->core.memory;
    sim_time far_ps = 1000000000, took_ps[3];
    uint64_t word;
    cp_thread_init(&scene->core, cluster_site(scene->bench.cluster, 0, 0)->cp, 0, self);
    for (int i = 0; i < 3; i++) {
        process_run_ahead(self, far_ps);
        sim_time start_ps = process_now(self);
        process_set_shift(self, (i - 1) * far_ps);
        memory_client_load(client, scene->word, &word, sizeof word);
        took_ps[i] = process_now(self) - start_ps;
    }
    g_assert_cmpint(took_ps[0], >, 0);
    g_assert_cmpint(took_ps[0], <, took_ps[1]);
    g_assert_cmpint(took_ps[1], <, took_ps[2]);
    g_assert_cmpint(took_ps[2], <, 2 * took_ps[1]);
}

static void test_shift_is_cut(void)
{
    struct scene scene;
    bench_start(&scene.bench, NODE_DISCRETE, NULL);
    scene.word = site_allocate(scene.bench.cluster, cluster_site(scene.bench.cluster, 0, 0),
                               MEMORY_HOST, 64, STORE_FINE_GRAINED);
    bench_run(&scene.bench, look_shifted, &scene);
    bench_end(&scene.bench);
}

int main(int argc, char **argv)
{
    static const enum node_memory memories[] = {MEMORY_GPU, MEMORY_HOST};
    g_test_init(&argc, &argv, NULL);
    g_test_add_data_func("/poll-phases/within-the-device", &memories[0], test_mean);
    g_test_add_data_func("/poll-phases/over-the-bus", &memories[1], test_mean);
    g_test_add_func("/poll-phases/shift-is-cut", test_shift_is_cut);
    return g_test_run();
}
