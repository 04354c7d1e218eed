/* Where a figure's axes get their ticks: few, round, and readable. */
#ifndef GPUNETSIM_STUDY_FIGURE_TICKS_H
#define GPUNETSIM_STUDY_FIGURE_TICKS_H

#include <stdbool.h>

#include "study/table/table.h"

struct tick {
    char *label; /* "": a minor tick */
    double place;
};

/* Ticks for the first column of a pivot table (table_pivot), an array of struct tick. None leaves the
 * choice to gnuplot. Numbers of bytes get powers of two. With `as_names`, and for texts, x is the row's
 * number and every row has its tick. The caller frees it with g_array_unref. */
GArray *ticks_of_x(const struct table *pivot, bool as_names);

/* Ticks for all other columns on a logarithmic axis. The caller frees it with g_array_unref. */
GArray *ticks_of_y(const struct table *pivot);

/* Where the axes end: at the smallest and largest x, and at the ticks around all y. Zeros where
 * there are no numbers, or where a logarithmic axis cannot be. */
struct tick_ends {
    double x_low, x_high, y_low, y_high;
};
struct tick_ends ticks_ends(const struct table *pivot);

#endif
