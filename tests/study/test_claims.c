/* SPDX-License-Identifier: BSD-3-Clause */
/* Claims: reading them, judging answers, and the table that comes out. */
#include <glib.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "../claims_tables.h"
#include "../designs.h"
#include "core/error.h"
#include "script/views/views.h"

#define HEADER                                                                                     \
    "id\tsource\twhere\tsystems\tmetric\tworkload\tlow\thigh\tunit\tordering\tkind\tparaphrase"    \
    "\tuse\n"
#define CLAIM(id, source, low, high, use)                                                          \
    id "\t" source "\tTable 1\tA vs B\tlatency\tget\t" low "\t" high                               \
       "\tx\t\tmeasured\tA, not B.\t" use "\n"

static const char text[] = HEADER CLAIM("C-1", "One", "2", "4", "test")
    CLAIM("C-2", "One", "", "", "config") CLAIM("C-3", "Two", "2", "4", "restated")
        CLAIM("C-4", "One", "2", "", "fit") CLAIM("C-5", "One", "", "", "context")
            CLAIM("C-6", "One", "", "", "out-of-scope") CLAIM("C-7", "Two", "9", "9", "restated");

/* --- answers ------------------------------------------------------------------------------------ */

/* What a scenario's function may answer (views/tables/claims.lua). */
struct given {
    bool judged, holds, has_number, has_range, has_margin, is_error;
    double obtained, obtained_low, margin;
    const char *note;
};

#define NUMBER(value) ((struct given){.has_number = true, .obtained = value})
#define RANGE(low, high)                                                                           \
    ((struct given){.has_number = true, .obtained = high, .has_range = true, .obtained_low = low})

static void add_flag(GVariantBuilder *answer, const char *name, bool is_set)
{
    g_variant_builder_add(answer, "{sv}", name, g_variant_new_boolean(is_set));
}

static void add_number(GVariantBuilder *answer, const char *name, bool is_there, double number)
{
    if (is_there)
        g_variant_builder_add(answer, "{sv}", name, g_variant_new_double(number));
}

static GVariant *answer_value(struct given given)
{
    GVariantBuilder answer;
    g_variant_builder_init(&answer, G_VARIANT_TYPE_VARDICT);
    add_flag(&answer, "judged", given.judged);
    add_flag(&answer, "holds", given.holds);
    add_flag(&answer, "has_number", given.has_number);
    add_flag(&answer, "is_error", given.is_error);
    add_number(&answer, "obtained", given.has_number, given.obtained);
    add_number(&answer, "obtained_low", given.has_range, given.obtained_low);
    add_number(&answer, "margin", given.has_margin, given.margin);
    claims_add_text(&answer, "note", given.note);
    return g_variant_builder_end(&answer);
}

static void enter(struct claims *claims, const char *id, struct given given, const char *scenario)
{
    claims_enter(claims, id, scenario, answer_value(given), NULL);
}

/* --- what has come of a claim ------------------------------------------------------------------- */

#define TEST_FILE "../tests/study/claims"

static void assert_field(const struct claims *claims, const char *id, const char *field,
                         const char *expected)
{
    GVariantBuilder asked;
    g_variant_builder_init(&asked, G_VARIANT_TYPE_VARDICT);
    claims_add_text(&asked, "id", id);
    claims_add_text(&asked, "field", field);
    GError *error = NULL;
    g_auto(GStrv) texts = views_texts(
        TEST_FILE, "field", g_variant_new("(@a{sv}a{sv})", claims_value(claims), &asked), &error);
    g_assert_no_error(error);
    g_assert_cmpstr(texts[0], ==, expected);
}

static void assert_count(const struct claims *claims, const char *expected)
{
    g_auto(GStrv) texts =
        views_texts(TEST_FILE, "count", g_variant_new("(@a{sv})", claims_value(claims)), NULL);
    g_assert_cmpstr(texts[0], ==, expected);
}

/* The caller frees it with g_free. */
static char *csv_of(const struct claims *claims)
{
    GError *error = NULL;
    g_auto(GStrv) written = claims_texts(claims, "written", &error);
    g_assert_no_error(error);
    return g_strdup(written[0]);
}

/* --- a project of its own ---------------------------------------------------------------------- */

#define MODELLED "id\tplace\tvalue\ttest\n"
#define TWINS "id\trestated\n"
#define CAUSES "id\tcause\tcheck\n"
#define AT_TEST "\ttests/room/test_it.c:/it/works\n"

