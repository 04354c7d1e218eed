/* SPDX-License-Identifier: BSD-3-Clause */
/* Skipped polls are compared with polls that are all simulated: all measures are equal to the picosecond, with fewer events.
 * Machines, designs and loads are drawn at random from a fixed seed, with odd latencies, so that polls and changes meet in
 * all phases. */
#include <glib.h>
#include <string.h>

#include "../models/model_test.h"
#include "core/rng.h"
#include "protocols/agents/agent.h"
#include "queue_load.h"

#ifdef GPUNETSIM_SANITIZED
#define ROUNDS 30
#else
#define ROUNDS 110
#endif
#define WORD_ROUNDS 320

static void set_count(struct load *load, const char *name, uint64_t count)
{
    char text[32];
    g_snprintf(text, sizeof text, "%" G_GUINT64_FORMAT, count);
    set(load, name, text);
}

/* As text, on which all that is drawn goes together. */
static void draw_design(struct rng *rng, char *text)
{
    size_t count = g_strv_length((char **)(uintptr_t)kernel_designs());
    struct design design;
    design = *design_named(kernel_designs()[rng_below(rng, count)]);
    bool is_per_thread = rng_below(rng, 2) == 0;
    design.nic_queue.sharers = is_per_thread && !design_is_triggered(&design);
    int64_t quiet_by = (int64_t)rng_below(rng, 2);
    if (design.nic_queue.reserve == RESERVE_ATOMIC)
        quiet_by = QUIET_BY_COUNTER;
    if (design.quiet_by != QUIET_BY_EACH_ROUND)
        design.quiet_by = quiet_by;
    if (design_has_poller(&design)) {
        design.completion = (int64_t)rng_below(rng, 2);
        design.polling_rounds = 1 + (int64_t)rng_below(rng, 9);
        static const enum design_poll_loop loops[] = {POLL_LOOP_SINGLE, POLL_LOOP_SINGLE,
                                                      POLL_LOOP_AHEAD, POLL_LOOP_UNROLLED};
        design.poll_loop = loops[rng_below(rng, G_N_ELEMENTS(loops))];
    }
    if (design.node == NODE_DISCRETE)
        design.queue.memory = (int64_t)rng_below(rng, 2);
    if (design_server_kind(&design)->calls_runtime && design.queue.memory == MEMORY_GPU)
        design.queue.polling = rng_below(rng, 4) == 0;
    design_text(&design, text);
}

/* The platform stays as it is: one process holds one. */
static void draw(struct load *load, struct rng *rng)
{
    struct machine_spec *machine = &load->machine;
    load_init(load);
    machine->gpu.l2.latency_cycles = 100 + (int64_t)rng_below(rng, 100);
    machine->gpu.l1.latency_cycles = (int64_t)rng_below(rng, 30);
    machine->gpu.memory_latency_ps = 80 * PS_PER_NS + (int64_t)rng_below(rng, 50000);
    machine->gpu.directory_latency_ps = 40 * PS_PER_NS + (int64_t)rng_below(rng, 40000);
    machine->host.directory_latency_ps = 40 * PS_PER_NS + (int64_t)rng_below(rng, 40000);
    machine->gpu.bus_inbound_ps = 100 * PS_PER_NS + (int64_t)rng_below(rng, 50000);
    machine->host.core.loads_in_flight = 1 + (int64_t)rng_below(rng, 8);
    machine->host.device_loads_in_flight = 1 + (int64_t)rng_below(rng, 8);
    machine->host.mispredict_cycles = 7 * (machine->host.core.loads_in_flight % 3);
    machine->cp.core.loads_in_flight = 1 + (int64_t)rng_below(rng, 8);
    machine->cp.cores = machine->smart_nic.cores = 16;
    machine->smart_nic.core.loads_in_flight = 1 + (int64_t)rng_below(rng, 8);
    SOFTWARE(*machine)->phases =
        machine->gpu.l2.latency_cycles % 4 == 0 ? PHASES_FIXED : PHASES_DRAWN;
    SOFTWARE(*machine)->wait_instructions = (int64_t)rng_below(rng, 10);
    SOFTWARE(*machine)->queue_entries = 1 + (int64_t)rng_below(rng, 8);
    char design[PARAM_TEXT_SIZE];
    draw_design(rng, design);
    uint64_t work_groups = 1 + rng_below(rng, 24), threads = 1 + rng_below(rng, 16);
    if (g_str_has_prefix(design, "nvshmem-ibrc") || g_str_has_prefix(design, "nvshmem-libfabric"))
        threads = 1; /* all share one queue, and more threads than queues are refused */
    const char *operation = rng_below(rng, 2) ? "get" : "put";
    set_design(load, design, (int)threads);
    set(load, "operation", operation);
    static const char *const sizes[] = {"4B", "256B", "4KiB"};
    set(load, "bytes", sizes[rng_below(rng, G_N_ELEMENTS(sizes))]);
    set_count(load, "work_groups", work_groups);
    set_count(load, "operations", 4);
    g_snprintf(load->text, sizeof load->text,
               "%s, %s, %" G_GUINT64_FORMAT " work-groups, %" G_GUINT64_FORMAT " threads", design,
               operation, work_groups, threads);
}

