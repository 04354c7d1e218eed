/* SPDX-License-Identifier: BSD-3-Clause */
/* Claims: what their functions see of the results, and what they may answer. The rows are made by a
 * run function whose numbers are known: latency = 1000 * bytes ps for "slow", 100 * bytes for
 * "fast"; the point of 32 bytes and "slow" fails. */
#include <math.h>

#include "../designs.h"
#include "scratch.h"
#include "script/script.h"
#include "script/study/point.h"

#define STUDY(claims)                                                                              \
    "return study { title = 't', machine = machine {},\n"                                          \
    "vary = { bytes = { '8B', '16B', '32B' }, design = { 'fast', 'slow' } },\n"                    \
    "run = function(p)\n"                                                                          \
    "  local n = tonumber(p.bytes:sub(1, -2))\n"                                                   \
    "  if p.design == 'slow' and n == 32 then error('too slow') end\n"                             \
    "  return { latency = (p.design == 'slow' and n or n // 8) .. 'ns', n = n }\n"                 \
    "end, claims = {\n" claims " } }"

/* Runs all points and the first claim of a study; the message of its error, or NULL and the answer. */
static char *evaluate(const char *claims, GVariant **answer)
{
    char *text = g_strdup_printf(STUDY("%s"), claims), *path = scratch_file("c.lua", text);
    GError *error = NULL;
    struct study *study = study_load(path, NULL, &error);
    g_assert_no_error(error);
    size_t count = study->point_count;
    struct row **rows = g_new0(struct row *, count);
    for (size_t i = 0; i < count; i++)
        rows[i] = scratch_run(study, i, 1);
    char *message = NULL;
    g_autofree char *claim = scratch_claim(study, 0);
    *answer = study_evaluate_claim(study, claim, rows, count, &error);
    if (!*answer) {
        message = g_strdup(error->message);
        g_error_free(error);
    }
    for (size_t i = 0; i < count; i++)
        row_free(rows[i]);
    g_free(rows);
    study_free(study);
    g_free(path);
    g_free(text);
    return message;
}

static GVariant *answer_of(const char *claims)
{
    GVariant *answer;
    char *message = evaluate(claims, &answer);
    g_assert_cmpstr(message, ==, NULL);
    return answer;
}

/* Whether the switch is on; one that is not there is off. */
static bool is_set(GVariant *answer, const char *name)
{
    gboolean value = FALSE;
    g_variant_lookup(answer, name, "b", &value);
    return value;
}

/* NaN if it is not there. */
static double number_of(GVariant *answer, const char *name)
{
    double value = NAN;
    g_variant_lookup(answer, name, "d", &value);
    return value;
}

#define CLAIM(body) "['N-1'] = function(r) " body " end"

/* 8 ns / 1 ns, from the numbers in the header. */
static void test_number(void)
{
    g_autoptr(GVariant) answer =
        answer_of(CLAIM("return r:value { design = 'slow', bytes = '8B' }.latency_us / "
                        "r:value { design = 'fast', bytes = '0.008kB' }.latency_us"));
    g_assert_true(is_set(answer, "has_number") && !is_set(answer, "judged"));
    g_assert_cmpfloat_with_epsilon(number_of(answer, "obtained"), 8.0, 1e-12);
}

static void test_judged(void)
{
    g_autoptr(GVariant) answer = answer_of(CLAIM("return true"));
    g_assert_true(is_set(answer, "judged") && is_set(answer, "holds") &&
                  !is_set(answer, "has_number"));
    g_variant_unref(answer);
    answer = answer_of(CLAIM("return { obtained = { 2, 3.5 } }"));
    g_assert_true(is_set(answer, "has_number") && is_set(answer, "has_range") &&
                  !is_set(answer, "judged"));
    g_assert_cmpfloat(number_of(answer, "obtained_low"), ==, 2);
    g_assert_cmpfloat(number_of(answer, "obtained"), ==, 3.5);
    g_variant_unref(answer);
    answer = answer_of(CLAIM("return { holds = false, obtained = 2, note = 'for all' }"));
    g_assert_true(is_set(answer, "judged") && !is_set(answer, "holds") &&
                  is_set(answer, "has_number"));
    g_assert_cmpfloat_with_epsilon(number_of(answer, "obtained"), 2.0, 1e-12);
    const char *note = NULL;
    g_assert_true(g_variant_lookup(answer, "note", "^&ay", &note));
    g_assert_cmpstr(note, ==, "for all");
    g_variant_unref(answer);
    answer = answer_of("'N-1'");
    g_assert_true(!is_set(answer, "judged") && !is_set(answer, "has_number"));
}

