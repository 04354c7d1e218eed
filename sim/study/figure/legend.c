#include "study/figure/legend.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "study/figure/ticks.h"

/* Share of a figure's width, and of its height for a line of text. */
#define LEGEND_WIDTH 0.3
#define LINE_HEIGHT 0.045
#define PANEL_SHARE 1.6 /* how much more of a panel */

#define STEPS 16 /* looks between two points of a curve */

enum corner { TOP_LEFT, TOP_RIGHT, BOTTOM_RIGHT, BOTTOM_LEFT, CORNERS };
static const char *const corner_names[CORNERS] = {"top left", "top right", "bottom right",
                                                  "bottom left"};

/* A curve's point in shares of the figure, from the lower left corner. */
struct place {
    double x, y;
    bool is_there;
};

struct axis_range {
    double low, high;
    bool is_log;
};

static double share(const struct axis_range *range, double value)
{
    if (range->high <= range->low)
        return 0.5;
    if (range->is_log && range->low > 0 && value > 0)
        return log(value / range->low) / log(range->high / range->low);
    return (value - range->low) / (range->high - range->low);
}

static struct place place_of(const struct table *pivot, size_t row, size_t column, bool x_is_named,
                             const struct axis_range *x, const struct axis_range *y)
{
    const char *at = table_cell(pivot, row, 0), *value = table_cell(pivot, row, column);
    if (at == NULL || value == NULL)
        return (struct place){.is_there = false};
    return (struct place){share(x, x_is_named ? (double)row : strtod(at, NULL)),
                          share(y, strtod(value, NULL)), true};
}

static double largest_y(const struct table *pivot, size_t width)
{
    double largest = 0;
    for (size_t column = 1; column < pivot->column_count; column += width)
        for (size_t row = 0; row < pivot->row_count; row++) {
            const char *cell = table_cell(pivot, row, column);
            if (cell != NULL)
                largest = fmax(largest, strtod(cell, NULL));
        }
    return largest;
}

static struct axis_range range_of_x(const struct table *pivot, const struct legend_frame *frame)
{
    struct axis_range range = {INFINITY, -INFINITY, frame->x_is_log};
    if (frame->x_is_named)
        return (struct axis_range){0, (double)pivot->row_count - 1, false};
    for (size_t row = 0; row < pivot->row_count; row++) {
        const char *cell = table_cell(pivot, row, 0);
        double x = cell != NULL ? strtod(cell, NULL) : NAN;
        range.low = fmin(range.low, x); /* which passes over NAN */
        range.high = fmax(range.high, x);
    }
    return range;
}

static struct axis_range range_of_y(const struct table *pivot, const struct legend_frame *frame)
{
    struct tick_ends ends = ticks_ends(pivot);
    if (frame->y_is_log && ends.y_low > 0)
        return (struct axis_range){ends.y_low, ends.y_high, true};
    return (struct axis_range){0, largest_y(pivot, frame->width), false};
}

/* Adds what the way from one point to the next covers of each corner. */
static void count_way(const struct place *from, const struct place *to, double width, double height,
                      int covered[CORNERS])
{
    for (int step = 0; step <= STEPS; step++) {
        double x = from->x + (to->x - from->x) * step / STEPS;
        double y = from->y + (to->y - from->y) * step / STEPS;
        bool left = x<width, right = x> 1 - width, top = y > 1 - height, bottom = y < height;
        covered[TOP_LEFT] += top && left;
        covered[TOP_RIGHT] += top && right;
        covered[BOTTOM_RIGHT] += bottom && right;
        covered[BOTTOM_LEFT] += bottom && left;
    }
}

/* The legend's size is in shares, too; the curves that fall less those that rise come back. */
static int count_curves(const struct table *pivot, const struct legend_frame *frame,
                        int covered[CORNERS])
{
    size_t curves = (pivot->column_count - 1) / frame->width;
    double scale = frame->is_on_panel ? PANEL_SHARE : 1;
    double height = LINE_HEIGHT * scale * (double)(curves + 1);
    struct axis_range x = range_of_x(pivot, frame), y = range_of_y(pivot, frame);
    int falling = 0;
    for (size_t column = 1; column < pivot->column_count; column += frame->width) {
        struct place first = {.is_there = false}, last = {.is_there = false};
        for (size_t row = 0; row < pivot->row_count; row++) {
            struct place place = place_of(pivot, row, column, frame->x_is_named, &x, &y);
            if (!place.is_there)
                continue;
            count_way(last.is_there ? &last : &place, &place, LEGEND_WIDTH * scale, height,
                      covered);
            if (!first.is_there)
                first = place;
            last = place;
        }
        falling += (last.y < first.y) - (last.y > first.y);
    }
    return falling;
}

const char *legend_corner(const struct table *pivot, const struct legend_frame *frame, int *covers)
{
    static const enum corner orders[2][CORNERS] = {
        {TOP_LEFT, TOP_RIGHT, BOTTOM_RIGHT, BOTTOM_LEFT},
        {TOP_RIGHT, TOP_LEFT, BOTTOM_LEFT, BOTTOM_RIGHT}};
    int covered[CORNERS] = {0};
    const enum corner *order = orders[count_curves(pivot, frame, covered) > 0];
    if (frame->is_filled)
        covered[BOTTOM_LEFT] = covered[BOTTOM_RIGHT] = INT_MAX;
    enum corner best = order[0];
    for (int i = 1; i < CORNERS; i++)
        if (covered[order[i]] < covered[best])
            best = order[i];
    if (covers != NULL)
        *covers = covered[best];
    /* bars leave no corner free; a single figure has room beside them */
    if (frame->is_filled && !frame->is_on_panel && covered[best] > 0)
        return "outside right top";
    return corner_names[best];
}
