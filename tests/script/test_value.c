/* SPDX-License-Identifier: BSD-3-Clause */
/* Columns of values: names with units, and exact text by shifting the decimal point; pow2 and
 * range. */
#include "scratch.h"

struct column_case {
    const char *name;
    struct value value;
    const char *column, *text;
};

#define QUANTITY(u, q)                                                                             \
    {                                                                                              \
        .kind = VALUE_QUANTITY, .unit = u, .quantity = q                                           \
    }

static const struct column_case column_cases[] = {
    {"latency", QUANTITY(UNIT_TIME, 1234567), "latency_us", "1.234567"},
    {"latency", QUANTITY(UNIT_TIME, 1), "latency_us", "0.000001"},
    {"latency", QUANTITY(UNIT_TIME, 2500000), "latency_us", "2.5"},
    {"latency", QUANTITY(UNIT_TIME, 0), "latency_us", "0"},
    {"latency", QUANTITY(UNIT_TIME, -1500000), "latency_us", "-1.5"},
    {"latency", QUANTITY(UNIT_TIME, INT64_MIN), "latency_us", "-9223372036854.775808"},
    {"bytes", QUANTITY(UNIT_BYTES, 1048576), "bytes", "1048576"},
    {"payload_bytes", QUANTITY(UNIT_BYTES, 8), "payload_bytes", "8"},
    {"payload", QUANTITY(UNIT_BYTES, 8), "payload_bytes", "8"},
    {"bandwidth", QUANTITY(UNIT_RATE, 12500000000), "bandwidth_GBps", "12.5"},
    {"clock", QUANTITY(UNIT_FREQUENCY, 1600000000), "clock_GHz", "1.6"},
    {"idle", QUANTITY(UNIT_POWER, 250), "idle_W", "0.25"},
    {"energy", QUANTITY(UNIT_ENERGY, 1300000), "energy_uJ", "0.0013"},
    {"polls", QUANTITY(UNIT_COUNT, 42), "polls", "42"},
    {"share", {.kind = VALUE_NUMBER, .number = 0.1, .text = (char *)"0.1"}, "share", "0.1"},
    {"design", {.kind = VALUE_TEXT, .text = (char *)"dgpu"}, "design", "dgpu"},
};

static void test_columns(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(column_cases); i++) {
        const struct column_case *c = &column_cases[i];
        char *column = value_column(c->name, &c->value), *text = value_column_text(&c->value);
        g_assert_cmpstr(column, ==, c->column);
        g_assert_cmpstr(text, ==, c->text);
        g_free(column);
        g_free(text);
    }
}

/* The script asserts the joined list; each expected list is written out by hand. */
static void assert_series(const char *expression, const char *joined)
{
    char *text = g_strdup_printf("local got = table.concat(%s, ' ')\n"
                                 "assert(got == '%s', got)\nreturn machine {}",
                                 expression, joined);
    scratch_check(text, NULL);
    g_free(text);
}

static void test_series(void)
{
    assert_series("pow2('8B', '64B')", "8B 16B 32B 64B");
    assert_series("pow2('512B', '2KiB')", "512B 1KiB 2KiB");
    assert_series("pow2('3ns', '20ns')", "3ns 6ns 12ns");
    assert_series("pow2(1, 8)", "1 2 4 8");
    assert_series("pow2('8B', '8B')", "8B");
    assert_series("range('100ns', '300ns', '100ns')", "100ns 200ns 300ns");
    assert_series("range('0.5us', '1.4us', '300ns')", "500ns 800ns 1.1us 1.4us");
    assert_series("range(1, 10, 4)", "1 5 9");
    assert_series("range(-1, 1, 1)", "-1 0 1");
    assert_series("range('1ns', '1ns', '5ns')", "1ns");
}

static void test_series_refused(void)
{
    static const char *const cases[][2] = {
        {"pow2('8B', '1us')", "pow2: \"1us\" is not a quantity of kind bytes."},
        {"pow2('8', '16')",
         "pow2: \"8\" is not a quantity: a number and its unit, such as 8B or 5us."},
        {"pow2('64B', '8B')", "pow2 needs 0 < first <= last."},
        {"pow2(0, 8)", "pow2 needs 0 < first <= last."},
        {"pow2(1)", "pow2 needs quantities such as \"8B\" or whole numbers, all of one kind."},
        {"pow2('8B', 16)",
         "pow2 needs quantities such as \"8B\" or whole numbers, all of one kind."},
        {"range('1ns', '5ns', '0ns')", "range needs first <= last and a step above 0."},
        {"range(1, 5, -1)", "range needs first <= last and a step above 0."},
        {"range(1, 1e9 // 1 | 0, 1)", "range makes more than 1000000 values."},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        char *text = g_strdup_printf("\nlocal list = %s", cases[i][0]);
        char *message = g_strconcat("$/x.lua:2: ", cases[i][1], NULL);
        scratch_check(text, message);
        g_free(text);
        g_free(message);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    scratch_open();
    g_test_add_func("/value/columns", test_columns);
    g_test_add_func("/value/series", test_series);
    g_test_add_func("/value/series_refused", test_series_refused);
    int result = g_test_run();
    scratch_close();
    return result;
}
