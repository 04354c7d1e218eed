/* SPDX-License-Identifier: BSD-3-Clause */
/* The statistics of a run's simulations as a table: a row a number. */
#pragma once

#include "study/experiment.h"

/* Columns: the study's axes; "call", the number of the workload's call in the point, from 1; then "path", "name",
 * "unit", "description", "field" (mean, p99, ...; none for a counter) and "value" of each statistic of the rows,
 * which were run with runner_options.with_stats. The caller frees it with table_free. */
struct table *statistics_table(const struct experiment *experiment);
