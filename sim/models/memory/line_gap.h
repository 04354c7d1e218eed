/* SPDX-License-Identifier: BSD-3-Clause */
/* A minimum time between two atomics on one line of a memory: a map by line of when the line is free. */
#pragma once

#include "core/map.h"
#include "core/simtime.h"
#include "models/memory/cache.h"

/* Takes the line for `gap_ps` (>= 0) as soon as it is free; returns how long after `now_ps` that is. */
static inline sim_time line_gap_take(struct map *lines, cache_line line, sim_time now_ps,
                                     sim_time gap_ps)
{
    if (gap_ps == 0)
        return 0;
    union map_value *free_ps = map_at(lines, line);
    sim_time start_ps = (sim_time)free_ps->number;
    if (start_ps < now_ps)
        start_ps = now_ps;
    free_ps->number = (uint64_t)(start_ps + gap_ps);
    return start_ps - now_ps;
}
