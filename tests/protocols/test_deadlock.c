/* SPDX-License-Identifier: BSD-3-Clause */
/* Deadlocks of kernels on every design. Random programs of put and wait on a small machine are run twice:
 * without the search for a quiescence up to a limit of events, and with it. Who ends without it ends with
 * it at the same picosecond; who does not is found. Then the report: who waits for whom, and what to do. */
#include <glib.h>
#include <string.h>

#include "../designs.h"
#include "../models/model_test.h"
#include "../sanitized.h"
#include "../software_test.h"
#include "core/rng.h"
#include "protocols/shmem/device_library.h"
#include "protocols/shmem/symmetric_heap.h"
#include "script/deadlock/deadlock.h"

#define NODES 2
#define DESIGNS 9
#define FIT 4 /* work-groups on the small machine */
#define MOST_WORK_GROUPS 8
#define MOST_STEPS 24
#define MOST_MESSAGES 24
#define WORDS_BYTES (MOST_MESSAGES * 64)
#define PAYLOAD_BYTES 4096
#define EVENT_LIMIT 1000000

#define ROUNDS (IS_SANITIZED ? 24 : 120)

/* A step of a work-group's program: message `number` (a word of its own) is put or waited for. */
struct step {
    enum { STEP_PUT, STEP_WAIT, STEP_GET, STEP_NBI } kind;
    int number;
    int64_t peer_work_group;     /* who gets it, or sends it */
    struct word_condition until; /* of a wait; the message writes 1 */
};

struct script {
    int count;
    struct step steps[MOST_STEPS];
};

struct plan {
    const struct design *design;
    int64_t work_groups, service_threads;
    bool skip_polls;
    int64_t loads_in_flight; /* 0: as the machine has it */
    struct design drawn;     /* with some axes otherwise */
    struct script scripts[NODES][MOST_WORK_GROUPS];
};

struct scene {
    const struct plan *plan;
    struct bench bench;
    struct service *services[NODES];
    struct kernel kernels[NODES];
    struct side {
        struct scene *scene;
        int64_t node;
    } sides[NODES];
    struct symmetric_heap *heap;
    address words, payload;
    int running;
};

static void take_step(struct scene *scene, struct device_context *context, int64_t node,
                      const struct step *step)
{
    address word = scene->words + (address)(step->number * 64);
    switch (step->kind) {
    case STEP_PUT:
        device_p(context, &(struct device_transfer){
                              .node = 1 - node, .remote = word, .bytes = 4, .value = 1});
        break;
    case STEP_WAIT:
        device_wait_until_from(context, word, step->until.comparison, step->until.value, 1 - node,
                               step->peer_work_group);
        break;
    case STEP_GET:
        device_get(context, &(struct device_transfer){.node = 1 - node,
                                                      .local = scene->payload,
                                                      .remote = scene->payload,
                                                      .bytes = PAYLOAD_BYTES});
        break;
    case STEP_NBI:
        device_put_nbi(context, &(struct device_transfer){.node = 1 - node,
                                                          .local = scene->payload,
                                                          .remote = scene->payload,
                                                          .bytes = 256});
        break;
    }
}

static void program(struct work_group *wg, void *argument)
{
    struct side *side = argument;
    struct scene *scene = side->scene;
    struct device_context context;
    device_context_create(&context, scene->services[side->node], wg);
    const struct script *script = &scene->plan->scripts[side->node][wg->index];
    for (int i = 0; i < script->count; i++)
        take_step(scene, &context, side->node, &script->steps[i]);
}

static void wait_for_kernel(struct process *self, void *argument)
{
    struct side *side = argument;
    struct scene *scene = side->scene;
    if (!scene->kernels[side->node].is_finished)
        signal_wait(&scene->kernels[side->node].finished, self, "the kernel to end");
    if (--scene->running == 0)
        for (int node = 0; node < NODES; node++)
            service_stop(scene->services[node]);
}

