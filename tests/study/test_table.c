/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables and their text forms, each compared as a whole. The numbers stand in study_test.h. */
#include <glib.h>
#include <string.h>

#include "core/shown.h"
#include "study/store/pack.h"
#include "study_test.h"

/* The table in a format of views/export.lua; g_freed by the caller. */
static char *export_text(const struct table *table, const char *format)
{
    GError *error = NULL;
    g_auto(GStrv) texts =
        table_texts("export", "text", table, g_variant_new("(s)", format), &error);
    g_assert_no_error(error);
    return g_strdup(texts[0]);
}

/* The table as aligned text, in lines as long as they need to be (views/terminal.lua). */
static char *whole(const struct table *table)
{
    g_autoptr(GError) error = NULL;
    g_auto(GStrv) texts = table_texts("terminal", "whole", table, g_variant_new("()"), &error);
    return texts ? g_strdup(texts[0]) : g_strdup_printf("%s\n", error->message);
}

static struct row *failed_row(size_t point, const char *failure)
{
    struct row *row = g_new0(struct row, 1);
    row->axis_index = g_new0(size_t, TEST_AXES);
    row->axis_index[0] = point / 2;
    row->axis_index[1] = point % 2;
    row->failure = g_strdup(failure);
    return row;
}

static struct table *table_of(size_t failing_point)
{
    struct row *rows[TEST_POINTS];
    for (size_t i = 0; i < TEST_POINTS; i++)
        rows[i] = i == failing_point ? failed_row(i, "went\nwrong") : test_row(i);
    return table_of_rows(rows, TEST_POINTS);
}

#define NONE_FAILS TEST_POINTS

static void test_csv(void)
{
    struct table *table = table_of(NONE_FAILS);
    g_autofree char *csv = export_text(table, "csv");
    g_auto(GStrv) lines = g_strsplit(csv, "\n", -1);
    g_assert_cmpuint(g_strv_length(lines), ==, TEST_POINTS + 2);
    g_assert_cmpstr(lines[0], ==, "bytes,design,latency_us,hit_rate");
    g_assert_cmpstr(lines[1], ==, "8,a,1.5,0.333");
    g_assert_cmpstr(lines[2], ==, "8,\"b, the \"\"other\"\"\",1.500001,0.333");
    g_assert_cmpstr(lines[3], ==, "64,a,1.500002,0.333");
    g_assert_cmpstr(lines[TEST_POINTS + 1], ==, "");
    table_free(table);
}

static void test_failed_points_stay_rows(void)
{
    struct table *table = table_of(2);
    g_autofree char *csv = export_text(table, "csv");
    g_autofree char *json = export_text(table, "json");
    g_assert_true(g_str_has_prefix(csv, "bytes,design,latency_us,hit_rate,failure\n"));
    g_assert_nonnull(strstr(csv, "\n64,a,,,\"went\nwrong\"\n"));
    g_autofree char *text = whole(table);
    g_assert_nonnull(strstr(text, "  went\n"));
    g_assert_null(strstr(text, "wrong"));
    g_assert_nonnull(strstr(json, "{\"bytes\": 64, \"design\": \"a\", \"latency_us\": null, "
                                  "\"hit_rate\": null, \"failure\": \"went\\u000awrong\"}"));
    table_free(table);
}

static void test_json(void)
{
    struct table *table = table_of(NONE_FAILS);
    g_autofree char *json = export_text(table, "json");
    g_assert_true(g_str_has_prefix(json, "[\n  {\"bytes\": 8, \"design\": \"a\", "
                                         "\"latency_us\": 1.5, \"hit_rate\": 0.333}"));
    g_assert_nonnull(strstr(json, "\"design\": \"b, the \\\"other\\\"\""));
    g_assert_true(g_str_has_suffix(json, "}\n]\n"));
    table_free(table);
}

