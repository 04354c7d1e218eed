/* SPDX-License-Identifier: BSD-3-Clause */
/* Parameter tables: every kind of value can be written and read back, every refusal has its sentence, and a faulty table is
 * found. */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "../param_valid.h"
#include "core/param.h"

struct widget_spec {
    int64_t latency_ps;
    int64_t rate_Bps;
    int64_t slots;
    double share;
    int64_t snoops;
    int64_t shape;
};

static const char *const shapes[] = {"star", "fat_tree", "full", NULL};
static const struct param widget_rows[] = {
    PARAM_TIME(latency, struct widget_spec, "150ns", "0", "1ms", "from end to end"),
    PARAM_RATE(rate, struct widget_spec, "12.5GB/s", "1B/s", "10TB/s", "per direction"),
    PARAM_COUNT(slots, struct widget_spec, "64", "1", NULL, "entries"),
    PARAM_NUMBER(share, struct widget_spec, "0.5", "0", "1", "of the whole"),
    PARAM_FLAG(snoops, struct widget_spec, "true", "whether it looks"),
    PARAM_ENUM(shape, struct widget_spec, "fat_tree", shapes, "how it is laid out"),
};
static PARAM_TABLE(widget_params, "widget", struct widget_spec, widget_rows, "something to turn");

static void test_defaults(void)
{
    struct widget_spec spec;
    memset(&spec, 0x5a, sizeof spec);
    param_set_defaults(&widget_params, &spec);
    g_assert_cmpint(spec.latency_ps, ==, 150 * 1000);
    g_assert_cmpint(spec.rate_Bps, ==, INT64_C(12500000000));
    g_assert_cmpint(spec.slots, ==, 64);
    g_assert_cmpfloat(spec.share, ==, 0.5);
    g_assert_cmpint(spec.snoops, ==, 1);
    g_assert_cmpint(spec.shape, ==, 1);
}

struct text_case {
    const char *name, *text;
    const char *result; /* what param_format then gives; NULL: refused */
    const char *description;
};

static const struct text_case text_cases[] = {
    {"latency", "2us", "2us", NULL},
    {"latency", "0", "0ps", NULL},
    {"latency", "1ms", "1ms", NULL},
    {"latency", "-5ns", NULL, "widget.latency: \"-5ns\" is out of range; accepted: 0 to 1ms"},
    {"latency", "1.1ms", NULL, "widget.latency: \"1.1ms\" is out of range; accepted: 0 to 1ms"},
    {"latency", "12", NULL,
     "widget.latency: \"12\" has no unit; a time needs one of ps, ns, us, ms, s"},
    {"rate", "100Gbit/s", "12.5GB/s", NULL},
    {"slots", "1", "1", NULL},
    {"slots", "0", NULL, "widget.slots: \"0\" is out of range; accepted: 1 or more"},
    {"share", "0.1", "0.1", NULL},
    {"share", "1e-3", "0.001", NULL},
    {"share", "0.30000000000000004", "0.30000000000000004", NULL},
    {"share", "1.01", NULL, "widget.share: \"1.01\" is out of range; accepted: 0 to 1"},
    {"share", "nan", NULL, "widget.share: \"nan\" is not a plain number"},
    {"share", "0x1", NULL, "widget.share: \"0x1\" is not a plain number"},
    {"share", "50%", NULL, "widget.share: \"50%\" is not a plain number"},
    {"share", "", NULL, "widget.share: \"\" is not a plain number"},
    {"share", "1e999", NULL, "widget.share: \"1e999\" is not a plain number"},
    {"snoops", "false", "false", NULL},
    {"snoops", "yes", NULL, "widget.snoops: \"yes\" is not one of true, false"},
    {"shape", "full", "full", NULL},
    {"shape", "stra", NULL,
     "widget.shape: \"stra\" is not known; did you mean \"star\"? Accepted: star, fat_tree, full"},
    {"shape", "moebius", NULL,
     "widget.shape: \"moebius\" is not known; accepted: star, fat_tree, full"},
};

static void test_set_text(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(text_cases); i++) {
        const struct text_case *c = &text_cases[i];
        const struct param *param = param_find(&widget_params, c->name);
        struct widget_spec spec, before;
        g_autoptr(GError) error = NULL;
        char text[UNIT_TEXT_SIZE];
        param_set_defaults(&widget_params, &spec);
        before = spec;
        bool accepted = param_set_text(&widget_params, param, &spec, c->text, &error);
        g_assert_cmpint(accepted, ==, c->result != NULL);
        if (accepted) {
            g_assert_cmpstr(param_format(param, &spec, text), ==, c->result);
        } else {
            g_assert_cmpstr(error->message, ==, c->description);
            g_assert_true(memcmp(&spec, &before, sizeof spec) == 0);
        }
    }
}

struct number_case {
    const char *name;
    double number;
    const char *result;
    const char *description;
};

