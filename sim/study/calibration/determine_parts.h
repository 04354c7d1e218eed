/* SPDX-License-Identifier: BSD-3-Clause */
/* Private to what determines values: where the search stands (determine.c), values that rows bound (determine_bound.c), and how well
 * values are known at its end (determine_scan.c). */
#ifndef GPUNETSIM_STUDY_CALIBRATION_DETERMINE_PARTS_H
#define GPUNETSIM_STUDY_CALIBRATION_DETERMINE_PARTS_H

#include "study/calibration/determine.h"

#define AT_END 1e-6

/* r and J at a place, of the rows for calibration; other rows have no weight. */
struct determine_system {
    struct machine_fit *fit;
    double *simulated, *residuals, *slopes; /* slopes[row * values + value] */
    double *weights;
    double *start;
    bool *active; /* by value: searched for */
    bool *locked; /* at its start for good: the rows do not determine it */
    bool *was_put_back;
    bool *
        shares; /* by value: it is not determined, and stands where a sum needs it, between where it was and its range's end */
    bool
        is_sharing; /* only those that share are searched for, each drawn to where it was by its width */
    size_t
        *bound_by; /* by value: the row that drew it to where none depends on it; SIZE_MAX: none */
    double scale;  /* c */
};

/* The residual that a row would have if it took `simulated` seconds; and what a residual adds to the sum that the
 * search minimises. */
double determine_residual(const struct fit_row *row, double simulated);
double determine_loss(const struct determine_system *system, double residual);

/* How much too little is known of value `i` with this standard deviation of its place: more than 1 sets it aside. While it is searched
 * for, half of what was open is enough. */
double determine_lack(const struct determine_system *system, size_t i, double deviation,
                      bool is_search);

/* J' W J of the values that `is_in`, its diagonal times 1 + damping; identity elsewhere. Without `weights` every row for calibration
 * counts as if it were met. To be freed with g_free, or by matrix_invert. */
double *determine_matrix(const struct determine_system *system, const bool *is_in, bool weights,
                         double damping);

/* Standard deviation of value `i` on its scale, from the inverse of that matrix of n rows; and as a part of the value (of one that has
 * come near 0, of what it was). */
double determine_deviation(const double *inverse, size_t n, size_t i);
double determine_part(const struct determine_system *system, size_t i, double deviation);

/* Whether a step of value `i` would leave its range. */
bool determine_wants_beyond(const struct determine_system *system, size_t i, double step);

/* Leaves those active that are determined; a row that is not met counts in full, since the values that it tells of may still have to
 * come to it. */
void determine_set_aside(struct determine_system *system, bool is_search);

/* What is known of each value where the system is, whose slopes are of all values; to be freed with g_free. */
struct determination *determine_conclude(struct determine_system *system);

/* Whether the slope of row `k` by value `i` is needed: the row sets values and reads this one, which, unless `all`, is
 * not locked. */
bool determine_has_slope(const struct determine_system *system, bool all, size_t k, size_t i);

/* Sets bound_by of values that are set aside, and that the rows drew to where something else is what they take, if they would be worse
 * with the value where it was. False and an error if they cannot be run. */
bool determine_bounds(struct determine_system *system, GError **error);

/* To be called after all values with `is_back` have been returned to their old values at once, and the rows have been
 * run. If a row has become worse than its residual in `met`, sets `shares` of the values that it reads: each of them alone
 * matters little to the row, but their sum does. Returns whether there is such a row. */
bool determine_sharing(struct determine_system *system, const bool *is_back, const double *met);

#endif
