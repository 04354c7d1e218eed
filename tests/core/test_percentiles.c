/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of percentiles as text and as one integer. */
#include <glib.h>

#include "core/percentiles.h"

static void test_there_and_back(void)
{
    static const char *const texts[] = {"none", "90", "90,99.9", "0.01,50,99.99,100", "12.5"};
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        char text[PERCENTILES_TEXT_SIZE];
        int64_t list = -1;
        g_assert_true(percentiles_parse(texts[i], &list, NULL));
        g_assert_cmpstr(percentiles_format(list, text), ==, texts[i]);
    }
}

static void test_numbers(void)
{
    int64_t list = 0;
    g_assert_true(percentiles_parse("50, 99.9,100", &list, NULL));
    g_assert_cmpint(percentiles_at(list, 0), ==, 5000);
    g_assert_cmpint(percentiles_at(list, 1), ==, 9990);
    g_assert_cmpint(percentiles_at(list, 2), ==, 10000);
    g_assert_cmpint(percentiles_at(list, 3), ==, 0);
    g_assert_cmpint(percentiles_at(list, 4), ==, 0);
}

static void test_refused(void)
{
    static const char *const texts[] = {"",      "0",  "100.01", "p90",       "90,,99", "99,90",
                                        "90,90", "-5", "99.999", "1,2,3,4,5", "9e1",    "nan"};
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_autoptr(GError) error = NULL;
        int64_t list;
        g_test_message("%s", texts[i]);
        g_assert_false(percentiles_parse(texts[i], &list, &error));
        g_assert_nonnull(error);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/percentiles/there_and_back", test_there_and_back);
    g_test_add_func("/percentiles/numbers", test_numbers);
    g_test_add_func("/percentiles/refused", test_refused);
    return g_test_run();
}
