/* SPDX-License-Identifier: BSD-3-Clause */
/* The limit of computing time, which acts when the limit of instructions does not. The test replaces the timer of the
 * watchdog: it sees the time that is asked for, and lets half a second pass. */
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "scratch.h"
#include "script/script.h"

#define SECONDS 30 /* more where sanitizers make all slow */

static int64_t first_s, next_s; /* what was asked for last */

/* Stands before that of the C library. */
int setitimer(__itimer_which_t which, const struct itimerval *wanted, struct itimerval *old)
{
    struct itimerval set = *wanted;
    g_assert_cmpint(which, ==, ITIMER_PROF); /* processor time: load changes no result */
    g_assert_cmpint(wanted->it_value.tv_usec, ==, 0);
    if (wanted->it_value.tv_sec > 0) {
        first_s = wanted->it_value.tv_sec;
        next_s = wanted->it_interval.tv_sec;
        set.it_value = (struct timeval){.tv_usec = 500000};
    }
    return (int)syscall(SYS_setitimer, which, &set, old);
}

/* Each comparison is one instruction and takes milliseconds. */
static void test_over(void)
{
    char *path = scratch_file("x.lua", "local a = ('x'):rep(6000):rep(10000) "
                                       "local b = a:sub(2) .. 'y' "
                                       "while true do local c = a < b end");
    GError *error = NULL;
    g_assert_false(script_check(path, &error));
    char *expected = g_strdup_printf("$/x.lua:1: the script does not end: it was stopped after %d s"
                                     " of computing.",
                                     (int)first_s);
    scratch_assert_message(error, expected);
    if (IS_SANITIZED)
        g_assert_cmpint(first_s, >=, SECONDS);
    else
        g_assert_cmpint(first_s, ==, SECONDS);
    g_assert_cmpint(next_s, ==, 1);
    g_free(expected);
    g_free(path);
}

/* The time of a call is its own: what came before does not count. */
static void test_again(void)
{
    first_s = 0;
    scratch_check("return machine {}", NULL);
    g_assert_cmpint(first_s, >=, SECONDS);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    scratch_open();
    g_test_add_func("/sandbox_time/over", test_over);
    g_test_add_func("/sandbox_time/again", test_again);
    int result = g_test_run();
    scratch_close();
    return result;
}
