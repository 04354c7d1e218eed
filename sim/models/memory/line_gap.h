/* SPDX-License-Identifier: BSD-3-Clause */
/* A minimum time between two atomics on one line of a memory. */
#pragma once

#include "core/map.h"
#include "core/simtime.h"
#include "models/memory/cache.h"

/* All zero at first. */
struct line_gap {
    struct map free_ps; /* by line */
};

static inline void line_gap_clear(struct line_gap *gap)
{
    map_clear(&gap->free_ps);
}

/* Takes the line for `gap_ps` (>= 0) as soon as it is free; returns how long after `now_ps` that is. */
static inline sim_time line_gap_take(struct line_gap *gap, cache_line line, sim_time now_ps,
                                     sim_time gap_ps)
{
    if (gap_ps == 0)
        return 0;
    union map_value *free_ps = map_at(&gap->free_ps, line);
    sim_time start_ps = (sim_time)free_ps->number;
    if (start_ps < now_ps)
        start_ps = now_ps;
    free_ps->number = (uint64_t)(start_ps + gap_ps);
    return start_ps - now_ps;
}