/* The margin is that of the number nearest to its limit: 2 of 2.5 is a fifth away, 3.5 of 3.4 a thirty-fourth. */
static void test_limits(void)
{
    g_autoptr(GVariant) answer = answer_of(
        CLAIM("return { obtained = { 2, 3.5 }, holds = false, limits = { { 2.5 }, { 3.4, 7 } } }"));
    g_assert_cmpfloat_with_epsilon(number_of(answer, "margin"), 1.0 / 34, 1e-12);
    g_variant_unref(answer);
    answer = answer_of(CLAIM("return { obtained = 2, holds = true, limits = { 0, 2.5 } }"));
    g_assert_cmpfloat_with_epsilon(number_of(answer, "margin"), 0.2, 1e-12);
    g_variant_unref(answer);
    answer = answer_of(CLAIM("return { obtained = 2, holds = true }"));
    g_assert_true(isnan(number_of(answer, "margin")));
}

/* Six points, one failed; the rows come in the order of the points. */
static void test_rows(void)
{
    g_autoptr(GVariant) answer = answer_of(CLAIM(
        "local seen = {}\n"
        "for _, row in ipairs(r.rows) do seen[#seen + 1] = row.design .. row.bytes .. row.n end\n"
        "local all = table.concat(seen, ' ')\n"
        "assert(all == 'fast8B8 slow8B8 fast16B16 slow16B16 fast32B32', all)\n"
        "assert(table.concat(r:each 'bytes', ' ') == '8B 16B 32B')\n"
        "assert(r:value { bytes = '16B', design = 'slow' }.latency == '16ns')\n"
        "return #r.rows"));
    g_assert_cmpfloat_with_epsilon(number_of(answer, "obtained"), 5.0, 1e-12);
}

static const char *const refused[][2] = {
    {CLAIM("return r:value { design = 'slow', bytes = '32B' }.n"),
     "$/c.lua:8: r:value asks for a point that failed: $/c.lua:5: too slow."},
    {CLAIM("return r:value { bytes = '8B' }.n"),
     "$/c.lua:8: r:value matches 2 rows instead of one."},
    {CLAIM("return r:value { bytes = '9B' }.n"), "$/c.lua:8: axis \"bytes\" has no value 9B."},
    {CLAIM("return r:value { byts = '8B' }.n"),
     "$/c.lua:8: unknown axis \"byts\"; did you mean \"bytes\"? Accepted: bytes, design."},
    {CLAIM("return r:value { design = 'slow', bytes = '8B' }.latncy"),
     "$/c.lua:8: unknown name \"latncy\" in the row; did you mean \"latency\"? Accepted: bytes, "
     "design, latency, latency_us, n."},
    {CLAIM("get_latency { design = 'dgpu', bytes = '8B' }"),
     "$/c.lua:8: get_latency can be called only inside the run function of a study."},
    {CLAIM("return 'yes'"),
     "$/c.lua:8: claim N-1: the function has to return a number, a boolean or "
     "a table, not a string."},
    {CLAIM("return 0/0"), "$/c.lua:8: claim N-1: the number is not finite."},
    {CLAIM("return { hold = true }"),
     "$/c.lua:8: unknown key \"hold\" in the answer to a claim; did "
     "you mean \"holds\"? Accepted: obtained, holds, note, limits."},
    {CLAIM("return { note = 'n', obtained = 'x' }"),
     "$/c.lua:8: claim N-1: obtained has to be a number or { LOW, HIGH }, not a string."},
    {CLAIM("return { obtained = { 1 } }"),
     "$/c.lua:8: claim N-1: a range obtained is { LOW, HIGH }, two numbers."},
    {CLAIM("return { holds = true, limits = { 1 } }"),
     "$/c.lua:8: claim N-1: limits are those of what was obtained, which is missing."},
    {CLAIM("return { obtained = { 1, 2 }, holds = true, limits = { 1, 2 } }"),
     "$/c.lua:8: claim N-1: limits of a range are two lists, of its low and its high end."},
    {CLAIM("return { obtained = 1, holds = true, limits = { 'x' } }"),
     "$/c.lua:8: claim N-1: a limit has to be a number, not a string."},
    {CLAIM("return { note = 'a\\0b' }"), "$/c.lua:8: a text has a byte of 0 in it."},
    {CLAIM("return { obtained = { 2, 1 } }"),
     "$/c.lua:8: claim N-1: the range obtained ends below its beginning."},
};

static void test_refused(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(refused); i++) {
        GVariant *answer;
        char *message = evaluate(refused[i][0], &answer), *expected = scratch_expand(refused[i][1]);
        g_assert_cmpstr(message, ==, expected);
        g_assert_null(answer);
        g_free(message);
        g_free(expected);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    test_designs_load();
    scratch_open();
    g_test_add_func("/claim/number", test_number);
    g_test_add_func("/claim/judged", test_judged);
    g_test_add_func("/claim/limits", test_limits);
    g_test_add_func("/claim/rows", test_rows);
    g_test_add_func("/claim/refused", test_refused);
    int result = g_test_run();
    scratch_close();
    return result;
}
