/* SPDX-License-Identifier: BSD-3-Clause */
/* Claims: reading them, judging answers, and the table that comes out. */
#include <glib.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "../designs.h"
#include "core/error.h"
#include "study/claims/claims.h"

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

static struct claim_list *read_text(const char *content, GError **error)
{
    g_autofree char *path = g_build_filename(g_get_tmp_dir(), "gpunetsim-claims-XXXXXX", NULL);
    int fd = g_mkstemp(path);
    g_assert_cmpint(fd, >=, 0);
    g_assert_true(g_close(fd, NULL));
    g_assert_true(g_file_set_contents(path, content, -1, NULL));
    struct claim_list *list = claims_read(path, error);
    g_unlink(path);
    return list;
}

static void test_reading(void)
{
    GError *error = NULL;
    struct claim_list *list = read_text(text, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(list->count, ==, 7);
    g_assert_cmpstr(list->claims[0].paraphrase, ==, "A, not B.");
    g_assert_cmpint(list->claims[0].status, ==, CLAIM_NOT_YET);
    g_assert_cmpint(claims_find(list, "C-2")->status, ==, CLAIM_NOT_YET);
    g_assert_null(claims_find(list, "C-8"));
    g_assert_cmpint(claims_find(list, "C-3")->status, ==, CLAIM_RESTATED);
    g_assert_cmpint(claims_find(list, "C-5")->status, ==, CLAIM_CONTEXT);
    g_assert_cmpint(claims_find(list, "C-6")->status, ==, CLAIM_OUT_OF_SCOPE);
    claims_free(list);
}

static void assert_unreadable(const char *content, const char *ending)
{
    g_autoptr(GError) error = NULL;
    g_assert_null(read_text(content, &error));
    g_assert_error(error, ERROR_DOMAIN, ERROR_USE);
    if (!g_str_has_suffix(error->message, ending))
        g_error("\"%s\" does not end with \"%s\"", error->message, ending);
}

static void test_bad_files(void)
{
    assert_unreadable(
        "", ":1: the first line must name the columns id, source, where, systems, metric, "
            "workload, low, high, unit, ordering, kind, paraphrase, use");
    assert_unreadable(HEADER "\nC-1\tOne\n", ":3: a row has 13 fields, separated by tabs");
    assert_unreadable(HEADER CLAIM("C-1", "One", "two", "", "test"),
                      ":2: low and high are numbers or empty");
    assert_unreadable(HEADER CLAIM("C-1", "One", "", "", "tested"),
                      ":2: use is config, fit, test, check, restated, context or out-of-scope");
}

static enum claim_status judge(const char *low, const char *high, struct claim_answer answer)
{
    struct claim claim = {.low = g_strdup(low), .high = g_strdup(high)};
    enum claim_status status = claim_judge(&claim, &answer);
    g_free(claim.low);
    g_free(claim.high);
    return status;
}

#define NUMBER(value) ((struct claim_answer){.has_number = true, .obtained = value})
#define RANGE(low, high)                                                                           \
    ((struct claim_answer){                                                                        \
        .has_number = true, .obtained = high, .has_range = true, .obtained_low = low})

static void test_judging_by_range(void)
{
    g_assert_cmpint(judge("2", "4", NUMBER(2)), ==, CLAIM_REPRODUCED);
    g_assert_cmpint(judge("2", "4", NUMBER(4)), ==, CLAIM_REPRODUCED);
    g_assert_cmpint(judge("2", "4", NUMBER(1.999)), ==, CLAIM_MISSED);
    g_assert_cmpint(judge("2", "4", NUMBER(4.001)), ==, CLAIM_MISSED);
    g_assert_cmpint(judge("2", "", NUMBER(1e9)), ==, CLAIM_REPRODUCED);
    g_assert_cmpint(judge("", "4", NUMBER(-1e9)), ==, CLAIM_REPRODUCED);
    g_assert_cmpint(judge("2", "4", NUMBER(NAN)), ==, CLAIM_MISSED);
    g_assert_cmpint(judge("", "", NUMBER(3)), ==, CLAIM_MISSED);
    g_assert_cmpint(judge("2", "4", RANGE(2, 4)), ==, CLAIM_REPRODUCED);
    g_assert_cmpint(judge("2", "4", RANGE(1.9, 4)), ==, CLAIM_MISSED);
    g_assert_cmpint(judge("2", "4", RANGE(2, 4.1)), ==, CLAIM_MISSED);
}

static void test_the_verdict_goes_first(void)
{
    struct claim_answer holds = {.judged = true, .holds = true, .has_number = true, .obtained = 9};
    struct claim_answer fails = {.judged = true, .has_number = true, .obtained = 3};
    g_assert_cmpint(judge("2", "4", holds), ==, CLAIM_REPRODUCED);
    g_assert_cmpint(judge("2", "4", fails), ==, CLAIM_MISSED);
    g_assert_cmpint(judge("", "", (struct claim_answer){0}), ==, CLAIM_MISSED);
}

/* Of several scenarios that answer one claim an error outweighs a miss, and a miss the others, in any order. */
static void test_errors_go_first(void)
{
    struct claim_answer answers[] = {{.has_number = true, .obtained = 3},
                                     {.has_number = true, .obtained = 9},
                                     {.is_error = true}};
    static const enum claim_status statuses[] = {CLAIM_REPRODUCED, CLAIM_MISSED, CLAIM_ERROR};
    g_assert_cmpint(judge("2", "4", answers[2]), ==, CLAIM_ERROR);
    for (size_t first = 0; first < 3; first++)
        for (size_t second = 0; second < 3; second++) {
            struct claim_list *list = read_text(text, NULL);
            struct claim *claim = claims_find(list, "C-1");
            claim_answered(claim, &answers[first], NULL, "one");
            claim_answered(claim, &answers[second], NULL, "two");
            g_assert_cmpint(claim->status, ==, statuses[MAX(first, second)]);
            claims_free(list);
        }
}

static void answer(struct claim_list *list, const char *id, double number, const char *scenario)
{
    struct claim_answer given = {.has_number = true, .obtained = number};
    claim_answered(claims_find(list, id), &given, NULL, scenario);
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
        struct claim_list *list = read_text(text, NULL);
        g_autofree char *note = g_strdup(cases[i].note);
        struct claim_answer given = {
            .judged = true, .holds = true, .has_number = true, .obtained = cases[i].obtained};
        given.note = note;
        struct claim *claim = claims_find(list, "C-1");
        claim_answered(claim, &given, NULL, "s");
        g_assert_cmpint(claim->status, ==, CLAIM_REPRODUCED);
        g_assert_cmpstr(claim->note, ==, cases[i].shown);
        claims_free(list);
    }
}

