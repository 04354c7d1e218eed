/* Figures, drawn by gnuplot from a template in plots/. */
#ifndef GPUNETSIM_STUDY_FIGURE_PLOT_H
#define GPUNETSIM_STUDY_FIGURE_PLOT_H

#include <glib.h>
#include <stdbool.h>

#include "study/model/study.h"
#include "study/table/table.h"

enum figure_format { FIGURE_SVG, FIGURE_PNG, FIGURE_PDF, FIGURE_FORMATS };

/* A figure in memory, in each format. */
struct figure {
    GBytes *formats[FIGURE_FORMATS];
};
void figure_free(struct figure *figure);

/* "svg", "png", "pdf". */
const char *figure_format_name(enum figure_format format);

/* The figure in the format of that name, which must be one of these. */
GBytes *figure_bytes(const struct figure *figure, const char *format);

/* The table that a plot shows (table_pivot, table_scatter), of the panel `panel` if it has panels,
 * else NULL. NULL and one sentence (ERROR_USE) if the plot names a column that the results do
 * not have. */
struct table *plot_table(const struct plot_spec *plot, const struct table *results,
                         const char *panel, GError **error);

/* The panels' names, in the order in which they first appear; none if the plot has no panels. */
GPtrArray *plot_panels(const struct plot_spec *plot, const struct table *results);

/* Draws `plot`. NULL and one sentence (ERROR_RUN) if gnuplot is missing or fails, or if there
 * is nothing to draw. */
struct figure *plot_draw(const struct plot_spec *plot, const struct table *results, GError **error);

#endif
