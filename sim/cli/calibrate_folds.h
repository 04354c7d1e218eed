/* SPDX-License-Identifier: BSD-3-Clause */
/* Cross-validation of calibrate MACHINE DATA...: each row for calibration is predicted by a machine that it had no part in. */
#ifndef GPUNETSIM_CLI_CALIBRATE_FOLDS_H
#define GPUNETSIM_CLI_CALIBRATE_FOLDS_H

#include "cli/calibrate_found.h"

#define FOLDS_MOST 100

/* Cross-validation: distributes the rows that set values over `folds` (2 to FOLDS_MOST) folds in turn, so that each has
 * some of every experiment. For each fold it repeats the search from the original machine with the rows of the other
 * folds, and sets held_out of the fold's rows (INFINITY if a row fails). found->fit is restored. False and one sentence if
 * there are fewer rows than folds, or if rows cannot be run. */
bool calibrate_folds(struct calibrate_found *found, size_t folds, GError **error);

#endif
