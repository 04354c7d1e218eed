/* SPDX-License-Identifier: BSD-3-Clause */
/* Studies: axes and their order, mistakes in a study's table, and points run from end to end with
 * the real get_latency on a small machine. */
#include "../designs.h"
#include "scratch.h"

#include "script/script.h"
#include "script/study/point.h"
#include "study/model/machine.h"
#include "workloads/workloads.h"

#define HEAD "local m = machine { name = 'small', nodes = 2 }\n"

static struct study *load(const char *text, const char *const *overrides)
{
    char *path = scratch_file("s.lua", text);
    GError *error = NULL;
    struct study *study = study_load(path, overrides, &error);
    g_assert_no_error(error);
    g_free(path);
    return study;
}

/* --- loading ------------------------------------------------------------------------------------
 */

static void test_loads(void)
{
    struct study *study = load(
        HEAD
        "return study { title = 'A title', machine = m,\n"
        "  vary = { bytes = pow2('8B', '32B'), design = { 'dgpu', 'apu' }, n = { 1, 2.5 },\n"
        "           wait = { '0', '5ns' }, mixed = { '5ns', '5B' }, flag = { true, false } },\n"
        "  run = function(p) end,\n"
        "  plot = { x = 'bytes', y = 'latency_us', by = 'design', style = 'loglog' },\n"
        "  claims = { ['N-40'] = function(r) end, ['N-39'] = function(r) end } }",
        NULL);
    g_assert_cmpstr(study->title, ==, "A title");
    g_assert_cmpstr(study->name, ==, "s");
    static const char *const names[] = {"bytes", "design", "flag", "mixed", "n", "wait"};
    static const enum value_kind kinds[] = {VALUE_QUANTITY, VALUE_TEXT,   VALUE_TEXT,
                                            VALUE_TEXT,     VALUE_NUMBER, VALUE_QUANTITY};
    g_assert_cmpuint(study->axis_count, ==, G_N_ELEMENTS(names));
    for (size_t i = 0; i < study->axis_count; i++) {
        g_assert_cmpstr(study->axes[i].name, ==, names[i]);
        for (size_t j = 0; j < study->axes[i].count; j++)
            g_assert_cmpint((int)study->axes[i].values[j].kind, ==, (int)kinds[i]);
    }
    g_assert_cmpint(study->axes[0].values[2].quantity, ==, 32);
    g_assert_cmpint((int)study->axes[0].values[2].unit, ==, (int)UNIT_BYTES);
    g_assert_cmpint(study->axes[5].values[1].quantity, ==, 5000);
    g_assert_cmpuint(study->point_count, ==, 3 * 2 * 2 * 2 * 2 * 2);
    g_autoptr(GVariant) plots = study_table(study, "plots"), plot = NULL;
    g_assert_cmpuint(g_variant_n_children(plots), ==, 1);
    g_variant_get_child(plots, 0, "v", &plot);
    const char *style = NULL;
    g_assert_true(g_variant_lookup(plot, "style", "^&ay", &style));
    g_assert_cmpstr(style, ==, "loglog");
    g_assert_false(g_variant_lookup(plot, "title", "^&ay", &style));
    g_autoptr(GVariant) claims = study_table(study, "claims");
    g_assert_cmpuint(g_variant_n_children(claims), ==, 2);
    g_autofree char *claim = scratch_claim(study, 0);
    g_assert_cmpstr(claim, ==, "N-39");
    study_free(study);
}

/* A list of pairs keeps its order. */
static void test_ordered_axes(void)
{
    struct study *study =
        load(HEAD "return study { title = 't', machine = m, run = function() end,\n"
                  "  vary = { { 'z', { 1, 2 } }, { 'a', { 3 } } } }",
             NULL);
    g_assert_cmpuint(study->axis_count, ==, 2);
    g_assert_cmpstr(study->axes[0].name, ==, "z");
    g_assert_cmpstr(study->axes[1].name, ==, "a");
    study_free(study);
}

