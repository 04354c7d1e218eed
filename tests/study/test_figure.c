/* SPDX-License-Identifier: BSD-3-Clause */
/* What a figure is laid out from: ticks, ends of axes, names, widths, the page. */
#include <glib.h>
#include <math.h>

#include "study/figure/axis.h"
#include "study/figure/label.h"
#include "study/figure/page.h"
#include "study/figure/text_width.h"

/* The labels of the ticks, in their order, minor ones as a dot: "1 . . 10". */
static char *labels_of(const struct figure_axis *axis, double length, bool is_vertical)
{
    GString *text = g_string_new(NULL);
    g_autoptr(GArray) ticks = axis_ticks(axis, length, is_vertical);
    for (guint i = 0; i < ticks->len; i++) {
        const struct tick *tick = &g_array_index(ticks, struct tick, i);
        g_string_append_printf(text, "%s%s", i ? "|" : "", *tick->label ? tick->label : ".");
    }
    return g_string_free(text, FALSE);
}

static struct figure_axis axis_of(enum axis_scale scale, bool is_bytes, double low, double high)
{
    struct figure_axis axis = axis_new(scale, is_bytes);
    axis_add(&axis, high);
    axis_add(&axis, low);
    axis_add(&axis, NAN);
    axis_settle(&axis);
    return axis;
}

static void assert_y(enum axis_scale scale, double least, double most, double low, double high,
                     const char *expected)
{
    struct figure_axis axis = axis_of(scale, false, least, most);
    axis_end_round(&axis, true);
    g_autofree char *labels = labels_of(&axis, 20, true);
    g_assert_cmpfloat_with_epsilon(axis.low, low, 1e-9 * fabs(high));
    g_assert_cmpfloat_with_epsilon(axis.high, high, 1e-9 * fabs(high));
    g_assert_cmpstr(labels, ==, expected);
    axis_clear(&axis);
}

/* Every axis contains its values, zero if none is on the other side, and writes its numbers in one way. */
static void test_y(void)
{
    assert_y(AXIS_LINEAR, 3, 9.5, 0, 10, "0|2|4|6|8|10");
    assert_y(AXIS_LINEAR, -37, 11, -40, 20, "-40|-30|-20|-10|0|10|20");
    assert_y(AXIS_LINEAR, 0, 0, 0, 1, "0|0.2|0.4|0.6|0.8|1");
    assert_y(AXIS_LINEAR, 2e-6, 9e-6, 0, 1e-5, "0|2·10⁻⁶|4·10⁻⁶|6·10⁻⁶|8·10⁻⁶|10⁻⁵");
    assert_y(AXIS_LOG, 1.5, 4.2, 1, 5, "1|2|5");
    assert_y(AXIS_LOG, 0.03, 0.3, 0.02, 0.5, "0.02|0.05|0.1|0.2|0.5");
    assert_y(AXIS_LOG, 3, 70000, 1, 100000, "1|10|100|1000|10000|100000");
    assert_y(AXIS_LOG, 2, 2, 1, 2, "1|2");
    assert_y(AXIS_LOG, 1e-5, 0.2, 1e-5, 1, "10⁻⁵|10⁻⁴|10⁻³|10⁻²|10⁻¹|10⁰");
    struct figure_axis axis = axis_of(AXIS_LOG, false, 0, 4);
    g_assert_false(axis_can_be_drawn(&axis)); /* zero has no logarithm */
    axis_clear(&axis);
}

static void assert_x(const struct figure_axis *axis, double length, const char *expected)
{
    g_autofree char *labels = labels_of(axis, length, false);
    g_assert_cmpstr(labels, ==, expected);
}

/* Powers of two, as many labels as have room. */
static void test_bytes(void)
{
    struct figure_axis axis = axis_of(AXIS_LOG, true, 512, 4096);
    axis_end_near(&axis);
    assert_x(&axis, 40, "512 B|1 KiB|2 KiB|4 KiB");
    assert_x(&axis, 12, "512 B|.|2 KiB|.");
    assert_x(&axis, 1, "512 B|.|.|.");
    axis_clear(&axis);
}

static void test_counts(void)
{
    struct figure_axis axis = axis_of(AXIS_LOG, false, 1, 480);
    axis_add(&axis, 16);
    axis_settle(&axis);
    axis_end_near(&axis);
    assert_x(&axis, 40, "1|16|480");
    axis_clear(&axis);
}