static const struct number_case number_cases[] = {
    {"latency", 2000, "2ns", NULL},
    {"latency", -5000, NULL, "widget.latency: \"-5ns\" is out of range; accepted: 0 to 1ms"},
    {"latency", 0.5, NULL, "widget.latency: 0.5 is not a whole number in its range"},
    {"latency", 0x1p63, NULL,
     "widget.latency: 9.223372036854776e+18 is not a whole number in its range"},
    {"slots", 7, "7", NULL},
    {"share", 0.25, "0.25", NULL},
    {"share", -0.25, NULL, "widget.share: \"-0.25\" is out of range; accepted: 0 to 1"},
    {"share", (double)INFINITY, NULL, "widget.share: inf is not a finite number"},
    {"snoops", 0, "false", NULL},
    {"snoops", 2, NULL, "widget.snoops: 2 is not a whole number in its range"},
    {"shape", 2, "full", NULL},
    {"shape", 3, NULL, "widget.shape: 3 is not a whole number in its range"},
    {"shape", -1, NULL, "widget.shape: -1 is not a whole number in its range"},
};

static void test_set_number(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(number_cases); i++) {
        const struct number_case *c = &number_cases[i];
        const struct param *param = param_find(&widget_params, c->name);
        struct widget_spec spec;
        g_autoptr(GError) error = NULL;
        char text[UNIT_TEXT_SIZE];
        param_set_defaults(&widget_params, &spec);
        bool accepted = param_set_number(&widget_params, param, &spec, c->number, &error);
        if (c->result) {
            g_assert_true(accepted);
            g_assert_cmpstr(param_format(param, &spec, text), ==, c->result);
        } else {
            g_assert_false(accepted);
            g_assert_cmpstr(error->message, ==, c->description);
        }
    }
}

/* Whatever double is stored, its text gives the same bits back. */
static void test_ratio_reads_back(void)
{
    GRand *random = g_rand_new_with_seed(7);
    const struct param *share = param_find(&widget_params, "share");
    for (int i = 0; i < 20000; i++) {
        struct widget_spec spec = {.share = g_rand_double(random)}, back = {0};
        g_autoptr(GError) error = NULL;
        char text[UNIT_TEXT_SIZE];
        param_format(share, &spec, text);
        g_assert_true(param_set_text(&widget_params, share, &back, text, &error));
        g_assert_true(memcmp(&back.share, &spec.share, sizeof spec.share) == 0);
    }
    g_rand_free(random);
}

/* --- shared rows -------------------------------------------------------------------------------- */

struct house_spec {
    int64_t rooms;
    struct widget_spec front, back;
};

static const struct param_record widget_shared = {.table = &widget_params};
static const struct param house_rows[] = {
    PARAM_COUNT(rooms, struct house_spec, "4", "1", NULL, "to live in"),
    PARAM_SHARE("front_", front, struct house_spec, &widget_shared, "slots=2,rate=", "in front: "),
    PARAM_SHARE("", back, struct house_spec, &widget_shared, "", ""),
};
static PARAM_TABLE_SHARING(house_params, "house", struct house_spec, house_rows, "where they are");

/* Shared rows are in the table under their prefix, with the defaults that are given or else their own. */
static void test_shared(void)
{
    struct house_spec spec;
    GError *error = NULL;
    g_assert_cmpuint(house_params.count, ==, 1 + 2 * widget_params.count);
    g_assert_true(param_table_valid(&house_params, &error));
    param_set_defaults(&house_params, &spec);
    g_assert_cmpint(spec.front.slots, ==, 2);
    g_assert_cmpint(spec.back.slots, ==, 64);
    g_assert_cmpint(spec.back.rate_Bps, ==, INT64_C(12500000000));
    g_assert_null(param_find(&house_params, "front_rate")->default_text);
    g_assert_cmpstr(param_find(&house_params, "front_share")->description, ==,
                    "in front: of the whole");
    g_assert_true(param_set_text(&house_params, param_find(&house_params, "front_latency"), &spec,
                                 "2us", &error));
    g_assert_cmpint(spec.front.latency_ps, ==, 2 * 1000 * 1000);
    g_assert_cmpint(spec.back.latency_ps, ==, 150 * 1000);
    g_assert_null(param_find(&house_params, "back_latency"));
}

static void test_find(void)
{
    g_assert_true(param_find(&widget_params, "slots") == &widget_rows[2]);
    g_assert_null(param_find(&widget_params, "slot"));
    g_assert_null(param_find(&widget_params, ""));
}

/* Distance allowed: 1 + length/3; the nearest wins, the first of equals. */
static void test_nearest(void)
{
    static const char *const names[] = {"latency", "rate", "radix", "rata"};
    g_assert_cmpstr(param_nearest("latncy", names, 4), ==, "latency");   /* one left out */
    g_assert_cmpstr(param_nearest("lateency", names, 4), ==, "latency"); /* one too many */
    g_assert_cmpstr(param_nearest("latecny", names, 4), ==, "latency");  /* two swapped */
    g_assert_cmpstr(param_nearest("radx", names, 4), ==, "radix");
    g_assert_cmpstr(param_nearest("rata", names, 4), ==, "rata");
    g_assert_cmpstr(param_nearest("rat", names, 4), ==, "rate"); /* before rata, equally near */
    static const char *const units[] = {"ps"};
    g_assert_cmpstr(param_nearest("sp", units, 1), ==, "ps"); /* two swapped are one slip */
    g_assert_null(param_nearest("sx", units, 1));
    g_assert_null(param_nearest("bandwidth", names, 4));
    g_assert_null(param_nearest("x", names, 0));
    char longest[5000];
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    g_assert_null(param_nearest(longest, names, 4));
}

