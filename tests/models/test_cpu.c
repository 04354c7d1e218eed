/* SPDX-License-Identifier: BSD-3-Clause */
/* Cores as message-passing software sees them: accounts, waking, copies, the heap. */
#include <glib.h>

#include "models/cpu/block.h"
#include "models/cpu/cpu.h"
#include "models/cpu/host_copy.h"

#define US PS_PER_US

struct scene {
    struct sim *sim;
    struct cpu cpu;
    bool flag;
    sim_time seen_ps[8];
};

static void scene_run(struct scene *scene, process_fn *program)
{
    scene->sim = sim_new(1);
    cpu_init(&scene->cpu, scene->sim, NULL);
    struct process *process = process_spawn(scene->sim->processes, "core", program, scene, 0, 0);
    scene->cpu.process = process;
}

static void scene_end(struct scene *scene)
{
    g_assert_cmpint(sim_run(scene->sim), ==, SIM_FINISHED);
    sim_free(scene->sim);
}

static void notify(void *argument)
{
    struct scene *scene = argument;
    cpu_notify(&scene->cpu);
}

static void raise_flag(void *argument)
{
    struct scene *scene = argument;
    scene->flag = true;
    cpu_unblock(&scene->cpu);
}

/* --- accounts ------------------------------------------------------------------------------------- */

static void spends(struct process *self, void *argument)
{
    struct scene *scene = argument;
    cpu_spend(&scene->cpu, CPU_LIBRARY, 2 * US);
    cpu_spend(&scene->cpu, CPU_CUDA, 3 * US);
    scene->seen_ps[0] = process_now(self);
    scene->seen_ps[1] = cpu_now(&scene->cpu);
    cpu_settle(&scene->cpu);
    scene->seen_ps[2] = process_now(self);
    cpu_settle(&scene->cpu);
    scene->seen_ps[3] = process_now(self);
}

static void test_time_is_owed_and_passes_once(void)
{
    struct scene scene = {0};
    scene_run(&scene, spends);
    scene_end(&scene);
    g_assert_cmpint(scene.seen_ps[0], ==, 0);
    g_assert_cmpint(scene.seen_ps[1], ==, 5 * US);
    g_assert_cmpint(scene.seen_ps[2], ==, 5 * US);
    g_assert_cmpint(scene.seen_ps[3], ==, 5 * US);
    g_assert_cmpint(scene.cpu.time_ps[CPU_LIBRARY], ==, 2 * US);
    g_assert_cmpint(scene.cpu.time_ps[CPU_CUDA], ==, 3 * US);
}

static void waits(struct process *self, void *argument)
{
    struct scene *scene = argument;
    cpu_wait(&scene->cpu, "first"); /* notified at 4 us */
    scene->seen_ps[0] = process_now(self);
    cpu_spend(&scene->cpu, CPU_LIBRARY, 3 * US); /* notified at 5 and 6 us, while at work */
    cpu_wait(&scene->cpu, "second");
    scene->seen_ps[1] = process_now(self);
    cpu_wait(&scene->cpu, "third"); /* notified at 9 us */
    scene->seen_ps[2] = process_now(self);
}

static void test_what_arrives_at_work_is_not_lost(void)
{
    struct scene scene = {0};
    scene_run(&scene, waits);
    const sim_time times_ps[] = {4 * US, 5 * US, 6 * US, 9 * US};
    for (size_t i = 0; i < G_N_ELEMENTS(times_ps); i++)
        event_schedule(scene.sim->events, times_ps[i], notify, &scene);
    scene_end(&scene);
    g_assert_cmpint(scene.seen_ps[0], ==, 4 * US);
    g_assert_cmpint(scene.seen_ps[1], ==, 7 * US);
    g_assert_cmpint(scene.seen_ps[2], ==, 9 * US);
    g_assert_cmpint(scene.cpu.time_ps[CPU_WAIT], ==, 4 * US + 2 * US);
}