static void run(struct load *load, bool skip, struct workload_result *result)
{
    g_autoptr(GError) error = NULL;
    *result = (struct workload_result){.count = 0};
    SOFTWARE(load->machine)->exact = !skip;
    if (!queue_service_workload.run(&load->machine, load->spec, 1, result, &error))
        g_error("%s: %s", load->text, error->message);
}

/* Runs it with and without skipping and holds all measures but the number of events against each other. */
static void compare(struct load *load, int64_t *simulated, int64_t *made)
{
    struct workload_result skipped, brute;
    run(load, true, &skipped);
    run(load, false, &brute);
    g_assert_cmpuint(skipped.count, ==, brute.count);
    for (size_t i = 0; i < brute.count; i++) {
        const struct workload_measure *one = &skipped.measures[i], *other = &brute.measures[i];
        if (strcmp(one->name, "events") == 0) {
            *simulated += one->quantity;
            *made += other->quantity;
        } else if (one->quantity != other->quantity || one->ratio != other->ratio) {
            g_error("%s: %s is %" G_GINT64_FORMAT " or %.17g with skipping, %" G_GINT64_FORMAT
                    " or %.17g without",
                    load->text, one->name, one->quantity, one->ratio, other->quantity,
                    other->ratio);
        }
    }
}

static void test_same_trajectory(void)
{
    struct rng rng;
    rng_init(&rng, 11, "poll-skipping");
    int64_t made = 0, simulated = 0;
    for (int round = 0; round < ROUNDS; round++) {
        struct load load = {0};
        draw(&load, &rng);
        compare(&load, &simulated, &made);
    }
    g_test_message("events: %" G_GINT64_FORMAT " with skipping, %" G_GINT64_FORMAT " without",
                   simulated, made);
    g_assert_cmpint(simulated, <, made);
}

/* What once went wrong. */
static void test_found(void)
{
    static const struct {
        const char *design, *operation;
        uint64_t work_groups, threads;
        int64_t entries;
    } found[] = {
        /* The look that ends a sleep loads nothing, as all entries of its queue are held: it begins where the skipped
         * ones end, and time in turn in two states ends there. */
        {"uccl-ep{polling_rounds=9,nic_queue.sharers=0}", "get", 17, 5, 1},
        {"uccl-ep{polling_rounds=9,nic_queue.sharers=0}", "get", 17, 5, 2},
        {"apu", "get", 17, 5, 2},
        {"comp-net{completion=by_context}", "get", 17, 5, 1},
        /* A server looks at the only entry of a queue again before others see that it has marked it. */
        {"gravel", "put", 8, 7, 1},
        /* Two work-groups find a mutex free at the same moment. */
        {"gpu-verbs{nic_queue.sharers=0,quiet_by=entries}", "put", 19, 1, 4},
        {"gpu-verbs{nic_queue.sharers=0,quiet_by=entries}", "get", 19, 1, 6},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(found); i++) {
        struct load load;
        int64_t made = 0, simulated = 0;
        load_init(&load);
        SOFTWARE(load.machine)->queue_entries = found[i].entries;
        set_design(&load, found[i].design, (int)found[i].threads);
        set(&load, "operation", found[i].operation);
        set_count(&load, "work_groups", found[i].work_groups);
        set_count(&load, "operations", 4);
        set(&load, "bytes", "256B");
        load.machine.cp.cores = 16;
        g_snprintf(load.text, sizeof load.text, "case %zu, %s", i, found[i].design);
        compare(&load, &simulated, &made);
    }
}

/* --- one word, and all who may wait for it ----------------------------------------------------- */

#define STEPS 12

