/* SPDX-License-Identifier: BSD-3-Clause */
/* What a run would take (--dry-run): its points, those that the store has, time and memory. Nothing is written. */
#pragma once

#include "study/run/runner.h"

/* Prints a line on the study, and adds to `total` what it says. `options` are those of the run. False and an error as from
 * runner_run, or ERROR_RUN with the first failure of a point that was tried. */
bool dry_run(struct study *study, const struct runner_options *options, struct runner_costs *total,
             GError **error);

/* A line on several studies together. */
void dry_run_tell(const char *name, const struct runner_costs *costs, unsigned workers);
