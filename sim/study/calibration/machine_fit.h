/* SPDX-License-Identifier: BSD-3-Clause */
/* A machine's values and the rows of micro-benchmarks that are to tell them: what `gpunetsim calibrate MACHINE DATA...` works on.
 *
 * The study has a point for each row, with the axes
 *   row                   its name, whose first word is the experiment
 *   use                   "calibrate" or "test": whether it may set a value
 * and the measures
 *   simulated, measured   seconds, above 0
 *   rows                  how many rows of the tables say this (of several runs the median is measured)
 * Rows for calibration are run when the fit is made, on the machine as it is; the others when all are asked for. A row whose
 * point fails (a benchmark of two GPUs where there is one) is left out.
 *
 * Searched for are the numbers of the machine file that some row reads: those that are estimated or fitted, within their range;
 * those that are measured or without source, from a twentieth to twenty times what they are. What is published stays, as do the
 * defaults, sizes, clocks and counts of devices. A value is a place x on a scale that is its logarithm, and for values of a
 * range from 0 linear near 0: x = asinh(value / s), s the range's low end, or a hundredth of its high end. */
#ifndef GPUNETSIM_STUDY_CALIBRATION_MACHINE_FIT_H
#define GPUNETSIM_STUDY_CALIBRATION_MACHINE_FIT_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

#include "study/vary/parameter.h"
#include "study/vary/variants.h"

#define FIT_TOLERANCE 0.08 /* a row that is met is at most so far from what was measured */

struct fit_value {
    struct vary_parameter parameter;
    double low, high; /* of the search, in base units */
    double scale;
    double width; /* how far x may be from its start, before any row */
};

struct fit_row {
    char *name, *experiment;
    size_t point; /* of the study */
    bool is_for_fit;
    double measured, simulated; /* as last run; seconds */
    double
        held_out; /* simulated with what other rows tell, without this one; 0: was not asked for */
    size_t data_rows;
    bool *reads; /* by value; of a row for tests: all */
};

struct machine_fit {
    struct variants *variants;
    struct machine *machine;
    struct fit_value *values;
    size_t value_count;
    struct fit_row *rows; /* those that can be simulated */
    size_t row_count;
    GHashTable *left_counts; /* by experiment: rows left out */
    GPtrArray *left;         /* a sentence for each experiment of which rows are left out */
    double *x;               /* where the search is; value_count numbers */
};

/* Takes the study over and runs its rows for calibration on its machine as it is. `fixed` ("gpu.clock=1GHz", NULL-ended, may be NULL) names what is
 * not searched for. NULL and one sentence if they cannot be run, or if none reads anything that may be searched for. */
struct machine_fit *machine_fit_new(struct study *study, const char *const *fixed,
                                    const struct runner_options *options, GError **error);
void machine_fit_free(struct machine_fit *fit);

/* Whether one of these overrides is of that path. */
bool machine_fit_is_fixed(const char *const *fixed, const char *path);

/* Value `i` at place `x` of its scale, as a number that the parameter can take; and as a user writes it, to three digits, for the
 * caller to g_free. */
double fit_number(const struct machine_fit *fit, size_t i, double x);
char *fit_text(const struct machine_fit *fit, size_t i, double x);
/* The place of a number. */
double fit_place(const struct fit_value *value, double number);
/* d ln(value) / dx at `x`. */
double fit_relative(const struct machine_fit *fit, size_t i, double x);

/* Lists row `k` with the values at `x` to be run; returns its number in what variants_run gives. */
size_t machine_fit_add(struct machine_fit *fit, size_t k, const double *x);
/* The same with one override more ("cuda.wake=1us"), which is taken over. */
size_t machine_fit_add_with(struct machine_fit *fit, size_t k, const double *x, char *more);

/* Runs the rows for calibration at `x`; simulated[k] becomes their time, NaN of one that failed. False and an error if they cannot be
 * run. */
bool machine_fit_run(struct machine_fit *fit, const double *x, double *simulated, GError **error);

/* Runs all rows at fit->x: fills what is simulated and measured; those for tests that fail are left out from then on. */
bool machine_fit_run_all(struct machine_fit *fit, GError **error);

/* The row's simulated time; NaN: it failed. */
double machine_fit_time(const struct row *row);

#endif
