/* The script that gnuplot gets for one figure: what differs from figure to figure. */
#ifndef GPUNETSIM_STUDY_FIGURE_PLOT_SCRIPT_H
#define GPUNETSIM_STUDY_FIGURE_PLOT_SCRIPT_H

#include <glib.h>

#include "study/model/study.h"
#include "study/table/table.h"

struct plot_sheet {
    const char *title;   /* of a panel; NULL: the plot's */
    struct table *shown; /* plot_table; its data is in the file data-N.tsv, N from 1 */
};

/* Where the script looks for the templates of plots/, beside itself. */
#define PLOT_TEMPLATES "plots"

/* The caller frees both with g_free. */
char *plot_script(const struct plot_spec *plot, const struct table *results,
                  const struct plot_sheet *sheets, size_t count);

/* What such a file holds: tab-separated numbers, NaN where there is none. Texts stand in the script. */
char *plot_data(const struct table *shown);

#endif
