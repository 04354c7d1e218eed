/* SPDX-License-Identifier: BSD-3-Clause */
/* A study that has been run: its rows and their table. */
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "study/model/study.h"
#include "study/run/runner.h"
#include "study/table/table.h"

struct experiment {
    struct study *study;
    /* of all points (NULL: none yet); when finished, only existing rows, in point order */
    struct row **rows;
    size_t row_count, failed;
    struct table *table;
    char *measured;           /* the notes of measured_join */
    char *conclusion;         /* text of study_conclude; NULL: none */
    char *conclusion_failure; /* one sentence if study_conclude fails; else NULL */
};

/* Makes an experiment of a study and its rows from runner_run or runner_recall, and takes both over. Failed points are rows, not
 * errors. Until experiment_finish the experiment has only rows, to which the caller may still add measures. NULL if the runner
 * failed (`rows` is NULL). */
struct experiment *experiment_new(struct study *study, struct row **rows);

/* Joins the study's measurements, calls study_conclude and makes the table. False and an error if a measurement does not fit. */
bool experiment_finish(struct experiment *experiment, GError **error);

void experiment_free(struct experiment *experiment);

/* The point of a row as text, "bytes=8B,design=dgpu". The caller frees it with g_free. */
char *experiment_point_text(const struct study *study, const struct row *row);
