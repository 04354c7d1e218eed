/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows that the found machine misses by far, and what of the machine file might mend them: a number that is not searched for, since it
 * is a size, a count, a default, published, or told by a table or the user. */
#ifndef GPUNETSIM_STUDY_CALIBRATION_UNSEARCHED_H
#define GPUNETSIM_STUDY_CALIBRATION_UNSEARCHED_H

#include "study/calibration/machine_fit.h"

#define UNSEARCHED_FROM                                                                            \
    1.5                   /* a row that takes so many times what was measured, or that part of it */
#define UNSEARCHED_ROWS 8 /* at most, of each experiment two: the worst */

struct unsearched {
    size_t row; /* of the fit */
    char *
        path; /* NULL: no number that the row reads brings it nearer by a third of what it is off (by its logarithm) */
    char *now;        /* its value */
    char *tried;      /* the one that brings the row nearest */
    double simulated; /* seconds, with that */
};

/* Runs rows that were run at fit->x again, with each such number once greater and once less: twice what it is and half of it; of a time
 * that is 0, with the time that the row lacks, and parts of it down to a thousandth. The list, to be freed with g_array_unref; NULL and an error if rows cannot be run. */
GArray *unsearched_find(struct machine_fit *fit, GError **error);

#endif
