/* SPDX-License-Identifier: BSD-3-Clause */
/* What the reader takes, what it refuses and how it says so, and that no text at all can harm it. */
#include "core/error.h"
#include "core/rng.h"
#include "goal_test.h"

/* --- good text -------------------------------------------------------------------------------- */

/* All there is: comments, ranks in any order, no labels, semicolons, attributes, wildcards. */
static void test_grammar(void)
{
    const char *text = "// two ranks\n"
                       "num_ranks 3\r\n"
                       "rank 1 { /* { not a brace } */\n"
                       "  first: recv 8b from 0 tag 7 nic 2 cpu 300; calc 5 cpu 1\n"
                       "  second: recv 8b from -1 tag -1\n"
                       "  second irequires first\n"
                       "}\n"
                       "rank 0 {\n\tl_1: send 8b to 1 tag 7 cpu 0 nic 2\n"
                       "send 8 b to 1\n\n;; }";
    GError *error = NULL;
    struct goal_schedule *schedule = read_text(text, &error);
    uint32_t count;
    g_assert_no_error(error);
    g_assert_cmpuint(goal_schedule_ranks(schedule), ==, 3);
    uint32_t cpus, nics;
    g_assert_cmpuint(goal_schedule_streams(schedule, &cpus, &nics), ==, 301);
    g_assert_cmpuint(MAX(cpus, nics), ==, 301);
    g_assert_cmpuint(goal_schedule_count(schedule, 0), ==, 2);
    g_assert_cmpuint(goal_schedule_count(schedule, 1), ==, 3);
    g_assert_cmpuint(goal_schedule_count(schedule, 2), ==, 0);
    const struct goal_op *first = goal_schedule_op(schedule, 1, 0);
    g_assert_cmpuint(first->kind, ==, LOGGP_RECEIVE);
    g_assert_cmpuint(first->tag, ==, 7);
    g_assert_cmpuint(first->cpu, ==, 300);
    g_assert_cmpuint(first->nic, ==, 2);
    g_assert_cmpuint(first->line, ==, 4);
    g_assert_cmpuint(goal_schedule_op(schedule, 1, 2)->peer, ==, LOGGP_ANY);
    g_assert_cmpuint(goal_schedule_waiters(schedule, 1, 0, true, &count)[0], ==, 2);
    g_assert_cmpuint(count, ==, 1);
    goal_schedule_waiters(schedule, 1, 0, false, &count);
    g_assert_cmpuint(count, ==, 0);
    goal_schedule_free(schedule);
}

/* --- bad text --------------------------------------------------------------------------------- */

struct bad {
    const char *text, *sentence; /* how the error begins */
};

