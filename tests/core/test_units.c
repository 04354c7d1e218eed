/* SPDX-License-Identifier: BSD-3-Clause */
/* Units: which texts are read, which are refused and with which words, and that a printed value is read back as the same
 * number. Expected values are powers of ten times the digits, computed by hand. */
#include <glib.h>
#include <inttypes.h>
#include <locale.h>
#include <string.h>

#include "core/units.h"

#define LAST_KIND UNIT_COUNT

struct good_case {
    enum unit_kind kind;
    const char *text;
    int64_t value;
};

static const struct good_case good_cases[] = {
    {UNIT_TIME, "1ps", 1},
    {UNIT_TIME, "150ns", 150000},
    {UNIT_TIME, "1.2us", 1200000},
    {UNIT_TIME, "1.2 us", 1200000},
    {UNIT_TIME, "0.001ns", 1},
    {UNIT_TIME, "1.50ns", 1500},
    {UNIT_TIME, "2ms", INT64_C(2000000000)},
    {UNIT_TIME, "3s", INT64_C(3000000000000)},
    {UNIT_TIME, "-5ns", -5000},
    {UNIT_TIME, "0", 0},
    {UNIT_TIME, "0.0", 0},
    {UNIT_TIME, "9223372036854775807ps", INT64_MAX},
    {UNIT_TIME, "-9223372036854775808ps", INT64_MIN},
    {UNIT_BYTES, "64B", 64},
    {UNIT_BYTES, "1kB", 1000},
    {UNIT_BYTES, "1KiB", 1024},
    {UNIT_BYTES, "1.5MiB", 1572864},
    {UNIT_BYTES, "16GB", INT64_C(16000000000)},
    {UNIT_BYTES, "1TiB", INT64_C(1099511627776)},
    {UNIT_RATE, "12.5GB/s", INT64_C(12500000000)},
    {UNIT_RATE, "100Gb/s", INT64_C(12500000000)},
    {UNIT_RATE, "100Gbps", INT64_C(12500000000)},
    {UNIT_RATE, "100Gbit/s", INT64_C(12500000000)},
    {UNIT_RATE, "1.6Tbps", INT64_C(200000000000)},
    {UNIT_RATE, "0.8Tb/s", INT64_C(100000000000)},
    {UNIT_RATE, "8Mb/s", INT64_C(1000000)},
    {UNIT_RATE, "8kbps", INT64_C(1000)},
    {UNIT_RATE, "8b/s", INT64_C(1)},
    {UNIT_RATE, "100Gbit/s", INT64_C(12500000000)},
    {UNIT_RATE, "8bit/s", 1},
    {UNIT_RATE, "1.8TB/s", INT64_C(1800000000000)},
    {UNIT_RATE, "1GiB/s", INT64_C(1073741824)},
    {UNIT_FREQUENCY, "1.6GHz", INT64_C(1600000000)},
    {UNIT_FREQUENCY, "32.768kHz", 32768},
    {UNIT_POWER, "2.5W", 2500},
    {UNIT_ENERGY, "1.3pJ", 1300},
    {UNIT_ENERGY, "1J", INT64_C(1000000000000000)},
    {UNIT_COUNT, "64", 64},
    {UNIT_COUNT, "-1", -1},
};

static void test_reads(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(good_cases); i++) {
        const struct good_case *good = &good_cases[i];
        int64_t value = 0;
        g_autoptr(GError) error = NULL;
        g_test_message("%s", good->text);
        g_assert_true(unit_parse(good->text, good->kind, &value, &error));
        g_assert_cmpint(value, ==, good->value);
    }
}

struct bad_case {
    enum unit_kind kind;
    const char *text;
    const char *description;
};

#define TIMES "ps, ns, us, ms, s"

