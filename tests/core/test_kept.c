/* SPDX-License-Identifier: BSD-3-Clause */
/* Interned texts: there is one copy of each text, which outlives the text that it was made from. AddressSanitizer checks at
 * the end that none of them leaks. */
#include "core/kept.h"

#include <glib.h>

static void test_one_copy(void)
{
    char text[] = "node0 leaf0";
    const char *kept = text_kept(text);
    g_assert_true(kept != text && text_kept("node0 leaf0") == kept);
    text[4] = '1';
    g_assert_cmpstr(kept, ==, "node0 leaf0");
    g_assert_true(text_kept(text) != kept);
    g_assert_null(text_kept(NULL));
}

static void test_many(void)
{
    for (int i = 0; i < 20000; i++) {
        g_autofree char *text = g_strdup_printf("text %d", i);
        g_assert_cmpstr(text_kept(text), ==, text);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/kept/one-copy", test_one_copy);
    g_test_add_func("/kept/many", test_many);
    return g_test_run();
}