struct mistake {
    const char *fields; /* of the study, from line 3 on */
    const char *message;
};

#define GOOD "title = 't', machine = m, run = function() end, "

static const struct mistake mistakes[] = {
    {GOOD "vary = {},\n varry = 1",
     "$/x.lua:4: unknown key \"varry\" in study; did you mean \"vary\"? Accepted: title, machine, "
     "vary, where, trials, run, plot, claims, conclude, band, measured, long."},
    {"machine = m, vary = {}, run = print", "$/x.lua:2: study: title is missing; give a text."},
    {"\n\ntitle = 5", "$/x.lua:5: study: title has to be a text, not a number."},
    {"title = 't', vary = {}, run = print",
     "$/x.lua:2: study: machine is missing; give a machine or a function that makes one."},
    {"title = 't', machine = {}, run = print",
     "$/x.lua:3: study: machine has to be a machine or a function that makes one, not a table."},
    {"title = 't', machine = m, vary = {}", "$/x.lua:2: study: run is missing; give a function."},
    {GOOD, "$/x.lua:2: study: vary is missing; give a table."},
    {GOOD "vary = {\n a = {} }",
     "$/x.lua:4: axis \"a\" needs a list of values, such as { \"64B\", \"1KiB\" }."},
    {GOOD "vary = { a = 5 }",
     "$/x.lua:3: axis \"a\" needs a list of values, such as { \"64B\", \"1KiB\" }."},
    {GOOD "vary = { a = { 1, 'x' } }", "$/x.lua:3: axis \"a\" has values of different kinds."},
    {GOOD "vary = { a = { 1, [3] = 2 } }",
     "$/x.lua:2: a list whose last entry is 1 has one under the key 3, too: lists have no gaps."},
    {GOOD "vary = { a = { 1, 2, b = 3 } }", "$/x.lua:2: a list has names, too."},
    {GOOD "vary = { a = { 1 }, [1.5] = { 2 } }",
     "$/x.lua:2: a list whose last entry is 0 has one under the key 1.5, too: lists have no gaps."},
    {GOOD "vary = { a = { 1 } }, plot = { { x = 'a', y = 'b' }, x = 'a' }",
     "$/x.lua:2: a list has names, too."},
    {GOOD "vary = {}, claims = { 'N-39', [true] = 'N-40' }",
     "$/x.lua:2: the key of an entry is a boolean; keys are names, and in lists numbers from 1 on."},
    {GOOD "vary = { a = { {} } }",
     "$/x.lua:3: axis \"a\" has a value that is no quantity, number, name or boolean."},
    {GOOD "vary = { a = { '1024B', '1KiB' } }", "$/x.lua:3: axis \"a\" has a value twice: 1KiB."},
    {GOOD "vary = { ['a b'] = { 1 } }",
     "$/x.lua:2: axis \"a b\" needs a name of letters, digits and _."},
    {GOOD "vary = { { 'a', { 1 } }, { 'a', { 2 } } }", "$/x.lua:2: axis \"a\" stands there twice."},
    {GOOD "vary = { { 'a' } }",
     "$/x.lua:2: vary: an entry without a name has to be { name, values }."},
    {GOOD "vary = { zip { a = { 1, 2 }, b = { 3 } } }",
     "$/x.lua:3: zip: axis \"b\" has 1 values where the one before has 2."},
    {GOOD "vary = { latin(3, { a = { 2, 1 } }) }",
     "$/x.lua:3: the range of \"a\" has its ends the wrong way round."},
    {GOOD "vary = { random(3, { a = published(2, 'there') }) }",
     "$/x.lua:3: the range of \"a\" is a value without bounds; only estimated and fitted ones have "
     "them."},
    {GOOD "vary = { a = { 1 } }, where = function(p) return false end",
     "$/x.lua: where drops every point."},
    {GOOD "vary = { a = { 1 } }, where = function(p) return 1 end",
     "$/x.lua:3: where has to return true or false, not a number."},
    {GOOD "vary = { a = { 1 } }, trials = 0", "$/x.lua:2: study: trials are 1 to 1000000."},
    {GOOD "vary = { a = range(1, 1000, 1), b = range(1, 1000, 1), c = range(1, 1000, 1) }",
     "$/x.lua: the axes make more than 10000000 points."},
    {GOOD "vary = { a = { 1 } },\n plot = { x = 'b', y = 'c' }",
     "$/x.lua:4: plot.x names an axis, and \"b\" is none; did you mean \"a\"? Accepted: a."},
    {GOOD "vary = { a = { 1 } }, plot = { x = 'a' }",
     "$/x.lua:2: plot needs x, the name of an axis, and y, the name of a measure's column."},
    {GOOD "vary = { a = { 1 } }, plot = { x = 'a', y = 'c', style = 'logolog' }",
     "$/x.lua:3: plot.style is \"logolog\"; did you mean \"loglog\"? Accepted: lines, loglog, "
     "semilogx, bars, "
     "stack, heatmap, points, pareto."},
    {GOOD "vary = { a = { 1 } }, plot = { x = 'a', y = 5 }",
     "$/x.lua:3: plot.y has to be a text, not a number."},
    {GOOD "vary = {}, claims = { ['N-1'] = 5 }",
     "$/x.lua:2: claims: N-1 needs a function of the results, not a number."},
    {GOOD "vary = {}, claims = { 5 }",
     "$/x.lua:2: claims: write [\"N-39\"] = function(r) ... end, or the id alone."},
};

