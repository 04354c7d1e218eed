/* SPDX-License-Identifier: BSD-3-Clause */
/* Which values rows of measurements determine, and the least squares that finds them.
 *
 * A residual is r = ln(simulated / measured) / FIT_TOLERANCE. Around a place it is linear in the values' places x: r(x + d) = r + J d,
 * with the slopes J by differences, of a row only for the values that it reads. Steps are Levenberg's and Marquardt's, of residuals
 * weighted by 1 / (1 + (r / c)^2) (Cauchy: what no values meet does not draw the others away); c shrinks from the worst residual to
 * 2, so that at first all rows draw.
 *
 * The covariance of what fits the rows is (J' W J)^-1. A value counts as determined if it is known within DETERMINED_WITHIN of
 * itself while all others that are move with it. Of those that are not, that which the rows say least of, against what was known of
 * it before, is set aside and stays as it was, until all are: of two of which only the sum is known one is found. One that was drawn to
 * where something else limits its rows stays there if they would be worse without: it is bound. Where rows are worse since several were
 * set aside whose sum they need, these share: they go from where they were to the least of sum((x - start)^2 / width^2) + sum(r^2), so that
 * the less was known of one before, and the more the rows say of it, the further it moves. */
#ifndef GPUNETSIM_STUDY_CALIBRATION_DETERMINE_H
#define GPUNETSIM_STUDY_CALIBRATION_DETERMINE_H

#include "study/calibration/machine_fit.h"

#define DETERMINED_WITHIN 0.25

/* Of one value. */
struct determination {
    bool is_determined;
    bool
        is_bound; /* by `row` only: drawn to where no row depends on it, and worse where it was; then it is determined, too */
    bool is_shared; /* one of a sum: only that is known, and each moved as little as it asks for */
    bool is_at_end; /* of its range: the rows want it beyond */
    bool is_alone;  /* its row depends on nothing else that is determined */
    double deviation; /* standard deviation, as a part of the value */
    double low,
        high;    /* places between which all rows that are met stay so, the others as they are */
    size_t row;  /* that says most of it; SIZE_MAX: none depends on it */
    size_t rows; /* that say at least a fifth as much */
    double residual; /* median of |simulated / measured - 1| over these */
    size_t
        together_with; /* not determined, or shared: the value that the same rows depend on; bound: the one that limits its row; SIZE_MAX: none */
};

/* Searches from fit->x, which gets the best place, or with `keep` looks at fit->x itself; fills the rows' simulated times of
 * those for calibration. Returns what is known of each value there, to be freed with g_free; NULL and an error if rows cannot be
 * run. */
struct determination *determine_values(struct machine_fit *fit, bool keep, GError **error);

#endif