static void blocks(struct process *self, void *argument)
{
    struct scene *scene = argument;
    cpu_spend(&scene->cpu, CPU_CUDA, 1 * US);
    cpu_block(&scene->cpu, &scene->flag, CPU_CUDA, "flag"); /* raised at 6 us */
    scene->seen_ps[0] = process_now(self);
    cpu_wait(&scene->cpu, "what came at 4 us");
    scene->seen_ps[1] = process_now(self);
    cpu_wait(&scene->cpu, "what comes at 8 us: the flag left nothing behind");
    scene->seen_ps[2] = process_now(self);
}

static void test_blocking_keeps_notifications(void)
{
    struct scene scene = {0};
    scene_run(&scene, blocks);
    event_schedule(scene.sim->events, 4 * US, notify, &scene);
    event_schedule(scene.sim->events, 6 * US, raise_flag, &scene);
    event_schedule(scene.sim->events, 8 * US, notify, &scene);
    scene_end(&scene);
    g_assert_cmpint(scene.seen_ps[0], ==, 6 * US);
    g_assert_cmpint(scene.seen_ps[1], ==, 6 * US);
    g_assert_cmpint(scene.seen_ps[2], ==, 8 * US);
    g_assert_cmpint(scene.cpu.time_ps[CPU_CUDA], ==, 6 * US);
    g_assert_cmpint(scene.cpu.time_ps[CPU_WAIT], ==, 2 * US);
}

static void waits_for_nothing(struct process *self, void *argument)
{
    (void)self;
    struct scene *scene = argument;
    cpu_wait(&scene->cpu, "godot");
}

static void test_deadlock_names_the_reason(void)
{
    struct scene scene = {0};
    scene_run(&scene, waits_for_nothing);
    g_assert_cmpint(sim_run(scene.sim), ==, SIM_DEADLOCK);
    char *report = sim_deadlock_report(scene.sim, 8);
    g_assert_nonnull(strstr(report, "godot"));
    g_free(report);
    sim_free(scene.sim);
}

static void test_account_names(void)
{
    for (int account = 0; account < CPU_ACCOUNTS; account++)
        g_assert_nonnull(cpu_account_names[account]);
}

/* --- copies and heap ------------------------------------------------------------------------------ */

static void test_host_copy(void)
{
    struct host_copy_spec spec;
    param_set_defaults(&host_copy_params, &spec);
    const int64_t rates_Bps[] = {spec.rate_Bps, spec.cross_socket_rate_Bps, spec.handoff_rate_Bps,
                                 spec.cross_socket_handoff_rate_Bps};
    for (int kind = HOST_COPY_SAME_SOCKET; kind <= HOST_COPY_CROSS_SOCKET_HANDOFF; kind++) {
        enum host_copy_kind of = (enum host_copy_kind)kind;
        g_assert_cmpint(host_copy_ps(&spec, of, 0), ==, spec.call_ps);
        g_assert_cmpint(host_copy_ps(&spec, of, 123457), ==,
                        spec.call_ps + transfer_ps(123457, rates_Bps[kind]));
    }
}

/* Fresh pages cost their first touch; a small block comes back for nothing. */
static void test_heap_touches_pages_once(void)
{
    struct host_copy_spec spec;
    param_set_defaults(&host_copy_params, &spec);
    uint64_t used = 0;
    struct heap heap = {.used = &used};
    int64_t bytes = 10 * spec.page_bytes + 1;
    g_assert_cmpint(heap_allocate(&heap, &spec, bytes, NULL), ==,
                    spec.allocate_ps + 11 * spec.page_fault_ps);
    heap_free(&heap, bytes);
    g_assert_cmpint(heap_allocate(&heap, &spec, bytes, NULL), ==, spec.allocate_ps);
    heap_free(&heap, bytes);
    g_assert_cmpint(heap.used_bytes, ==, 0);
}

/* Freeing leaves no more than HEAP_KEPT_BYTES, or twice the largest block, free: what goes back to the system is fresh the
 * next time. Blocks that are mapped one by one are fresh always. So no size is cheaper than a smaller one. */