static void assert_invalid(struct param row, const char *sentence)
{
    struct param rows[] = {widget_rows[1], row};
    struct param_table table = widget_params;
    table.params = rows;
    table.count = 2;
    g_autoptr(GError) error = NULL;
    g_assert_false(param_table_valid(&table, &error));
    g_assert_cmpstr(error->message, ==, sentence);
}

/* Of records and choices. */
static size_t no_values(void)
{
    return 0;
}

static void test_record_valid(void)
{
    struct param field = PARAM_NUMBER(share, struct widget_spec, NULL, "0", "1", "of the whole");
    struct param_table fields = {"part", "a part", &field, 1, sizeof(double), NULL};
    struct param_record record = {.table = &fields, .count = no_values};
    struct param row = {"part", PARAM_RECORD, UNIT_COUNT, 0,       "",
                        NULL,   NULL,         NULL,       "of it", &record};
    field.offset = 0;
    assert_invalid(row, "widget.part: has a field without default, or a record");
    field.default_text = "0.5";
    fields.spec_size = sizeof(struct widget_spec) + 1;
    assert_invalid(row, "widget.part: lies outside the spec");
    struct param many[64];
    for (size_t i = 0; i < G_N_ELEMENTS(many); i++)
        many[i] = field;
    fields = (struct param_table){"part", "a part", many, G_N_ELEMENTS(many), sizeof(double), NULL};
    assert_invalid(row, "widget.part: has too many fields");
    struct widget_spec spec;
    const struct param_table table = {"widget", "with a part", &row, 1, sizeof spec, NULL};
    g_autoptr(GError) error = NULL;
    g_assert_false(param_set_number(&table, &row, &spec, 5, &error));
    g_assert_cmpstr(error->message, ==, "widget.part: needs a name, not a number");
    row = widget_rows[5];
    row.choices = (const char *const[]){NULL};
    assert_invalid(row, "widget.shape: has no choices");
}

/* A range with one end. */
static void test_at_most(void)
{
    struct param row = widget_rows[2];
    row.low = NULL;
    row.high = "64";
    struct widget_spec spec;
    g_autoptr(GError) error = NULL;
    g_assert_false(param_set_text(&widget_params, &row, &spec, "65", &error));
    g_assert_cmpstr(error->message, ==,
                    "widget.slots: \"65\" is out of range; accepted: at most 64");
}

static void test_table_valid(void)
{
    g_autoptr(GError) error = NULL;
    g_assert_true(param_table_valid(&widget_params, &error));
    struct param row = widget_rows[0];
    row.default_text = "2ms";
    assert_invalid(row, "widget.latency: \"2ms\" is out of range; accepted: 0 to 1ms");
    row.default_text = "2";
    assert_invalid(row, "widget.latency: \"2\" has no unit; a time needs one of ps, ns, us, ms, s");
    row = widget_rows[0];
    row.low = "2ms";
    assert_invalid(row, "widget.latency: has its bounds the wrong way round");
    row = widget_rows[0];
    row.high = "soon";
    assert_invalid(row, "widget.latency: \"soon\" is not a time; write a number with one of "
                        "ps, ns, us, ms, s");
    row = widget_rows[0];
    row.description = "";
    assert_invalid(row, "widget.latency: has no sentence");
    row = widget_rows[0];
    row.offset = sizeof(struct widget_spec);
    assert_invalid(row, "widget.latency: lies outside the spec");
    row.offset = widget_rows[1].offset;
    assert_invalid(row, "widget.latency: shares its field with another");
    row = widget_rows[1];
    assert_invalid(row, "widget.rate: stands twice in the table");
    row = widget_rows[5];
    row.default_text = "ring";
    assert_invalid(row, "widget.shape: \"ring\" is not known; accepted: star, fat_tree, full");
}

static void test_suggestion_of_nothing(void)
{
    g_autofree char *suggestion = param_suggestion("n", NULL, 0);
    g_assert_cmpstr(suggestion, ==, "; it has none");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/param/defaults", test_defaults);
    g_test_add_func("/param/set_text", test_set_text);
    g_test_add_func("/param/set_number", test_set_number);
    g_test_add_func("/param/ratio_reads_back", test_ratio_reads_back);
    g_test_add_func("/param/find", test_find);
    g_test_add_func("/param/nearest", test_nearest);
    g_test_add_func("/param/shared", test_shared);
    g_test_add_func("/param/record_valid", test_record_valid);
    g_test_add_func("/param/at_most", test_at_most);
    g_test_add_func("/param/table_valid", test_table_valid);
    g_test_add_func("/param/suggestion-of-nothing", test_suggestion_of_nothing);
    return g_test_run();
}