static const char *const files[] = {"claims/claims.tsv",   "claims/modelled.tsv",
                                    "claims/restated.tsv", "claims/causes.tsv",
                                    "configs/m.lua",       "sim/it.c",
                                    "tests/room/test_it.c"};
static char *project; /* its folder */

/* The path, which the caller frees; NULL without content. */
static char *project_write(const char *name, const char *content)
{
    if (!content)
        return NULL;
    char *path = g_build_filename(project, name, NULL);
    g_autofree char *folder = g_path_get_dirname(path);
    g_assert_cmpint(g_mkdir_with_parents(folder, 0700), ==, 0);
    g_assert_true(g_file_set_contents(path, content, -1, NULL));
    return path;
}

static void project_make(void)
{
    project = g_dir_make_tmp("gpunetsim-claims-XXXXXX", NULL);
    g_assert_nonnull(project);
    g_free(project_write("configs/m.lua",
                         "return machine { name = \"m\", network = { latency = \"70ns\" } }\n"));
    g_free(project_write("sim/it.c", ""));
    g_free(project_write("tests/room/test_it.c", ""));
}

static void project_end(void)
{
    static const char *const folders[] = {"claims", "configs", "sim", "tests/room", "tests", ""};
    for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
        g_autofree char *path = g_build_filename(project, files[i], NULL);
        g_unlink(path);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(folders); i++) {
        g_autofree char *path = g_build_filename(project, folders[i], NULL);
        g_rmdir(path);
    }
    g_free(project);
}

/* The tables of these texts; NULL: there is none. */
static struct claims *open_tables(const char *stated, const char *modelled, const char *restated,
                                  GError **error)
{
    g_autofree char *first = project_write("claims/claims.tsv", stated);
    g_autofree char *second = project_write("claims/modelled.tsv", modelled);
    g_autofree char *third = project_write("claims/restated.tsv", restated);
    return claims_open(first, second, third, NULL, error);
}

static struct claims *open_good(const char *stated, const char *modelled, const char *restated)
{
    GError *error = NULL;
    struct claims *claims = open_tables(stated, modelled, restated, &error);
    g_assert_no_error(error);
    return claims;
}

static void assert_refused(const char *stated, const char *modelled, const char *restated,
                           const char *ending)
{
    g_autoptr(GError) error = NULL;
    g_assert_null(open_tables(stated, modelled, restated, &error));
    g_assert_error(error, ERROR_DOMAIN, ERROR_USE);
    if (!g_str_has_suffix(error->message, ending))
        g_error("\"%s\" does not end with \"%s\"", error->message, ending);
}

/* --- reading ------------------------------------------------------------------------------------ */

static void test_reading(void)
{
    struct claims *claims = open_good(text, NULL, NULL);
    assert_count(claims, "7");
    assert_field(claims, "C-1", "paraphrase", "A, not B.");
    assert_field(claims, "C-1", "status", "not-yet");
    assert_field(claims, "C-2", "status", "not-yet");
    assert_field(claims, "C-8", "id", "nil");
    assert_field(claims, "C-3", "status", "restated");
    assert_field(claims, "C-5", "status", "context");
    assert_field(claims, "C-6", "status", "out-of-scope");
    claims_free(claims);
}

static void test_bad_files(void)
{
    assert_refused("", NULL, NULL,
                   ":1: the first line must name the columns id, source, where, systems, metric, "
                   "workload, low, high, unit, ordering, kind, paraphrase, use");
    assert_refused(HEADER "\nC-1\tOne\n", NULL, NULL, ":3: a row has 13 fields, separated by tabs");
    assert_refused(HEADER CLAIM("C-1", "One", "two", "", "test"), NULL, NULL,
                   ":2: low and high are numbers or empty");
    assert_refused(HEADER CLAIM("C-1", "One", "inf", "", "test"), NULL, NULL,
                   ":2: low and high are numbers or empty");
    claims_free(open_good(HEADER CLAIM("C-1", "One", ".5", "+1e3", "test"), NULL, NULL));
    assert_refused(HEADER CLAIM("C-1", "One", "", "", "tested"), NULL, NULL,
                   ":2: use is config, fit, test, check, restated, context or out-of-scope");
}

/* --- judging ------------------------------------------------------------------------------------ */