static void test_heap_gives_back(void)
{
    struct host_copy_spec spec;
    param_set_defaults(&host_copy_params, &spec);
    uint64_t used = 0;
    struct heap heap = {.used = &used};
    int64_t bytes = HEAP_KEPT_BYTES, pages = bytes / spec.page_bytes;
    bool is_fresh;
    for (int i = 0; i < 3; i++)
        heap_allocate(&heap, &spec, bytes, NULL);
    heap_free(&heap, bytes);
    heap_free(&heap, bytes);
    g_assert_cmpint(heap.touched_bytes, ==, 3 * bytes);
    heap_free(&heap, bytes);
    g_assert_cmpint(heap.touched_bytes, ==, 0);
    g_assert_cmpint(heap_allocate(&heap, &spec, bytes, NULL), ==,
                    spec.allocate_ps + pages * spec.page_fault_ps);
    heap_free(&heap, bytes);
    heap_allocate(&heap, &spec, bytes, &is_fresh);
    g_assert_false(is_fresh);
    for (int i = 0; i < 2; i++) {
        g_assert_cmpint(heap_allocate(&heap, &spec, HEAP_MAPPED_BYTES, &is_fresh), ==,
                        spec.allocate_ps + 2 * pages * spec.page_fault_ps);
        g_assert_true(is_fresh);
        heap_free(&heap, HEAP_MAPPED_BYTES);
    }
}

/* --- rate and state ------------------------------------------------------------------------------ */

/* A quarter of the rate takes four times as long, rounded up; copies as long as ever. */
static void works_on_a_slow_core(struct process *self, void *argument)
{
    struct scene *scene = argument;
    cpu_spend(&scene->cpu, CPU_LIBRARY, 100);
    cpu_spend(&scene->cpu, CPU_LIBRARY, 1);
    cpu_access(&scene->cpu, CPU_COPY, 1000);
    cpu_settle(&scene->cpu);
    cpu_wait(&scene->cpu, "test"); /* until 5000 */
    scene->seen_ps[0] = process_now(self);
}

static void test_rate_and_states(void)
{
    static const struct cpu_spec slow = {.told_rate = 7000, .rate = 2000};
    struct scene scene = {.sim = sim_new(1)};
    g_assert_cmpint(cpu_scaled_ps(&slow, 100), ==, 350);
    g_assert_cmpint(cpu_scaled_ps(&slow, 1), ==, 4); /* 3.5 */
    g_assert_cmpint(cpu_scaled_ps(&slow, 0), ==, 0);
    g_assert_cmpint(cpu_scaled_ps(&slow, SIM_TIME_MAX / 16), ==, (SIM_TIME_MAX / 16 * 7 + 1) / 2);
    cpu_init(&scene.cpu, scene.sim, &slow);
    scene.cpu.process =
        process_spawn(scene.sim->processes, "core", works_on_a_slow_core, &scene, 0, 0);
    event_schedule(scene.sim->events, 5000, notify, &scene);
    g_assert_cmpint(sim_run(scene.sim), ==, SIM_FINISHED);
    g_assert_cmpint(scene.seen_ps[0], ==, 5000);
    g_assert_cmpint(cpu_state_ps(&scene.cpu, AGENT_ACTIVE, 9000), ==, 354);
    g_assert_cmpint(cpu_state_ps(&scene.cpu, AGENT_STALLED, 9000), ==, 1000);
    g_assert_cmpint(cpu_state_ps(&scene.cpu, AGENT_POLLING, 9000), ==, 5000 - 1354);
    g_assert_cmpint(cpu_state_ps(&scene.cpu, AGENT_IDLE, 9000), ==,
                    4000); /* its process has ended */
    sim_free(scene.sim);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/cpu/time_is_owed_and_passes_once", test_time_is_owed_and_passes_once);
    g_test_add_func("/cpu/what_arrives_at_work_is_not_lost", test_what_arrives_at_work_is_not_lost);
    g_test_add_func("/cpu/blocking_keeps_notifications", test_blocking_keeps_notifications);
    g_test_add_func("/cpu/deadlock_names_the_reason", test_deadlock_names_the_reason);
    g_test_add_func("/cpu/account_names", test_account_names);
    g_test_add_func("/cpu/host_copy", test_host_copy);
    g_test_add_func("/cpu/heap_touches_pages_once", test_heap_touches_pages_once);
    g_test_add_func("/cpu/heap_gives_back", test_heap_gives_back);
    g_test_add_func("/cpu/rate_and_states", test_rate_and_states);
    return g_test_run();
}
