/* SPDX-License-Identifier: BSD-3-Clause */
/* Published and measured values over the curves of a sheet. */
#include <math.h>
#include <string.h>

#include "study/figure/label.h"
#include "study/figure/sheet_private.h"

static int style_of(const struct figure_sheets *sheets, const char *series)
{
    for (guint i = 0; series && i < sheets->series->len; i++)
        if (series_is_named(g_array_index(sheets->series, struct figure_series, i).key, series))
            return (int)i + 1;
    return 0;
}

/* Whether the series is in this panel. */
static bool has_series(const struct figure_sheets *sheets, const struct figure_sheet *sheet,
                       int style)
{
    for (size_t i = 0; i < sheet_series_count(sheets, sheet); i++)
        if (sheet->series[i] == style - 1)
            return true;
    return style == 0;
}

/* Whether something was simulated at the place. What was measured elsewhere would be a name without a bar. */
static bool has_place(const struct figure_sheets *sheets, const char *text)
{
    if (sheets->x.scale != AXIS_NAMED || !text)
        return true;
    g_autofree char *label = label_value(&sheets->sheets[0].shown->columns[0], text);
    return g_ptr_array_find_with_equal_func(sheets->x.names, label, g_str_equal, NULL);
}

/* A range along the whole axis stands as a bar at the right end of it, beside those of other series. */
static void add_mark(struct figure_sheets *sheets, struct figure_sheet *sheet,
                     const struct plot_mark *mark)
{
    if (mark->is_measured && !has_place(sheets, mark->x_low))
        return;
    struct figure_mark shown = {.low = mark->low,
                                .high = mark->high,
                                .x_low = mark->x_low ? sheets_x_of(sheets, mark->x_low) : NAN,
                                .x_high = mark->x_high ? sheets_x_of(sheets, mark->x_high) : NAN,
                                .style = style_of(sheets, mark->series)};
    if ((mark->series && shown.style == 0) || !has_series(sheets, sheet, shown.style))
        return;
    bool is_range = mark->high > mark->low, is_place = mark->x_low && !mark->x_high;
    shown.kind = mark->is_measured ? MARK_MEASURED
                 : is_range        ? MARK_RANGE
                 : is_place        ? MARK_POINT
                                   : MARK_LINE;
    g_array_append_val(sheet->marks, shown);
    axis_add(&sheets->x, shown.x_low);
    axis_add(&sheets->x, shown.x_high);
    axis_add(&sheets->y, shown.low);
    axis_add(&sheets->y, shown.high);
}

void sheets_add_marks(struct figure_sheets *sheets, const struct table *results,
                      const struct plot_mark *marks, size_t count)
{
    g_autoptr(GPtrArray) panels = plot_panels(sheets->plot, results);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < sheets->count; k++) {
            const char *panel = panels->len ? g_ptr_array_index(panels, k) : NULL;
            if (!marks[i].panel || g_strcmp0(marks[i].panel, panel) == 0)
                add_mark(sheets, &sheets->sheets[k], &marks[i]);
        }
    }
}

#define BAR_STEP 0.035 /* of the axis, from one published range to the next */

static bool is_beyond(const struct figure_mark *mark)
{
    return mark->kind == MARK_RANGE && isnan(mark->x_low);
}

static double at_share(const struct figure_axis *axis, double low, double high, double share)
{
    return axis->scale == AXIS_LOG ? low * pow(high / low, share) : low + (high - low) * share;
}

/* Where the x of a mark has been left open: lines go along the axis from `low` to `high`, ranges stand
 * beyond that. Returns how many do. */
static size_t place_in(GArray *marks, const struct figure_axis *axis, double low, double high)
{
    size_t bars = 0;
    for (guint i = 0; i < marks->len; i++) {
        struct figure_mark *mark = &g_array_index(marks, struct figure_mark, i);
        if (is_beyond(mark))
            mark->x_low = at_share(axis, low, high, 1 + BAR_STEP * (double)++bars);
        if (mark->kind == MARK_LINE && isnan(mark->x_low))
            mark->x_low = low;
        if (mark->kind == MARK_LINE && isnan(mark->x_high))
            mark->x_high = high;
    }
    return bars;
}

static void place_beside_curves(struct figure_sheets *sheets)
{
    double low = sheets->x.low, high = sheets->x.high;
    size_t most = 0;
    for (size_t i = 0; i < sheets->count; i++) {
        size_t bars = place_in(sheets->sheets[i].marks, &sheets->x, low, high);
        most = MAX(most, bars);
    }
    sheets->x.last = high;
    if (most > 0)
        sheets->x.high = at_share(&sheets->x, low, high, 1 + BAR_STEP * (double)(most + 1));
}

/* Beside bars a mark stands at its series' bar. */
static void place_at_bars(struct figure_sheets *sheets)
{
    double count = (double)MAX(sheets->series->len, 1);
    for (size_t i = 0; i < sheets->count && plot_has_style(sheets->plot, "bars"); i++) {
        GArray *marks = sheets->sheets[i].marks;
        for (guint k = 0; k < marks->len; k++) {
            struct figure_mark *mark = &g_array_index(marks, struct figure_mark, k);
            if (mark->style > 0 && isnan(mark->x_high))
                mark->x_low += (mark->style - (count + 1) / 2) / (count + 1);
        }
    }
}

void sheets_place_marks(struct figure_sheets *sheets)
{
    if (sheets->x.scale != AXIS_NAMED)
        place_beside_curves(sheets);
    place_at_bars(sheets);
}

char *sheet_marks(const struct figure_sheet *sheet)
{
    GString *data = g_string_new(NULL);
    for (guint i = 0; i < sheet->marks->len; i++) {
        const struct figure_mark *mark = &g_array_index(sheet->marks, struct figure_mark, i);
        sheet_append_number(data, mark->kind, '\t');
        sheet_append_number(data, mark->x_low, '\t');
        sheet_append_number(data, mark->x_high, '\t');
        sheet_append_number(data, mark->low, '\t');
        sheet_append_number(data, mark->high, '\t');
        sheet_append_number(data, mark->style, '\n');
    }
    return g_string_free(data, FALSE);
}