/* --- a project of its own ---------------------------------------------------------------------- */

#define MODELLED "id\tplace\tvalue\ttest\n"
#define TWINS "id\trestated\n"
#define AT_TEST "\ttests/room/test_it.c:/it/works\n"

struct project {
    char *folder;
};

static const char *const files[] = {"claims/table.tsv", "configs/m.lua", "sim/it.c",
                                    "tests/room/test_it.c"};

static void project_write(const struct project *project, const char *name, const char *content)
{
    g_autofree char *path = g_build_filename(project->folder, name, NULL);
    g_autofree char *folder = g_path_get_dirname(path);
    g_assert_cmpint(g_mkdir_with_parents(folder, 0700), ==, 0);
    g_assert_true(g_file_set_contents(path, content, -1, NULL));
}

static struct project project_new(void)
{
    struct project project = {g_dir_make_tmp("gpunetsim-claims-XXXXXX", NULL)};
    g_assert_nonnull(project.folder);
    project_write(&project, "configs/m.lua",
                  "return machine { name = \"m\", network = { latency = \"70ns\" } }\n");
    project_write(&project, "sim/it.c", "");
    project_write(&project, "tests/room/test_it.c", "");
    return project;
}

static void project_end(struct project *project)
{
    static const char *const folders[] = {"claims", "configs", "sim", "tests/room", "tests", ""};
    for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
        g_autofree char *path = g_build_filename(project->folder, files[i], NULL);
        g_unlink(path);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(folders); i++) {
        g_autofree char *path = g_build_filename(project->folder, folders[i], NULL);
        g_rmdir(path);
    }
    g_free(project->folder);
}

