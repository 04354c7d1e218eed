/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes: their order, waking, how they end, a large number of them, and what a debug build prints when a
 * stack overflows. */
#include <glib.h>
#include <stdint.h>
#include <string.h>

#include "../run_until.h"
#include "core/process.h"
#include "core/rng.h"

struct world {
    struct event_queue *queue;
    struct process_system *system;
    GString *text;
};

static void world_init(struct world *world)
{
    world->queue = event_queue_new();
    world->system = process_system_new(world->queue);
    world->text = g_string_new(NULL);
}

static void world_clear(struct world *world)
{
    process_system_free(world->system);
    event_queue_free(world->queue);
    g_string_free(world->text, TRUE);
}

static struct process *spawn(struct world *world, const char *name, process_fn *fn, sim_time at_ps)
{
    return process_spawn(world->system, name, fn, world, at_ps, 0);
}

/* Writes "name@time " into the world's text. */
static void say(struct world *world, struct process *self)
{
    g_string_append_printf(world->text, "%s@%d ", process_name(self), (int)process_now(self));
}

/* --- a process whose next event is the next of all goes on without one --------------------------------------------------- */

#define WANDERERS 6
#define STEPS 200

struct wanderer {
    struct world *world;
    struct rng rng;
    struct process *self;
    bool sleeps; /* until another one wakes it */
};

static struct wanderer wanderers[WANDERERS];

static void wake_another(struct wanderer *own)
{
    for (int i = 0; i < WANDERERS; i++)
        if (wanderers[i].sleeps && &wanderers[i] != own) {
            wanderers[i].sleeps = false;
            process_wake(wanderers[i].self);
            return;
        }
}

/* Times from all levels of the wheel, many of them ties. */
static void wander(struct process *self, void *argument)
{
    struct wanderer *own = argument;
    own->self = self;
    for (int i = 0; i < STEPS; i++) {
        sim_time delay_ps =
            (sim_time)rng_below(&own->rng, UINT64_C(1) << 4 * rng_below(&own->rng, 6));
        int64_t kind = (int64_t)rng_below(&own->rng, 8);
        say(own->world, self);
        wake_another(own);
        if (kind < 5)
            process_sleep(self, delay_ps);
        else if (kind < 7)
            process_sleep_until_turn(self, process_now(self) + delay_ps, (int16_t)(1 + kind));
        else if (process_alive(own->world->system) > 2) {
            own->sleeps = true;
            process_suspend(self, "another one");
        }
    }
    wake_another(own);
}

static char *wander_by(uint64_t seed, bool one_by_one, uint64_t *executed)
{
    struct world world;
    world_init(&world);
    for (int i = 0; i < WANDERERS; i++) {
        char name[8];
        g_snprintf(name, sizeof name, "%d", i);
        wanderers[i] = (struct wanderer){.world = &world};
        rng_init(&wanderers[i].rng, seed, name);
        process_spawn(world.system, name, wander, &wanderers[i], i, 0);
    }
    while (one_by_one && event_run_one(world.queue))
        continue;
    if (!one_by_one)
        event_run(world.queue);
    *executed = event_executed(world.queue);
    char *text = g_strdup(world.text->str);
    world_clear(&world);
    return text;
}

/* Run one by one, each step is an event that was scheduled. */
static void test_passing(void)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        uint64_t events, scheduled;
        g_autofree char *passing = wander_by(seed, false, &events);
        g_autofree char *one_by_one = wander_by(seed, true, &scheduled);
        g_assert_cmpstr(passing, ==, one_by_one);
        g_assert_cmpuint(events, ==, scheduled);
    }
}

/* --- time ------------------------------------------------------------------------------------- */

static void walk(struct process *self, void *argument)
{
    struct world *world = argument;
    say(world, self);
    process_sleep(self, 10);
    say(world, self);
    process_sleep(self, 0);
    say(world, self);
    process_sleep_until(self, 100);
    say(world, self);
}

/* Is ahead by 30; others' time stands still until it sleeps, or ends. */
static void run_ahead(struct process *self, void *argument)
{
    struct world *world = argument;
    sim_time start_ps = event_now(world->queue);
    process_run_ahead(self, 10);
    process_run_ahead(self, 20);
    say(world, self);
    g_assert_cmpint(event_now(world->queue), ==, start_ps);
    process_sync(self);
    g_assert_cmpint(event_now(world->queue), ==, start_ps + 30);
    process_sync(self); /* no more to do */
    process_run_ahead(self, 5);
    process_sleep(self, 5);
    say(world, self);
    g_assert_cmpint(event_now(world->queue), ==, start_ps + 40);
    process_run_ahead(self, 7);
    g_assert_cmpint(process_take_local_offset(self), ==, 7);
    g_assert_cmpint(process_now(self), ==, start_ps + 40);
    process_run_ahead(self, 60);
}