/* What stands in `plot = { x = 'a', y = 'c', by = 'b', ... }` and is not accepted. */
static const struct {
    const char *field, *message;
} plot_mistakes[] = {
    {"x_label = 5", "plot.x_label has to be a text, not a number."},
    {"over = 'd'",
     "plot.over names an axis, and \"d\" is none; did you mean \"a\"? Accepted: a, b."},
    {"panels = 'd'",
     "plot.panels names an axis, and \"d\" is none; did you mean \"a\"? Accepted: a, b."},
    {"bands = 'c_low'",
     "plot.bands has to be { \"COLUMN of the low end\", \"COLUMN of the high end\" }."},
    {"bands = { 'c_low' }",
     "plot.bands has to be { \"COLUMN of the low end\", \"COLUMN of the high end\" }."},
    {"bands = { 'c_low', 5 }",
     "plot.bands has to be { \"COLUMN of the low end\", \"COLUMN of the high end\" }."},
    {"over = 'b', bands = { 'c_low', 'c_high' }",
     "plot.bands goes with one y, and without over, which draws a band itself."},
    {"marks = 'one'", "plot.marks has to be a list of values of the axis that `by` names."},
    {"marks = { 'two' }", "plot.marks names two, which axis \"b\" does not have."},
    {"labels = 'one'", "plot.labels has to be a table such as { none = \"not fused\" }."},
    {"labels = { 'one' }", "plot.labels has to be a table such as { none = \"not fused\" }."},
    {"labels = { one = 1 }", "plot.labels has to be a table such as { none = \"not fused\" }."},
    {"labels = { two = 'x' }",
     "plot.labels names two, which is no value of the axes in `by` and `panels`."},
    {"marks = { {} }", "plot.marks needs a value of axis \"b\", not a table."},
    {"only = 'one'", "plot.only has to be a table such as { origin = \"simulated\" }."},
    {"only = { d = 1 }",
     "plot.only names an axis, and \"d\" is none; did you mean \"a\"? Accepted: a, b."},
    {"least = 'd'",
     "plot.least names an axis, and \"d\" is none; did you mean \"a\"? Accepted: a, b."},
    {"speedup = 'one'",
     "plot.speedup has to be a table with one value of one axis, such as { design = \"dgpu\" }."},
    {"speedup = {}",
     "plot.speedup has to be a table with one value of one axis, such as { design = \"dgpu\" }."},
    {"share = { a = 1, b = 'one' }",
     "plot.share has to be a table with one value of one axis, such as { design = \"dgpu\" }."},
    {"share = { b = 'two' }", "plot.share names two, which axis \"b\" does not have."},
    {"over = 'b', speedup = { b = 'one' }", "plot.speedup goes without over and bands."},
    {"only = { a = 7 }", "plot.only names 7, which axis \"a\" does not have."},
    {"published = 5",
     "plot.published has to be a list, or a function of the results that returns one."},
    {"title = {}", "plot.title has to be a text, not a table."},
};

