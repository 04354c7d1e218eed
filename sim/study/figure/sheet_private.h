/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of a sheet's making share. */
#ifndef GPUNETSIM_STUDY_FIGURE_SHEET_PRIVATE_H
#define GPUNETSIM_STUDY_FIGURE_SHEET_PRIVATE_H

#include "study/figure/sheet.h"

/* Whether a series' key is this value of `by`, or begins with it: "dgpu, true" with "dgpu". */
bool series_is_named(const char *key, const char *value);

/* Whether the names of x stand along the vertical axis. */
bool sheets_are_turned(const struct figure_sheets *sheets);

/* Series of a sheet; a text of its table, NULL where there is none; and a text as a number, or NaN. */
size_t sheet_series_count(const struct figure_sheets *sheets, const struct figure_sheet *sheet);
const char *sheet_cell(const struct figure_sheet *sheet, size_t row, size_t column);
double sheet_number(const char *text);

/* What series `i` of a sheet has in a row: its value, and the ends of the band around it. NaN where there is none. */
struct sheet_value {
    double value, low, high;
};
struct sheet_value sheet_value(const struct figure_sheets *sheets, const struct figure_sheet *sheet,
                               size_t row, size_t i);

/* The low end of a band as it is drawn: on a logarithmic axis not below the axis. */
double sheet_low(const struct figure_sheets *sheets, double low);

/* Where a text of the x column stands; it is taken in if it is new. */
double sheets_x_of(struct figure_sheets *sheets, const char *text);

/* Takes the marks in, with their values on the axes; and, once the axes have their ends, gives those a place that
 * have none. */
void sheets_add_marks(struct figure_sheets *sheets, const struct table *results,
                      const struct plot_mark *marks, size_t count);
void sheets_place_marks(struct figure_sheets *sheets);

/* A number of a data file; NaN for what is none. */
void sheet_append_number(GString *data, double number, char end);

#endif
