/* SPDX-License-Identifier: BSD-3-Clause */
/* The script that gnuplot gets for one figure: what differs from figure to figure. What each variable means
 * stands in plots/page.gp and plots/panel.gp. */
#ifndef GPUNETSIM_STUDY_FIGURE_PLOT_SCRIPT_H
#define GPUNETSIM_STUDY_FIGURE_PLOT_SCRIPT_H

#include <glib.h>

#include "study/figure/page.h"
#include "study/figure/sheet.h"

/* Where the script looks for the templates of plots/, beside itself. */
#define PLOT_TEMPLATES "plots"

/* A format in which figures are drawn: the name of its file's ending, the terminal in page.gp, and the width
 * of its page in em. */
struct figure_page {
    const char *name, *terminal;
    double width;
};

/* The caller frees it with g_free. */
char *plot_script(const struct figure_sheets *sheets, const struct figure_page *pages,
                  size_t page_count);

#endif
