/* SPDX-License-Identifier: BSD-3-Clause */
/* Errors, and the sentences that they become. */
#include "core/error.h"

#include <glib.h>
#include <string.h>

static void test_codes(void)
{
    g_autoptr(GError) use = NULL, run = NULL;
    g_assert_false(error_set(&use, "%s has %d", "a node", 3));
    g_assert_error(use, ERROR_DOMAIN, ERROR_USE);
    g_assert_cmpstr(use->message, ==, "a node has 3");
    g_assert_false(error_set_code(&run, ERROR_RUN, "the disk is %s", "full"));
    g_assert_error(run, ERROR_DOMAIN, ERROR_RUN);
    g_assert_cmpstr(run->message, ==, "the disk is full");
}

/* Who does not want to know says NULL. */
static void test_nobody_asks(void)
{
    g_assert_false(error_set(NULL, "nothing %d", 1));
    g_assert_false(error_set_code(NULL, ERROR_INTERRUPTED, "nothing"));
}

/* Text of a user is text, whatever it looks like. */
static void test_text_is_no_format(void)
{
    g_autoptr(GError) error = NULL;
    error_set(&error, "%s", "100 %s of \"%n\"");
    g_assert_cmpstr(error->message, ==, "100 %s of \"%n\"");
}

static void expect_sentence(const char *message, const char *sentence)
{
    g_autofree char *got = error_sentence(message);
    g_assert_cmpstr(got, ==, sentence);
}

static void test_sentences(void)
{
    expect_sentence("", ".");
    expect_sentence("no such file", "no such file.");
    expect_sentence("Why?", "Why?");
    expect_sentence("It has ended.", "It has ended.");
    expect_sentence("one\ntwo", "one two.");
    expect_sentence("one\n    two\r\n\tthree", "one two three.");
    expect_sentence("trailing \n", "trailing.");
    expect_sentence("deadlock.\n  rank 0 waits.\n  rank 1 waits.",
                    "deadlock.\nrank 0 waits.\nrank 1 waits.");
}

/* A text of a user may be as long as she likes; a sentence is not. It ends between two characters. */
static void test_long_sentences(void)
{
    g_autofree char *letters = g_strnfill(3000000, 'x');
    g_autofree char *broken = g_strnfill(3000000, '\x80');
    g_autoptr(GString) accents = g_string_new("x");
    while (accents->len < 3000000)
        g_string_append(accents, "é");
    for (const char *const *text = (const char *[]){letters, broken, accents->str, NULL}; *text;
         text++) {
        g_autofree char *sentence = error_sentence(*text);
        g_assert_cmpuint(strlen(sentence), <=, 8300);
        g_assert_true(strstr(sentence, "… (cut: it has 30000"));
    }
    g_autofree char *sentence = error_sentence(accents->str);
    g_assert_true(g_utf8_validate(sentence, -1, NULL));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/core/error/codes", test_codes);
    g_test_add_func("/core/error/nobody-asks", test_nobody_asks);
    g_test_add_func("/core/error/text-is-no-format", test_text_is_no_format);
    g_test_add_func("/core/error/sentences", test_sentences);
    g_test_add_func("/core/error/long-sentences", test_long_sentences);
    return g_test_run();
}
