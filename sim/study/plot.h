/* Figures, drawn by gnuplot from a template in plots/. */
#ifndef GPUNETSIM_STUDY_PLOT_H
#define GPUNETSIM_STUDY_PLOT_H

#include <glib.h>
#include <stdbool.h>

#include "script/script.h"
#include "study/table.h"

/* A figure in memory. */
struct figure {
    GBytes *svg, *png;
};
void figure_free(struct figure *figure);

/* The table that a plot shows (table_pivot). NULL and one sentence (STUDY_ERROR_USE) if the plot
 * names a column that the results do not have. */
struct table *plot_table(const struct plot_spec *plot, const struct table *results, GError **error);

/* Draws `plot`. NULL and one sentence (STUDY_ERROR_RUN) if gnuplot is missing or fails, or if there
 * is nothing to draw. */
struct figure *plot_draw(const struct plot_spec *plot, const struct table *results, GError **error);

#endif