/* What a spreadsheet would take for a formula is a text; numbers stay numbers. Escapes reach no terminal. */
static void test_csv_fields(void)
{
    static const char *const cases[][2] = {
        {"=1+1", "'=1+1"},
        {"@SUM(A1)", "'@SUM(A1)"},
        {"+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"},
        {"-2+3", "'-2+3"},
        {"-2.5e-3", "-2.5e-3"},
        {"\t=1", "' =1"},
        {"=a,\"b\"", "\"'=a,\"\"b\"\"\""},
        {"\x1b]0;x\x07", "\uFFFD]0;x\uFFFD"},
        {"two\nlines", "\"two\nlines\""},
        {"\xff", "\uFFFD"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        static const char *const names[] = {"x"};
        struct table *table = table_of_texts(names, 1);
        table_append(table, cases[i]);
        g_autofree char *csv = export_text(table, "csv");
        g_autofree char *expected = g_strconcat("x\n", cases[i][1], "\n", NULL);
        g_assert_cmpstr(csv, ==, expected);
        table_free(table);
    }
}

/* A column of numbers may hold a text: it is one in JSON, and none of the figure's data. */
static void test_text_among_numbers(void)
{
    static const char *const names[] = {"x"}, *const numbers[] = {"1", "-0.5", "2e3"};
    static const char *const texts[] = {"0x10", "1, \"y\": 2", "01", "`id`"};
    struct table *table = table_of_texts(names, 1);
    table->columns[0].is_number = true;
    for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++)
        table_append(table, &numbers[i]);
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++)
        table_append(table, &texts[i]);
    g_autofree char *json = export_text(table, "json");
    g_assert_cmpstr(
        json, ==,
        "[\n  {\"x\": 1},\n  {\"x\": -0.5},\n  {\"x\": 2e3},\n  {\"x\": \"0x10\"},\n"
        "  {\"x\": \"1, \\\"y\\\": 2\"},\n  {\"x\": \"01\"},\n  {\"x\": \"`id`\"}\n]\n");
    table_free(table);
}

static void test_shown(void)
{
    static const char *const cases[][2] = {
        {"plain é µ", "plain é µ"}, {"a\nb\tc\rd", "a b c d"},
        {"\x1b[31m", "\uFFFD[31m"}, {"\x7f\xc2\x9b", "\uFFFD\uFFFD"},
        {"\u202eabc", "\uFFFDabc"}, {"\xef\xbf\xbe|\xef\xbf\xbf", "\uFFFD|\uFFFD"},
        {"\xc3(", "\uFFFD("},       {NULL, ""},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *shown = shown_text(cases[i][0]);
        g_assert_cmpstr(shown, ==, cases[i][1]);
    }
    g_autofree char *start = shown_start("éééé", 3), *all = shown_start("ééé", 3);
    g_assert_cmpstr(start, ==, "ééé…");
    g_assert_cmpstr(all, ==, "ééé");
}

/* A cell of the table at stack index 1, which stays on the stack. */
static const char *cell_text(lua_State *L, lua_Integer row, lua_Integer column)
{
    lua_getfield(L, 1, "cell");
    lua_pushinteger(L, row);
    lua_pushinteger(L, column);
    lua_call(L, 2, 1);
    return lua_tostring(L, -1);
}

/* A measure that only a later point gives is a column all the same. */
static void test_columns_are_the_union(void)
{
    struct row *rows[] = {test_row(0), test_row(1)};
    g_free(rows[1]->measures[0].name);
    rows[1]->measures[0].name = g_strdup("late");
    struct table *table = table_of_rows(rows, 2);
    lua_State *L = luaL_newstate();
    push_table(L, table);
    lua_getfield(L, 1, "columns");
    g_assert_cmpuint(lua_rawlen(L, 2), ==, 5);
    lua_geti(L, 2, 5);
    g_assert_cmpstr(lua_text_field(L, 3, "name"), ==, "late_us");
    g_assert_cmpstr(lua_text_field(L, 3, "key"), ==, "late");
    g_assert_null(cell_text(L, 1, 5));
    g_assert_null(cell_text(L, 2, 3));
    g_assert_cmpstr(cell_text(L, 2, 5), ==, "1.500001");
    lua_close(L);
    table_free(table);
}

