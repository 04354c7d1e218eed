/* SPDX-License-Identifier: BSD-3-Clause */
#include "script/commands/dry_run.h"

#include <stdio.h>

#include "core/error.h"
#include "core/shown.h"
#include "study/experiment.h"

void dry_run_tell(const char *name, const struct runner_costs *costs, unsigned workers)
{
    double at_a_time = (double)MAX(MIN(workers, costs->queued), 1);
    g_autofree char *time = progress_time(costs->queued_s / at_a_time);
    shown_print(stdout, "%s: %zu points", name, costs->points);
    if (costs->known > 0)
        printf(", %zu of them in the store, %zu to run", costs->known, costs->queued);
    if (costs->tried > 0)
        printf(": %s %s with %u workers, up to %" G_GUINT64_FORMAT
               " MiB a worker (%zu points were tried)",
               costs->unfinished ? "more than" : "about", time, workers, costs->memory_bytes >> 20,
               costs->tried);
    printf("\n");
    if (costs->unfinished)
        printf("%zu of the tried points were ended after %d s.\n", costs->unfinished,
               RUNNER_TRIED_S);
    fflush(stdout);
}

static void add(struct runner_costs *total, const struct runner_costs *costs)
{
    total->points += costs->points;
    total->known += costs->known;
    total->queued += costs->queued;
    total->tried += costs->tried;
    total->unfinished += costs->unfinished;
    total->queued_s += costs->queued_s;
    total->memory_bytes = MAX(total->memory_bytes, costs->memory_bytes);
}

bool dry_run(struct study *study, const struct runner_options *options, struct runner_costs *total,
             GError **error)
{
    struct runner_costs costs = {.points = 0};
    struct runner_options asked = *options;
    asked.costs = &costs;
    bool good = experiment_costs(study, &asked, error);
    if (good && costs.failure)
        good = error_set_code(error, ERROR_RUN, "%s: a point that was tried failed: %s",
                              study->path, costs.failure);
    if (good)
        dry_run_tell(study->name, &costs, options->workers);
    add(total, &costs);
    g_free(costs.failure);
    return good;
}
