/* SPDX-License-Identifier: BSD-3-Clause */
/* Waiting: who is served, in which order, at what time. Every script below has one timeline that
 * follows from "first come, first served"; the tests write it down and compare. */
#include <glib.h>

#include "core/process.h"
#include "core/rng.h"
#include "core/wait.h"

struct world {
    struct event_queue *queue;
    struct process_system *system;
    struct signal signal;
    struct bounded_queue items;
    struct resource resource;
    GString *text;
};

static void world_init(struct world *world)
{
    *world = (struct world){.queue = event_queue_new(), .text = g_string_new(NULL)};
    world->system = process_system_new(world->queue);
    signal_init(&world->signal);
    bounded_queue_init(&world->items, 2);
    resource_init(&world->resource, 4);
}

static void world_clear(struct world *world)
{
    bounded_queue_clear(&world->items);
    process_system_free(world->system);
    event_queue_free(world->queue);
    g_string_free(world->text, TRUE);
}

/* Runs all there is and compares what was said. */
static void expect(struct world *world, const char *text)
{
    event_run(world->queue);
    g_assert_cmpstr(world->text->str, ==, text);
    world_clear(world);
}

static void spawn(struct world *world, const char *name, process_fn *fn, sim_time at_ps)
{
    process_spawn(world->system, name, fn, world, at_ps, 0);
}

static void say(struct world *world, struct process *self, const char *what)
{
    g_string_append_printf(world->text, "%s%s@%d ", process_name(self), what,
                           (int)process_now(self));
}

/* --- signal ----------------------------------------------------------------------------------- */

static void wait_signal(struct process *self, void *argument)
{
    struct world *world = argument;
    signal_wait(&world->signal, self, "signal");
    say(world, self, "");
}

static void wait_signal_20(struct process *self, void *argument)
{
    struct world *world = argument;
    bool signalled = signal_wait_until(&world->signal, self, 20, "signal");
    say(world, self, signalled ? "+" : "-");
}

static void one(void *argument)
{
    struct world *world = argument;
    g_string_append_printf(world->text, "one=%zu ", signal_one(&world->signal));
}

static void all(void *argument)
{
    struct world *world = argument;
    g_string_append_printf(world->text, "all=%zu ", signal_all(&world->signal));
}

static void test_signal(void)
{
    struct world world;
    world_init(&world);
    spawn(&world, "a", wait_signal, 2);
    spawn(&world, "b", wait_signal, 1);
    spawn(&world, "c", wait_signal, 3);
    event_schedule(world.queue, 0, one, &world); /* nobody there: it is not kept */
    event_schedule(world.queue, 10, one, &world);
    event_schedule(world.queue, 12, all, &world);
    event_schedule(world.queue, 13, all, &world);
    expect(&world, "one=0 one=1 b@10 all=2 a@12 c@12 all=0 ");
}

/* Those who gave up, first, last and in the middle, are passed over. */
static void test_signal_deadline(void)
{
    struct world world;
    world_init(&world);
    spawn(&world, "a", wait_signal_20, 0);
    spawn(&world, "b", wait_signal, 0);
    spawn(&world, "c", wait_signal_20, 0);
    spawn(&world, "d", wait_signal, 0);
    spawn(&world, "e", wait_signal_20, 0);
    event_schedule(world.queue, 30, all, &world);
    expect(&world, "a-@20 c-@20 e-@20 all=2 b@30 d@30 ");
}

static void test_signal_before_deadline(void)
{
    struct world world;
    world_init(&world);
    spawn(&world, "a", wait_signal_20, 0);
    spawn(&world, "b", wait_signal_20, 0);
    event_schedule(world.queue, 19, one, &world);
    expect(&world, "one=1 a+@19 b-@20 ");
}

/* --- bounded queue ---------------------------------------------------------------------------- */

static void put_three(struct process *self, void *argument)
{
    struct world *world = argument;
    for (uint64_t i = 0; i < 3; i++) {
        bounded_queue_put(&world->items, self, (uint64_t)process_name(self)[0] * 10 + i);
        say(world, self, "");
    }
}

static void get_all(struct process *self, void *argument)
{
    struct world *world = argument;
    for (;;) {
        uint64_t item = bounded_queue_get(&world->items, self);
        g_string_append_printf(world->text, "%c%d=", (char)(item / 10), (int)(item % 10));
        say(world, self, "");
        process_sleep(self, 10);
    }
}

/* Capacity 2: a puts two and waits with the third; b waits behind it. Each get lets in the one who
 * has waited longest. */
static void test_bounded_queue(void)
{
    struct world world;
    world_init(&world);
    spawn(&world, "a", put_three, 0);
    spawn(&world, "b", put_three, 1);
    spawn(&world, "g", get_all, 100);
    event_run(world.queue);
    g_assert_cmpstr(world.text->str, ==,
                    "a@0 a@0 a0=g@100 a@100 a1=g@110 b@110 a2=g@120 b@120 b0=g@130 b@130 "
                    "b1=g@140 b2=g@150 ");
    process_system_free(world.system); /* with the getter, who waits still */
    world.system = NULL;
    signal_init(&world.items.not_empty);
    world_clear(&world);
}

