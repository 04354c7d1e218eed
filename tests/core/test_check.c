/* SPDX-License-Identifier: BSD-3-Clause */
/* A failed check prints one line that is enough to find the run again. */
#include <glib.h>

#include "core/check.h"

static void expect_failure(const char *pattern)
{
    g_test_trap_subprocess(NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
    g_test_trap_assert_failed();
    g_test_trap_assert_stderr(pattern);
}

static void test_message(void)
{
    if (g_test_subprocess()) {
        sim_time now_ps = 123456;
        const struct check_context context = {&now_ps, "node0.nic", 42};
        check_set_context(&context);
        int sent = 3, received = 2;
        check_always(sent == received, "%d sent, %d received", sent, received);
        return;
    }
    expect_failure("gpunetsim: check failed: 3 sent, 2 received ?sent == received] at "
                   "t=123.456 ns in node0.nic, seed 42 (test_check.c:*)\n");
}

static void test_outside_a_run(void)
{
    if (g_test_subprocess())
        check_always(1 + 1 == 3, "arithmetic holds");
    expect_failure("gpunetsim: check failed: arithmetic holds ?1 + 1 == 3] (test_check.c:*)\n");
}

static void test_time_only(void)
{
    if (g_test_subprocess()) {
        sim_time now_ps = 7;
        const struct check_context context = {.now_ps = &now_ps, .seed = 1};
        check_set_context(&context);
        check_always(now_ps == 0, "nothing more is known");
        return;
    }
    expect_failure("*?now_ps == 0] at t=0.007 ns, seed 1 (*");
}

/* A sentence longer than the line can hold is cut off, not written beyond it. */
static void test_long_message(void)
{
    if (g_test_subprocess()) {
        char *text = g_strnfill(10000, 'x');
        check_always(text == NULL, "%s", text);
        return;
    }
    expect_failure("gpunetsim: check failed: xxx*xxx\n");
}

static void test_context_before(void)
{
    const struct check_context outer = {.seed = 1}, inner = {.seed = 2};
    g_assert_null(check_set_context(&outer));
    g_assert_true(check_set_context(&inner) == &outer);
    g_assert_true(check_set_context(NULL) == &inner);
}

/* A condition that holds is evaluated once; where a strength is switched off, not at all. */
static void test_strengths(void)
{
    int always = 0, release = 0, debug = 0;
    check_always(++always, "counts");
    check_release(++release, "counts");
    check_debug(++debug, "counts");
    g_assert_cmpint(always, ==, 1);
#ifdef GPUNETSIM_FAST
    g_assert_cmpint(release, ==, 0);
#else
    g_assert_cmpint(release, ==, 1);
#endif
#ifdef NDEBUG
    g_assert_cmpint(debug, ==, 0);
#else
    g_assert_cmpint(debug, ==, 1);
#endif
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/check/message", test_message);
    g_test_add_func("/check/outside-a-run", test_outside_a_run);
    g_test_add_func("/check/time-only", test_time_only);
    g_test_add_func("/check/long-message", test_long_message);
    g_test_add_func("/check/context-before", test_context_before);
    g_test_add_func("/check/strengths", test_strengths);
    return g_test_run();
}