static const struct bad_case bad_cases[] = {
    {UNIT_TIME, "12", "\"12\" has no unit; a time needs one of " TIMES},
    {UNIT_TIME, "12GB", "\"12GB\" has \"GB\" where a time needs one of " TIMES},
    {UNIT_TIME, "12NS", "\"12NS\" has \"NS\" where a time needs one of " TIMES},
    {UNIT_TIME, "12  ns", "\"12  ns\" has \" ns\" where a time needs one of " TIMES},
    {UNIT_TIME, "1e3ns", "\"1e3ns\" has \"e3ns\" where a time needs one of " TIMES},
    {UNIT_TIME, "1,5ns", "\"1,5ns\" has \",5ns\" where a time needs one of " TIMES},
    {UNIT_TIME, "1.ns", "\"1.ns\" has \".ns\" where a time needs one of " TIMES},
    {UNIT_TIME, "", "\"\" is not a time; write a number with one of " TIMES},
    {UNIT_TIME, "ns", "\"ns\" is not a time; write a number with one of " TIMES},
    {UNIT_TIME, ".5ns", "\".5ns\" is not a time; write a number with one of " TIMES},
    {UNIT_TIME, "--5ns", "\"--5ns\" is not a time; write a number with one of " TIMES},
    {UNIT_TIME, "0.3ps", "\"0.3ps\" is not a whole number of ps"},
    {UNIT_TIME, "9223372036854775808ps", "\"9223372036854775808ps\" does not fit 63 bits of ps"},
    {UNIT_TIME, "9999999999999999999999s",
     "\"9999999999999999999999s\" does not fit 63 bits of ps"},
    {UNIT_TIME, "99999999999999999999999ps",
     "\"99999999999999999999999ps\" is not a time; write a number with one of " TIMES},
    {UNIT_RATE, "1bit/s", "\"1bit/s\" is not a whole number of Bps"},
    {UNIT_POWER, "12V", "\"12V\" has \"V\" where a power needs one of mW, W, kW"},
    {UNIT_COUNT, "64k", "\"64k\" has \"k\" after the number; a count is a plain number"},
    {UNIT_COUNT, "1.5", "\"1.5\" is not a whole number of units"},
    {UNIT_COUNT, "many", "\"many\" is not a count; write a number"},
};

static void test_refuses(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(bad_cases); i++) {
        int64_t value = 4711;
        g_autoptr(GError) error = NULL;
        g_assert_false(unit_parse(bad_cases[i].text, bad_cases[i].kind, &value, &error));
        g_assert_cmpstr(error->message, ==, bad_cases[i].description);
        g_assert_cmpint(value, ==, 4711);
    }
}

struct format_case {
    enum unit_kind kind;
    int64_t value;
    const char *text;
};

static const struct format_case format_cases[] = {
    {UNIT_TIME, 0, "0ps"}, /* the unit tells the kind */
    {UNIT_RATE, 0, "0B/s"},
    {UNIT_COUNT, 0, "0"},
    {UNIT_TIME, 999, "999ps"},
    {UNIT_TIME, 150000, "150ns"},
    {UNIT_TIME, 1234567, "1.234567us"},
    {UNIT_TIME, 1000000001, "1000.000001us"}, /* nine decimals of a ms would be too many */
    {UNIT_TIME, -1500, "-1.5ns"},
    {UNIT_BYTES, 1048576, "1MiB"},
    {UNIT_BYTES, 1572864, "1.5MiB"},
    {UNIT_BYTES, 1000000, "1MB"},
    {UNIT_BYTES, INT64_C(16000000000000), "16TB"}, /* a multiple of 1024, but longer in KiB */
    {UNIT_BYTES, 1024000, "1000KiB"},              /* no longer than 1.024MB */
    {UNIT_BYTES, 512, "512B"},
    {UNIT_BYTES, 64 * 1024, "64KiB"},
    {UNIT_RATE, INT64_C(12500000000), "12.5GB/s"},
    {UNIT_RATE, INT64_C(900000000000), "900GB/s"},
    {UNIT_FREQUENCY, INT64_C(1600000000), "1.6GHz"},
    {UNIT_POWER, 250, "250mW"},
    {UNIT_ENERGY, 1300, "1.3pJ"},
    {UNIT_COUNT, 64000, "64000"},
    {UNIT_TIME, INT64_MIN, "-9223372036854.775808us"},
};