static void test_plot_mistakes(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(plot_mistakes); i++) {
        g_autofree char *text = g_strconcat(
            HEAD "return study {\n" GOOD "vary = { a = { 1 }, b = { 'one' } },\n",
            "plot = { x = 'a', y = 'c', by = 'b', ", plot_mistakes[i].field, " } }", NULL);
        g_autofree char *message = g_strconcat("$/x.lua:4: ", plot_mistakes[i].message, NULL);
        scratch_check(text, message);
    }
}

static void test_mistakes(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(mistakes); i++) {
        char *text = g_strconcat(HEAD "return study {\n", mistakes[i].fields, " }", NULL);
        scratch_check(text, mistakes[i].message);
        g_free(text);
    }
    scratch_check("assert(quantity '8B' < quantity '1MiB' and quantity '1us' == 1000000 and "
                  "quantity '0' == 0)\nreturn machine {}",
                  NULL);
    scratch_check("study(5)", "$/x.lua:1: study needs a table { ... }, not a number.");
    scratch_check(HEAD "local s = study { " GOOD "vary = {} }\nstudy { " GOOD "vary = {} }",
                  "$/x.lua:3: a file describes one study.");
}

static void test_not_a_study(void)
{
    GError *error = NULL;
    char *path = scratch_file("s.lua", "return machine {}");
    g_assert_null(study_load(path, NULL, &error));
    scratch_assert_message(error,
                           "$/s.lua: returns a machine instead of a study; gpunetsim new study "
                           "NAME writes one, which can require the machine.");
    g_free(path);
}

static void test_bad_override(void)
{
    GError *error = NULL;
    char *path = scratch_file("s.lua", HEAD "return study { " GOOD "vary = {} }");
    static const char *const bad[] = {"nodes=0", NULL};
    g_assert_null(study_load(path, bad, &error));
    scratch_assert_message(
        error, "override nodes=0: machine.nodes: \"0\" is out of range; accepted: 1 to 65536.");
    g_free(path);
}

/* --- points -------------------------------------------------------------------------------------
 */

/* One axis each way, so that point n is known: the last axis runs fastest. */
#define STUDY(run)                                                                                 \
    HEAD "return study { title = 't', machine = m,\n"                                              \
         "vary = { a = { 10, 20 }, b = { '1ns', '2ns', '3ns' } },\n"                               \
         "run = function(p)\n" run "\nend }"

static struct row *run(const char *text, size_t n)
{
    struct study *study = load(text, NULL);
    struct row *row = scratch_run(study, n, 1);
    study_free(study);
    return row;
}

static void assert_measure(const struct row *row, size_t i, const char *column, const char *text)
{
    g_assert_cmpuint(i, <, row->measure_count);
    char *got_column = value_column(row->measures[i].name, &row->measures[i].value);
    char *got_text = value_column_text(&row->measures[i].value);
    g_assert_cmpstr(got_column, ==, column);
    g_assert_cmpstr(got_text, ==, text);
    g_free(got_column);
    g_free(got_text);
}

static void test_measures(void)
{
    struct row *row = run(
        STUDY("return { z = p.a * 2, length = p.b, share = 0.1, name = 'x', none = '0ps' }"), 4);
    g_assert_cmpstr(row->failure, ==, NULL);
    g_assert_cmpuint(row->axis_index[0], ==, 1);
    g_assert_cmpuint(row->axis_index[1], ==, 1);
    g_assert_cmpuint(row->measure_count, ==, 5);
    assert_measure(row, 0, "length_us", "0.002");
    assert_measure(row, 1, "name", "x");
    assert_measure(row, 2, "none_us", "0");
    assert_measure(row, 3, "share", "0.1");
    assert_measure(row, 4, "z", "40");
    row_free(row);
}