typedef bool read_table(struct claim_list *list, const char *path, GError **error);

static bool project_read(const struct project *project, read_table *read, struct claim_list *list,
                         const char *content, GError **error)
{
    project_write(project, "claims/table.tsv", content);
    g_autofree char *path = g_build_filename(project->folder, "claims/table.tsv", NULL);
    return read(list, path, error);
}

static void assert_refused(read_table *read, const char *content, const char *ending)
{
    struct project project = project_new();
    struct claim_list *list = read_text(text, NULL);
    g_autoptr(GError) error = NULL;
    g_assert_false(project_read(&project, read, list, content, &error));
    g_assert_error(error, ERROR_DOMAIN, ERROR_USE);
    if (!g_str_has_suffix(error->message, ending))
        g_error("\"%s\" does not end with \"%s\"", error->message, ending);
    claims_free(list);
    project_end(&project);
}

static struct claim_list *read_modelled(const char *content)
{
    struct project project = project_new();
    struct claim_list *list = read_text(text, NULL);
    GError *error = NULL;
    project_read(&project, claims_read_modelled, list, content, &error);
    g_assert_no_error(error);
    project_end(&project);
    return list;
}

static void test_modelled(void)
{
    struct claim_list *list = read_modelled(
        MODELLED "C-2\tconfigs/m.lua:network.latency\t70ns" AT_TEST "C-2\tsim/it.c:it\t" AT_TEST
                 "C-2\tsim/it.c:it\t\ttests/room/test_it.c:/it/runs\n");
    const struct claim *claim = claims_find(list, "C-2");
    g_assert_cmpint(claim->status, ==, CLAIM_MODELLED);
    g_assert_cmpstr(claim->place, ==, "configs/m.lua:network.latency = 70ns; sim/it.c:it");
    g_assert_cmpstr(claim->test, ==,
                    "tests/room/test_it.c:/it/works; tests/room/test_it.c:/it/runs");
    g_assert_null(claim->note);
    claims_free(list);
}

/* A machine file that says otherwise is a miss that names both values, whatever other rows say. */
static void test_modelled_otherwise(void)
{
    struct claim_list *list = read_modelled(
        MODELLED "C-2\tconfigs/m.lua:network.latency\t80ns" AT_TEST "C-2\tsim/it.c:it\t" AT_TEST);
    const struct claim *claim = claims_find(list, "C-2");
    g_assert_cmpint(claim->status, ==, CLAIM_MISSED);
    g_assert_cmpstr(claim->note, ==, "configs/m.lua:network.latency is 70ns, not 80ns");
    claims_free(list);
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
        assert_refused(claims_read_modelled, content, cases[i][1]);
    }
    assert_refused(claims_read_modelled, TWINS,
                   ":1: the first line must name the columns id, place, value, test");
}

/* --- restated ------------------------------------------------------------------------------------- */

/* The list of `text`, with C-3 the restated of C-1. */
static struct claim_list *read_with_twin(void)
{
    struct project project = project_new();
    struct claim_list *list = read_text(text, NULL);
    g_assert_true(project_read(&project, claims_read_restated, list, TWINS "C-3\tC-1\n", NULL));
    project_end(&project);
    return list;
}

/* Both ends are shown; one that restates the claim shows them, too. */
static void test_ranges_obtained(void)
{
    struct claim_list *list = read_with_twin();
    struct claim_answer given = RANGE(2.5, 3.5);
    claim_answered(claims_find(list, "C-1"), &given, NULL, "s");
    claims_follow_restated(list);
    g_autofree char *own = claim_obtained(claims_find(list, "C-1"));
    g_autofree char *twin = claim_obtained(claims_find(list, "C-3"));
    g_autofree char *none = claim_obtained(claims_find(list, "C-2"));
    g_assert_cmpstr(own, ==, "2.5 to 3.5");
    g_assert_cmpstr(twin, ==, "2.5 to 3.5");
    g_assert_cmpstr(none, ==, "");
    g_autofree char *csv = claims_to_csv(list);
    g_assert_nonnull(strstr(csv, "\nC-1,test,reproduced,2,4,x,2.5,3.5,s,"));
    claims_free(list);
}