static void get_one(struct process *self, void *argument)
{
    struct world *world = argument;
    uint64_t item = bounded_queue_get(&world->items, self);
    say(world, self, item == 7 ? "=7" : "=8");
}

static void put_both(void *argument)
{
    struct world *world = argument;
    g_assert_true(bounded_queue_try_put(&world->items, 7));
    g_assert_true(bounded_queue_try_put(&world->items, 8));
    uint64_t item;
    g_assert_false(bounded_queue_try_get(&world->items, &item)); /* they are the waiters' already */
}

/* An item that came for one who waits cannot be snatched before he gets to run. */
static void test_bounded_queue_handed_over(void)
{
    struct world world;
    world_init(&world);
    spawn(&world, "a", get_one, 0);
    spawn(&world, "b", get_one, 1);
    event_schedule(world.queue, 5, put_both, &world);
    expect(&world, "a=7@5 b=8@5 ");
}

static void test_bounded_queue_try(void)
{
    struct bounded_queue queue;
    bounded_queue_init(&queue, 3);
    uint64_t in = 0, out = 0, item;
    for (int round = 0; round < 5; round++) {
        while (bounded_queue_try_put(&queue, in))
            in++;
        g_assert_cmpuint(in - out, ==, 3);
        for (int i = 0; i < 2; i++) {
            g_assert_true(bounded_queue_try_get(&queue, &item));
            g_assert_cmpuint(item, ==, out++);
        }
    }
    g_assert_true(bounded_queue_try_get(&queue, &item));
    g_assert_false(bounded_queue_try_get(&queue, &item));
    bounded_queue_clear(&queue);
}

/* --- counted resource ------------------------------------------------------------------------- */

/* Holds as many units as the digit that ends its name says, for 10 ps. */
static void use(struct process *self, void *argument)
{
    struct world *world = argument;
    int64_t amount = process_name(self)[1] - '0';
    resource_acquire(&world->resource, self, amount);
    say(world, self, "");
    process_sleep(self, 10);
    resource_release(&world->resource, amount);
}

/* 4 units. a2 and b1 get theirs; c2 must wait for a; d1 would fit, but is behind c; e4 waits for
 * all of them, and f1 for e. */
static void test_resource(void)
{
    struct world world;
    world_init(&world);
    spawn(&world, "a2", use, 0);
    spawn(&world, "b1", use, 1);
    spawn(&world, "c2", use, 2);
    spawn(&world, "d1", use, 3);
    spawn(&world, "e4", use, 4);
    spawn(&world, "f1", use, 5);
    expect(&world, "a2@0 b1@1 c2@10 d1@10 e4@20 f1@30 ");
}

static void test_resource_try(void)
{
    struct resource resource;
    resource_init(&resource, 3);
    g_assert_true(resource_try_acquire(&resource, 2));
    g_assert_false(resource_try_acquire(&resource, 2));
    g_assert_true(resource_try_acquire(&resource, 1));
    resource_release(&resource, 3);
    g_assert_cmpint(resource.available, ==, 3);
}