/* 2 CUs of 2 wavefronts. */
static void start_machine(struct bench *bench, const struct plan *plan)
{
    GError *error = NULL;
    bench->sim = sim_new(1);
    machine_spec_init(&bench->spec, software_tables());
    bench->spec.gpu.compute_units = 2;
    bench->spec.gpu.waves_per_cu = FIT / 2;
    SOFTWARE(bench->spec)->queue_entries = 2; /* so that queues get full */
    SOFTWARE(bench->spec)->exact = !plan->skip_polls;
    if (plan->loads_in_flight > 0)
        bench->spec.host.core.loads_in_flight = bench->spec.host.device_loads_in_flight =
            bench->spec.cp.core.loads_in_flight = plan->loads_in_flight;
    bench->cluster =
        cluster_new(bench->sim, &bench->spec, (enum node_form)plan->design->node, &error);
    g_assert_no_error(error);
}

static void start(struct scene *scene, const struct plan *plan)
{
    g_autoptr(GError) error = NULL;
    *scene = (struct scene){.plan = plan, .running = NODES};
    start_machine(&scene->bench, plan);
    struct cluster *cluster = scene->bench.cluster;
    scene->heap = symmetric_heap_new(cluster, plan->design, WORDS_BYTES + PAYLOAD_BYTES);
    scene->words = symmetric_allocate(scene->heap, WORDS_BYTES, STORE_FINE_GRAINED);
    scene->payload = symmetric_allocate(scene->heap, PAYLOAD_BYTES, STORE_PAYLOAD);
    for (int node = 0; node < NODES; node++) {
        scene->services[node] =
            service_new(cluster, cluster_site(cluster, node, 0), plan->design, plan->work_groups,
                        plan->service_threads, cluster->spec->nodes, &error);
        g_assert_nonnull(scene->services[node]);
        scene->sides[node] = (struct side){scene, node};
        scene->kernels[node] = (struct kernel){.work_groups = plan->work_groups,
                                               .threads = 64,
                                               .program = program,
                                               .argument = &scene->sides[node]};
        struct gpu *gpu = cluster_site(cluster, node, 0)->gpu;
        g_assert_true(gpu_launch(gpu, &scene->kernels[node], &error));
        process_spawn(scene->bench.sim->processes, "launch", wait_for_kernel, &scene->sides[node],
                      0, 0);
    }
}

static void finish(struct scene *scene)
{
    for (int node = 0; node < NODES; node++)
        service_free(scene->services[node]);
    symmetric_heap_free(scene->heap);
    bench_end(&scene->bench);
}

/* --- random programs --------------------------------------------------------------------------- */

static void add_step(struct script *script, struct step step)
{
    if (script->count < MOST_STEPS)
        script->steps[script->count++] = step;
}

/* For a word that goes from 0 to 1: most are met then, some at once, some never. */
static struct word_condition draw_condition(struct rng *rng)
{
    static const struct word_condition met[] = {{COMPARE_EQUAL, 1},
                                                {COMPARE_NOT_EQUAL, 0},
                                                {COMPARE_GREATER, 0},
                                                {COMPARE_GREATER_EQUAL, 1}};
    static const struct word_condition others[] = {
        {COMPARE_LESS, 2}, {COMPARE_LESS_EQUAL, 1}, {COMPARE_GREATER, 1}, {COMPARE_LESS, 0}};
    return rng_below(rng, 30) > 0 ? met[rng_below(rng, G_N_ELEMENTS(met))]
                                  : others[rng_below(rng, G_N_ELEMENTS(others))];
}

static void draw_design(struct design *design, struct rng *rng)
{
    *design = *design_named(
        kernel_designs()[rng_below(rng, g_strv_length((char **)(uintptr_t)kernel_designs()))]);
    if (design_server_kind(design)->calls_runtime && design->queue.memory == MEMORY_GPU)
        design->queue.polling = (int64_t)rng_below(rng, 2);
    design->completion = (int64_t)rng_below(rng, 2);
    design->fence =
        design->completion == COMPLETION_BY_CONTEXT ? (int64_t)rng_below(rng, 2) : FENCE_QUIET;
    bool is_per_thread = rng_below(rng, 2) == 0;
    design->nic_queue.sharers = is_per_thread && !design_is_triggered(design);
}

/* Messages in an order in which they could be sent and received, if only all work-groups ran; then, now
 * and then, one that is never sent, or two steps that change places. */
