/* Which values measurements determine, and the least squares that finds them.
 *
 * Around a place the residuals are linear in the values: r(x + d) = r + J d, with the slopes J by differences. The covariance
 * of what fits them is (J' W J)^-1, each residual taken to be good to its tolerance and W drawing away from rows that no values
 * meet (Cauchy). A value counts as determined if it is known within DETERMINED_WITHIN of itself while all others that are
 * move with it; of those that are not the worst is set aside, and stays as it was, until all are (so of two that only
 * their sum determines one stays). */
#ifndef GPUNETSIM_STUDY_CALIBRATION_DETERMINE_H
#define GPUNETSIM_STUDY_CALIBRATION_DETERMINE_H

#include "study/calibration/calibration.h"

#define DETERMINED_WITHIN 0.25

/* Of one value. */
struct determination {
    bool is_determined;
    double deviation; /* standard deviation, as a part of the value */
    size_t row;       /* target that says most of it; SIZE_MAX: none depends on it */
    size_t rows;      /* that say at least a fifth as much */
    double residual;  /* median of |simulated / measured - 1| over these */
    size_t
        together_with; /* if not determined: the value that the same targets depend on; SIZE_MAX: none */
    bool is_alone; /* its row depends on nothing else that was searched for */
};

/* Least squares from `x`, which gets the place, or with `keep` what is known at `x` itself. Returns what is known of each value there, to be freed with g_free; NULL and an
 * error if a run of the study fails. */
struct determination *determine_values(struct calibration *calibration, double *x, bool keep,
                                       GError **error);

/* How much a target (in its tolerances) at most moves when value `i` moves by its whole range around `x`: the slope, and which
 * target it is. False and an error if a run fails. */
bool determine_reach(struct calibration *calibration, const double *x, size_t i, double *slope,
                     size_t *target, GError **error);

#endif