static void test_csv(void)
{
    struct claim_list *list = read_with_twin();
    answer(list, "C-1", 3.0, "first");
    answer(list, "C-4", 2.3456789, "second");
    answer(list, "C-5", 7, "first");
    claims_follow_restated(list);
    claims_find(list, "C-2")->place = g_strdup("sim/it.c:it");
    claims_find(list, "C-2")->test = g_strdup("tests/room/test_it.c:/it");
    g_autofree char *csv = claims_to_csv(list);
    g_assert_cmpstr(csv, ==,
                    "id,use,status,low,high,unit,obtained_low,obtained,scenario,place,test,note\n"
                    "C-1,test,reproduced,2,4,x,,3,first,,,\n"
                    "C-2,config,not-yet,,,x,,,,sim/it.c:it,tests/room/test_it.c:/it,\n"
                    "C-3,restated,restated,2,4,x,,3,first,,,says the same as C-1 (reproduced)\n"
                    "C-4,fit,reproduced,2,,x,,2.34568,second,,,\n"
                    "C-5,context,context,,,x,,7,first,,,\n"
                    "C-6,out-of-scope,out-of-scope,,,x,,,,,,\n"
                    "C-7,restated,restated,9,9,x,,,,,,\n");
    claims_free(list);
}

/* A restated claim comes to what its restated came to; one without a restated to nothing. */
static void test_verdict_of_a_twin(void)
{
    static const struct {
        double obtained;
        enum claim_status verdict;
    } cases[] = {{3, CLAIM_REPRODUCED}, {5, CLAIM_MISSED}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct claim_list *list = read_with_twin();
        claims_follow_restated(list);
        g_assert_cmpint(claims_find(list, "C-3")->verdict, ==, CLAIM_NOT_YET);
        answer(list, "C-1", cases[i].obtained, "s");
        claims_follow_restated(list);
        g_assert_cmpint(claims_find(list, "C-3")->status, ==, CLAIM_RESTATED);
        g_assert_cmpint(claims_find(list, "C-3")->verdict, ==, cases[i].verdict);
        g_assert_cmpint(claims_find(list, "C-1")->verdict, ==, cases[i].verdict);
        g_assert_cmpint(claims_find(list, "C-7")->verdict, ==, CLAIM_NOT_YET);
        claims_free(list);
    }
}

/* Least and most of several upper ends; it is as good as the worst of them. */
static void test_several_restated(void)
{
    struct project project = project_new();
    struct claim_list *list =
        read_text(HEADER CLAIM("C-1", "One", "1", "3", "test") CLAIM("C-2", "One", "2", "7", "test")
                      CLAIM("C-3", "Two", "3", "7", "restated"),
                  NULL);
    GError *error = NULL;
    project_read(&project, claims_read_restated, list, TWINS "C-3\tC-1 C-2\n", &error);
    g_assert_no_error(error);
    answer(list, "C-1", 2, "s");
    claims_follow_restated(list);
    g_assert_cmpint(claims_find(list, "C-3")->verdict, ==, CLAIM_NOT_YET);
    answer(list, "C-2", 8, "s");
    claims_follow_restated(list);
    const struct claim *claim = claims_find(list, "C-3");
    g_assert_cmpint(claim->verdict, ==, CLAIM_MISSED);
    g_assert_cmpstr(claim->note, ==, "says the same as C-1 (reproduced), C-2 (missed)");
    g_assert_false(claim->has_number);
    claims_free(list);
    project_end(&project);
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
        assert_refused(claims_read_restated, content, cases[i][1]);
    }
}