static const struct bad bads[] = {
    {" ", "t.goal:1: the text has no num_ranks"},
    {"num_ranks 0", "t.goal:1: there must be at least one rank"},
    {"num_ranks 99999999999", "t.goal:1: expected the number of ranks, at most 16777216"},
    {"num_ranks 2\nnum_ranks 2", "t.goal:2: num_ranks is told twice"},
    {"rank 0 { }", "t.goal:1: num_ranks must come before"},
    {"num_ranks 2\nrank 2 { }", "t.goal:2: expected the number of a rank, at most 1, and found 2"},
    {"num_ranks 1\nrank 0 { }\nrank 0 { }", "t.goal:3: rank 0 was described before"},
    {"num_ranks 1\nrank 0 {\ncalc 5\n", "t.goal:4: expected an operation, a label or \"}\" and "
                                        "found \"the end of the text\""},
    {"num_ranks 1\nrank 0 { a: jump 5 }", "t.goal:2: expected \"send\", \"recv\" or \"calc\" and "
                                          "found \"jump\""},
    {"num_ranks 1\nrank 0 {\na: calc -5 }", "t.goal:3: expected a number of nanoseconds and found "
                                            "a negative number"},
    {"num_ranks 1\nrank 0 { calc 99999999999999999999 }", "t.goal:2: expected a number of "
                                                          "nanoseconds and found a number of more"},
    {"num_ranks 2\nrank 0 { send 8 to 1 }", "t.goal:2: expected \"b\" and found \"to\""},
    {"num_ranks 2\nrank 0 { send 8b to -1 }", "t.goal:2: expected a rank and found \"-1\""},
    {"num_ranks 2\nrank 0 { send 8b to 1 cpu 65536 }", "t.goal:2: expected the number of a stream"},
    {"num_ranks 1\nrank 0 { calc 8 nic 1 }", "t.goal:2: expected \"cpu\" or the end of the line"},
    {"num_ranks 1\nrank 0 { calc 8 calc 9 }", "t.goal:2: expected \"cpu\" or the end of the line"},
    {"num_ranks 1\nrank 0 {\na: calc 1\na: calc 2 }",
     "t.goal:4: rank 0 has two operations called a"},
    {"num_ranks 1\nrank 0 {\na: calc 1\na requires b }",
     "t.goal:4: rank 0 has no operation called b"},
    {"num_ranks 1\nrank 0 {\na: calc 1\nb: calc 1\nc: calc 1\na requires b\nb requires a\n"
     "c requires b }",
     "t.goal:3: 3 operations of rank 0 wait in or behind a circle"},
    {"num_ranks 1\nrank 0 { a: calc 1; a irequires a }",
     "t.goal:2: 1 operations of rank 0 wait in"},
    {"num_ranks 2\nrank 0 {\nsend 8b to 1 tag 3\nsend 8b to 1 tag 3\n}\nrank 1 {\nrecv 8b from 0 "
     "tag "
     "3\nrecv 1b from 0 tag 4 }",
     "t.goal:4: 1 send and 1 receive have no partner (line 4: rank 0 sends to 1 tag 3, line 8: "
     "rank "
     "1 receives from 0 tag 4)"},
    {"num_ranks 2\nrank 0 {\nsend 8b to 1\nsend 8b to 5\n}\nrank 1 {\nrecv 1b from 2 }",
     "t.goal:4: 1 send and 1 receive name a rank beyond the last one, 1 (line 4: rank 0 sends to 5 "
     "tag 0, line 7: rank 1 receives from 2 tag 0)"},
    {"num_ranks 2\nrank 0 { send 1b to 1 }\nrank 1 { recv 1b from -1\nrecv 1b from 0 tag -1 }",
     "t.goal:3: 0 sends and 1 receive have no partner"},
    {"num_ranks 16777216\nrank 0 { calc 1 cpu 9999 }", "t.goal: 16777216 ranks with 10000 streams"},
    {"num_ranks 1 / 2", "t.goal:1: expected \"rank\" or \"num_ranks\" and found a comment"},
    {"num_ranks 1 /* 2", "t.goal:1: expected \"rank\" or \"num_ranks\" and found a comment"},
    {"num_ranks 1\n\x01", "t.goal:2: expected \"rank\" or \"num_ranks\" and found a character"},
};

static void test_errors(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(bads); i++) {
        GError *error = NULL;
        struct goal_schedule *schedule = read_text(bads[i].text, &error);
        g_assert_null(schedule);
        g_assert_error(error, ERROR_DOMAIN, ERROR_USE);
        if (!g_str_has_prefix(error->message, bads[i].sentence))
            g_assert_cmpstr(error->message, ==, bads[i].sentence);
        g_assert_null(strchr(error->message, '\n'));
        g_error_free(error);
    }
}

/* Many faults are counted, three are shown. */
static void test_many_faults(void)
{
    g_autoptr(GString) text = g_string_new("num_ranks 2\nrank 0 {\n");
    GError *error = NULL;
    for (int i = 0; i < 1000; i++)
        g_string_append(text, "send 8b to 1\n");
    g_string_append(text, "}\n");
    g_assert_null(read_text(text->str, &error));
    g_assert_cmpstr(
        error->message, ==,
        "t.goal:3: 1000 sends and 0 receives have no partner (line 3: rank 0 sends to 1 "
        "tag 0, line 4: rank 0 sends to 1 tag 0, line 5: rank 0 sends to 1 tag 0, ...)");
    g_error_free(error);
}

