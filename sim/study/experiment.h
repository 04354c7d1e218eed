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
    struct row **rows; /* of the points that have one, in their order */
    size_t row_count, failed;
    GPtrArray *
        samples; /* rows of the study's samples of what is estimated: point by point, all of a point's; NULL: none */
    struct table *table;
    char *measured;           /* what measured_join tells */
    char *conclusion;         /* what study_conclude gives; NULL: nothing */
    char *conclusion_failure; /* a sentence if that fails; NULL: it does not */
    char *band;               /* what experiment_band_told tells */
    struct figure **figures;  /* one a plot of the study; NULL where it is not drawn */
};

/* Runs all points of `study` that the options want and the store does not know. The experiment
 * takes the study over, also when it fails. Failed points are rows, not errors. NULL and an error
 * as from runner_run. */
struct experiment *experiment_run(struct study *study, const struct runner_options *options,
                                  GError **error);

/* The same from the store alone, simulating nothing (runner_recall). */
struct experiment *experiment_recall(struct study *study, const struct runner_options *options,
                                     GError **error);

/* Adds to options->costs what experiment_run would take with the study, points and samples, from a few of them. False and an error
 * as from runner_run. */
bool experiment_costs(struct study *study, const struct runner_options *options, GError **error);

void experiment_free(struct experiment *experiment);

/* Draws all figures. At the first that fails: false and an error. */
bool experiment_draw(struct experiment *experiment, GError **error);

/* One sentence on the points that failed; NULL if none did. */
char *experiment_failure(const struct experiment *experiment);

/* The point of a row as text, "bytes=8B,design=dgpu". The caller frees it with g_free. */
char *experiment_point_text(const struct study *study, const struct row *row);

/* What the study answers to its claim by the results, or by a sample of what is estimated, from 1 on (0: the results); as
 * study_evaluate_claim. */
GVariant *experiment_evaluate(struct experiment *experiment, const char *claim, size_t sample,
                              GError **error);