static void assert_label(const struct table_column *column, const char *text, const char *expected)
{
    g_autofree char *label = text ? label_value(column, text) : label_column(column);
    g_assert_cmpstr(label, ==, expected);
}

static void test_labels(void)
{
    static char latency[] = "latency", rate[] = "l2_hit_rate", groups[] = "work_groups",
                gets[] = "gets_per_us", deviation[] = "deviation_percent", bytes[] = "bytes";
    const struct table_column time = {.key = latency, .kind = VALUE_QUANTITY, .unit = UNIT_TIME};
    const struct table_column size = {.key = bytes, .kind = VALUE_QUANTITY, .unit = UNIT_BYTES};
    static char delay_ns[] = "delay_ns";
    const struct table_column delay = {.key = delay_ns, .kind = VALUE_NUMBER, .is_number = true};
    const struct table_column numbers = {.key = bytes, .kind = VALUE_NUMBER, .is_number = true};
    assert_label(&time, NULL, "Latency (µs)");
    assert_label(&(struct table_column){.key = rate, .kind = VALUE_NUMBER}, NULL, "L2 hit rate");
    assert_label(&(struct table_column){.key = groups, .kind = VALUE_NUMBER}, NULL, "Work-groups");
    assert_label(&(struct table_column){.key = gets, .kind = VALUE_NUMBER, .is_number = true}, NULL,
                 "Gets per µs");
    assert_label(&(struct table_column){.key = deviation, .kind = VALUE_NUMBER}, NULL,
                 "Deviation (%)");
    assert_label(&size, "65536", "64 KiB");
    assert_label(&size, NULL, "Size");
    assert_label(&time, "0.5", "0.5 µs");
    assert_label(&(struct table_column){.key = groups, .kind = VALUE_TEXT}, "nodes=2_chain",
                 "nodes = 2 chain");
    assert_label(&(struct table_column){.key = groups, .kind = VALUE_TEXT}, "D2H_gpu0+D2H_gpu1",
                 "D2H GPU 0+D2H GPU 1");
    const struct table_column text = {.key = groups, .kind = VALUE_TEXT};
    assert_label(&text, "spin=20us", "spin = 20 µs");
    assert_label(&text, "copy_D2H_64MiB_pinned", "copy D2H 64 MiB pinned");
    assert_label(&text, "2threads_1gpu", "2 threads 1 GPU");
    assert_label(&text, "period_grid1056x256", "period grid 1056x256");
    assert_label(&text, "8B", "8 B");
    assert_label(&text, "PCIe 5, 1.5GB/s", "PCIe 5, 1.5 GB/s");
    assert_label(&text, "400 Gbit/s", "400 Gbit/s");
    assert_label(&text, "100 µs", "100 µs");
    assert_label(&text, "H100", "H100");
    g_autofree char *measure = label_measure(&time), *plain = label_measure(&delay);
    g_assert_cmpstr(measure, ==, "Latency");
    g_assert_cmpstr(plain, ==, "Delay");
    assert_label(&delay, NULL, "Delay (ns)");
    assert_label(&delay, "500", "500 ns");
    assert_label(&numbers, "262144", "256 KiB");
    assert_label(&(struct table_column){.key = groups, .kind = VALUE_TEXT}, "gpu_memory",
                 "GPU memory");
    assert_label(&(struct table_column){.key = groups, .kind = VALUE_TEXT}, "Charm++", "Charm++");
    g_autofree char *of =
        label_value_of(&(struct table_column){.key = groups, .kind = VALUE_NUMBER}, "16");
    g_assert_cmpstr(of, ==, "Work-groups 16");
    static char locking[] = "locking";
    const struct table_column flag = {.key = locking, .kind = VALUE_TEXT};
    g_autofree char *with = label_value_of(&flag, "true"),
                    *without = label_value_of(&flag, "false");
    g_assert_cmpstr(with, ==, "locking");
    g_assert_cmpstr(without, ==, "no locking");
    g_autofree char *given = label_given("Time of a get", &time, 1),
                    *done = label_given("Time (ns)", &time, 1);
    g_assert_cmpstr(given, ==, "Time of a get (µs)");
    g_assert_cmpstr(done, ==, "Time (ns)");
}