enum waiter_kind { WAITER_WORK_GROUP, WAITER_CP, WAITER_HOST, WAITER_KINDS };

/* Where the word is, and on which machine. In coarse-grained memory of the GPU it lives in the L2:
 * a CP writes it, and a CPU does not see it. */
static const struct place {
    enum node_form form;
    enum node_memory memory;
    enum store_kind kind;
} places[] = {
    {NODE_DISCRETE, MEMORY_GPU, STORE_COARSE_GRAINED},
    {NODE_DISCRETE, MEMORY_GPU, STORE_FINE_GRAINED},
    {NODE_DISCRETE, MEMORY_HOST, STORE_FINE_GRAINED},
    {NODE_APU, MEMORY_HOST, STORE_FINE_GRAINED},
};

/* The word rises or falls by 1 a step; a waiter waits for each step by one of the comparisons. */
struct word_plan {
    const struct place *place;
    bool is_rising;
    sim_time gaps_ps[STEPS];
    enum word_comparison comparisons[WAITER_KINDS][STEPS];
    int64_t instructions[WAITER_KINDS];
};

struct word_scene {
    const struct word_plan *plan;
    bool skip;
    struct bench bench;
    address word;
    struct kernel kernel;
    struct waiter {
        struct word_scene *scene;
        enum waiter_kind kind;
        sim_time met_ps[STEPS];
    } waiters[WAITER_KINDS];
};

/* After `steps` steps. */
static uint64_t value_after(const struct word_plan *plan, int steps)
{
    return plan->is_rising ? (uint64_t)steps : UINT64_MAX - (uint64_t)steps;
}

/* That step number `step` (from 0 on) has been taken. */
static struct word_condition condition_of(const struct word_plan *plan, enum waiter_kind kind,
                                          int step)
{
    enum word_comparison comparison = plan->comparisons[kind][step];
    bool is_of_the_new_value = comparison == COMPARE_EQUAL || comparison == COMPARE_GREATER_EQUAL ||
                               comparison == COMPARE_LESS_EQUAL;
    return (struct word_condition){comparison, value_after(plan, step + is_of_the_new_value)};
}

static void wait_for_steps(struct waiter *waiter, struct agent *agent)
{
    const struct word_scene *scene = waiter->scene;
    const struct word_plan *plan = scene->plan;
    for (int step = 0; step < STEPS; step++) {
        agent_wait_word(agent, scene->word, condition_of(plan, waiter->kind, step),
                        plan->instructions[waiter->kind], SCOPE_SYSTEM, scene->skip);
        waiter->met_ps[step] = agent_now(agent);
    }
}

static void wait_in_kernel(struct work_group *wg, void *argument)
{
    struct agent agent;
    agent_init_work_group(&agent, wg);
    wait_for_steps(argument, &agent);
}

static void wait_on_core(struct process *self, void *argument)
{
    struct waiter *waiter = argument;
    struct cluster *cluster = waiter->scene->bench.cluster;
    struct agent_place place = {cluster, cluster_site(cluster, 0, 0)};
    struct agent agent;
    agent_init(&agent, waiter->kind == WAITER_CP ? &command_processor_kind : &host_thread_kind,
               place, 0, self);
    wait_for_steps(waiter, &agent);
}

static void write_steps(struct process *self, void *argument)
{
    struct word_scene *scene = argument;
    struct cluster *cluster = scene->bench.cluster;
    struct agent_place place = {cluster, cluster_site(cluster, 0, 0)};
    bool is_coarse = scene->plan->place->kind == STORE_COARSE_GRAINED;
    struct agent agent;
    agent_init(&agent, is_coarse ? &command_processor_kind : &host_thread_kind, place, 1, self);
    for (int step = 0; step < STEPS; step++) {
        process_sleep(self, scene->plan->gaps_ps[step]);
        agent_store_word(&agent, scene->word, value_after(scene->plan, step + 1));
    }
    agent_release(&agent, SCOPE_SYSTEM);
}