static const struct mistake failures[] = {
    {"return { x = p.c }", "$/s.lua:5: unknown name \"c\" in the point; did you mean \"a\"? "
                           "Accepted: a, b."},
    {"p.a = 5", "$/s.lua:5: the point cannot be changed."},
    {"return 5", "$/s.lua:4: run has to return what a workload gave or a table of measures, not a "
                 "number."},
    {"return {}", "$/s.lua:4: run returned no measures."},
    {"return { z = 1, 5 }", "$/s.lua:4: run returned a measure without a name."},
    {"return { ['b,c'] = 5 }",
     "$/s.lua:4: a measure cannot be called \"b,c\": names are not empty, not "
     "failure and without commas."},
    {"return { failure = 5 }",
     "$/s.lua:4: a measure cannot be called \"failure\": names are not empty, not "
     "failure and without commas."},
    {"return { x = {} }",
     "$/s.lua:4: measure \"x\" has to be a finite number, a quantity or a text, "
     "not a table."},
    {"return { x = 0/0 }", "$/s.lua:4: measure \"x\" has to be a finite number, a quantity or a "
                           "text."},
    {"return { a = 1 }", "$/s.lua:4: measure \"a\" has the name of an axis."},
    {"return { b = '3us' }", "$/s.lua:4: measure \"b\" has the name of an axis."},
    {"return { b = 3 }", "$/s.lua:4: measure \"b\" has the name of an axis."},
    {"return { b_us = 3 }", "$/s.lua:4: measure \"b_us\" has the name of another column."},
    {"return { x = quantity(p.a) }",
     "$/s.lua:5: quantity needs a text such as \"1MiB\", not a number."},
    {"return { x = quantity('fast') }", "$/s.lua:5: quantity: \"fast\" is not a quantity."},
    {"\nerror('no')", "$/s.lua:6: no."},
    {"return get_latency { design = 'dgpu', bytes = 8 }",
     "$/s.lua:5: get_latency.bytes: \"8\" has no unit; a number of bytes needs one of B, kB, MB, "
     "GB, "
     "TB, KiB, MiB, GiB, TiB."},
    {"return get_latency { bytes = '8B' }",
     "$/s.lua:5: get_latency.design is missing and has no default."},
    {"while true do end", "$/s.lua:5: the script does not end: it was stopped after 100 million "
                          "instructions."},
};

static void test_failures(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(failures); i++) {
        char *text = g_strdup_printf(STUDY("%s"), failures[i].fields);
        struct row *row = run(text, 0);
        char *expected = scratch_expand(failures[i].message);
        g_assert_cmpstr(row->failure, ==, expected);
        g_assert_cmpuint(row->measure_count, ==, 0);
        g_free(expected);
        row_free(row);
        g_free(text);
    }
}

static void test_workload_outside(void)
{
    scratch_check("get_latency { design = 'dgpu', bytes = '8B' }",
                  "$/x.lua:1: get_latency can be called only inside the run function of a study.");
}

static struct row *run_get(const char *body, uint64_t seed)
{
    char *text = g_strdup_printf(
        HEAD "return study { title = 't', machine = m, vary = { bytes = { '8B' } },\n"
             "run = function(p)\n%s\nend }",
        body);
    struct study *study = load(text, NULL);
    struct row *row = scratch_run(study, 0, seed);
    study_free(study);
    g_free(text);
    return row;
}

#define GET "get_latency { design = 'dgpu', bytes = p.bytes, repeats = 3 }"

