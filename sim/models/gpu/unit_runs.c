/* SPDX-License-Identifier: BSD-3-Clause */
#include "models/gpu/unit_runs.h"

#include <string.h>

/* Lets a run end at `at` > 0. */
static void cut(struct unit_run *runs, int64_t units, int64_t at)
{
    struct unit_run *run = &runs[unit_run_number(runs, at - 1)];
    if (run->end == at)
        return;
    memmove(run + 1, run, (unit_run_number(run, units - 1) + 1) * sizeof *run);
    run->end = (int32_t)at;
}

/* Makes neighbours with equal rooms one run. */
static void join(struct unit_run *runs, int64_t units)
{
    struct unit_run *kept = runs;
    for (const struct unit_run *next = runs + 1; kept->end < units; next++) {
        if (memcmp(&next->room, &kept->room, sizeof next->room) != 0)
            kept++;
        *kept = *next;
    }
}

void unit_runs_take(struct unit_run *runs, int64_t units, int64_t first, int64_t end,
                    struct unit_room needs, int32_t count)
{
    if (first >= end)
        return;
    if (first > 0)
        cut(runs, units, first);
    cut(runs, units, end);
    struct unit_run *run = &runs[unit_run_number(runs, first)];
    for (; run->end < end; run++)
        unit_room_take(&run->room, needs, count);
    unit_room_take(&run->room, needs, count);
    join(runs, units);
}
