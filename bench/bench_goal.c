/* SPDX-License-Identifier: BSD-3-Clause */
/* How fast GOAL schedules run on the LogGOPS machine, and how little memory they need.
 *
 * Each row runs in a process of its own, whose greatest resident set is its memory. Times are of the
 * processor, the best of three; what is asked of a row is asked of a machine on which the yardstick
 * Y(1000) is 24 M/s, and is scaled to the one measured here. */
#include <glib.h>
#include <stdbool.h>
#include <stdio.h>

#include "apart.h"
#include "workloads/goal/goal_options.h"
#include "workloads/goal/goal_pattern.h"
#include "workloads/goal/goal_reader.h"
#include "workloads/goal/goal_writer.h"
#include "yardstick.h"

#define NOMINAL 24e6 /* operations a second */
#define ROUNDS 3

struct row {
    const char *what, *pattern;
    bool from_text;       /* write the pattern, then time reading and running the text */
    bool start_only;      /* up to the first operation */
    double asked_seconds; /* at NOMINAL; 0: nothing */
    double asked_MB;
};

static const struct row rows[] = {
    {"halo, 3,072 ranks, 100 iterations", "halo3d:16x16x12,iterations=100,bytes=32768,calc=100000",
     false, false, 0.75, 20},
    {"ring allreduce, 3,072 ranks", "ring:3072,bytes=4096", false, false, 3.5, 50},
    {"start-up of 3,072 ranks", "halo3d:16x16x12,iterations=100,bytes=32768,calc=100000", false,
     true, 0.02, 20},
    {"all-to-all, 512 ranks", "alltoall:512,bytes=4096", false, false, 0, 0},
    {"doubling, 65,536 ranks", "doubling:65536,bytes=4096", false, false, 0, 0},
    {"text of a halo, 51 MB, read and run", "halo3d:16x16x12,iterations=20,bytes=32768,calc=100000",
     true, false, 0, 0},
};

static uint64_t run_program(const struct loggp_program *program, bool start_only)
{
    struct loggp_spec costs;
    goal_costs_parse("L=2500,o=500,g=500,G=1,O=0,S=1000000", &costs, NULL);
    struct loggp *machine = loggp_new(&costs, program);
    while (loggp_run(machine, start_only ? 0 : 1 << 20) && !start_only)
        ;
    uint64_t messages = loggp_messages(machine);
    loggp_free(machine);
    return messages;
}

static uint64_t run_pattern(const struct goal_pattern_spec *spec, bool start_only)
{
    struct goal_pattern *pattern = goal_pattern_new(spec);
    struct loggp_program program = goal_pattern_program(pattern);
    uint64_t messages = run_program(&program, start_only);
    goal_pattern_free(pattern);
    return messages;
}

static uint64_t run_text(FILE *text)
{
    rewind(text);
    struct goal_schedule *schedule = goal_read(text, "text", NULL);
    struct loggp_program program = goal_schedule_program(schedule);
    uint64_t messages = run_program(&program, false);
    goal_schedule_free(schedule);
    return messages;
}

struct outcome {
    double seconds;
    uint64_t messages;
};

static void measure(const void *argument, void *outcome)
{
    const struct row *row = argument;
    struct goal_pattern_spec spec;
    struct outcome best = {.seconds = 1e9};
    FILE *text = row->from_text ? tmpfile() : NULL;
    goal_pattern_parse(row->pattern, &spec, NULL);
    if (text)
        goal_write_pattern(text, &spec);
    for (int round = 0; round < ROUNDS; round++) {
        double start = yardstick_seconds();
        best.messages = text ? run_text(text) : run_pattern(&spec, row->start_only);
        best.seconds = MIN(best.seconds, yardstick_seconds() - start);
    }
    if (text)
        fclose(text);
    *(struct outcome *)outcome = best;
}

static void print_row(const struct row *row, double y)
{
    double MB = 0, scale = NOMINAL / y;
    struct outcome outcome = {0};
    if (!run_apart(measure, row, &outcome, sizeof outcome, &MB)) {
        printf("%-38s failed\n", row->what);
        return;
    }
    printf("%-38s %8.4f s %7.1f MB", row->what, outcome.seconds, MB);
    if (outcome.messages > 0)
        printf(" %6.1f M messages/s", (double)outcome.messages / outcome.seconds / 1e6);
    if (row->asked_seconds > 0) {
        bool missed = outcome.seconds > row->asked_seconds * scale || MB > row->asked_MB;
        printf("  asked %.3f s, %.0f MB%s", row->asked_seconds * scale, row->asked_MB,
               missed ? "  MISSED" : "");
    }
    putchar('\n');
}

int main(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        double y = yardstick(1000);
        if (i == 0)
            printf("Y(1000) = %.1f M/s; times asked are scaled to it from %.0f M/s\n", y / 1e6,
                   NOMINAL / 1e6);
        print_row(&rows[i], y);
        fflush(stdout);
    }
    return 0;
}