static void test_advance(void)
{
    struct world world;
    world_init(&world);
    spawn(&world, "a", run_ahead, 0);
    event_run(world.queue);
    g_assert_cmpstr(world.text->str, ==, "a@30 a@40 ");
    g_assert_cmpint(event_now(world.queue), ==, 100); /* its end */
    g_assert_cmpuint(event_executed(world.queue), ==, 4);
    world_clear(&world);
}

static void take_turn_2(struct process *self, void *argument)
{
    process_sleep_until_turn(self, process_now(self), 2);
    say(argument, self);
}

static void take_turn_1(struct process *self, void *argument)
{
    process_sleep(self, 0);
    process_sleep_until_turn(self, process_now(self), 1);
    say(argument, self);
}

static void yield_often(struct process *self, void *argument)
{
    for (int i = 0; i < 5; i++)
        process_sleep(self, 0);
    say(argument, self);
}

/* After all else of the moment, by their turns, whoever came first. */
static void test_turns(void)
{
    struct world world;
    world_init(&world);
    spawn(&world, "b", take_turn_2, 10);
    spawn(&world, "a", take_turn_1, 10);
    spawn(&world, "other", yield_often, 10);
    event_run(world.queue);
    g_assert_cmpstr(world.text->str, ==, "other@10 a@10 b@10 ");
    world_clear(&world);
}

static void sleep_until_turn(struct process *self, void *argument)
{
    process_sleep_until_turn(self, 10, 2);
    say(argument, self);
}

static void be_woken(struct process *self, void *argument)
{
    process_suspend(self, "a waker");
    say(argument, self);
}

/* Sleeps and wakes into a turn: the same order as if they had taken it on the spot, and one event each
 * beside their starts. */
static void test_turns_from_afar(void)
{
    struct world world;
    world_init(&world);
    spawn(&world, "c", sleep_until_turn, 0);
    struct process *b = spawn(&world, "b", be_woken, 0);
    struct process *later = spawn(&world, "later", be_woken, 0);
    spawn(&world, "other", yield_often, 10);
    event_run_one(world.queue);
    event_run_one(world.queue);
    event_run_one(world.queue);
    process_wake_until(b, 10, 1);
    process_wake_until(later, 30, 0);
    event_run(world.queue);
    g_assert_cmpstr(world.text->str, ==, "other@10 b@10 c@10 later@30 ");
    g_assert_cmpuint(event_executed(world.queue), ==, 4 + 5 + 3);
    world_clear(&world);
}

/* Two walkers take turns at each time; a sleep of 0 lets the other go first. */
static void test_sleep(void)
{
    struct world world;
    world_init(&world);
    spawn(&world, "a", walk, 5);
    spawn(&world, "b", walk, 5);
    g_assert_cmpuint(process_alive(world.system), ==, 2);
    event_run(world.queue);
    g_assert_cmpstr(world.text->str, ==, "a@5 b@5 a@15 b@15 a@15 b@15 a@100 b@100 ");
    g_assert_cmpuint(process_alive(world.system), ==, 0);
    world_clear(&world);
}

/* --- waking ----------------------------------------------------------------------------------- */

static void wait_for_wake(struct process *self, void *argument)
{
    process_suspend(self, "the test");
    say(argument, self);
}

static void wake(void *argument)
{
    process_wake(argument);
}

/* The woken one goes on after what was already due at that time. */
static void test_wake(void)
{
    struct world world;
    world_init(&world);
    struct process *a = spawn(&world, "a", wait_for_wake, 0);
    event_schedule(world.queue, 50, wake, a);
    spawn(&world, "b", walk, 50);
    run_until(world.queue, 50);
    g_assert_cmpstr(world.text->str, ==, "b@50 a@50 ");
    run_until(world.queue, 99);
    g_assert_cmpuint(process_alive(world.system), ==, 1);
    world_clear(&world);
}

static void wake_at_once(void *argument)
{
    struct process *process = argument;
    process_wake_at_once(process);
}

/* The one who is woken at once goes before what is due already. */
static void test_wake_at_once(void)
{
    struct world world;
    world_init(&world);
    struct process *first = spawn(&world, "first", wait_for_wake, 0);
    struct process *second = spawn(&world, "second", wait_for_wake, 0);
    event_schedule(world.queue, 50, wake, first);
    event_schedule(world.queue, 50, wake_at_once, second);
    event_run(world.queue);
    g_assert_cmpstr(world.text->str, ==, "second@50 first@50 ");
    g_assert_cmpuint(event_executed(world.queue), ==, 5); /* two starts, two calls, one wake */
    world_clear(&world);
}