static void draw_plan(struct plan *plan, struct rng *rng)
{
    *plan = (struct plan){.design = &plan->drawn,
                          .work_groups = 1 + (int64_t)rng_below(rng, MOST_WORK_GROUPS),
                          .service_threads = 1 + (int64_t)rng_below(rng, 2),
                          .skip_polls = rng_below(rng, 4) > 0,
                          .loads_in_flight = 1 + (int64_t)rng_below(rng, 6)};
    draw_design(&plan->drawn, rng);
    if (plan->drawn.queue.count > 0)
        plan->service_threads = 1; /* more than queues are refused */
    uint64_t work_groups = (uint64_t)plan->work_groups;
    int messages = 1 + (int)rng_below(rng, MOST_MESSAGES);
    for (int number = 0; number < messages; number++) {
        int64_t node = (int64_t)rng_below(rng, NODES);
        int64_t from = (int64_t)rng_below(rng, work_groups);
        int64_t to = rng_below(rng, 3) ? from : (int64_t)rng_below(rng, work_groups);
        if (rng_below(rng, 40) > 0)
            add_step(&plan->scripts[node][from],
                     (struct step){.kind = STEP_PUT, .number = number, .peer_work_group = to});
        add_step(&plan->scripts[1 - node][to],
                 (struct step){STEP_WAIT, number, from, draw_condition(rng)});
        if (rng_below(rng, 4) == 0)
            add_step(&plan->scripts[node][from],
                     (struct step){.kind = rng_below(rng, 2) ? STEP_GET : STEP_NBI});
    }
    struct script *script = &plan->scripts[0][rng_below(rng, work_groups)];
    if (script->count >= 2 && rng_below(rng, 4) == 0) {
        struct step first = script->steps[0];
        script->steps[0] = script->steps[script->count - 1];
        script->steps[script->count - 1] = first;
    }
}

struct outcome {
    bool has_ended;
    sim_time end_ps;
    uint64_t events;
};

static struct outcome run(const struct plan *plan, bool search)
{
    struct scene scene;
    start(&scene, plan);
    struct sim *sim = scene.bench.sim;
    sim->quiescence.is_ignored = !search;
    if (search)
        sim_run(sim);
    else
        while (event_executed(sim->events) < EVENT_LIMIT && event_run_one(sim->events))
            continue;
    struct outcome outcome = {process_alive(sim->processes) == 0, sim_now(sim),
                              event_executed(sim->events)};
    if (search && !outcome.has_ended)
        g_assert_true(sim->quiescence.is_found || event_pending(sim->events) == 0);
    finish(&scene);
    return outcome;
}

static void test_random(void)
{
    struct rng rng;
    rng_init(&rng, 3, "deadlock");
    int ended = 0, found = 0;
    for (int round = 0; round < ROUNDS; round++) {
        char text[PARAM_TEXT_SIZE];
        struct plan plan;
        draw_plan(&plan, &rng);
        struct outcome with = run(&plan, true), without = run(&plan, false);
        if (with.has_ended != without.has_ended)
            g_error("round %d, %s: %s with the search, %s without", round,
                    design_text(plan.design, text), with.has_ended ? "ends" : "does not end",
                    without.has_ended ? "ends" : "does not end");
        if (with.has_ended) {
            g_assert_cmpint(with.end_ps, ==, without.end_ps);
            g_assert_cmpuint(with.events, ==, without.events);
        } else {
            g_assert_cmpuint(with.events, <,
                             EVENT_LIMIT * 3 / 4); /* found before the limit, after all timeouts */
        }
        *(with.has_ended ? &ended : &found) += 1;
    }
    g_test_message("%d ended, %d deadlocks were found", ended, found);
    g_assert_cmpint(ended, >, ROUNDS / 5);
    g_assert_cmpint(found, >, ROUNDS / 5);
}

/* --- the report -------------------------------------------------------------------------------- */

static void expect(const struct plan *plan, const char *const *parts)
{
    struct scene scene;
    g_autoptr(GError) error = NULL;
    char text[PARAM_TEXT_SIZE];
    start(&scene, plan);
    g_assert_cmpint(sim_run(scene.bench.sim), ==, SIM_DEADLOCK);
    deadlock_explain(scene.bench.cluster, &error);
    g_assert_cmpuint(strlen(error->message), <, 2000);
    for (int i = 0; parts[i] != NULL; i++)
        if (strstr(error->message, parts[i]) == NULL)
            g_error("%s: \"%s\" is not in\n%s", design_text(plan->design, text), parts[i],
                    error->message);
    finish(&scene);
}

