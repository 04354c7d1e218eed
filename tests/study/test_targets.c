/* SPDX-License-Identifier: BSD-3-Clause */
/* A calibration runs only the points again that read a changed value (tests/study/targets.lua). */
#include <glib.h>

#include "script/views/views.h"

/* What a function of targets.lua returns, a line each. */
static char *lines_of(const char *function, GError **error)
{
    g_auto(GStrv) lines =
        views_texts("../tests/study/targets", function, g_variant_new_tuple(NULL, 0), error);
    return lines ? g_strjoinv("\n", lines) : NULL;
}

static void test_runs(void)
{
    GError *error = NULL;
    g_autofree char *text = lines_of("runs", &error);
    g_assert_no_error(error);
    g_assert_cmpstr(text, ==,
                    "0 1: 1 10\n"
                    "0: 2 10\n"
                    "1: 2 30\n"
                    ": 1 30\n"
                    "0 1: 4 40\n"
                    ": point 1 2 above nil");
}

static void test_reads_that_depend(void)
{
    GError *error = NULL;
    g_autofree char *text = lines_of("reads_that_depend", &error);
    g_assert_no_error(error);
    g_assert_cmpstr(text, ==, "1 0\n0 0\n7 0\n0 \n8 0\n1 ");
}

static void test_failure(void)
{
    g_autoptr(GError) error = NULL;
    g_assert_null(lines_of("failure", &error));
    g_assert_cmpstr(error->message, ==, "s.lua: 1 of 2 points failed; at point 1: no memory");
}

static void test_unread(void)
{
    g_autoptr(GError) error = NULL;
    g_assert_null(lines_of("unread", &error));
    g_assert_cmpstr(error->message, ==,
                    "s.lua: no point reads b, so no measurement of the study can tell its value");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/targets/runs", test_runs);
    g_test_add_func("/targets/reads_that_depend", test_reads_that_depend);
    g_test_add_func("/targets/failure", test_failure);
    g_test_add_func("/targets/unread", test_unread);
    return g_test_run();
}
