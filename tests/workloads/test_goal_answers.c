/* SPDX-License-Identifier: BSD-3-Clause */
/* Schedules whose ends LogGOPSim 76451de has printed: tests/goal/answers.tsv, and the periodic torus
 * of 3,072 ranks. */
#include <stdlib.h>

#include "goal_test.h"
#include "workloads/goal/goal_pattern.h"

static char *goal_file(const char *name)
{
    return g_build_filename(g_getenv("GPUNETSIM_ROOT"), "tests", "goal", name, NULL);
}

/* One line: schedule L o g G O S ends. */
static void check_answer(char **columns)
{
    g_autofree char *name = g_strdup_printf("%s.goal", columns[0]);
    g_autofree char *path = goal_file(name);
    struct loggp_spec spec = {.L = strtoull(columns[1], NULL, 10),
                              .o = strtoull(columns[2], NULL, 10),
                              .g = strtoull(columns[3], NULL, 10),
                              .G = strtoull(columns[4], NULL, 10),
                              .O = strtoull(columns[5], NULL, 10),
                              .S = strtoull(columns[6], NULL, 10),
                              .ticks_per_ns = 1};
    struct goal_schedule *schedule = goal_read_file(path, NULL);
    g_assert_nonnull(schedule);
    g_autofree uint64_t *ends = run_schedule(schedule, &spec);
    g_autoptr(GString) text = g_string_new(NULL);
    for (uint32_t rank = 0; rank < goal_schedule_ranks(schedule); rank++)
        g_string_append_printf(text, "%u:%" G_GUINT64_FORMAT " ", rank, ends[rank]);
    g_assert_cmpstr(text->str, ==, columns[7]);
    goal_schedule_free(schedule);
}

static void test_answers(void)
{
    g_autofree char *path = goal_file("answers.tsv"), *text = NULL;
    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    int checked = 0;
    for (char **line = lines + 2; *line; line++) {
        g_auto(GStrv) columns = g_strsplit(*line, "\t", -1);
        if (g_strv_length(columns) != 8)
            continue;
        check_answer(columns);
        checked++;
    }
    g_assert_cmpint(checked, ==, 20);
}

/* 31,760,200 ns from the text of the same schedule, 268 MB of it; here it is generated. */
static void test_torus(void)
{
    struct goal_pattern_spec spec;
    struct loggp_spec machine = costs("L=2500,o=500,g=500,G=1,O=0,S=1000000");
    g_assert_true(
        goal_pattern_parse("halo3d:16x16x12,iterations=100,bytes=32768,calc=100000", &spec, NULL));
    struct goal_pattern *pattern = goal_pattern_new(&spec);
    struct loggp_program program = goal_pattern_program(pattern);
    g_autofree uint64_t *ends = run_program(&program, &machine, false);
    uint64_t latest = 0;
    for (uint32_t rank = 0; rank < program.ranks; rank++)
        latest = MAX(latest, ends[rank]);
    g_assert_cmpuint(latest, ==, 31760200);
    goal_pattern_free(pattern);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/goal/answers/files", test_answers);
    g_test_add_func("/goal/answers/torus", test_torus);
    return g_test_run();
}
