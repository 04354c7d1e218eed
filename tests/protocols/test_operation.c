/* The log of operations: stages add up, and a number names one operation only, although places are
 * used again. */
#include <glib.h>

#include "core/sim.h"
#include "protocols/shmem/cookie.h"
#include "protocols/shmem/operation.h"

#define OPERATIONS 100

static void sleep_and_end(struct process *self, void *argument)
{
    struct operation_log *log = argument;
    uint64_t first = operation_begin(log);
    process_sleep(self, 1000);
    operation_stamp(log, first, OPERATION_POSTED, process_now(self));
    process_sleep(self, 500);
    operation_end(log, first);
    g_assert_cmpint(operation_latencies(log)->maximum, ==, 1500);
    g_assert_cmpint(operation_stage_times(log, OPERATION_POSTED)->maximum, ==, 1000);
    g_assert_cmpint(operation_stage_times(log, OPERATION_NOTICED)->maximum, ==, 500);
    g_assert_cmpint(operation_stage_times(log, OPERATION_SEEN)->maximum, ==, 0);
}

static void test_stages(void)
{
    struct sim *sim = sim_new(1);
    struct operation_log *log = operation_log_new(sim, "log");
    process_spawn(sim->processes, "one", sleep_and_end, log, 0, 0);
    g_assert_cmpint(sim_run(sim), ==, SIM_FINISHED);
    g_assert_cmpuint(operation_latencies(log)->count, ==, 1);
    operation_log_free(log);
    sim_free(sim);
}

static void stamp_late(struct process *self, void *argument)
{
    struct operation_log *log = argument;
    uint64_t old[OPERATIONS], fresh[OPERATIONS];
    for (int i = 0; i < OPERATIONS; i++)
        old[i] = operation_begin(log);
    for (int i = 0; i < OPERATIONS; i += 2)
        operation_forget(log, old[i]);
    for (int i = 0; i < OPERATIONS; i += 2)
        fresh[i] = operation_begin(log);
    process_sleep(self, 1000);
    for (int i = 0; i < OPERATIONS; i += 2) {
        for (int k = 0; k < OPERATIONS; k++)
            g_assert_cmpuint(fresh[i], !=, old[k]);
        operation_stamp(log, old[i], OPERATION_POSTED, 700); /* of nobody any more */
        operation_forget(log, old[i]);
        operation_end(log, fresh[i]);
    }
    operation_stamp(log, 0, OPERATION_POSTED, 700);
    g_assert_cmpuint(operation_latencies(log)->count, ==, OPERATIONS / 2);
    g_assert_cmpint(operation_stage_times(log, OPERATION_POSTED)->maximum, ==, 0);
    g_assert_cmpint(operation_stage_times(log, OPERATION_NOTICED)->minimum, ==, 1000);
}

static void test_numbers(void)
{
    struct sim *sim = sim_new(1);
    struct operation_log *log = operation_log_new(sim, "log");
    process_spawn(sim->processes, "one", stamp_late, log, 0, 0);
    g_assert_cmpint(sim_run(sim), ==, SIM_FINISHED);
    operation_log_free(log);
    sim_free(sim);
}

static void check_cookie(uint64_t thread, uint64_t context, uint64_t operation)
{
    uint64_t cookie = cookie_make(thread, context, operation);
    g_assert_cmpuint(cookie_thread(cookie), ==, thread);
    g_assert_cmpuint(cookie_context(cookie), ==, context);
    g_assert_cmpuint(cookie_operation(cookie), ==, operation);
}

/* One place is used again and again, beside an operation that stays: numbers do not grow out of
 * their part of a cookie, and nobody's comes again meanwhile. */
static void test_numbers_fit_a_cookie(void)
{
    struct sim *sim = sim_new(1);
    struct operation_log *log = operation_log_new(sim, "log");
    uint64_t stays = operation_begin(log), before = 0;
    for (int i = 0; i < 1000000; i++) {
        uint64_t number = operation_begin(log);
        g_assert_true(number > 0 && number < COOKIE_OPERATIONS);
        g_assert_true(number != stays && number != before);
        operation_forget(log, number);
        before = number;
    }
    check_cookie(0, 0, before);
    check_cookie(COOKIE_THREADS - 1, COOKIE_CONTEXTS - 1, before);
    check_cookie(1, 2, COOKIE_OPERATIONS - 1);
    operation_log_free(log);
    sim_free(sim);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/operation/stages", test_stages);
    g_test_add_func("/operation/numbers", test_numbers);
    g_test_add_func("/operation/numbers_fit_a_cookie", test_numbers_fit_a_cookie);
    return g_test_run();
}