static void wait_for_ever(struct process *self, void *argument)
{
    (void)argument;
    process_suspend(self, "nothing");
}

/* Nothing stays pending for a process that waits for a wake. */
static void test_wait_for_ever(void)
{
    struct world world;
    world_init(&world);
    spawn(&world, "a", wait_for_ever, 7);
    event_run(world.queue);
    g_assert_cmpint(event_now(world.queue), ==, 7);
    g_assert_cmpuint(event_pending(world.queue), ==, 0);
    g_assert_cmpuint(process_alive(world.system), ==, 1);
    world_clear(&world);
}

/* --- beginning and ending --------------------------------------------------------------------- */

static void child(struct process *self, void *argument)
{
    say(argument, self);
    process_sleep(self, 1);
    say(argument, self);
}

static void parent(struct process *self, void *argument)
{
    struct world *world = argument;
    say(world, self);
    spawn(world, "child", child, process_now(self));
    process_sleep(self, 0);
    say(world, self);
}

static void test_nested_spawn(void)
{
    struct world world;
    world_init(&world);
    spawn(&world, "parent", parent, 3);
    event_run(world.queue);
    g_assert_cmpstr(world.text->str, ==, "parent@3 child@3 parent@3 child@4 ");
    world_clear(&world);
}

static void list(const struct process *process, const char *reason, sim_time since_ps,
                 void *argument)
{
    g_string_append_printf(argument, "%s:%s:%d ", process_name(process), reason, (int)since_ps);
}

/* The living in order of creation, with an ended one between them. */
static void test_visit(void)
{
    struct world world;
    world_init(&world);
    spawn(&world, "a", wait_for_wake, 10);
    spawn(&world, "b", child, 10);
    spawn(&world, "c", walk, 20);
    spawn(&world, "d", child, 999);
    run_until(world.queue, 22);
    g_string_truncate(world.text, 0);
    process_visit(world.system, list, world.text);
    g_assert_cmpstr(world.text->str, ==, "a:the test:10 c:sleep:20 d:start:0 ");
    world_clear(&world);
}

/* An event that was to resume a process goes with it. */
static void test_free_alive(void)
{
    struct world world;
    world_init(&world);
    spawn(&world, "a", walk, 0);
    spawn(&world, "b", walk, 0);
    spawn(&world, "c", wait_for_wake, 0);
    run_until(world.queue, 5);
    g_assert_cmpuint(event_pending(world.queue), ==, 2);
    process_system_free(world.system);
    g_assert_cmpuint(event_pending(world.queue), ==, 0);
    world.system = NULL;
    world_clear(&world);
}

/* --- stacks ----------------------------------------------------------------------------------- */

/* Goes down by `levels` frames of a little over 1 KiB each; `self` waits at the bottom, if given.
 */
static G_GNUC_NO_INLINE int descend(struct process *self, int levels)
{
    volatile char frame[1024];
    memset((char *)(uintptr_t)frame, levels, sizeof frame);
    int below = 0;
    if (levels > 0)
        below = descend(self, levels - 1);
    else if (self)
        process_sleep(self, 1);
    return frame[levels % 1024] + below;
}

static void descend_far(struct process *self, void *argument)
{
    (void)argument;
    int sum = descend(self, 100);
    g_assert_cmpint(sum, ==, 100 * 101 / 2);
}

/* 101 frames of about 1.1 KiB (about 3 KiB with red zones) need a larger stack than the default. */
static void test_stack_sizes(void)
{
    struct world world;
    world_init(&world);
    for (int i = 0; i < 10; i++) {
        process_spawn(world.system, "deep", descend_far, NULL, i, 1 << 20);
        process_spawn(world.system, "odd", descend_far, NULL, i, 600000);
        process_spawn(world.system, "shallow", child, &world, i, 1);
    }
    event_run(world.queue);
    g_assert_cmpuint(process_alive(world.system), ==, 0);
    world_clear(&world);
}

/* Runs a glutton whose 64 KiB of stack are too few. Below its stack lie the neighbours', which it
 * spoils; the check comes before they get to run. */
