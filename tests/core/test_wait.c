/* SPDX-License-Identifier: BSD-3-Clause */
/* Waiting: which process is served, in which order, at what time. Each script below has exactly one timeline, which follows
 * from "first come, first served"; the test compares it with the run. */
#include <glib.h>

#include "core/process.h"
#include "core/rng.h"
#include "core/wait.h"

struct world {
    struct event_queue *queue;
    struct process_system *system;
    struct signal signal;
    GString *text;
};

static void world_init(struct world *world)
{
    *world = (struct world){.queue = event_queue_new(), .text = g_string_new(NULL)};
    world->system = process_system_new(world->queue);
    signal_init(&world->signal);
}

static void world_clear(struct world *world)
{
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
    g_test_add_func("/wait/server-alone", test_server_alone);
    g_test_add_func("/wait/server-remainder", test_server_remainder);
    g_test_add_func("/wait/server-sums", test_server_sums);
    g_test_add_func("/wait/server-large", test_server_large);
    g_test_add_func("/wait/server-extremes", test_server_extremes);
    return g_test_run();
}
