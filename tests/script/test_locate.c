/* The line of a key in a table constructor: the line number is counted by hand in the text. */
#include <glib.h>
#include <string.h>

#include "script/sandbox/locate.h"

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
        g_assert_cmpint(locate_key(text, cases[i].from, cases[i].keys, cases[i].depth), ==,
                        cases[i].line);
}

/* Whatever the text is cut to, the answer is the line asked from, that of the key, or 8, where the
 * cut can make `rate =` of `rate ==`. */
static void test_cut(void)
{
    const char *keys[] = {"network", "rate"};
    for (size_t length = 0; length < sizeof text; length++) {
        char *cut = g_strndup(text, length);
        int line = locate_key(cut, 1, keys, 2);
        g_assert_true(line == 1 || line == 8 || line == 9);
        g_free(cut);
    }
}

static bool is_quantity(const char *literal)
{
    return strcmp(literal, "1MiB") == 0;
}

static void test_text_order(void)
{
    static const struct {
        const char *text;
        int line;
    } orders[] = {
        {"x = 1\nif p.bytes < \"1MiB\" then end", 2},
        {"return '1MiB' >= p.bytes", 1},
        {"while a.b[1] -- '1MiB'\n  > -- here\n '1MiB' do end", 3},
        {"if not ('1MiB' <= x) then end", 1},
        {"if p.bytes < 'MiB' then end", 0},
        {"if p.bytes == '1MiB' and 1 < 2 then end", 0},
        {"if quantity '1MiB' < n or quantity('1MiB') > n then end", 0},
        {"local a <const> = '1MiB'\nlocal b <close> = x", 0},
        {"-- p.bytes < '1MiB'\nx = [[ a < '1MiB' ]] y = \" < '1MiB'\"", 0},
        {"x = 1 << '1MiB' x = '1MiB' >> 1", 0},
        {"x = p.bytes <", 0},
        {"x = < '1MiB", 0},
        {"", 0},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(orders); i++)
        g_assert_cmpint(locate_text_order(orders[i].text, is_quantity), ==, orders[i].line);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/locate/cases", test_cases);
    g_test_add_func("/locate/cut", test_cut);
    g_test_add_func("/locate/text_order", test_text_order);
    return g_test_run();
}
