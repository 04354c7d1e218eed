/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests of GOAL schedules share: text in, ends out. */
#pragma once

#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "workloads/goal/goal_options.h"
#include "workloads/goal/goal_reader.h"

/* NULL and an error as goal_read. */
static inline struct goal_schedule *read_text(const char *text, GError **error)
{
    g_autofree char *copy = g_strdup(text);
    FILE *file = fmemopen(copy, MAX(strlen(copy), (size_t)1), "r");
    struct goal_schedule *schedule = goal_read(file, "t.goal", error);
    fclose(file);
    return schedule;
}

static inline struct loggp_spec costs(const char *text)
{
    struct loggp_spec spec;
    g_assert_true(goal_costs_parse(text, &spec, NULL));
    return spec;
}

/* Runs a program to its end, all sends and receives paired, and returns the end of each rank in
 * ticks. The caller frees them. */
static inline uint64_t *run_program(const struct loggp_program *program,
                                    const struct loggp_spec *spec, bool one_by_one)
{
    struct loggp *machine = loggp_new(spec, program);
    uint64_t *ends = g_new(uint64_t, program->ranks);
    if (one_by_one)
        loggp_put_off_one_by_one(machine);
    while (loggp_run(machine, 1000))
        ;
    g_assert_cmpint(loggp_fault(machine).kind, ==, LOGGP_NO_FAULT);
    g_assert_cmpuint(loggp_unmatched(machine, NULL, NULL), ==, 0);
    for (uint32_t rank = 0; rank < program->ranks; rank++)
        ends[rank] = loggp_end(machine, rank);
    loggp_free(machine);
    return ends;
}

static inline uint64_t *run_schedule(struct goal_schedule *schedule, const struct loggp_spec *spec)
{
    struct loggp_program program = goal_schedule_program(schedule);
    return run_program(&program, spec, false);
}

/* The ends of a text on a machine of these costs. */
static inline uint64_t *run_text(const char *text, const char *costs_text)
{
    GError *error = NULL;
    struct loggp_spec spec = costs(costs_text);
    struct goal_schedule *schedule = read_text(text, &error);
    g_assert_no_error(error);
    uint64_t *ends = run_schedule(schedule, &spec);
    goal_schedule_free(schedule);
    return ends;
}
