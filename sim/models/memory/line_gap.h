/* What can be done to a line once in a while only: atomics at a memory. */
#ifndef GPUNETSIM_MODELS_MEMORY_LINE_GAP_H
#define GPUNETSIM_MODELS_MEMORY_LINE_GAP_H

#include <glib.h>

#include "core/simtime.h"
#include "models/memory/cache.h"

/* All zero at first. */
struct line_gap {
    GHashTable *lines; /* when each is free again; asked and added to, never walked */
};
void line_gap_clear(struct line_gap *gap);

/* Takes the line for `gap_ps` (>= 0) as soon as it is free; returns how long after `now_ps` that is. */
sim_time line_gap_take(struct line_gap *gap, cache_line line, sim_time now_ps, sim_time gap_ps);

#endif
