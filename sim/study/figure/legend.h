/* Where a figure's legend stands: in the corner in which it covers least of the curves. */
#ifndef GPUNETSIM_STUDY_FIGURE_LEGEND_H
#define GPUNETSIM_STUDY_FIGURE_LEGEND_H

#include <stdbool.h>

#include "study/table/table.h"

struct legend_frame {
    bool x_is_named; /* rows stand side by side, in their order */
    bool x_is_log, y_is_log;
    size_t width; /* columns of a series: 1, or 3 with bands, of which the first one is the curve */
    bool is_filled;   /* down to the x axis: bars */
    bool is_on_panel; /* of several: a legend takes more of it */
};

/* "top left", "top right", "bottom right" or "bottom left" (or "outside right top", beside bars) for the curves of a pivot table (table_pivot);
 * of corners that are as good the first one, where most curves fall the right one before the left one.
 * `covers` (may be NULL) is how much of the curves it covers there, to compare panels by. */
const char *legend_corner(const struct table *pivot, const struct legend_frame *frame, int *covers);

#endif
