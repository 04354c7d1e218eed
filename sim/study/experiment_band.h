/* SPDX-License-Identifier: BSD-3-Clause */
/* The band of an experiment: its points again, with what is estimated drawn from its ranges (study/vary/band.h). Sample k is the
 * same machine at all points, so figures have a band around their curves, and a claim is answered in each sample. */
#pragma once

#include "study/run/runner.h"

/* Runs the samples that a study asks for (or takes them from the store alone: then all or none), and adds to each row the least and
 * most of every measure that a plot can have a band around: NAME_least, NAME_most, the row's own value among them. Rows by point,
 * none missing. *samples are the rows, point by point, all of a point's; NULL where there are none. False and an error as from
 * runner_run. */
bool experiment_band_make(struct study *study, struct row *const *rows,
                          const struct runner_options *options, bool from_store,
                          GPtrArray **samples, GError **error);

/* Adds what those samples would take to options->costs (runner.h). */
bool experiment_band_costs(struct study *study, const struct runner_options *options,
                           GError **error);

/* A line on the samples that failed where the point itself did not, and that its band is without; "" if there are none. Rows by point. The
 * caller frees it with g_free. */
char *experiment_band_told(const struct study *study, struct row *const *rows,
                           const GPtrArray *samples);