/* What comes of a claim from `low` to `high`. */
static void assert_judged(const char *low, const char *high, struct given given,
                          const char *expected)
{
    g_autofree char *stated =
        g_strdup_printf(HEADER CLAIM("C-1", "One", "%s", "%s", "test"), low, high);
    struct claims *claims = open_good(stated, NULL, NULL);
    enter(claims, "C-1", given, "s");
    assert_field(claims, "C-1", "status", expected);
    claims_free(claims);
}

static void test_judging_by_range(void)
{
    assert_judged("2", "4", NUMBER(2), "reproduced");
    assert_judged("2", "4", NUMBER(4), "reproduced");
    assert_judged("2", "4", NUMBER(1.999), "missed");
    assert_judged("2", "4", NUMBER(4.001), "missed");
    assert_judged("2", "", NUMBER(1e9), "reproduced");
    assert_judged("", "4", NUMBER(-1e9), "reproduced");
    assert_judged("2", "4", NUMBER(NAN), "missed");
    assert_judged("", "", NUMBER(3), "missed");
    assert_judged("2", "4", RANGE(2, 4), "reproduced");
    assert_judged("2", "4", RANGE(1.9, 4), "missed");
    assert_judged("2", "4", RANGE(2, 4.1), "missed");
}

static void test_the_verdict_goes_first(void)
{
    struct given holds = {.judged = true, .holds = true, .has_number = true, .obtained = 9};
    struct given fails = {.judged = true, .has_number = true, .obtained = 3};
    assert_judged("2", "4", holds, "reproduced");
    assert_judged("2", "4", fails, "missed");
    assert_judged("", "", (struct given){0}, "missed");
}

/* Of several scenarios that answer one claim an error outweighs a miss, and a miss the others, in any order. */
static void test_errors_go_first(void)
{
    const struct given answers[] = {NUMBER(3), NUMBER(9), {.is_error = true}};
    static const char *const statuses[] = {"reproduced", "missed", "error"};
    assert_judged("2", "4", answers[2], "error");
    for (size_t first = 0; first < 3; first++)
        for (size_t second = 0; second < 3; second++) {
            struct claims *claims = open_good(text, NULL, NULL);
            enter(claims, "C-1", answers[first], "one");
            enter(claims, "C-1", answers[second], "two");
            assert_field(claims, "C-1", "status", statuses[MAX(first, second)]);
            claims_free(claims);
        }
}

/* C-1 states 2 to 4. A verdict against the range says that it is one; one that agrees does not. */
static void test_a_verdict_against_the_range_is_noted(void)
{
    static const struct {
        double obtained;
        const char *note, *shown;
    } cases[] = {{9, "near enough", "judged by the scenario: near enough"},
                 {9, NULL, "judged by the scenario"},
                 {3, "within", "within"}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct given given = NUMBER(cases[i].obtained);
        given.judged = given.holds = true;
        given.note = cases[i].note;
        struct claims *claims = open_good(text, NULL, NULL);
        enter(claims, "C-1", given, "s");
        assert_field(claims, "C-1", "status", "reproduced");
        assert_field(claims, "C-1", "note", cases[i].shown);
        claims_free(claims);
    }
}

/* --- facts that are built in ---------------------------------------------------------------------- */

static void test_modelled(void)
{
    struct claims *claims = open_good(
        text,
        MODELLED "C-2\tconfigs/m.lua:network.latency\t70ns" AT_TEST "C-2\tsim/it.c:it\t" AT_TEST
                 "C-2\tsim/it.c:it\t\ttests/room/test_it.c:/it/runs\n",
        NULL);
    assert_field(claims, "C-2", "status", "modelled");
    assert_field(claims, "C-2", "place", "configs/m.lua:network.latency = 70ns; sim/it.c:it");
    assert_field(claims, "C-2", "test",
                 "tests/room/test_it.c:/it/works; tests/room/test_it.c:/it/runs");
    assert_field(claims, "C-2", "note", "nil");
    claims_free(claims);
}

/* A machine file that says otherwise is a miss that names both values, whatever other rows say. */
static void test_modelled_otherwise(void)
{
    struct claims *claims = open_good(text,
                                      MODELLED "C-2\tconfigs/m.lua:network.latency\t80ns" AT_TEST
                                               "C-2\tsim/it.c:it\t" AT_TEST,
                                      NULL);
    assert_field(claims, "C-2", "status", "missed");
    assert_field(claims, "C-2", "note", "configs/m.lua:network.latency is 70ns, not 80ns");
    claims_free(claims);
}

