/* SPDX-License-Identifier: BSD-3-Clause */
/* Quantities in Lua: what they make of each other, how they compare, what is refused. The expected texts and
 * numbers are written out by hand. */
#include "../designs.h"
#include "scratch.h"

static void assert_true(const char *expression)
{
    char *text =
        g_strdup_printf("assert(%s, [==[%s]==])\nreturn machine {}", expression, expression);
    scratch_check(text, NULL);
    g_free(text);
}

static void test_arithmetic(void)
{
    static const char *const cases[][2] = {
        {"'8B' * 2", "'16B'"},
        {"2 * '8B'", "'16B'"},
        {"'8B' * '2'", "'16B'"},
        {"'512B' * 2", "'1KiB'"},
        {"'3ns' * 0.5", "'1.5ns'"},
        {"'10us' / 4", "'2.5us'"},
        {"'1ns' / 3", "'333ps'"},
        {"'2ns' / 3", "'667ps'"},
        {"'-2ns' / 3", "'-667ps'"},
        {"'5ps' / 2", "'3ps'"},
        {"'1us' / 0.25", "'4us'"},
        {"'10us' / '4us'", "2.5"},
        {"'7B' // '2B'", "3"},
        {"'7B' // 2", "'3B'"},
        {"'-7ns' // '2ns'", "-4"},
        {"'7B' % '4B'", "'3B'"},
        {"'1KiB' + '8B'", "'1032B'"},
        {"'1us' - '1.5us'", "'-500ns'"},
        {"-'5ns'", "'-5ns'"},
        {"'1GB' / '2s'", "'500MB/s'"},
        {"'1GB' / '500MB/s'", "'2s'"},
        {"'1GB/s' * '2s'", "'2GB'"},
        {"'2s' * '1GB/s'", "'2GB'"},
        {"'1W' * '2s'", "'2J'"},
        {"'2J' / '1W'", "'2s'"},
        {"'2J' / '4s'", "'500mW'"},
        {"'1.5GHz' * '2ns'", "3.0"},
        {"1 / '1ns'", "'1GHz'"},
        {"3 / '1GHz'", "'3ns'"},
        {"('1.234567us'):us()", "1.234567"},
        {"('1.5us'):ns()", "1500"},
        {"('1536B'):KiB()", "1.5"},
        {"('1GB/s'):Gbitps()", "8"},
        {"('250mW'):W()", "0.25"},
        {"('8B'):B()", "8"},
        {"quantity('1us')", "1000000"},
        {"quantity '0'", "0"},
        {"'10' + 1", "11"},
        {"-'10'", "-10"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        char *text = g_strdup_printf("rawequal(%s, %s)", cases[i][0], cases[i][1]);
        assert_true(text);
        g_free(text);
    }
    assert_true("quantity('9223372036854775806ps' + '1ps') == math.maxinteger");
}

static void test_comparisons(void)
{
    assert_true("'8B' < '1KiB' and '1KiB' > '8B' and '8B' <= '8B' and not ('1KiB' <= '8B')");
    assert_true("'900ns' < '1us' and '1us' == '1000ns' and '1us' ~= '1ns' and '0B' == '0KiB'");
    assert_true("'8B' * 2 == '16B' and '8B' * 2 < '8B' + '9B' and '16B' == 2 * '8B'");
    assert_true("'-1ns' < '1ns' and not ('1MiB' < '1MB') and 'b' > 'a' and '10' < '9'");
    assert_true(
        "'8B' ~= '8ns' and '8B' ~= 8 and ({ ['8B'] = 1 })['8B'] == 1 and '8B' .. '' == '8B'");
    assert_true("(function(a, b) return a < b end)('64B', '1KiB')");
    assert_true("(1 | 2) == 3 and 1 | 2 == 3 and (5 & 4 > 3) and not (1 < 2 == false)");
}

static void test_refused(void)
{
    static const char *const cases[][2] = {
        {"'8B' + '5ns'", "\"8B\" + \"5ns\" has no meaning: one is bytes, the other time."},
        {"'8B' - 1", "\"8B\" - 1 has no meaning: one is bytes, the other plain number."},
        {"'8B' * '8B'", "\"8B\" * \"8B\" has no meaning: both are bytes."},
        {"'8B' * 'abc'", "\"8B\" * \"abc\" has no meaning: one is bytes, the other no quantity."},
        {"{} * '8B'", "table * \"8B\" has no meaning: one is no quantity, the other bytes."},
        {"'8B' ^ 2", "\"8B\" ^ 2 has no meaning: one is bytes, the other plain number."},
        {"2.5 / '8B'", "2.5 / \"8B\" has no meaning: one is plain number, the other bytes."},
        {"'8B' / 0", "a quantity is divided by 0."},
        {"'8B' % '0B'", "a quantity is divided by 0."},
        {"'8B' * 1e30", "the result is larger than a quantity of bytes can be."},
        {"'8000TB' * 3000000", "the result is larger than a quantity of bytes can be."},
        {"'8B' * (0/0)", "the result is larger than a quantity of bytes can be."},
        {"'8B' < '5ns'", "\"8B\" < \"5ns\" has no meaning: one is bytes, the other time."},
        {"'8B' >= 'abc'", "\"abc\" <= \"8B\" has no meaning: one is no quantity, the other bytes."},
        {"'8B' < 3", "attempt to compare string with number."},
        {"('8B'):us()", "\"8B\" is bytes and cannot be told in us."},
        {"('abc'):us()", "\"abc\" is no quantity and cannot be told in us."},
        {"('8B'):KB()",
         "a text has no method \"KB\"; a size is told in B, kB, MB, GB, TB, KiB, MiB, GiB, TiB, a time in ps, ns, us, ms, s."},
        {"('8B'):nothing()", "attempt to call a nil value (method 'nothing')."},
        {"quantity('abc')", "quantity: \"abc\" is not a quantity."},
        {"quantity(8)", "quantity needs a text such as \"1MiB\", not a number."},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        char *text = g_strdup_printf("\nlocal x = %s\nreturn machine {}", cases[i][0]);
        char *message = g_strconcat("$/x.lua:2: ", cases[i][1], NULL);
        scratch_check(text, message);
        g_free(text);
        g_free(message);
    }
    scratch_check("x = < 3", "$/x.lua:1: unexpected symbol near '<'.");
}

/* A point's values and a workload's measures are such texts. */
static void test_points(void)
{
    GError *error = NULL;
    char *path = scratch_file(
        "s.lua",
        "return study { title = 't', machine = machine { name = 'small', nodes = 2 },\n"
        "  vary = { bytes = { '8B', '64B', '1KiB' }, chunk = { '64B' } },\n"
        "  where = function(p) return p.bytes >= p.chunk end,\n"
        "  run = function(p)\n"
        "    local r = get_latency { design = 'apu', bytes = p.bytes, repeats = 2 }\n"
        "    local r2 = get_latency { design = 'apu', bytes = p.bytes * 1024, repeats = 2 }\n"
        "    assert(r.latency < r2.latency and r2.latency > r.latency and r.latency == r.latency)\n"
        "    assert(r.latency:us() == r.latency_us)\n"
        "    return { twice = p.bytes * 2, ratio = r2.latency / r.latency,\n"
        "             rate = p.bytes * 1024 / r2.latency, latency = r2.latency }\n"
        "  end }");
    struct study *study = study_load(path, NULL, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(study->point_count, ==, 2);
    struct row *row = scratch_run(study, 1, 1);
    g_assert_cmpstr(row->failure, ==, NULL);
    g_assert_cmpuint(row->measure_count, ==, 4);
    const struct value *latency = &row->measures[0].value, *rate = &row->measures[1].value;
    g_assert_cmpint((int)rate->unit, ==, UNIT_RATE);
    g_assert_cmpfloat(row->measures[2].value.number, >, 1);
    g_assert_cmpint(row->measures[3].value.quantity, ==, 2048);
    g_assert_cmpint((int)latency->unit, ==, UNIT_TIME);
    double exact = 1048576e12 / (double)latency->quantity;
    g_assert_cmpfloat_with_epsilon((double)rate->quantity, exact, 0.5);
    row_free(row);
    study_free(study);
    g_free(path);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    scratch_open();
    test_designs_load();
    g_test_add_func("/quantity/arithmetic", test_arithmetic);
    g_test_add_func("/quantity/comparisons", test_comparisons);
    g_test_add_func("/quantity/refused", test_refused);
    g_test_add_func("/quantity/points", test_points);
    int result = g_test_run();
    scratch_close();
    return result;
}
