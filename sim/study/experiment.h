/* SPDX-License-Identifier: BSD-3-Clause */
/* A study that has been run: its rows, their table, the figures. */
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "study/figure/plot.h"
#include "study/model/study.h"
#include "study/run/runner.h"
#include "study/table/table.h"

struct experiment {
    struct study *study;
    struct row **
        rows; /* of all points, NULL: not there; once it is finished of those that have one, in their order */
    size_t row_count, failed;
    struct table *table;
    char *measured;           /* what measured_join tells */
    char *conclusion;         /* what study_conclude gives; NULL: nothing */
    char *conclusion_failure; /* a sentence if that fails; NULL: it does not */
    struct figure **figures;  /* one a plot of the study; NULL where it is not drawn */
};

/* Runs all points of `study` that the options want and the store does not know. The experiment
 * takes the study over, also when it fails. Failed points are rows, not errors. NULL and an error
 * as from runner_run. It has rows alone until it is finished, which may get further measures before. */
struct experiment *experiment_run(struct study *study, const struct runner_options *options,
                                  GError **error);

/* The same from the store alone, simulating nothing (runner_recall). */
struct experiment *experiment_recall(struct study *study, const struct runner_options *options,
                                     GError **error);

/* Joins what was measured, concludes and makes the table. False and an error if what was measured does not fit. */
bool experiment_finish(struct experiment *experiment, GError **error);

void experiment_free(struct experiment *experiment);

/* Draws all figures. At the first that fails: false and an error. */
bool experiment_draw(struct experiment *experiment, GError **error);

/* One sentence on the points that failed; NULL if none did. */
char *experiment_failure(const struct experiment *experiment);

/* The point of a row as text, "bytes=8B,design=dgpu". The caller frees it with g_free. */
char *experiment_point_text(const struct study *study, const struct row *row);
