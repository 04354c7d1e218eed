/* SPDX-License-Identifier: BSD-3-Clause */
/* The line of a key in a table constructor: expected line numbers are counted by hand. */
#include <glib.h>
#include <string.h>

#include "script/sandbox/grammar.h"

static const char text[] = "local m = machine {\n"                         /* 1 */
                           "  nodes = 2, -- latency = 5 is a comment\n"    /* 2 */
                           "  nic = { latency = '1ns' },\n"                /* 3 */
                           "  --[[ network = {\n"                          /* 4 */
                           "  latency } ]]\n"                              /* 5 */
                           "  title = \"network = { latency = \\\" }\",\n" /* 6 */
                           "  network = {\n"                               /* 7 */
                           "    rate == 3,\n"                              /* 8 */
                           "    latency = '2ns', rate =\n"                 /* 9 */
                           "      '3GB/s' },\n"                            /* 10 */
                           "  nodes_too = [==[ } ]] ]==], last = 1 }\n"    /* 11 */
                           "after = { nodes = 7 }\n";                      /* 12 */

struct locate_case {
    const char *keys[3];
    size_t depth;
    int from, line;
};

static const struct locate_case cases[] = {
    {{"nodes"}, 1, 1, 2},
    {{"nic"}, 1, 1, 3},
    {{"nic", "latency"}, 2, 1, 3},
    {{"network"}, 1, 1, 7},
    {{"network", "latency"}, 2, 1, 9},
    {{"network", "rate"}, 2, 1, 9},
    {{"last"}, 1, 1, 11},
    {{"latency"}, 1, 1, 1},          /* stands deeper only */
    {{"nic", "rate"}, 2, 1, 1},      /* not in that table */
    {{"absent"}, 1, 1, 1},           /* does not search beyond the closing brace */
    {{"nodes", "latency"}, 2, 1, 1}, /* its value is no table */
    {{"after"}, 1, 1, 1},
    {{"nodes"}, 1, 12, 12},
    {{"nodes"}, 1, 99, 99}, /* beyond the text */
};

static void test_cases(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        g_assert_cmpint(grammar_key_line(text, cases[i].from, cases[i].keys, cases[i].depth), ==,
                        cases[i].line);
}

/* Whatever the text is cut to, the answer is the line asked from, that of the key, or 8, where the
 * cut can make `rate =` of `rate ==`. */
static void test_cut(void)
{
    const char *keys[] = {"network", "rate"};
    for (size_t length = 0; length < sizeof text; length++) {
        char *cut = g_strndup(text, length);
        int line = grammar_key_line(cut, 1, keys, 2);
        g_assert_true(line == 1 || line == 8 || line == 9);
        g_free(cut);
    }
}

/* What Lua reads of a script: `<` and its kin behind order's mark, == and ~= between two of same's. */
static void test_compare(void)
{
    static const char *const comparisons[][2] = {
        {"x = a.b <= c", "x = a.b  |__order<=  c"},
        {"return 'x' > p[1]\n", "return 'x'  |__order>  p[1]\n"},
        {"while a -- '<'\n >= -- here\n b do end",
         "while a -- '<'\n  |__order>=  -- here\n b do end"},
        {"if a==b and c ~= '1MiB' then end",
         "if a |__same== __same| b and c  |__same~= __same|  '1MiB' then end"},
        {"x = a < b == c", "x = a  |__order<  b  |__same== __same|  c"},
        {"x = n < 10 * y", "x = n  |__order<  10 * y"},
        {"x = n < 10 ..y", "x = n  |__order<  10 ..y"},
        {"x = a < 'b'", "x = a  |__order<  'b'"},
        {"x = n == 10 or m < 0x1F) y = k > 2.5\nz = nil ~= q == nil",
         "z = nil  |__same~= __same|  q == nil"},
        {"x = a == 'dgpu' or b ~= \"\" or c == true", NULL},
        {"local a <const>, b < close > = 1", NULL},
        {"x = 1 << 2 >> y  s = '< >' t = [[ a < b ]] --[[ a < b ]]", NULL},
        {"goto done ::done:: x = { y = 1 }", NULL},
        {"", NULL},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(comparisons); i++) {
        char *marked = grammar_mark(comparisons[i][0]);
        if (comparisons[i][1] == NULL) {
            g_assert_null(marked);
            continue;
        }
        g_assert_true(g_str_has_prefix(marked, "local __order,__same=...;"));
        g_assert_true(g_str_has_suffix(marked, comparisons[i][1]));
        g_free(marked);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/locate/cases", test_cases);
    g_test_add_func("/locate/cut", test_cut);
    g_test_add_func("/locate/compare", test_compare);
    return g_test_run();
}