/* Each waits for the one of the other node that is counted from the end: those of which none run. */
static void test_no_room(void)
{
    static const char *const parts[] = {
        "deadlock at ",
        ": work-groups wait for work-groups that have no room; all 8 that run wait.\n",
        "node0.gpu: 4 work-groups resident, 8 launched, 4 fit at once, 4 not dispatched, 0 ended.",
        "node1.gpu: 4 work-groups resident, 8 launched",
        "node0.wg0 waits since ",
        " to be 1 (it is 0), from node1.wg7, which is not dispatched for want of room.",
        "And 5 more.",
        "To break it: 4 work-groups are resident all at once; for 8 make room with "
        "gpu.waves_per_cu = 4 or gpu.compute_units = 4; cooperative = true refuses",
        NULL};
    static const char *const parts_beside_agent[] = {
        "node0.gpu: 3 work-groups resident, 8 launched, 3 fit at once, 5 not dispatched, 0 ended.",
        "To break it: 3 work-groups are resident all at once; for 8 make room with "
        "gpu.waves_per_cu = 5 or gpu.compute_units = 5; cooperative = true refuses",
        NULL};
    for (size_t d = 0; kernel_designs()[d] != NULL; d++)
        for (int skip = 0; skip < 2; skip++) {
            struct plan plan = {.design = design_named(kernel_designs()[d]),
                                .work_groups = 2 * FIT,
                                .service_threads = 1,
                                .skip_polls = skip};
            for (int64_t wg = 0; wg < plan.work_groups; wg++)
                for (int node = 0; node < NODES; node++) {
                    int64_t peer = plan.work_groups - 1 - wg;
                    struct script *script = &plan.scripts[node][wg];
                    add_step(script, (struct step){.kind = STEP_PUT, .number = (int)peer});
                    add_step(script, (struct step){STEP_WAIT, (int)wg, peer, word_equals(1)});
                }
            expect(&plan, design_server_kind(plan.design)->is_on_gpu ? parts_beside_agent : parts);
        }
}

/* Two that both wait first. */
static void test_circle(void)
{
    static const char *const parts[] = {
        "work-groups wait for each other in a circle; all 2 that run wait.\n", "which waits itself",
        "A circle: node0.gpu.wg0 -> node1.gpu.wg0 -> node0.gpu.wg0.",
        "To break it: one of a circle must send before it waits.", NULL};
    struct plan plan = {.design = design_named("comp-net"), .work_groups = 1, .service_threads = 1};
    for (int node = 0; node < NODES; node++) {
        add_step(&plan.scripts[node][0], (struct step){STEP_WAIT, 0, 0, word_equals(1)});
        add_step(&plan.scripts[node][0], (struct step){.kind = STEP_PUT});
    }
    expect(&plan, parts);
}

/* The other one has ended and never sent. */
static void test_nobody_sends(void)
{
    static const char *const parts[] = {
        "work-groups wait for work-groups that have ended or were never launched; all 1 that run wait.\n",
        "from node1.wg0, which has ended or was never launched.",
        "To break it: each wait needs a put", NULL};
    struct plan plan = {.design = design_named("comp-net"), .work_groups = 1, .service_threads = 2};
    add_step(&plan.scripts[0][0], (struct step){STEP_WAIT, 0, 0, word_equals(1)});
    expect(&plan, parts);
}

/* The other one has sent, but not what is waited for. */
static void test_never_met(void)
{
    static const char *const parts[] = {
        " to be > 1 (it is 1), from node1.wg0, which has ended or was never launched.", NULL};
    for (size_t d = 0; kernel_designs()[d] != NULL; d++) {
        struct plan plan = {
            .design = design_named(kernel_designs()[d]), .work_groups = 1, .service_threads = 1};
        add_step(&plan.scripts[0][0], (struct step){STEP_WAIT, 0, 0, {COMPARE_GREATER, 1}});
        add_step(&plan.scripts[1][0], (struct step){.kind = STEP_PUT});
        expect(&plan, parts);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    test_designs_load();
    g_test_add_func("/deadlock/no-room", test_no_room);
    g_test_add_func("/deadlock/circle", test_circle);
    g_test_add_func("/deadlock/nobody-sends", test_nobody_sends);
    g_test_add_func("/deadlock/never-met", test_never_met);
    g_test_add_func("/deadlock/random", test_random);
    return g_test_run();
}
