/* SPDX-License-Identifier: BSD-3-Clause */
/* The log of a service's operations: a listener of its origin alone; its stages add up; cookies carry numbers. */
#include <glib.h>

#include "core/sim.h"
#include "protocols/shmem/operation.h"
#include "protocols/shmem/shmem.h"

static void test_log(void)
{
    struct sim *sim = sim_new(1);
    struct operation_log *log = operation_log_new(sim, "log", NULL),
                         *other = operation_log_new(sim, "other", NULL);
    uint64_t number = observe_begin(&sim->observe, &log->origin, 3, 100);
    observe_stage(&sim->observe, cookie_make(1, 3, number), STAGE_POSTED, 1100);
    observe_end(&sim->observe, number, 1600);
    g_assert_cmpuint(log->latency->count, ==, 1);
    g_assert_cmpuint(other->latency->count, ==, 0);
    g_assert_cmpint(log->latency->maximum, ==, 1500);
    g_assert_cmpint(log->stages[STAGE_POSTED]->maximum, ==, 1000);
    g_assert_cmpint(log->stages[STAGE_NOTICED]->maximum, ==, 500);
    g_assert_cmpint(log->stages[STAGE_SEEN]->maximum, ==, 0);
    observe_reset(&sim->observe);
    g_assert_cmpuint(log->latency->count, ==, 0);
    operation_log_free(log);
    operation_log_free(other);
    sim_free(sim);
}

static void check_cookie(uint64_t thread, uint64_t context, uint64_t operation)
{
    uint64_t cookie = cookie_make(thread, context, operation);
    g_assert_cmpuint(cookie_thread(cookie), ==, thread);
    g_assert_cmpuint(cookie_context(cookie), ==, context);
    g_assert_cmpuint(cookie & (COOKIE_OPERATIONS - 1), ==, operation);
}

static void test_cookies(void)
{
    check_cookie(0, 0, 1);
    check_cookie(COOKIE_THREADS - 1, COOKIE_CONTEXTS - 1, 77);
    check_cookie(1, 2, COOKIE_OPERATIONS - 1);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/operation/log", test_log);
    g_test_add_func("/operation/cookies", test_cookies);
    return g_test_run();
}