/* A workload's result as the row, and the same taken apart and put together by the script. */
static void test_workload(void)
{
    struct row *whole = run_get("return " GET, 1);
    g_assert_cmpstr(whole->failure, ==, NULL);
    g_assert_cmpstr(whole->measures[0].name, ==, "latency");
    g_assert_cmpint(whole->measures[0].value.quantity, >, 0);
    struct row *parts = run_get("local r = " GET "\n"
                                "assert(type(r.latency_us) == 'number')\n"
                                "assert(not pcall(function() r.latency = 1 end))\n"
                                "assert(not pcall(function() return r.latncy end))\n"
                                "return { latency = r.latency, half = r.latency_us / 2 }",
                                1);
    g_assert_cmpstr(parts->failure, ==, NULL);
    g_assert_cmpstr(parts->measures[1].name, ==, "latency");
    g_assert_cmpint(parts->measures[1].value.quantity, ==, whole->measures[0].value.quantity);
    double half = (double)whole->measures[0].value.quantity / 2e6;
    g_assert_cmpfloat_with_epsilon(parts->measures[0].value.number, half, 1e-12);
    row_free(whole);
    row_free(parts);
}

/* Trials and master seeds all give different seeds; the points of one trial share theirs. */
static void test_seeds(void)
{
    struct study *study = load(HEAD "return study { title = 't', machine = m, run = print,\n"
                                    "vary = { a = { 1, 2 } }, trials = 100 }",
                               NULL);
    GHashTable *seen = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    g_assert_cmpuint(study->point_count, ==, 200);
    for (uint64_t master = 1; master <= 10; master++) {
        for (size_t trial = 0; trial < 100; trial++) {
            gint64 *seed = g_new(gint64, 1);
            *seed = (gint64)study_point_seed(study, trial, master);
            g_assert_cmpint(*seed, ==, (gint64)study_point_seed(study, 100 + trial, master));
            g_assert_true(g_hash_table_add(seen, seed));
        }
    }
    g_hash_table_destroy(seen);
    study_free(study);
}

/* The points of a study as "axis=text" for each axis, a line a point. */
static char *points_of(const struct study *study)
{
    GString *text = g_string_new(NULL);
    for (size_t n = 0; n < study->point_count; n++) {
        for (size_t i = 0; i < study->axis_count; i++)
            g_string_append_printf(text, "%s%s=%s", i ? " " : "", study->axes[i].name,
                                   study->axes[i].values[study_axis_index(study, n, i)].text);
        g_string_append_c(text, '\n');
    }
    return g_string_free(text, FALSE);
}

/* A zipped pair counts as one digit of the counter; `where` drops a point; trials come last. */
static void test_groups_and_where(void)
{
    struct study *study =
        load(HEAD "return study { title = 't', machine = m, run = print, trials = 2,\n"
                  "vary = { zip { clock = { '1GHz', '2GHz', '2GHz' }, cores = { 4, 2, 1 } },\n"
                  "         design = { 'a', 'b' } },\n"
                  "where = function(p) return not (p.design == 'b' and p.cores > 1) end }",
             NULL);
    char *points = points_of(study);
    g_assert_cmpstr(points, ==,
                    "clock=1GHz cores=4 design=a trial=1\nclock=1GHz cores=4 design=a trial=2\n"
                    "clock=2GHz cores=2 design=a trial=1\nclock=2GHz cores=2 design=a trial=2\n"
                    "clock=2GHz cores=1 design=a trial=1\nclock=2GHz cores=1 design=a trial=2\n"
                    "clock=2GHz cores=1 design=b trial=1\nclock=2GHz cores=1 design=b trial=2\n");
    g_assert_cmpuint(study->axes[0].count, ==, 2); /* distinct clocks */
    char *json = study_point_json(study, 7);
    g_assert_cmpstr(json, ==,
                    "{\"clock_GHz\":\"2\",\"cores\":\"1\",\"design\":\"b\",\"trial\":\"2\"}");
    g_free(json);
    g_free(points);
    study_free(study);
}

static gint compare_numbers(gconstpointer a, gconstpointer b)
{
    gint64 one = *(const gint64 *)a, other = *(const gint64 *)b;
    return one < other ? -1 : one > other;
}