static void test_formats(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(format_cases); i++) {
        char text[UNIT_TEXT_SIZE];
        g_assert_cmpstr(unit_format(format_cases[i].value, format_cases[i].kind, text), ==,
                        format_cases[i].text);
    }
}

static void assert_reads_back(int64_t value, enum unit_kind kind)
{
    char text[UNIT_TEXT_SIZE];
    g_autoptr(GError) error = NULL;
    int64_t back = ~value;
    unit_format(value, kind, text);
    if (!unit_parse(text, kind, &back, &error) || back != value)
        g_error("%" PRId64 " is printed as %s and read back as %" PRId64 " %s", value, text, back,
                error ? error->message : "");
}

/* Round numbers (few significant digits, powers of two) and numbers of all sizes with all digits.
 */
static void test_printed_reads_back(void)
{
    GRand *random = g_rand_new_with_seed(20240601);
    for (int kind = 0; kind <= LAST_KIND; kind++) {
        assert_reads_back(INT64_MAX, (enum unit_kind)kind);
        assert_reads_back(INT64_MIN, (enum unit_kind)kind);
        for (int i = 0; i < 20000; i++) {
            uint64_t bits = (uint64_t)g_rand_int(random) << 32 | g_rand_int(random);
            int64_t value = (int64_t)(bits >> g_rand_int_range(random, 1, 64));
            int64_t round = g_rand_int_range(random, 1, 2000);
            for (int zeros = g_rand_int_range(random, 0, 15); zeros > 0; zeros--)
                round *= 10;
            assert_reads_back(value, (enum unit_kind)kind);
            assert_reads_back(-value, (enum unit_kind)kind);
            assert_reads_back(round, (enum unit_kind)kind);
            assert_reads_back(INT64_C(3) << (i % 62), (enum unit_kind)kind);
        }
    }
    g_rand_free(random);
}

/* Every suffix that the list names is read, and the base suffix of columns is the first of them. */
static void test_lists_are_true(void)
{
    for (int kind = 0; kind < UNIT_COUNT; kind++) {
        char **suffixes = g_strsplit(unit_suffixes((enum unit_kind)kind), ", ", -1);
        g_assert_cmpuint(g_strv_length(suffixes), >=, 3);
        for (char **suffix = suffixes; *suffix; suffix++) {
            char *text = g_strconcat("8", *suffix, NULL);
            int64_t value = 0;
            g_assert_true(unit_parse(text, (enum unit_kind)kind, &value, NULL));
            g_assert_cmpint(value, >=, 1);
            g_free(text);
        }
        g_strfreev(suffixes);
    }
    g_assert_cmpstr(unit_kind_name(UNIT_TIME), ==, "time");
    g_assert_cmpstr(unit_base_suffix(UNIT_RATE), ==, "Bps");
    g_assert_cmpstr(unit_base_suffix(UNIT_COUNT), ==, "");
}

/* A locale with a decimal comma must change nothing (skipped where none is installed). */
static void test_locale(void)
{
    if (!setlocale(LC_ALL, "de_DE.UTF-8"))
        g_test_message("no locale with a decimal comma here");
    int64_t value = 0;
    g_autoptr(GError) error = NULL;
    char text[UNIT_TEXT_SIZE];
    g_assert_true(unit_parse("1.5ns", UNIT_TIME, &value, &error));
    g_assert_cmpint(value, ==, 1500);
    g_assert_cmpstr(unit_format(1500, UNIT_TIME, text), ==, "1.5ns");
    setlocale(LC_ALL, "C");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/units/reads", test_reads);
    g_test_add_func("/units/refuses", test_refuses);
    g_test_add_func("/units/formats", test_formats);
    g_test_add_func("/units/printed_reads_back", test_printed_reads_back);
    g_test_add_func("/units/lists_are_true", test_lists_are_true);
    g_test_add_func("/units/locale", test_locale);
    return g_test_run();
}