static void overflow(process_fn *glutton)
{
#ifdef NDEBUG
    (void)glutton;
    g_test_skip("stacks are checked in debug builds");
#else
    if (g_test_subprocess()) {
        struct world world;
        world_init(&world);
        for (int i = 0; i < 5; i++)
            process_spawn(world.system, "neighbour", child, &world, 100, 1 << 16);
        process_spawn(world.system, "glutton", glutton, &world, 0, 1 << 16);
        event_run(world.queue);
        return;
    }
    g_test_trap_subprocess(NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
    g_test_trap_assert_failed();
    g_test_trap_assert_stderr("*process glutton overflowed its stack of 65536 bytes*");
#endif
}

static void test_overflow(void)
{
    overflow(descend_far);
}

static void descend_and_return(struct process *self, void *argument)
{
    (void)argument;
    g_assert_cmpint(descend(NULL, 100), ==, 100 * 101 / 2);
    process_sleep(self, 1);
}

/* It has come back up by the time it waits: only the canary tells. */
static void test_overflow_and_return(void)
{
    overflow(descend_and_return);
}

/* --- many ------------------------------------------------------------------------------------- */

struct crowd {
    struct process_system *system;
    uint64_t steps;
};

static void member(struct process *self, void *argument)
{
    struct crowd *crowd = argument;
    struct rng rng;
    rng_init(&rng, 1, process_name(self));
    double sum = 0; /* lives on the stack across switches, in a floating point register too */
    for (int i = 0; i < 5; i++) {
        sim_time delay_ps = (sim_time)rng_below(&rng, 1000);
        sim_time before_ps = process_now(self);
        process_sleep(self, delay_ps);
        g_assert_cmpint(process_now(self), ==, before_ps + delay_ps);
        sum += 0.5;
        crowd->steps++;
    }
    g_assert_cmpfloat(sum, ==, 2.5);
}

/* ThreadSanitizer knows about 8,000 threads at most, and a process is one to it, which it takes long to make. */
#ifdef __SANITIZE_THREAD__
#define CROWD 1000
#else
#define CROWD 30000
#endif

static void test_thirty_thousand(void)
{
    struct event_queue *queue = event_queue_new();
    struct crowd crowd = {process_system_new(queue), 0};
    for (int round = 0; round < 2; round++) { /* the second on stacks that were used before */
        for (int i = 0; i < CROWD; i++) {
            char name[32];
            g_snprintf(name, sizeof name, "wg%d", i);
            process_spawn(crowd.system, name, member, &crowd, event_now(queue), 0);
        }
        g_assert_cmpuint(process_alive(crowd.system), ==, CROWD);
        event_run(queue);
        g_assert_cmpuint(process_alive(crowd.system), ==, 0);
    }
    g_assert_cmpuint(crowd.steps, ==, 2 * CROWD * 5);
    process_system_free(crowd.system);
    event_queue_free(queue);
}

/* --- refused ---------------------------------------------------------------------------------- */

static void test_wake_twice(void)
{
    if (g_test_subprocess()) {
        struct world world;
        world_init(&world);
        struct process *a = spawn(&world, "a", wait_for_wake, 0);
        event_run(world.queue);
        process_wake(a);
        process_wake(a);
        return;
    }
    g_test_trap_subprocess(NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
    g_test_trap_assert_failed();
    g_test_trap_assert_stderr("*process a was woken, but does not wait for it*");
}

static void test_wake_sleeper(void)
{
    if (g_test_subprocess()) {
        struct world world;
        world_init(&world);
        struct process *a = spawn(&world, "a", walk, 0);
        run_until(world.queue, 5);
        process_wake(a);
        return;
    }
    g_test_trap_subprocess(NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
    g_test_trap_assert_failed();
    g_test_trap_assert_stderr("*process a was woken, but does not wait for it*");
}

static void test_long_name(void)
{
    if (g_test_subprocess()) {
        struct world world;
        world_init(&world);
        char *name = g_strnfill(256, 'x');
        spawn(&world, name, walk, 0);
        return;
    }
    g_test_trap_subprocess(NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
    g_test_trap_assert_failed();
    g_test_trap_assert_stderr("*a process's name has 256 letters*");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/process/passing", test_passing);
    g_test_add_func("/process/sleep", test_sleep);
    g_test_add_func("/process/advance", test_advance);
    g_test_add_func("/process/turns", test_turns);
    g_test_add_func("/process/turns-from-afar", test_turns_from_afar);
    g_test_add_func("/process/wake", test_wake);
    g_test_add_func("/process/wake-at-once", test_wake_at_once);
    g_test_add_func("/process/wait-for-ever", test_wait_for_ever);
    g_test_add_func("/process/nested-spawn", test_nested_spawn);
    g_test_add_func("/process/visit", test_visit);
    g_test_add_func("/process/free-alive", test_free_alive);
    g_test_add_func("/process/stack-sizes", test_stack_sizes);
    g_test_add_func("/process/overflow", test_overflow);
    g_test_add_func("/process/overflow-and-return", test_overflow_and_return);
    g_test_add_func("/process/thirty-thousand", test_thirty_thousand);
    g_test_add_func("/process/wake-twice", test_wake_twice);
    g_test_add_func("/process/wake-sleeper", test_wake_sleeper);
    g_test_add_func("/process/long-name", test_long_name);
    return g_test_run();
}