/* An axis of a design is a place, too. */
static void test_modelled_design(void)
{
    struct claims *claims = open_good(
        text, MODELLED "C-2\tconfigs/designs.lua:comp-net.completion\ttogether" AT_TEST, NULL);
    assert_field(claims, "C-2", "status", "modelled");
    assert_field(claims, "C-2", "place", "configs/designs.lua:comp-net.completion = together");
    claims_free(claims);
    assert_refused(text, MODELLED "C-2\tconfigs/designs.lua:comp-net.color\tcp" AT_TEST, NULL,
                   ":2: there is no parameter \"configs/designs.lua:comp-net.color\"");
}

/* What is not modelled has a reason instead of a place. */
static void test_not_modelled(void)
{
    struct claims *claims = open_good(text, MODELLED "C-2\t\tnobody needs it\t\n", NULL);
    assert_field(claims, "C-2", "status", "not-modelled");
    assert_field(claims, "C-2", "note", "nobody needs it");
    assert_field(claims, "C-2", "place", "nil");
    claims_free(claims);
    assert_refused(text, MODELLED "C-2\tsim/it.c:it\t" AT_TEST "C-2\t\tnobody needs it\t\n", NULL,
                   ":3: C-2 has a reason why it is not modelled, and so no other row");
    assert_refused(text, MODELLED "C-2\t\tnobody needs it\t\nC-2\tsim/it.c:it\t" AT_TEST, NULL,
                   ":3: C-2 has a reason why it is not modelled, and so no other row");
}