static void test_costs(void)
{
    struct loggp_spec spec;
    static const char *const refused[] = {"L",           "L=",    "l=5",        "L=-5ns",
                                          "L=5 parsecs", "S=5ns", "L=5,o=1,L=6"};
    for (size_t i = 0; i < G_N_ELEMENTS(refused); i++) {
        g_autoptr(GError) error = NULL;
        g_assert_false(goal_costs_parse(refused[i], &spec, &error));
        g_assert_error(error, ERROR_DOMAIN, ERROR_USE);
    }
    g_autoptr(GError) negative = NULL;
    g_assert_false(goal_costs_parse("L=-5", &spec, &negative));
    g_assert_cmpstr(negative->message, ==, "L=-5 is negative; it may be 0 or more");
    g_assert_true(goal_costs_parse("g=0,O=3", &spec, NULL));
    g_assert_cmpuint(spec.L, ==, 2500);
    g_assert_cmpuint(spec.g, ==, 0);
    g_assert_cmpuint(spec.O, ==, 3);
    g_assert_cmpuint(spec.S, ==, 65535);
    g_assert_cmpuint(spec.ticks_per_ns, ==, 1);
}

/* --- any text --------------------------------------------------------------------------------- */

/* Pieces of the grammar, so that mutations get past the first word. */
static const char *const pieces[] = {"num_ranks",
                                     "rank",
                                     "{",
                                     "}",
                                     ":",
                                     ";",
                                     "\n",
                                     "send",
                                     "recv",
                                     "calc",
                                     "b",
                                     "to",
                                     "from",
                                     "tag",
                                     "cpu",
                                     "nic",
                                     "-1",
                                     "0",
                                     "1",
                                     "requires",
                                     "irequires",
                                     "l1",
                                     "l2",
                                     "//",
                                     "/*",
                                     "*/",
                                     " ",
                                     "65535",
                                     "18446744073709551616"};

static void mutate(GString *text, struct rng *random)
{
    gssize at = (gssize)rng_below(random, text->len + 1);
    uint64_t length = rng_below(random, 40);
    g_autofree char *piece = g_strdup(text->str);
    switch (rng_below(random, 4)) {
    case 0:
        g_string_insert(text, at, pieces[rng_below(random, G_N_ELEMENTS(pieces))]);
        break;
    case 1:
        g_string_erase(text, at, MIN((gssize)text->len - at, (gssize)(length / 4)));
        break;
    case 2:
        g_string_insert_c(text, at, (char)rng_below(random, 256));
        break;
    default:
        g_string_insert_len(text, at, piece, (gssize)MIN(strlen(piece), length));
    }
}

/* A mutated text is read and run, or refused with a sentence; the sanitizers watch. */
static void try_text(const GString *text, const struct loggp_spec *spec)
{
    FILE *file = fmemopen(text->str, MAX(text->len, (gsize)1), "r");
    g_autoptr(GError) error = NULL;
    struct goal_schedule *schedule = goal_read(file, "t.goal", &error);
    fclose(file);
    g_assert_true(!schedule == !!error);
    if (!schedule)
        return;
    struct loggp_program program = goal_schedule_program(schedule);
    if (program.ranks < 1000 && program.cpus < 1000) {
        struct loggp *machine = loggp_new(spec, &program);
        loggp_run(machine, 10000);
        loggp_free(machine);
    }
    goal_schedule_free(schedule);
}

static void test_mutations(void)
{
    const char *good =
        "num_ranks 2\nrank 0 {\nl1: send 8b to 1 tag 1 cpu 1 nic 1\nl2: calc 5\nl2 "
        "requires l1\nl3: recv 9b from -1\nl3 irequires l2\n}\nrank 1 {\nl1: recv 8b "
        "from 0 tag 1\nsend 9b to 0\n}\n";
    struct loggp_spec spec = costs(GOAL_COSTS_DEFAULT);
    struct rng random;
    rng_init(&random, 1, "mutations");
    for (int round = 0; round < 4000; round++) {
        g_autoptr(GString) text = g_string_new(good);
        for (uint64_t i = rng_below(&random, 6); i > 0; i--)
            mutate(text, &random);
        try_text(text, &spec);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/goal/reader/grammar", test_grammar);
    g_test_add_func("/goal/reader/errors", test_errors);
    g_test_add_func("/goal/reader/many-faults", test_many_faults);
    g_test_add_func("/goal/reader/costs", test_costs);
    g_test_add_func("/goal/reader/mutations", test_mutations);
    return g_test_run();
}
