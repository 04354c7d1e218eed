/* Tables and their text forms, each compared as a whole. The numbers stand in study_test.h. */
#include <glib.h>
#include <string.h>

#include "core/shown.h"
#include "study/table/export.h"
#include "study/store/pack.h"
#include "study/figure/plot_script.h"
#include "study/table/table.h"
#include "study/figure/ticks.h"
#include "study_test.h"

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
    struct table *table = table_new(test_axes, TEST_AXES, rows, TEST_POINTS);
    for (size_t i = 0; i < TEST_POINTS; i++)
        row_free(rows[i]);
    return table;
}

#define NONE_FAILS TEST_POINTS

static void test_csv(void)
{
    struct table *table = table_of(NONE_FAILS);
    g_autofree char *csv = export_csv(table);
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
    g_autofree char *csv = export_csv(table);
    g_autofree char *json = export_json(table);
    g_assert_true(g_str_has_prefix(csv, "bytes,design,latency_us,hit_rate,failure\n"));
    g_assert_nonnull(strstr(csv, "\n64,a,,,\"went\nwrong\"\n"));
    g_autofree char *text = export_text(table);
    g_assert_nonnull(strstr(text, "  went\n"));
    g_assert_null(strstr(text, "wrong"));
    g_assert_nonnull(strstr(json, "{\"bytes\": 64, \"design\": \"a\", \"latency_us\": null, "
                                  "\"hit_rate\": null, \"failure\": \"went\\u000awrong\"}"));
    table_free(table);
}

static void test_json(void)
{
    struct table *table = table_of(NONE_FAILS);
    g_autofree char *json = export_json(table);
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
        GString *csv = g_string_new(NULL);
        export_csv_field(csv, cases[i][0]);
        g_assert_cmpstr(csv->str, ==, cases[i][1]);
        g_string_free(csv, TRUE);
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
    g_autofree char *json = export_json(table);
    g_autofree char *data = plot_data(table);
    g_assert_cmpstr(
        json, ==,
        "[\n  {\"x\": 1},\n  {\"x\": -0.5},\n  {\"x\": 2e3},\n  {\"x\": \"0x10\"},\n"
        "  {\"x\": \"1, \\\"y\\\": 2\"},\n  {\"x\": \"01\"},\n  {\"x\": \"`id`\"}\n]\n");
    g_assert_cmpstr(data, ==, "1\n-0.5\n2e3\nNaN\nNaN\nNaN\nNaN\n");
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

/* A measure that only a later point gives is a column all the same. */
static void test_columns_are_the_union(void)
{
    struct row *rows[] = {test_row(0), test_row(1)};
    g_free(rows[1]->measures[0].name);
    rows[1]->measures[0].name = g_strdup("late");
    struct table *table = table_new(test_axes, TEST_AXES, rows, 2);
    g_assert_cmpint(table_find(table, "late_us"), ==, 4);
    g_assert_cmpint(table_find(table, "late"), ==, 4);
    g_assert_cmpint(table_find(table, "early"), ==, -1);
    g_assert_null(table_cell(table, 0, 4));
    g_assert_null(table_cell(table, 1, 2));
    g_assert_cmpstr(table_cell(table, 1, 4), ==, "1.500001");
    table_free(table);
    row_free(rows[0]);
    row_free(rows[1]);
}

static void test_pivot(void)
{
    struct table *table = table_of(1);
    static const int latency[] = {2};
    const struct pivot shown = {
        .x = 0, .ys = latency, .y_count = 1, .by = 1, .over = -1, .panels = -1};
    struct table *pivot = table_pivot(table, &shown);
    g_autofree char *text = export_text(pivot);
    g_autofree char *data = plot_data(pivot);
    g_assert_cmpstr(text, ==,
                    "bytes         a  b, the \"other\"\n"
                    "    8       1.5                \n"
                    "   64  1.500002        1.500003\n");
    g_assert_cmpstr(data, ==, "8\t1.5\tNaN\n64\t1.500002\t1.500003\n");
    table_free(pivot);
    table_free(table);
}

/* Without `by`, what else varies names the series, so that no value hides another. */
static void test_pivot_tells_all_series_apart(void)
{
    struct table *table = table_of(NONE_FAILS);
    static const int latency[] = {2};
    const struct pivot shown = {
        .x = 0, .ys = latency, .y_count = 1, .by = -1, .over = -1, .panels = -1};
    struct table *pivot = table_pivot(table, &shown);
    g_assert_cmpuint(pivot->column_count, ==, 3);
    g_assert_cmpuint(pivot->row_count, ==, 2);
    g_assert_cmpstr(pivot->columns[1].name, ==, "design a");
    g_assert_cmpstr(pivot->columns[2].name, ==, "design b, the \"other\"");
    table_free(pivot);
    table_free(table);
}

/* Over the designs: mean, least and most of two latencies that are a picosecond apart. */
static void test_pivot_over(void)
{
    static const int latency[] = {2};
    const struct pivot shown = {
        .x = 0, .ys = latency, .y_count = 1, .by = -1, .over = 1, .panels = -1};
    struct table *table = table_of(NONE_FAILS);
    struct table *pivot = table_pivot(table, &shown);
    g_autofree char *text = export_csv(pivot);
    g_assert_cmpstr(text, ==,
                    "bytes,latency_us,latency_us least,latency_us most\n"
                    "8,1.5000005,1.5,1.500001\n"
                    "64,1.5000025,1.500002,1.500003\n");
    table_free(pivot);
    table_free(table);
}

/* Of (1,5) (2,4) (2,3) (3,3) (4,1), no other is below (1,5), (2,3) and (4,1). */
static void test_pareto(void)
{
    static const char *const names[] = {"x", "y"};
    static const char *const rows[][2] = {
        {"4", "1"}, {"2", "4"}, {"1", "5"}, {"3", "3"}, {"2", "3"}};
    static const int y[] = {1};
    const struct pivot shown = {.x = 0, .ys = y, .y_count = 1, .by = -1, .over = -1, .panels = -1};
    struct table *table = table_of_texts(names, 2);
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        table_append(table, rows[i]);
    struct table *scatter = table_scatter(table, &shown, true);
    g_autofree char *text = plot_data(scatter);
    g_assert_cmpstr(text, ==,
                    "4\t1\tNaN\n2\t4\tNaN\n1\t5\tNaN\n3\t3\tNaN\n2\t3\tNaN\n"
                    "1\tNaN\t5\n2\tNaN\t3\n4\tNaN\t1\n");
    table_free(scatter);
    table_free(table);
}

/* --- ticks --------------------------------------------------------------------------------------
 */

/* A pivot table of sizes first, 2 first, ..., last, with y from low to high. */
static struct table *sizes(int64_t first, int64_t last, const char *low, const char *high)
{
    static const char *const names[] = {"bytes", "y"};
    struct table *table = table_of_texts(names, 2);
    table->columns[0].is_number = true;
    table->columns[0].kind = VALUE_QUANTITY;
    table->columns[0].unit = UNIT_BYTES;
    for (int64_t bytes = first; bytes <= last; bytes *= 2) {
        g_autofree char *text = g_strdup_printf("%" G_GINT64_FORMAT, bytes);
        const char *const row[] = {text, bytes == first ? low : high};
        table_append(table, row);
    }
    return table;
}

/* `"64 B" 64 0, "" 128 1`: label, place, level. Frees the ticks. */
static char *text_of_ticks(GArray *ticks)
{
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < ticks->len; i++) {
        const struct tick *tick = &g_array_index(ticks, struct tick, i);
        g_string_append_printf(text, "%s\"%s\" %.10g %d", i ? ", " : "", tick->label, tick->place,
                               *tick->label == '\0');
    }
    g_array_unref(ticks);
    return g_string_free(text, FALSE);
}

