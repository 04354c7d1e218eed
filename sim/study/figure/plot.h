/* SPDX-License-Identifier: BSD-3-Clause */
/* Figures, drawn by gnuplot from a template in plots/. */
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "study/model/study.h"
#include "study/table/table.h"

/* One PDF is as wide as a paper's column (88 mm, or what the study says), the other as a page (180 mm). `gnuplot figure.gp`
 * draws the first one on any machine. */
enum figure_format {
    FIGURE_PDF,
    FIGURE_PDF_WIDE,
    FIGURE_SVG,
    FIGURE_PNG,
    FIGURE_SCRIPT,
    FIGURE_FORMATS
};

/* Names of the formats, "svg" for example. */
extern const char *const figure_formats[FIGURE_FORMATS];

/* A figure in memory, in all formats. */
struct figure {
    GBytes *formats[FIGURE_FORMATS];
};
void figure_free(struct figure *figure);

/* Draws the texts that views/figure.lua has written: the script that gnuplot runs, the script for readers, and the values that
 * figure.svg shows. NULL and one sentence (ERROR_RUN) if gnuplot is missing or fails. */
struct figure *figure_draw(char *const *scripts, GError **error);

/* False and one sentence (ERROR_USE) if the plot names a column that the results do not have. */
bool plot_check(GVariant *plot, const struct table *results, GError **error);
