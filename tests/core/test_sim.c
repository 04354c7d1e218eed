/* SPDX-License-Identifier: BSD-3-Clause */
/* A whole simulation: how a run ends, what the report of a deadlock says, what a failed check in a process prints, and that
 * the same input gives the same run. */
#include <glib.h>

#include "core/rng.h"
#include "core/sim.h"
#include "core/wait.h"

static void sleep_once(struct process *self, void *argument)
{
    (void)argument;
    process_sleep(self, 1500);
}

static void suspend(struct process *self, void *argument)
{
    process_suspend(self, argument);
}

static void test_finished(void)
{
    struct sim *sim = sim_new(1);
    g_assert_cmpint(sim_run(sim), ==, SIM_FINISHED);
    process_spawn(sim->processes, "a", sleep_once, NULL, 0, 0);
    g_assert_cmpint(sim_run(sim), ==, SIM_FINISHED);
    g_assert_cmpint(sim_now(sim), ==, 1500);
    sim_free(sim);
}

static void stop(void *argument)
{
    sim_stop(argument);
}

/* A stopped run goes on where it was; a stop by the very last event is a stop still. */
static void test_stopped(void)
{
    struct sim *sim = sim_new(1);
    process_spawn(sim->processes, "a", sleep_once, NULL, 0, 0);
    event_schedule(sim->events, 1000, stop, sim);
    event_schedule(sim->events, 2000, stop, sim);
    g_assert_cmpint(sim_run(sim), ==, SIM_STOPPED);
    g_assert_cmpint(sim_now(sim), ==, 1000);
    g_assert_cmpint(sim_run(sim), ==, SIM_STOPPED);
    g_assert_cmpint(sim_now(sim), ==, 2000);
    g_assert_cmpint(sim_run(sim), ==, SIM_FINISHED);
    sim_free(sim);
}

static void ignore(void *argument)
{
    (void)argument;
}

/* What is due after the clock's end does not happen, and the run says so. */
static void test_too_long(void)
{
    struct sim *sim = sim_new(1);
    event_schedule(sim->events, SIM_TIME_LAST, ignore, NULL);
    g_assert_cmpint(sim_run(sim), ==, SIM_FINISHED);
    g_assert_cmpint(sim_now(sim), ==, SIM_TIME_LAST);
    event_schedule(sim->events, SIM_TIME_NEVER, stop, sim);
    g_assert_cmpint(sim_run(sim), ==, SIM_TOO_LONG);
    g_assert_cmpuint(event_pending(sim->events), ==, 1);
    sim_free(sim);
}

static char a_reason[] = "queue full", b_reason[] = "signal";

static void test_deadlock(void)
{
    struct sim *sim = sim_new(1);
    process_spawn(sim->processes, "node0.b", suspend, b_reason, 0, 0);
    process_spawn(sim->processes, "node0.a", suspend, a_reason, 2500, 0);
    process_spawn(sim->processes, "node0.gone", sleep_once, NULL, 0, 0);
    process_spawn(sim->processes, "node0.c", suspend, a_reason, 3000000, 0);
    g_assert_cmpint(sim_run(sim), ==, SIM_DEADLOCK);

    char *report = sim_deadlock_report(sim, 10);
    g_assert_cmpstr(report, ==,
                    "node0.b: waits for signal since 0ps\n"
                    "node0.a: waits for queue full since 2.5ns\n"
                    "node0.c: waits for queue full since 3us\n");
    g_free(report);
    report = sim_deadlock_report(sim, 1);
    g_assert_cmpstr(report, ==, "node0.b: waits for signal since 0ps\nand 2 more\n");
    g_free(report);
    sim_free(sim);
}

/* --- checks ----------------------------------------------------------------------------------- */

static void fail_later(struct process *self, void *argument)
{
    (void)argument;
    process_sleep(self, 1234567);
    check_always(process_now(self) == 0, "the clock stands still");
}