static void test_release_too_much(void)
{
    if (g_test_subprocess()) {
        struct resource resource;
        resource_init(&resource, 3);
        resource_release(&resource, 1);
        return;
    }
    g_test_trap_subprocess(NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
    g_test_trap_assert_failed();
    g_test_trap_assert_stderr("*1 of a resource were given back, 0 are out*");
}

/* --- bandwidth server ------------------------------------------------------------------------- */

/* A packet alone takes ceil(bytes * 10^12 / rate). 900 GB/s is 10/9 ps a byte. */
static void test_server_alone(void)
{
    struct bandwidth_server server;
    bandwidth_server_init(&server, INT64_C(900000000000));
    g_assert_cmpint(bandwidth_server_serve(&server, 100, 1), ==, 102);      /* 1.11 -> 2 */
    g_assert_cmpint(bandwidth_server_serve(&server, 1000, 9), ==, 1010);    /* 10 */
    g_assert_cmpint(bandwidth_server_serve(&server, 2000, 4096), ==, 6552); /* 4551.1 -> 4552 */
    g_assert_cmpint(bandwidth_server_serve(&server, 9000, 0), ==, 9000);
    g_assert_cmpint(server.bytes_served, ==, 4106);
}

/* Three packets of one byte: 10/9, 20/9, 30/9 ps, each rounded up on its own; the ninth ends at 10
 * sharp. At 10, though the last picosecond before it was begun only, there is nothing left over. */
static void test_server_remainder(void)
{
    struct bandwidth_server server;
    bandwidth_server_init(&server, INT64_C(900000000000));
    const sim_time expected[] = {2, 3, 4, 5, 6, 7, 8, 9, 10};
    for (size_t i = 0; i < G_N_ELEMENTS(expected); i++)
        g_assert_cmpint(bandwidth_server_serve(&server, 0, 1), ==, expected[i]);
    g_assert_cmpint(server.line.remainder, ==, 0);
    g_assert_cmpint(bandwidth_server_serve(&server, 10, 1), ==, 12);
    g_assert_cmpint(bandwidth_server_serve(&server, 11, 9), ==, 22); /* 21.11: busy until 11.11 */
    g_assert_cmpint(bandwidth_server_serve(&server, 22, 9), ==, 32); /* 32.00: it was idle */
}

/* 10^7 packets of odd sizes back to back end at ceil(total * 10^12 / rate), for rates of which none
 * divides 10^12; and so does any prefix, which is checked on the way. */
static void test_server_sums(void)
{
    const int64_t rates[] = {INT64_C(31507692307), INT64_C(900000000000), INT64_C(12500000001)};
    for (size_t r = 0; r < G_N_ELEMENTS(rates); r++) {
        struct bandwidth_server server;
        struct rng rng;
        bandwidth_server_init(&server, rates[r]);
        rng_init(&rng, r, "packets");
        int64_t total = 0;
        for (int i = 1; i <= 10000000; i++) {
            int64_t bytes = (int64_t)(rng_next(&rng) >> 52) | 1;
            total += bytes;
            sim_time end_ps = bandwidth_server_serve(&server, 0, bytes);
            if (i % 100000 == 0)
                g_assert_cmpint(end_ps, ==, muldiv_ceil(total, PS_PER_S, rates[r]));
        }
        g_assert_cmpint(server.bytes_served, ==, total);
        g_assert_cmpint(server.busy_ps, ==, server.line.free_at_ps);
    }
}

/* Packets beyond 64-bit arithmetic: 10 TB and a byte at 7 B/s less than 1 TB/s. */
static void test_server_large(void)
{
    const int64_t rate = INT64_C(999999999993), bytes = INT64_C(10000000000001);
    struct bandwidth_server server;
    bandwidth_server_init(&server, rate);
    for (int64_t i = 1; i <= 100; i++)
        g_assert_cmpint(bandwidth_server_serve(&server, 0, bytes), ==,
                        muldiv_ceil(i * bytes, PS_PER_S, rate));
}

/* At every rate and size a service takes its exact time, and SIM_TIME_NEVER if that is beyond the clock. */
static void test_server_extremes(void)
{
    static const int64_t rates_Bps[] = {1, 7, 1000000007, 1000000000000000, INT64_MAX};
    static const int64_t sizes[] = {0, 1, 18000000, 18446744, 1000000007, INT64_MAX};
    for (size_t r = 0; r < G_N_ELEMENTS(rates_Bps); r++) {
        for (size_t s = 0; s < G_N_ELEMENTS(sizes); s++) {
            struct bandwidth_server server;
            sim_uint128 exact = (product_128(sizes[s], PS_PER_S) + (uint64_t)rates_Bps[r] - 1) /
                                (uint64_t)rates_Bps[r];
            sim_time expected_ps = exact < SIM_TIME_NEVER ? (sim_time)exact : SIM_TIME_NEVER;
            bandwidth_server_init(&server, rates_Bps[r]);
            sim_time first_ps = bandwidth_server_serve(&server, 0, sizes[s]);
            g_assert_cmpint(first_ps, ==, expected_ps);
            g_assert_cmpint(transfer_ps(sizes[s], rates_Bps[r]), ==, expected_ps);
            for (int i = 0; i < 20; i++)
                g_assert_cmpint(bandwidth_server_serve(&server, 0, sizes[s]), >=, first_ps);
        }
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/wait/signal", test_signal);
    g_test_add_func("/wait/signal-deadline", test_signal_deadline);
    g_test_add_func("/wait/signal-before-deadline", test_signal_before_deadline);
    g_test_add_func("/wait/bounded-queue", test_bounded_queue);
    g_test_add_func("/wait/bounded-queue-handed-over", test_bounded_queue_handed_over);
    g_test_add_func("/wait/bounded-queue-try", test_bounded_queue_try);
    g_test_add_func("/wait/resource", test_resource);
    g_test_add_func("/wait/resource-try", test_resource_try);
    g_test_add_func("/wait/release-too-much", test_release_too_much);
    g_test_add_func("/wait/server-alone", test_server_alone);
    g_test_add_func("/wait/server-remainder", test_server_remainder);
    g_test_add_func("/wait/server-sums", test_server_sums);
    g_test_add_func("/wait/server-large", test_server_large);
    g_test_add_func("/wait/server-extremes", test_server_extremes);
    return g_test_run();
}