static void test_bad_modelled(void)
{
    static const char *const cases[][2] = {
        {"C-9\tsim/it.c:it\t" AT_TEST, ":2: there is no claim \"C-9\""},
        {"C-1\tsim/it.c:it\t" AT_TEST, ":2: C-1 is of use test, not config"},
        {"C-2\tconfigs/no.lua:it\t3" AT_TEST, "configs/no.lua: cannot be read: no such file."},
        {"C-2\t\t" AT_TEST, ":2: a place is FILE:PARAMETER or FILE:FUNCTION, not \"\""},
        {"C-2\tsim/it.c\t" AT_TEST,
         ":2: a place is FILE:PARAMETER or FILE:FUNCTION, not \"sim/it.c\""},
        {"C-2\tsim/it.c:it\t3" AT_TEST, ":2: only a parameter has a value, not \"sim/it.c:it\""},
        {"C-2\tconfigs/m.lua:network.color\t3" AT_TEST,
         ":2: there is no parameter \"configs/m.lua:network.color\""},
        {"C-2\tconfigs/m.lua:network.rate\t" AT_TEST,
         ":2: no value is stated of \"configs/m.lua:network.rate\""},
        {"C-2\tsim/it.c:it\t\tsim/it.c:/a\n",
         ":2: a test is tests/FOLDER/test_NAME:CASE, not \"sim/it.c:/a\""},
        {"C-2\tsim/it.c:it\t\t\n", ":2: a test is tests/FOLDER/test_NAME:CASE, not \"\""},
        {"C-2\tsim/it.c:it\t\ttests/room/test_it.c\n",
         ":2: no case is named of \"tests/room/test_it.c\""},
        {"C-2\n", ":2: a row has 4 fields, separated by tabs"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *content = g_strconcat(MODELLED, cases[i][0], NULL);
        assert_refused(text, content, NULL, cases[i][1]);
    }
    assert_refused(text, TWINS, NULL,
                   ":1: the first line must name the columns id, place, value, test");
}

/* --- restated ------------------------------------------------------------------------------------- */

/* The claims of `text`, with C-3 the restated of C-1. */
static struct claims *open_with_twin(void)
{
    return open_good(text, NULL, TWINS "C-3\tC-1\n");
}

/* Both ends are shown; one that restates the claim shows them, too. */
static void test_ranges_obtained(void)
{
    struct claims *claims = open_with_twin();
    enter(claims, "C-1", RANGE(2.5, 3.5), "s");
    assert_field(claims, "C-1", "obtained", "2.5 to 3.5");
    assert_field(claims, "C-3", "obtained", "2.5 to 3.5");
    assert_field(claims, "C-2", "obtained", "");
    g_autofree char *csv = csv_of(claims);
    g_assert_nonnull(strstr(csv, "\nC-1,test,reproduced,2,4,x,2.5,3.5,s,"));
    claims_free(claims);
}

static void test_csv(void)
{
    struct claims *claims = open_good(
        text, MODELLED "C-2\tsim/it.c:it\t\ttests/room/test_it.c:/it\n", TWINS "C-3\tC-1\n");
    enter(claims, "C-1", NUMBER(3.0), "first");
    enter(claims, "C-4", NUMBER(2.3456789), "second");
    enter(claims, "C-5", NUMBER(7), "first");
    GError *error = NULL;
    g_auto(GStrv) written = claims_texts(claims, "written", &error);
    g_assert_no_error(error);
    g_assert_cmpstr(written[0], ==,
                    "id,use,status,low,high,unit,obtained_low,obtained,scenario,place,test,note\n"
                    "C-1,test,reproduced,2,4,x,,3,first,,,\n"
                    "C-2,config,modelled,,,x,,,,sim/it.c:it,tests/room/test_it.c:/it,\n"
                    "C-3,restated,restated,2,4,x,,3,first,,,says the same as C-1 (reproduced)\n"
                    "C-4,fit,reproduced,2,,x,,2.34568,second,,,\n"
                    "C-5,context,context,,,x,,7,first,,,\n"
                    "C-6,out-of-scope,out-of-scope,,,x,,,,,,\n"
                    "C-7,restated,restated,9,9,x,,,,,,\n");
    g_assert_cmpstr(
        written[1], ==,
        "Claims: 2 reproduced, 0 missed, 0 error, 1 modelled, 0 not-modelled, 0 not-yet, 1 out-of-scope, "
        "2 restated (1 reproduced, 1 not-yet), 1 context");
    claims_free(claims);
}

/* A restated claim comes to what its restated came to; one without a restated to nothing. */
static void test_verdict_of_a_twin(void)
{
    static const struct {
        double obtained;
        const char *verdict;
    } cases[] = {{3, "reproduced"}, {5, "missed"}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct claims *claims = open_with_twin();
        assert_field(claims, "C-3", "verdict", "not-yet");
        enter(claims, "C-1", NUMBER(cases[i].obtained), "s");
        assert_field(claims, "C-3", "status", "restated");
        assert_field(claims, "C-3", "verdict", cases[i].verdict);
        assert_field(claims, "C-1", "verdict", cases[i].verdict);
        assert_field(claims, "C-7", "verdict", "not-yet");
        claims_free(claims);
    }
}

/* An abstract that sums up several claims is as good as the worst of them, and states no number of its own. */
static void test_several_restated(void)
{
    struct claims *claims =
        open_good(HEADER CLAIM("C-1", "One", "1", "3", "test") CLAIM("C-2", "One", "2", "7", "test")
                      CLAIM("C-3", "Two", "3", "7", "restated"),
                  NULL, TWINS "C-3\tC-1 C-2\n");
    enter(claims, "C-1", NUMBER(2), "s");
    assert_field(claims, "C-3", "verdict", "not-yet");
    enter(claims, "C-2", NUMBER(8), "s");
    assert_field(claims, "C-3", "verdict", "missed");
    assert_field(claims, "C-3", "note", "says the same as C-1 (reproduced), C-2 (missed)");
    assert_field(claims, "C-3", "obtained", "");
    claims_free(claims);
}

static void test_bad_restated(void)
{
    static const char *const cases[][2] = {
        {"C-9\tC-1\n", ":2: there is no claim \"C-9\""},
        {"C-3\tC-9\n", ":2: there is no claim \"C-9\""},
        {"C-1\tC-4\n", ":2: C-1 is of use test, not restated"},
        {"C-3\tC-7\n", ":2: C-7 is restated itself"},
        {"C-3\t\n", ":2: C-3 needs a restated"},
        {"C-3\tC-4\n", ":2: C-3 does not say the same as C-4"},
        {"C-7\tC-1\n", ":2: C-7 does not say the same as C-1"},
        {"C-7\tC-1 C-4\n", ":2: C-7 does not say the same as C-1 C-4"},
        {"C-3\tC-1\nC-3\tC-1\n", ":3: C-3 stands here twice"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *content = g_strconcat(TWINS, cases[i][0], NULL);
        assert_refused(text, NULL, content, cases[i][1]);
    }
}

/* One scenario that misses is not made good by another that does not, in either order. */
static void test_a_miss_outweighs(void)
{
    struct claims *claims = open_good(text, NULL, NULL);
    enter(claims, "C-1", NUMBER(3.0), "good");
    enter(claims, "C-1", NUMBER(5.0), "bad");
    enter(claims, "C-1", NUMBER(3.5), "good again");
    assert_field(claims, "C-1", "status", "missed");
    assert_field(claims, "C-1", "scenario", "bad");
    claims_free(claims);
}

static char *project_table(const char *name)
{
    return g_build_filename(g_getenv("GPUNETSIM_ROOT"), "claims", name, NULL);
}

/* The project's own tables: every restated claim has a restated, every modelled one is as its machine file says,
 * and none is left without a status. */
static void test_the_projects_claims(void)
{
    g_autofree char *path = project_table("claims.tsv"), *modelled = project_table("modelled.tsv");
    g_autofree char *restated = project_table("restated.tsv"),
                    *causes = project_table("causes.tsv");
    GError *error = NULL;
    struct claims *claims = claims_open(path, modelled, restated, causes, &error);
    g_assert_no_error(error);
    assert_count(claims, "298");
    assert_field(claims, "N-39", "low", "2");
    assert_field(claims, "N-28", "status", "modelled");
    assert_field(claims, "I-T02", "note", "says the same as P-T02 (not-yet)");
    char **none =
        views_texts(TEST_FILE, "whole", g_variant_new("(@a{sv})", claims_value(claims)), &error);
    g_assert_no_error(error);
    g_strfreev(none);
    claims_free(claims);
}

/* --- causes --------------------------------------------------------------------------------------- */

/* With these causes; NULL and an error. */
static struct claims *open_causes(const char *causes, GError **error)
{
    g_autofree char *stated = project_write("claims/claims.tsv", text);
    g_autofree char *restated = project_write("claims/restated.tsv", TWINS "C-3\tC-1\n");
    g_autofree char *path = project_write("claims/causes.tsv", causes);
    return claims_open(stated, NULL, restated, path, error);
}

/* A claim that is missed, and one that restates it, have its cause; one that holds has none. */
static void test_causes(void)
{
    for (int is_missed = 0; is_missed < 2; is_missed++) {
        GError *error = NULL;
        struct claims *claims = open_causes(CAUSES "C-1\tthe wire\texplain\n", &error);
        g_assert_no_error(error);
        struct given given = NUMBER(is_missed ? 9 : 3);
        given.note = "one way";
        enter(claims, "C-1", given, "s");
        assert_field(claims, "C-1", "cause", is_missed ? "the wire" : "nil");
        assert_field(claims, "C-1", "check", is_missed ? "explain" : "nil");
        assert_field(claims, "C-1", "note",
                     is_missed ? "one way. Why: the wire (explain)" : "one way");
        assert_field(claims, "C-3", "cause", is_missed ? "the wire" : "nil");
        claims_free(claims);
    }
}

static void test_bad_causes(void)
{
    static const char *const cases[][2] = {
        {"C-9\twire\texplain\n", ":2: there is no claim \"C-9\""},
        {"C-2\twire\texplain\n", ":2: C-2 is of use config, which no scenario answers"},
        {"C-3\twire\texplain\n", ":2: C-3 is of use restated, which no scenario answers"},
        {"C-1\twire\t\n", ":2: C-1 needs a cause and what shows it"},
        {"C-1\t\texplain\n", ":2: C-1 needs a cause and what shows it"},
        {"C-1\twire\texplain\nC-1\tbus\texplain\n", ":3: C-1 stands here twice"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *content = g_strconcat(CAUSES, cases[i][0], NULL);
        g_autoptr(GError) error = NULL;
        g_assert_null(open_causes(content, &error));
        g_assert_error(error, ERROR_DOMAIN, ERROR_USE);
        g_assert_true(g_str_has_suffix(error->message, cases[i][1]));
    }
}

/* --- nearness ------------------------------------------------------------------------------------- */

/* Eight samples of which the first `held` hold, from 1.5 to 6.25; floating. */
static GVariant *eight_samples(size_t held)
{
    GVariantBuilder samples;
    g_variant_builder_init(&samples, G_VARIANT_TYPE("aa{sv}"));
    for (size_t i = 0; i < 8; i++) {
        struct given given = NUMBER(i == 3 ? 1.5 : i == 5 ? 6.25 : 3);
        given.judged = true;
        given.holds = i < held;
        g_variant_builder_add_value(&samples, answer_value(given));
    }
    return g_variant_builder_end(&samples);
}

/* A verdict that some samples of what is estimated turn round wavers, whichever it is; one that none does stands. */
static void test_bands(void)
{
    static const struct {
        double obtained;
        size_t held;
        bool wavers;
    } cases[] = {{3, 8, false}, {3, 7, true}, {3, 0, true}, {5, 0, false}, {5, 1, true}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct claims *claims = open_good(text, NULL, NULL);
        assert_field(claims, "C-1", "wavers", "nil");
        claims_enter(claims, "C-1", "s", answer_value(NUMBER(cases[i].obtained)),
                     eight_samples(cases[i].held));
        assert_field(claims, "C-1", "wavers", cases[i].wavers ? "true" : "false");
        g_autofree char *note = g_strdup_printf(
            "held in %zu of 8 samples of what is estimated, 1.5 to 6.25", cases[i].held);
        assert_field(claims, "C-1", "note", note);
        claims_free(claims);
    }
}

/* Samples in which it could not be evaluated are counted; without any number the note has none. */
static void test_failed_samples(void)
{
    struct claims *claims = open_good(text, NULL, NULL);
    GVariant *samples[] = {answer_value((struct given){.is_error = true}), answer_value(NUMBER(3))};
    claims_enter(claims, "C-1", "s", answer_value(NUMBER(3)),
                 g_variant_new_array(G_VARIANT_TYPE_VARDICT, samples, 2));
    assert_field(
        claims, "C-1", "note",
        "held in 1 of 2 samples of what is estimated (in 1 it could not be evaluated), 3 to 3");
    claims_free(claims);
}

/* C-1 is from 2 to 4: what comes within 3 % of either end is so by a hair, whether it holds or not; of a claim that the scenario
 * judges its own margin says it. */
static void test_hair(void)
{
    static const struct {
        struct given answer;
        bool is_by_a_hair;
    } cases[] = {
        {{.has_number = true, .obtained = 3}, false},
        {{.has_number = true, .obtained = 2.05}, true},
        {{.has_number = true, .obtained = 4.1}, true},
        {{.has_number = true, .obtained = 4.2}, false},
        {{.has_number = true, .obtained = 2.05, .judged = true}, false},
        {{.has_number = true, .obtained = 3, .has_margin = true, .margin = 0.02, .judged = true},
         true}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct claims *claims = open_good(text, NULL, NULL);
        enter(claims, "C-1", cases[i].answer, "s");
        assert_field(claims, "C-1", "hair", cases[i].is_by_a_hair ? "true" : "false");
        claims_free(claims);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    test_designs_load();
    project_make();
    g_test_add_func("/claims/reading", test_reading);
    g_test_add_func("/claims/bands", test_bands);
    g_test_add_func("/claims/failed-samples", test_failed_samples);
    g_test_add_func("/claims/hair", test_hair);
    g_test_add_func("/claims/causes", test_causes);
    g_test_add_func("/claims/causes-bad", test_bad_causes);
    g_test_add_func("/claims/bad-files", test_bad_files);
    g_test_add_func("/claims/range", test_judging_by_range);
    g_test_add_func("/claims/verdict", test_the_verdict_goes_first);
    g_test_add_func("/claims/errors", test_errors_go_first);
    g_test_add_func("/claims/verdict-noted", test_a_verdict_against_the_range_is_noted);
    g_test_add_func("/claims/csv", test_csv);
    g_test_add_func("/claims/ranges-obtained", test_ranges_obtained);
    g_test_add_func("/claims/modelled", test_modelled);
    g_test_add_func("/claims/modelled-otherwise", test_modelled_otherwise);
    g_test_add_func("/claims/modelled-design", test_modelled_design);
    g_test_add_func("/claims/not-modelled", test_not_modelled);
    g_test_add_func("/claims/modelled-bad", test_bad_modelled);
    g_test_add_func("/claims/restated", test_verdict_of_a_twin);
    g_test_add_func("/claims/restated-several", test_several_restated);
    g_test_add_func("/claims/restated-bad", test_bad_restated);
    g_test_add_func("/claims/miss-outweighs", test_a_miss_outweighs);
    g_test_add_func("/claims/project", test_the_projects_claims);
    int result = g_test_run();
    project_end();
    return result;
}
