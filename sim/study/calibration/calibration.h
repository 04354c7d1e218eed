/* SPDX-License-Identifier: BSD-3-Clause */
/* Calibration: a machine's `fitted` values, searched for within their ranges so that what a study simulates comes
 * near what it has as measured; and how well that determines each of them.
 *
 * The study is an ordinary one, a point for each measurement, whose measures are
 *   simulated   a number or a quantity
 *   target      what was measured, in the same unit
 *   tolerance   by what fraction of it the simulated value may be off (0.1)
 * and perhaps `bound` = "above": the target is a bound, and any value below it is as good. Its machine names the values: all that are
 * `fitted(value, low, high, ...)`.
 *
 * A residual is r = (simulated / target - 1) / tolerance: within tolerance from -1 to 1. The search takes the values on a scale from
 * 0 to 1 of their range, by its logarithm where the range does not begin at 0, and minimises the sum of ln(1 + r^2) (Cauchy's
 * loss: a measurement that no values meet does not draw the others away) and, with a weight of CALIBRATION_PRIOR, of the
 * values' squared distances from the middle of their range: what the measurements leave open stays there. NLopt's BOBYQA; the same
 * study gives the same values. */
#ifndef GPUNETSIM_STUDY_CALIBRATION_CALIBRATION_H
#define GPUNETSIM_STUDY_CALIBRATION_CALIBRATION_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

#include "study/model/study.h"
#include "study/run/runner.h"
#include "study/vary/parameter.h"

#define CALIBRATION_PRIOR 0.05

/* A point of the study. */
struct calibration_target {
    char *name;
    double simulated, target, tolerance; /* as last evaluated */
    bool is_bound;
};

struct calibration {
    char *path;       /* of the study */
    char **overrides; /* of its machine, besides the values; NULL: none */
    struct runner_options options;
    struct vary_parameter *values; /* the machine's fitted ones, with their ranges */
    size_t value_count;
    struct calibration_target *targets;
    size_t target_count;
    size_t evaluations; /* so far */
};

/* Reads the study and its machine, with overrides (script.h; NULL: none); a fitted value that is overridden is not
 * searched for. NULL and one sentence if that is no study, if its machine has no fitted value, or if
 * the points' machines have different ones. */
struct calibration *calibration_new(const char *path, const char *const *overrides,
                                    const struct runner_options *options, GError **error);
void calibration_free(struct calibration *calibration);

/* The starting values on the search's scale; `x` has value_count numbers. */
void calibration_start(const struct calibration *calibration, double *x);

/* Value `i` at place `x` of its scale as a user writes it, rounded to three digits. The caller frees it with g_free. */
char *calibration_value_text(const struct calibration *calibration, size_t i, double x);

/* "-s" texts for all values, NULL-ended. The caller frees them with g_strfreev. */
char **calibration_overrides(const struct calibration *calibration, const double *x);

/* Runs the study at `x` and fills `residuals` (target_count numbers; allocated the first time if *residuals is NULL) and the
 * targets. False and an error if a point fails or lacks a measure. */
bool calibration_evaluate(struct calibration *calibration, const double *x, double **residuals,
                          GError **error);

/* Searches from `x`, which gets the best place; at most `evaluations` runs of the study. */
bool calibration_fit(struct calibration *calibration, double *x, size_t evaluations,
                     GError **error);

/* How far a value can move from the fit while all targets that the fit meets stay within their tolerance. */
struct calibration_span {
    double alone_low, alone_high;       /* the other values stay as they are */
    double together_low, together_high; /* the others move with it: a lower bound of the span */
    double *at_low, *at_high;           /* where all values then are */
};

/* A span for each value, around a fit at `x`. `together` from a linear model of the residuals, each end then tried by the
 * study and drawn back until it holds. NULL and an error if a run fails; calibration_spans_free. */
struct calibration_span *calibration_spans(struct calibration *calibration, const double *x,
                                           GError **error);
void calibration_spans_free(struct calibration_span *spans, size_t count);

#endif