/* docs/use/studies.md: the group may be all that varies, and its draws make the machines. */
static void test_latin_alone(void)
{
    struct study *study = load(
        HEAD "local node = machine { bus = { latency = estimated('90ns', '60ns', '150ns', 'why') "
             "} }\nreturn study { title = 't',\n"
             "machine = function(p) return node { bus = { latency = p.latency } } end,\n"
             "vary = latin(100, { latency = node:range 'bus.latency' }),\n"
             "run = function(p) return { n = p.sample } end }",
        NULL);
    g_assert_cmpuint(study->point_count, ==, 100);
    struct row *row = scratch_run(study, 99, 1);
    g_assert_cmpstr(row->failure, ==, NULL);
    assert_measure(row, 0, "n", "100");
    row_free(row);
    study_free(study);
}

/* A Latin hypercube of 100 over 0 to 99 us meets each stratum of a hundredth once. Drawn again it
 * is the same, and with another seed another. */
static void test_latin(void)
{
    static const char text[] =
        HEAD "local r = machine { network = { latency = estimated('5ps', '0', '99ps', 'why') } }\n"
             "return study { title = 't', machine = m, run = print,\n"
             "vary = { latin(100, { t = r:range 'network.latency', u = { 0.0, 1.0 } }%s) } }";
    char *first = NULL;
    for (int round = 0; round < 3; round++) {
        char *script = g_strdup_printf(text, round == 2 ? ", 7" : "");
        struct study *study = load(script, NULL);
        g_assert_cmpuint(study->point_count, ==, 100);
        gint64 times[100], fractions[100];
        for (size_t n = 0; n < 100; n++) {
            times[n] = study->axes[1].values[study_axis_index(study, n, 1)].quantity;
            fractions[n] =
                (gint64)(study->axes[2].values[study_axis_index(study, n, 2)].number * 100);
        }
        qsort(times, 100, sizeof *times, compare_numbers);
        qsort(fractions, 100, sizeof *fractions, compare_numbers);
        for (gint64 i = 0; i < 100; i++) {
            g_assert_cmpint(times[i], ==, i);
            g_assert_cmpint(fractions[i], ==, i);
        }
        char *points = points_of(study);
        if (round == 0)
            first = g_strdup(points);
        g_assert_true((g_strcmp0(points, first) == 0) == (round < 2));
        g_free(points);
        study_free(study);
        g_free(script);
    }
    g_free(first);
}

/* --- memory ------------------------------------------------------------------------------------
 */

/* Remembers one call. */
struct remembered {
    char *key;
    struct workload_result result;
    int recalls, keeps;
};

/* Machines and sources never change, so however much they hold, what a point leaves is seen: a thousand values here, in a machine each. */
static void test_left_beside_machines(void)
{
    static const char *const leaves[] = {"", "count = count + 1;"};
    for (size_t i = 0; i < G_N_ELEMENTS(leaves); i++) {
        g_autofree char *text = g_strdup_printf(
            "local kept, count, parts = {}, 0, {}\n"
            "for i = 1, 1000 do parts[i] = published(1000 + i .. 'ps', 'here') end\n"
            "for i = 1, 1000 do kept[i] = machine { nodes = 2, bus = { latency = parts[i], rate = published('1GB/s', 'there') } } end\n"
            "return study { title = 't', machine = kept[1], vary = { n = { 1, 2 } },\n"
            "  run = function(p) %s return { kept = #kept + #parts, counted = count } end }\n",
            leaves[i]);
        struct study *study = load(text, NULL);
        study_mark(study);
        row_free(scratch_run(study, 0, 1));
        g_assert_true(study_left_nothing(study) == (i == 0));
        study_free(study);
    }
}

static char *key_of(const struct workload_call *call)
{
    return g_strdup_printf("%s %s %s %" G_GUINT64_FORMAT, call->workload, call->machine,
                           call->arguments, call->seed);
}

