/* SPDX-License-Identifier: BSD-3-Clause */
/* What a workload in Lua costs beside the same written in C: 480 work-groups that put 8 B 100 times each, as
 * queue_service does it and as a program (bench/programs.lua), by turns in one process. Asked: at most 3 times as long.
 *
 * A point of queue_service whose polling phases matter, that of gpu-verbs, is run four times for the spread of its mean
 * (workloads/interface/independent_runs.c); a program is run once. */
#include <glib.h>
#include <stdio.h>

#include "../tests/designs.h"
#include "script/script.h"
#include "script/study/point.h"
#include "study/model/machine.h"
#include "yardstick.h"

#define ROUNDS 3

/* Seconds of point `n`; its failure ends the bench. */
static double run_point(struct study *study, size_t n)
{
    g_autoptr(GError) error = NULL;
    struct machine *machine = study_machine(study, n, &error);
    if (machine == NULL)
        g_error("%s", error->message);
    double start = yardstick_seconds();
    struct row *row = study_run_point(study, n, machine, 1);
    double seconds = yardstick_seconds() - start;
    if (row->failure != NULL)
        g_error("%s", row->failure);
    row_free(row);
    machine_free(machine);
    return seconds;
}

/* Points come in pairs: in C, then in Lua. */
int main(void)
{
    g_autoptr(GError) error = NULL;
    test_designs_load();
    struct study *study = study_load("bench/programs.lua", NULL, &error);
    if (study == NULL)
        g_error("%s", error->message);
    printf("%-12s %8s %8s %6s\n", "design", "C, s", "Lua, s", "ratio");
    for (size_t n = 0; n < study->point_count; n += 2) {
        double best[2] = {1e9, 1e9};
        for (int round = 0; round < ROUNDS; round++)
            for (size_t way = 0; way < 2; way++)
                best[way] = MIN(best[way], run_point(study, n + way));
        printf("%-12s %8.3f %8.3f %6.2f\n",
               study->axes[0].values[study_axis_index(study, n, 0)].text, best[0], best[1],
               best[1] / best[0]);
    }
    study_free(study);
    return 0;
}