/* Long numbers count in a larger unit. */
static void test_units(void)
{
    static char energy[] = "energy", count[] = "count";
    const struct table_column joules = {.key = energy, .kind = VALUE_QUANTITY, .unit = UNIT_ENERGY};
    const struct table_column number = {.key = count, .kind = VALUE_NUMBER};
    g_assert_cmpfloat(label_unit_size(&joules, 999), ==, 1);
    g_assert_cmpfloat(label_unit_size(&joules, 20000), ==, 1e3);
    g_assert_cmpfloat(label_unit_size(&joules, 8e6), ==, 1e6);
    g_assert_cmpfloat(label_unit_size(&number, 8e6), ==, 1);
    g_autofree char *label = label_column_in(&joules, 1e3);
    g_assert_cmpstr(label, ==, "Energy (mJ)");
    struct figure_axis axis = axis_of(AXIS_LINEAR, false, 0, 3e6);
    axis.unit = 1e6;
    axis_end_round(&axis, true);
    g_autofree char *labels = labels_of(&axis, 20, true);
    g_assert_cmpstr(labels, ==, "0|0.5|1|1.5|2|2.5|3");
    axis_clear(&axis);
}

/* Bars on a logarithmic axis do not vanish at its low end. */
static void test_room(void)
{
    struct figure_axis axis = axis_of(AXIS_LOG, false, 10, 2000);
    axis_leave_room(&axis, 1.5);
    axis_end_round(&axis, true);
    g_assert_cmpfloat(axis.low, ==, 5);
    axis_clear(&axis);
}

static void test_texts(void)
{
    g_autoptr(GPtrArray) lines = text_lines("one two three", text_width("one two "));
    g_assert_cmpuint(lines->len, ==, 2);
    g_assert_cmpstr(g_ptr_array_index(lines, 0), ==, "one two");
    g_assert_cmpstr(g_ptr_array_index(lines, 1), ==, "three");
    g_autofree char *all = text_fitting("short", 10), *start = text_fitting("a long text", 4);
    g_assert_cmpstr(all, ==, "short");
    g_assert_true(g_str_has_suffix(start, "…"));
    g_assert_cmpfloat(text_width(start), <=, 4);
}

/* Panels stand beside and below each other and nothing leaves the page, whatever its width. */
static void test_page(void)
{
    static const double widths[] = {35.6, 61.5, 63.8};
    g_autoptr(GPtrArray) key = g_ptr_array_new();
    for (int i = 0; i < 9; i++)
        g_ptr_array_add(key, (char[]){"an entry of the legend"});
    for (size_t w = 0; w < G_N_ELEMENTS(widths); w++) {
        for (size_t panels = 1; panels <= 7; panels++) {
            struct page_content content = {.title = "A title",
                                           .x_label = "Size",
                                           .y_label = "Latency (µs)",
                                           .x = axis_of(AXIS_LOG, true, 1, 4 << 20),
                                           .y = axis_of(AXIS_LOG, false, 1, 5000),
                                           .panels = panels,
                                           .key = key,
                                           .key_title = "",
                                           .note = ""};
            axis_end_near(&content.x);
            axis_end_round(&content.y, true);
            struct page page = page_new(&content, widths[w]);
            for (size_t i = 0; i < panels; i++) {
                struct page_panel one = page_panel(&page, panels, i);
                g_assert_cmpfloat(one.left, >, 0);
                g_assert_cmpfloat(one.right, <=, page.width);
                g_assert_cmpfloat(one.bottom, >, page.key_top);
                g_assert_cmpfloat(one.top, <, page.title_y);
                for (size_t k = 0; k < i; k++) {
                    struct page_panel other = page_panel(&page, panels, k);
                    g_assert_true(other.right < one.left || other.left > one.right ||
                                  other.bottom > one.top);
                }
            }
            page_clear(&page);
            axis_clear(&content.x);
            axis_clear(&content.y);
        }
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/figure/y", test_y);
    g_test_add_func("/figure/bytes", test_bytes);
    g_test_add_func("/figure/counts", test_counts);
    g_test_add_func("/figure/labels", test_labels);
    g_test_add_func("/figure/units", test_units);
    g_test_add_func("/figure/room", test_room);
    g_test_add_func("/figure/texts", test_texts);
    g_test_add_func("/figure/page", test_page);
    return g_test_run();
}