/* The table that a plot shows, a line a row, cells between bars. */
static char *table_shown(const struct plot_spec *plot, const struct table *results)
{
    GError *error = NULL;
    g_auto(GStrv) lines = table_texts("../tests/study/figure", "shown", results,
                                      g_variant_new("(@a{sv})", plot_value(plot)), &error);
    g_assert_no_error(error);
    return g_strjoinv("\n", lines);
}

static void test_pivot(void)
{
    struct table *table = table_of(1);
    const struct plot_spec shown = {
        .x = (char[]){"bytes"}, .y = (char[]){"latency_us"}, .by = (char[]){"design"}};
    g_autofree char *text = table_shown(&shown, table);
    g_assert_cmpstr(text, ==,
                    "bytes|a|b, the \"other\"\n"
                    "8|1.5|\n"
                    "64|1.500002|1.500003");
    table_free(table);
}

/* Without `by`, what else varies names the series, so that no value hides another. */
static void test_pivot_tells_all_series_apart(void)
{
    struct table *table = table_of(NONE_FAILS);
    const struct plot_spec shown = {.x = (char[]){"bytes"}, .y = (char[]){"latency_us"}};
    g_autofree char *text = table_shown(&shown, table);
    g_assert_cmpstr(text, ==,
                    "bytes|design a|design b, the \"other\"\n"
                    "8|1.5|1.500001\n"
                    "64|1.500002|1.500003");
    table_free(table);
}

/* Over the designs: mean, least and most of two latencies that are a picosecond apart. */
static void test_pivot_over(void)
{
    const struct plot_spec shown = {
        .x = (char[]){"bytes"}, .y = (char[]){"latency_us"}, .over = (char[]){"design"}};
    struct table *table = table_of(NONE_FAILS);
    g_autofree char *text = table_shown(&shown, table);
    g_assert_cmpstr(text, ==,
                    "bytes|latency_us|latency_us least|latency_us most\n"
                    "8|1.5000005|1.5|1.500001\n"
                    "64|1.5000025|1.500002|1.500003");
    table_free(table);
}

/* Of (1,5) (2,4) (2,3) (3,3) (4,1), no other is below (1,5), (2,3) and (4,1). */
static void test_pareto(void)
{
    static const char *const names[] = {"x", "y"};
    static const char *const rows[][2] = {
        {"4", "1"}, {"2", "4"}, {"1", "5"}, {"3", "3"}, {"2", "3"}};
    const struct plot_spec shown = {
        .x = (char[]){"x"}, .y = (char[]){"y"}, .style = (char[]){"pareto"}};
    struct table *table = table_of_texts(names, 2);
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        table_append(table, rows[i]);
    g_autofree char *text = table_shown(&shown, table);
    g_assert_cmpstr(text, ==,
                    "x|y|Pareto front\n4|1|\n2|4|\n1|5|\n3|3|\n2|3|\n"
                    "1||5\n2||3\n4||1");
    table_free(table);
}

/* A column of numbers, of a quantity if `unit` is one, and its texts. */
static struct table *column_of_numbers(const char *name, int unit, const char *const *texts,
                                       size_t count)
{
    struct table *table = table_of_texts(&name, 1);
    table->columns[0].is_number = true;
    table->columns[0].kind = unit < 0 ? VALUE_NUMBER : VALUE_QUANTITY;
    table->columns[0].unit = unit < 0 ? UNIT_COUNT : (enum unit_kind)unit;
    for (size_t i = 0; i < count; i++)
        table_append(table, &texts[i]);
    return table;
}