/* One scenario that misses is not made good by another that does not, in either order. */
static void test_a_miss_outweighs(void)
{
    struct claim_list *list = read_text(text, NULL);
    answer(list, "C-1", 3.0, "good");
    answer(list, "C-1", 5.0, "bad");
    answer(list, "C-1", 3.5, "good again");
    const struct claim *claim = claims_find(list, "C-1");
    g_assert_cmpint(claim->status, ==, CLAIM_MISSED);
    g_assert_cmpstr(claim->scenario, ==, "bad");
    claims_free(list);
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
    g_autofree char *restated = project_table("restated.tsv");
    GError *error = NULL;
    struct claim_list *list = claims_read(path, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(list->count, ==, 298);
    claims_read_modelled(list, modelled, &error);
    g_assert_no_error(error);
    claims_read_restated(list, restated, &error);
    g_assert_no_error(error);
    g_assert_cmpstr(claims_find(list, "N-39")->low, ==, "2");
    g_assert_cmpint(claims_find(list, "N-28")->status, ==, CLAIM_MODELLED);
    claims_follow_restated(list);
    g_assert_cmpstr(claims_find(list, "I-T02")->note, ==, "says the same as P-T02 (not-yet)");
    for (size_t i = 0; i < list->count; i++) {
        const struct claim *claim = &list->claims[i];
        g_assert_cmpint(claim->status, !=, CLAIM_MISSED);
        g_assert_true((claim->status == CLAIM_RESTATED) == (claim->restated != NULL));
    }
    claims_free(list);
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
        GError *error = NULL;
        struct claim_list *list = read_text(text, &error);
        g_assert_no_error(error);
        struct claim *claim = claims_find(list, "C-1");
        struct claim_answer answer = {.has_number = true, .obtained = cases[i].obtained};
        struct claim_band band = {.samples = 8, .held = cases[i].held, .least = 1.5, .most = 6.25};
        g_assert_false(claim_wavers(claim));
        claim_answered(claim, &answer, &band, "s");
        g_assert_cmpint(claim_wavers(claim), ==, cases[i].wavers);
        g_autofree char *note = g_strdup_printf(
            "held in %zu of 8 samples of what is estimated, 1.5 to 6.25", cases[i].held);
        g_assert_cmpstr(claim->note, ==, note);
        claims_free(list);
    }
}

/* C-1 is from 2 to 4: what comes within 3 % of either end is so by a hair, whether it holds or not; of a claim that the scenario
 * judges its own margin says it. */
static void test_hair(void)
{
    static const struct {
        struct claim_answer answer;
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
        GError *error = NULL;
        struct claim_list *list = read_text(text, &error);
        g_assert_no_error(error);
        struct claim *claim = claims_find(list, "C-1");
        claim_answered(claim, &cases[i].answer, NULL, "s");
        g_assert_cmpint(claim->is_by_a_hair, ==, cases[i].is_by_a_hair);
        claims_free(list);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    test_designs_load();
    g_test_add_func("/claims/reading", test_reading);
    g_test_add_func("/claims/bands", test_bands);
    g_test_add_func("/claims/hair", test_hair);
    g_test_add_func("/claims/bad-files", test_bad_files);
    g_test_add_func("/claims/range", test_judging_by_range);
    g_test_add_func("/claims/verdict", test_the_verdict_goes_first);
    g_test_add_func("/claims/errors", test_errors_go_first);
    g_test_add_func("/claims/verdict-noted", test_a_verdict_against_the_range_is_noted);
    g_test_add_func("/claims/csv", test_csv);
    g_test_add_func("/claims/ranges-obtained", test_ranges_obtained);
    g_test_add_func("/claims/modelled", test_modelled);
    g_test_add_func("/claims/modelled-otherwise", test_modelled_otherwise);
    g_test_add_func("/claims/modelled-bad", test_bad_modelled);
    g_test_add_func("/claims/restated", test_verdict_of_a_twin);
    g_test_add_func("/claims/restated-several", test_several_restated);
    g_test_add_func("/claims/restated-bad", test_bad_restated);
    g_test_add_func("/claims/miss-outweighs", test_a_miss_outweighs);
    g_test_add_func("/claims/project", test_the_projects_claims);
    return g_test_run();
}
