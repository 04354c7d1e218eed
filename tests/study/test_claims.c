/* Claims: reading them, judging answers, and the table that comes out. */
#include <glib.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "study/claims.h"
#include "study/error.h"

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
    g_assert_cmpuint(list->count, ==, 6);
    g_assert_cmpstr(list->claims[0].paraphrase, ==, "A, not B.");
    g_assert_cmpint(list->claims[0].status, ==, CLAIM_NOT_YET);
    g_assert_null(claims_find(list, "C-2"));
    g_assert_cmpint(claims_find(list, "C-3")->status, ==, CLAIM_RESTATED);
    g_assert_cmpint(claims_find(list, "C-5")->status, ==, CLAIM_CONTEXT);
    g_assert_cmpint(claims_find(list, "C-6")->status, ==, CLAIM_OUT_OF_SCOPE);
    claims_free(list);
}

static void assert_unreadable(const char *content, const char *ending)
{
    g_autoptr(GError) error = NULL;
    g_assert_null(read_text(content, &error));
    g_assert_error(error, STUDY_ERROR, STUDY_ERROR_USE);
    if (!g_str_has_suffix(error->message, ending))
        g_error("\"%s\" does not end with \"%s\"", error->message, ending);
}

static void test_bad_files(void)
{
    assert_unreadable("", ":1: the first line must name the columns id, source, ... use");
    assert_unreadable("id\tuse\n", ":1: the first line must name the columns id, source, ... use");
    assert_unreadable(HEADER "C-1\tOne\n", ":2: a claim has 13 fields, separated by tabs");
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
}

static void test_the_verdict_goes_first(void)
{
    struct claim_answer holds = {.judged = true, .holds = true, .has_number = true, .obtained = 9};
    struct claim_answer fails = {.judged = true, .has_number = true, .obtained = 3};
    g_assert_cmpint(judge("2", "4", holds), ==, CLAIM_REPRODUCED);
    g_assert_cmpint(judge("2", "4", fails), ==, CLAIM_MISSED);
    g_assert_cmpint(judge("", "", (struct claim_answer){0}), ==, CLAIM_MISSED);
}

static void answer(struct claim_list *list, const char *id, double number, const char *scenario)
{
    struct claim_answer given = {.has_number = true, .obtained = number};
    claim_answered(claims_find(list, id), &given, scenario);
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
        claim_answered(claim, &given, "s");
        g_assert_cmpint(claim->status, ==, CLAIM_REPRODUCED);
        g_assert_cmpstr(claim->note, ==, cases[i].shown);
        claims_free(list);
    }
}

static void test_csv(void)
{
    struct claim_list *list = read_text(text, NULL);
    answer(list, "C-1", 3.0, "first");
    answer(list, "C-4", 2.3456789, "second");
    answer(list, "C-5", 7, "first");
    claims_follow_twins(list);
    g_autofree char *csv = claims_to_csv(list);
    g_assert_cmpstr(csv, ==,
                    "id,use,status,low,high,unit,obtained,scenario,note\n"
                    "C-1,test,reproduced,2,4,x,3,first,\n"
                    "C-3,restated,restated,2,4,x,3,first,says the same as C-1 (reproduced)\n"
                    "C-4,fit,reproduced,2,,x,2.34568,second,\n"
                    "C-5,context,context,,,x,7,first,\n"
                    "C-6,out-of-scope,out-of-scope,,,x,,,\n"
                    "C-7,restated,restated,9,9,x,,,\n");
    claims_free(list);
}

/* Two that could be meant are none. */
static void test_a_twin_is_one(void)
{
    struct claim_list *list =
        read_text(HEADER CLAIM("C-1", "One", "7", "7", "test") CLAIM("C-2", "Two", "7", "7", "test")
                      CLAIM("C-3", "Three", "7", "7", "restated"),
                  NULL);
    claims_follow_twins(list);
    g_assert_null(claims_find(list, "C-3")->note);
    claims_free(list);
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

/* The project's own claims: every one is read, and none is left without a status. */
static void test_the_projects_claims(void)
{
    g_autofree char *path = g_build_filename(g_getenv("GPUNETSIM_ROOT"), "claims/claims.tsv", NULL);
    GError *error = NULL;
    struct claim_list *list = claims_read(path, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(list->count, ==, 298 - 85); /* all but those of use `config` */
    g_assert_cmpstr(claims_find(list, "N-39")->low, ==, "2");
    claims_follow_twins(list);
    g_assert_cmpstr(claims_find(list, "I-T02")->note, ==, "says the same as P-T02 (not-yet)");
    claims_free(list);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/claims/reading", test_reading);
    g_test_add_func("/claims/bad-files", test_bad_files);
    g_test_add_func("/claims/range", test_judging_by_range);
    g_test_add_func("/claims/verdict", test_the_verdict_goes_first);
    g_test_add_func("/claims/verdict-noted", test_a_verdict_against_the_range_is_noted);
    g_test_add_func("/claims/csv", test_csv);
    g_test_add_func("/claims/twin", test_a_twin_is_one);
    g_test_add_func("/claims/miss-outweighs", test_a_miss_outweighs);
    g_test_add_func("/claims/project", test_the_projects_claims);
    return g_test_run();
}