static bool recall(void *context, const struct workload_call *call, struct workload_result *result)
{
    struct remembered *memory = context;
    char *key = key_of(call);
    bool is_known = g_strcmp0(key, memory->key) == 0;
    g_free(key);
    memory->recalls += is_known;
    if (is_known)
        *result = memory->result;
    return is_known;
}

static void keep(void *context, const struct workload_call *call,
                 const struct workload_result *result)
{
    struct remembered *memory = context;
    g_free(memory->key);
    memory->key = key_of(call);
    memory->result = *result;
    memory->result.measures[0].quantity = 12345; /* tells what is recalled from what is run */
    memory->keeps++;
}

/* The second time nothing is run; another size is another call. */
static void test_memory(void)
{
    struct remembered memory = {0};
    const struct workload_memory words = {.recall = recall, .keep = keep, .context = &memory};
    struct study *study = load(HEAD "return study { title = 't', machine = m,\n"
                                    "vary = { bytes = { '8B', '64B' } },\n"
                                    "run = function(p) return " GET " end }",
                               NULL);
    study_set_memory(study, &words);
    static const int expected[][2] = {{0, 1}, {1, 1}, {1, 2}};
    for (size_t i = 0; i < 3; i++) {
        struct row *row = scratch_run(study, i / 2, 1);
        g_assert_cmpstr(row->failure, ==, NULL);
        g_assert_true((row->measures[0].value.quantity == 12345) == (i == 1));
        g_assert_cmpint(memory.recalls, ==, expected[i][0]);
        g_assert_cmpint(memory.keeps, ==, expected[i][1]);
        row_free(row);
    }
    study_free(study);
    g_free(memory.key);
}

/* The machine of a point: a function of it, then the overrides. */
static void test_machine_of_point(void)
{
    static const char text[] =
        HEAD "return study { title = 't', vary = { nodes = { 2, 4 } }, run = function() end,\n"
             "machine = function(p) return m { nodes = p.nodes } end }";
    static const char *const overrides[] = {"network.latency=7ns", NULL};
    struct study *study = load(text, overrides);
    for (size_t n = 0; n < 2; n++) {
        GError *error = NULL;
        struct machine *machine = study_machine(study, n, &error);
        g_assert_no_error(error);
        g_assert_cmpint(machine->spec.nodes, ==, n == 0 ? 2 : 4);
        g_assert_cmpint(machine->spec.network.wire.latency_ps, ==, 7000);
        machine_free(machine);
    }
    study_free(study);
    study = load("return study { title = 't', vary = {}, run = print, machine = function() end }",
                 NULL);
    GError *error = NULL;
    g_assert_null(study_machine(study, 0, &error));
    scratch_assert_message(
        error, "$/s.lua:1: study: the machine function has to return a machine, not a nil.");
    study_free(study);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    test_designs_load();
    scratch_open();
    g_test_add_func("/study/loads", test_loads);
    g_test_add_func("/study/ordered_axes", test_ordered_axes);
    g_test_add_func("/study/mistakes", test_mistakes);
    g_test_add_func("/study/plot_mistakes", test_plot_mistakes);
    g_test_add_func("/study/not_a_study", test_not_a_study);
    g_test_add_func("/study/bad_override", test_bad_override);
    g_test_add_func("/study/measures", test_measures);
    g_test_add_func("/study/failures", test_failures);
    g_test_add_func("/study/workload_outside", test_workload_outside);
    g_test_add_func("/study/workload", test_workload);
    g_test_add_func("/study/left_beside_machines", test_left_beside_machines);
    g_test_add_func("/study/seeds", test_seeds);
    g_test_add_func("/study/groups_and_where", test_groups_and_where);
    g_test_add_func("/study/latin", test_latin);
    g_test_add_func("/study/latin_alone", test_latin_alone);
    g_test_add_func("/study/memory", test_memory);
    g_test_add_func("/study/machine_of_point", test_machine_of_point);
    int result = g_test_run();
    scratch_close();
    return result;
}
