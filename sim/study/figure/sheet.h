/* SPDX-License-Identifier: BSD-3-Clause */
/* What a figure shows, before it has a place on a page: its panels' tables, all series, axes and marks. */
#ifndef GPUNETSIM_STUDY_FIGURE_SHEET_H
#define GPUNETSIM_STUDY_FIGURE_SHEET_H

#include <glib.h>

#include "study/figure/axis.h"
#include "study/figure/plot.h"
#include "study/table/table.h"

enum series_kind { SERIES_CURVE, SERIES_MARKS, SERIES_BOX, SERIES_FRONT };

/* A series of any panel, once. */
struct figure_series {
    char *key;   /* as in tables: "comp-net" */
    char *label; /* as shown: "ComP-Net" */
    enum series_kind kind;
};

/* What is drawn over the curves, in the axes' numbers: a published value as a line or a mark, a published range
 * as a bar, a measured value as a mark of another shape. */
enum mark_kind { MARK_LINE, MARK_POINT, MARK_RANGE, MARK_MEASURED };
struct figure_mark {
    enum mark_kind kind;
    double x_low, x_high, low, high; /* MARK_RANGE: x_low alone; points: x_low and low */
    int style;                       /* number of its series from 1; 0: of none */
};

struct figure_sheet {
    char *title;         /* of a panel */
    struct table *shown; /* its columns of series: `width` each */
    int *series;         /* of each series of the table its number in figure_sheets.series */
    GArray *marks;       /* struct figure_mark */
};

struct figure_sheets {
    const struct plot_spec *plot;
    struct figure_sheet *sheets;
    size_t count;
    size_t width;               /* columns of a series (pivot_width) */
    bool has_bands;             /* whether values have ends around them that are drawn */
    GArray *series;             /* struct figure_series */
    struct figure_axis x, y, z; /* z: of a heat map's colours */
    char *title, *x_label, *y_label, *z_label, *series_label;
    char *note; /* what the bands are; "": there are none */
};

/* NULL and one sentence (ERROR_USE) if the plot names a column that the results do not have. */
struct figure_sheets *sheets_new(const struct plot_spec *plot, const struct table *results,
                                 const struct plot_mark *marks, size_t mark_count, GError **error);
void sheets_free(struct figure_sheets *sheets);

/* Whether there is any value to be drawn. */
bool sheets_have_values(const struct figure_sheets *sheets);

/* What the data file of a sheet holds: tab-separated numbers, a line a row; column 1 is x, columns 3i - 1 to
 * 3i + 1 are series i's value, low and high (of a bar of a stack its ends), NaN where there is none. The caller frees it with g_free. */
char *sheet_data(const struct figure_sheets *sheets, const struct figure_sheet *sheet);

/* The same of its marks: kind, x_low, x_high, low, high, style. */
char *sheet_marks(const struct figure_sheet *sheet);

#endif