/* Heads have their unit, sizes theirs; fractions at most six digits, with their points below each other. */
static void test_terminal_numbers(void)
{
    static const char *const times[] = {"1.5",       "10.123456", "0.140000",
                                        "1234567.5", "7",         "not modelled"};
    static const char *const sizes[] = {"8", "65536", "1000000", "100000"};
    static const struct {
        const char *name;
        int unit;
        const char *const *texts;
        size_t count;
        const char *shown;
    } cases[] = {
        {"latency_us", UNIT_TIME, times, G_N_ELEMENTS(times),
         "  latency (us)\n      1.5\n     10.1235\n      0.140000\n1234568\n      7\n"
         "  not modelled\n"},
        {"payload_bytes", UNIT_BYTES, sizes, G_N_ELEMENTS(sizes),
         "payload\n  8 B\n 64 KiB\n  1 MB\n100 kB\n"},
        {"share_percent", -1, times, 1, "share (%)\n      1.5\n"},
        {"puts_per_us", -1, times, 1, "puts_per_us\n        1.5\n"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct table *table =
            column_of_numbers(cases[i].name, cases[i].unit, cases[i].texts, cases[i].count);
        g_autofree char *text = whole(table);
        g_assert_cmpstr(text, ==, cases[i].shown);
        table_free(table);
    }
}

/* Rows whose latency has a spread, in a column behind the hit rate. */
static struct table *table_with_spread(void)
{
    static const int64_t spreads_ps[TEST_POINTS] = {50000, 320, 0, 12345678};
    struct row *rows[TEST_POINTS];
    for (size_t i = 0; i < TEST_POINTS; i++) {
        rows[i] = test_row(i);
        rows[i]->measures = g_renew(struct measure, rows[i]->measures, 3);
        rows[i]->measures[rows[i]->measure_count++] =
            (struct measure){g_strdup("latency_spread"), value_quantity(spreads_ps[i], UNIT_TIME)};
    }
    return table_of_rows(rows, TEST_POINTS);
}

/* On a terminal a spread stands beside its mean, which ends with the spread's second digit; in files it has a column. */
static void test_spread(void)
{
    struct table *table = table_with_spread();
    g_autofree char *text = whole(table), *csv = export_text(table, "csv");
    g_assert_cmpstr(text, ==,
                    "bytes  design              latency (us)  hit_rate\n"
                    "8 B    a               1.500 ±0.050         0.333\n"
                    "8 B    b, the \"other\"  1.50000 ±0.00032     0.333\n"
                    "64 B   a               1.5 ±0               0.333\n"
                    "64 B   b, the \"other\"  2 ±12                0.333\n");
    g_assert_true(g_str_has_prefix(csv, "bytes,design,latency_us,hit_rate,latency_spread_us\n"
                                        "8,a,1.5,0.333,0.05\n"));
    const struct plot_spec shown = {
        .x = (char[]){"bytes"}, .y = (char[]){"latency_us"}, .by = (char[]){"design"}};
    g_autofree char *pivoted = table_shown(&shown, table);
    g_assert_cmpstr(pivoted, ==,
                    "bytes|a|a spread|b, the \"other\"|b, the \"other\" spread\n"
                    "8|1.5|0.05|1.500001|0.00032\n64|1.500002|0|1.500003|12.345678");
    table_free(table);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/table/csv", test_csv);
    g_test_add_func("/table/csv-fields", test_csv_fields);
    g_test_add_func("/table/text-among-numbers", test_text_among_numbers);
    g_test_add_func("/table/shown", test_shown);
    g_test_add_func("/table/failed-points", test_failed_points_stay_rows);
    g_test_add_func("/table/json", test_json);
    g_test_add_func("/table/union", test_columns_are_the_union);
    g_test_add_func("/table/pivot", test_pivot);
    g_test_add_func("/table/pivot-over", test_pivot_over);
    g_test_add_func("/table/terminal-numbers", test_terminal_numbers);
    g_test_add_func("/table/spread", test_spread);
    g_test_add_func("/table/pareto", test_pareto);
    g_test_add_func("/table/pivot-apart", test_pivot_tells_all_series_apart);
    return g_test_run();
}
