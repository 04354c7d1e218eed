/* SPDX-License-Identifier: BSD-3-Clause */
/* A sheet's values as gnuplot reads them. */
#include <math.h>

#include "study/figure/label.h"
#include "study/figure/sheet_private.h"

void sheet_append_number(GString *data, double number, char end)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    g_string_append_printf(
        data, "%s%c",
        isfinite(number) ? g_ascii_formatd(text, sizeof text, "%.12g", number) : "NaN", end);
}

/* Value, low and high of series i: of a bar low and high are its ends. */
static void append_series(GString *data, const struct figure_sheets *sheets,
                          const struct figure_sheet *sheet, size_t row, size_t i, double *sum)
{
    struct sheet_value at = sheet_value(sheets, sheet, row, i);
    if (plot_has_style(sheets->plot, "stack") && isfinite(at.value)) {
        at.low = *sum;
        at.high = *sum += at.value;
    }
    sheet_append_number(data, at.value, '\t');
    sheet_append_number(data, sheet_low(sheets, at.low), '\t');
    sheet_append_number(data, at.high, i + 1 < sheet_series_count(sheets, sheet) ? '\t' : '\n');
}

static double row_place(const struct figure_sheets *sheets, const struct figure_sheet *sheet,
                        size_t row)
{
    const char *text = sheet_cell(sheet, row, 0);
    const struct figure_axis *axis = sheets_are_turned(sheets) ? &sheets->y : &sheets->x;
    guint number = 0;
    if (axis->scale != AXIS_NAMED)
        return sheet_number(text);
    g_autofree char *label = label_value(&sheet->shown->columns[0], text);
    g_ptr_array_find_with_equal_func(axis->names, label, g_str_equal, &number);
    return number;
}

char *sheet_data(const struct figure_sheets *sheets, const struct figure_sheet *sheet)
{
    GString *data = g_string_new(NULL);
    for (size_t r = 0; r < sheet->shown->row_count; r++) {
        double sum = 0;
        sheet_append_number(data, row_place(sheets, sheet, r), '\t');
        for (size_t i = 0; i < sheet_series_count(sheets, sheet); i++)
            append_series(data, sheets, sheet, r, i, &sum);
    }
    return g_string_free(data, FALSE);
}