static void test_byte_ticks(void)
{
    struct table *few = sizes(512, 4096, "1", "2");
    g_autofree char *ticks = text_of_ticks(ticks_of_x(few, false));
    g_autofree char *names = text_of_ticks(ticks_of_x(few, true));
    g_assert_cmpstr(ticks, ==,
                    "\"512 B\" 512 0, \"1 KiB\" 1024 0, \"2 KiB\" 2048 0, \"4 KiB\" 4096 0");
    g_assert_cmpstr(names, ==, "\"512B\" 0 0, \"1KiB\" 1 0, \"2KiB\" 2 0, \"4KiB\" 3 0");
    table_free(few);

    /* 18 powers: both ends have labels, every third one between, and none beside the last. */
    struct table *many = sizes(8, 1 << 20, "1", "2");
    g_autofree char *spread = text_of_ticks(ticks_of_x(many, false));
    g_assert_true(g_str_has_prefix(spread, "\"8 B\" 8 0, \"\" 16 1, \"\" 32 1, \"64 B\" 64 0, "));
    g_assert_true(g_str_has_suffix(spread, "\"32 KiB\" 32768 0, \"\" 65536 1, \"\" 131072 1, "
                                           "\"\" 262144 1, \"\" 524288 1, \"1 MiB\" 1048576 0"));
    table_free(many);
}

static void assert_y_axis(const char *low, const char *high, double bottom, double top,
                          const char *ticks)
{
    struct table *table = sizes(8, 16, low, high);
    struct tick_ends ends = ticks_ends(table);
    g_autofree char *got_ticks = text_of_ticks(ticks_of_y(table));
    g_assert_cmpfloat(ends.x_low, ==, 8);
    g_assert_cmpfloat(ends.x_high, ==, 16);
    g_assert_cmpfloat_with_epsilon(ends.y_low, bottom, 1e-12);
    g_assert_cmpfloat_with_epsilon(ends.y_high, top, 1e-12);
    g_assert_cmpstr(got_ticks, ==, ticks);
    table_free(table);
}

static void test_y_axis(void)
{
    assert_y_axis("1.5", "4.2", 1, 5, "\"1\" 1 0, \"2\" 2 0, \"5\" 5 0");
    assert_y_axis("0.03", "0.3", 0.02, 0.5,
                  "\"0.02\" 0.02 0, \"0.05\" 0.05 0, \"0.1\" 0.1 0, \"0.2\" 0.2 0, \"0.5\" 0.5 0");
    assert_y_axis("3", "70000", 1, 100000,
                  "\"1\" 1 0, \"10\" 10 0, \"100\" 100 0, \"1000\" 1000 0, \"10000\" 10000 0, "
                  "\"100000\" 100000 0");
    assert_y_axis("2", "2", 2, 5, "\"2\" 2 0, \"5\" 5 0");
    assert_y_axis("0", "4", 0, 0, "");
    assert_y_axis("-3", "4", 0, 0, "");
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
    g_test_add_func("/table/pareto", test_pareto);
    g_test_add_func("/table/pivot-apart", test_pivot_tells_all_series_apart);
    g_test_add_func("/ticks/bytes", test_byte_ticks);
    g_test_add_func("/ticks/y", test_y_axis);
    return g_test_run();
}
