/* SPDX-License-Identifier: BSD-3-Clause */
/* Cross-validation of calibrate MACHINE DATA...: each row for calibration is predicted by a machine that it had no part in. */
#ifndef GPUNETSIM_CLI_CALIBRATE_FOLDS_H
#define GPUNETSIM_CLI_CALIBRATE_FOLDS_H

#include "cli/calibrate_found.h"

#define FOLDS_MOST 100

/* Deals the rows for calibration out to `folds` (2 to FOLDS_MOST) folds, one after the other, so that each has some of every experiment.
 * For each fold it searches anew, from the machine as it is given, with the rows of the others, and fills held_out of the fold's rows;
 * INFINITY of one that fails there. found->fit is as it was before. False and one sentence if there are fewer rows than folds, or if rows
 * cannot be run. */
bool calibrate_folds(struct calibrate_found *found, size_t folds, GError **error);

#endif