static void start_waiters(struct word_scene *scene)
{
    const struct place *place = scene->plan->place;
    struct bench *bench = &scene->bench;
    g_autoptr(GError) error = NULL;
    for (enum waiter_kind kind = 0; kind < WAITER_KINDS; kind++) {
        struct waiter *waiter = &scene->waiters[kind];
        *waiter = (struct waiter){.scene = scene, .kind = kind};
        bool is_blind = kind == WAITER_HOST && place->kind == STORE_COARSE_GRAINED;
        if (kind != WAITER_WORK_GROUP && !is_blind)
            process_spawn(bench->sim->processes, "waiter", wait_on_core, waiter, 0, 0);
    }
    scene->kernel = (struct kernel){.work_groups = 1,
                                    .threads = 64,
                                    .program = wait_in_kernel,
                                    .argument = &scene->waiters[WAITER_WORK_GROUP]};
    g_assert_true(gpu_launch(cluster_site(bench->cluster, 0, 0)->gpu, &scene->kernel, &error));
}

/* Returns the number of events. */
static int64_t run_word(struct word_scene *scene, const struct word_plan *plan, bool skip)
{
    struct bench *bench = &scene->bench;
    *scene = (struct word_scene){.plan = plan, .skip = skip};
    bench_start(bench, plan->place->form, software_tables());
    scene->word = site_allocate(bench->cluster, cluster_site(bench->cluster, 0, 0),
                                plan->place->memory, 8, plan->place->kind);
    struct site *node = cluster_site(bench->cluster, 0, 0);
    uint64_t before = value_after(plan, 0);
    store_write(address_slot(scene->word) == node->gpu_slot ? gpu_memory(node->gpu)->store
                                                            : host_directory(node->host)->store,
                scene->word, &before, sizeof before);
    start_waiters(scene);
    bench_run(bench, write_steps, scene);
    int64_t events = (int64_t)event_executed(bench->sim->events);
    bench_end(bench);
    return events;
}

/* Short gaps, so that a poll may miss values between, and long ones, in which waiters sleep. The
 * last value stays, so there any comparison that it meets will do. */
static void draw_word(struct word_plan *plan, struct rng *rng)
{
    *plan = (struct word_plan){.place = &places[rng_below(rng, G_N_ELEMENTS(places))],
                               .is_rising = rng_below(rng, 2) == 1};
    enum word_comparison by_direction[] = {
        COMPARE_NOT_EQUAL, plan->is_rising ? COMPARE_GREATER : COMPARE_LESS,
        plan->is_rising ? COMPARE_GREATER_EQUAL : COMPARE_LESS_EQUAL};
    for (int step = 0; step < STEPS; step++) {
        sim_time longest_ps = rng_below(rng, 3) ? 20 * PS_PER_US : 300 * PS_PER_NS;
        plan->gaps_ps[step] = (sim_time)rng_below(rng, (uint64_t)longest_ps);
        for (int kind = 0; kind < WAITER_KINDS; kind++)
            plan->comparisons[kind][step] =
                step == STEPS - 1 ? COMPARE_EQUAL : by_direction[rng_below(rng, 3)];
    }
    for (int kind = 0; kind < WAITER_KINDS; kind++)
        plan->instructions[kind] = 1 + (int64_t)rng_below(rng, 30);
}

static void test_comparisons(void)
{
    struct rng rng;
    rng_init(&rng, 5, "comparisons");
    int64_t made = 0, simulated = 0;
    for (int round = 0; round < WORD_ROUNDS; round++) {
        struct word_plan plan;
        struct word_scene skipped, brute;
        draw_word(&plan, &rng);
        simulated += run_word(&skipped, &plan, true);
        made += run_word(&brute, &plan, false);
        for (int kind = 0; kind < WAITER_KINDS; kind++)
            for (int step = 0; step < STEPS; step++)
                if (skipped.waiters[kind].met_ps[step] != brute.waiters[kind].met_ps[step])
                    g_error("round %d, place %d, waiter %d, step %d: %" G_GINT64_FORMAT
                            " ps with skipping, %" G_GINT64_FORMAT " without",
                            round, (int)(plan.place - places), kind, step,
                            skipped.waiters[kind].met_ps[step], brute.waiters[kind].met_ps[step]);
        g_assert_cmpint(brute.waiters[WAITER_WORK_GROUP].met_ps[STEPS - 1], >, 0);
    }
    g_test_message("events: %" G_GINT64_FORMAT " with skipping, %" G_GINT64_FORMAT " without",
                   simulated, made);
    g_assert_cmpint(simulated, <, made / 2);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    test_designs_load();
    g_test_add_func("/poll-skipping/same-trajectory", test_same_trajectory);
    g_test_add_func("/poll-skipping/found", test_found);
    g_test_add_func("/poll-skipping/comparisons", test_comparisons);
    return g_test_run();
}