static void test_check_in_process(void)
{
    if (g_test_subprocess()) {
        struct sim *sim = sim_new(77);
        process_spawn(sim->processes, "node3.cp", fail_later, NULL, 0, 0);
        process_spawn(sim->processes, "node4.cp", sleep_once, NULL, 0, 0);
        sim_run(sim);
        return;
    }
    g_test_trap_subprocess(NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
    g_test_trap_assert_failed();
    g_test_trap_assert_stderr(
        "gpunetsim: check failed: the clock stands still *at t=1234.567 ns in "
        "node3.cp, seed 77 (test_sim.c:*)\n");
}

static void test_context_restored(void)
{
    const struct check_context outer = {.seed = 5};
    check_set_context(&outer);
    struct sim *sim = sim_new(1);
    sim_run(sim);
    sim_free(sim);
    g_assert_true(check_set_context(NULL) == &outer);
}

/* --- determinism ------------------------------------------------------------------------------ */

#define CLIENTS 50

/* Clients that think, queue at a server and wait for a bell: a bit of everything. */
struct office {
    struct sim *sim;
    bool is_busy; /* the server */
    struct signal free, bell;
    uint64_t trail; /* a hash of who did what when */
};

static void leave_mark(struct office *office, struct process *self, uint64_t what)
{
    struct rng mix = {{office->trail, what, (uint64_t)process_now(self),
                       (uint64_t)(unsigned char)process_name(self)[6]}};
    for (int i = 0; i < 8; i++)
        office->trail = rng_next(&mix);
}

static void client(struct process *self, void *argument)
{
    struct office *office = argument;
    struct rng rng;
    rng_init(&rng, office->sim->seed, process_name(self));
    for (int i = 0; i < 100; i++) {
        process_sleep(self, rng_exponential_ps(&rng, 200));
        while (office->is_busy)
            signal_wait(&office->free, self, "server");
        office->is_busy = true;
        leave_mark(office, self, rng_next(&rng));
        process_sleep(self, (sim_time)rng_below(&rng, 20));
        office->is_busy = false;
        signal_one(&office->free);
        signal_wait(&office->bell, self, "bell");
        leave_mark(office, self, signal_all(&office->bell));
    }
}

static void ring(struct process *self, void *argument)
{
    struct office *office = argument;
    while (process_alive(office->sim->processes) > 1) {
        process_sleep(self, 37);
        leave_mark(office, self, signal_one(&office->bell));
    }
}

static uint64_t run_office(uint64_t seed)
{
    struct office office = {.sim = sim_new(seed)};
    signal_init(&office.free);
    signal_init(&office.bell);
    for (int i = 0; i < CLIENTS; i++) {
        char name[32];
        g_snprintf(name, sizeof name, "client%c%d", 'a' + i % 26, i);
        process_spawn(office.sim->processes, name, client, &office, 0, 0);
    }
    process_spawn(office.sim->processes, "porter", ring, &office, 0, 0);
    g_assert_cmpint(sim_run(office.sim), ==, SIM_FINISHED);
    sim_free(office.sim);
    return office.trail;
}

/* The number is what the first build since waits have no deadlines gave; gcc, clang and the sanitizers all have to give it again.
 */
static void test_same_again(void)
{
    uint64_t first = run_office(1);
    g_assert_cmpuint(first, ==, UINT64_C(4153549716093761574));
    void *shift = g_malloc(12345); /* other addresses than in the first run */
    g_assert_cmpuint(run_office(1), ==, first);
    g_assert_cmpuint(run_office(2), !=, first);
    g_free(shift);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sim/finished", test_finished);
    g_test_add_func("/sim/stopped", test_stopped);
    g_test_add_func("/sim/too-long", test_too_long);
    g_test_add_func("/sim/deadlock", test_deadlock);
    g_test_add_func("/sim/check-in-process", test_check_in_process);
    g_test_add_func("/sim/context-restored", test_context_restored);
    g_test_add_func("/sim/same-again", test_same_again);
    return g_test_run();
}
