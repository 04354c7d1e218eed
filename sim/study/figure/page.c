/* SPDX-License-Identifier: BSD-3-Clause */
/* Panels stand in a grid below the title; they share one label an axis, and one legend below all, which gnuplot
 * sets. Widths of texts are upper bounds (text_width.h), so nothing that has room here touches anything else. */
#include "study/figure/page.h"

#include <math.h>

#include "study/figure/text_width.h"

#define EDGE 0.5         /* em left free around the page */
#define LEAST_PANEL 12.0 /* width */
#define MOST_COLUMNS 3
#define SINGLE_SHAPE 0.62 /* height over width */
#define PANEL_SHAPE 0.75
#define LEAST_HEIGHT 9.0
#define MOST_HEIGHT 26.0
#define TICK_GAP 0.9       /* between an axis and its labels */
#define KEY_SAMPLE 4.5     /* of an entry, beside its text */
#define GNUPLOT_WIDTH 0.67 /* of a character, as gnuplot counts it for its columns */
#define KEY_LINE 1.75
#define COLOUR_BAR 4.5 /* em, beside its ticks and their label */
#define SLANT 0.75     /* height of a slanted label over its length, and width */

static double first_width(const GArray *ticks)
{
    return ticks->len > 0 ? text_width(g_array_index(ticks, struct tick, 0).label) : 0;
}

static double last_width(const GArray *ticks)
{
    return ticks->len > 0 ? text_width(g_array_index(ticks, struct tick, ticks->len - 1).label) : 0;
}

/* How many panels stand side by side where there is room for `room` em of them. */
static size_t columns_for(size_t panels, double room)
{
    size_t most = (size_t)MAX(floor(room / LEAST_PANEL), 1);
    most = MIN(most, MOST_COLUMNS);
    if (panels == 4)
        most = MIN(most, 2);
    return MIN(panels, most);
}

static bool names_collide(const GArray *ticks, const struct figure_axis *axis, double length)
{
    if (axis->scale != AXIS_NAMED || ticks->len < 2)
        return false;
    return ticks_width(ticks) + 0.8 > length / (axis->high - axis->low);
}

/* The height of what stands between a panel and what is below it. */
static double below_panel(const struct page *page)
{
    if (page->x_ticks_are_slanted)
        return SLANT * ticks_width(page->x_ticks) + 1.4;
    return PAGE_LINE + 0.9;
}

#define MOST_TURNS 8

/* Columns, widths and ticks: they depend on each other by the labels' widths, so it is done until what labels need has been
 * left for them. */
static void set_widths(struct page *page, const struct page_content *content)
{
    double right =
        EDGE + (content->has_colours ? COLOUR_BAR + ticks_width(page->z_ticks) + PAGE_LINE : 0);
    double gap = 1;
    page->x_ticks = axis_ticks(&content->x, LEAST_PANEL, false);
    page->y_ticks = axis_ticks(&content->y, MOST_HEIGHT, true); /* with all labels that may be */
    for (int turn = 0; turn < MOST_TURNS; turn++) {
        double lines = (double)page->y_lines->len;
        page->left = EDGE + lines * PAGE_LINE + ticks_width(page->y_ticks) + TICK_GAP;
        if (page->x_ticks_are_slanted) { /* they reach to the left from their ticks */
            double unit = page->panel_width / (content->x.high - content->x.low);
            page->left = MAX(page->left, SLANT * first_width(page->x_ticks) - 0.6 * unit + EDGE);
        }
        page->columns = columns_for(content->panels, page->width - page->left - right);
        double gaps = gap * (double)(page->columns - 1);
        page->panel_width = (page->width - page->left - right - gaps) / (double)page->columns;
        g_array_unref(page->x_ticks);
        page->x_ticks = axis_ticks(&content->x, page->panel_width, false);
        page->x_ticks_are_slanted = names_collide(page->x_ticks, &content->x, page->panel_width);
        page->column_gap = gap;
        if (page->x_ticks_are_slanted || content->x.scale == AXIS_NAMED)
            continue;
        double last = last_width(page->x_ticks) / 2, first = first_width(page->x_ticks) / 2;
        if (right >= EDGE + last && gap >= first + last + 0.8)
            break;
        right = MAX(right, EDGE + last);
        gap = MAX(gap, first + last + 0.8);
    }
    page->rows = (content->panels + page->columns - 1) / page->columns;
}

static void set_heights(struct page *page, const struct page_content *content)
{
    double shape = content->panels > 1 ? PANEL_SHAPE : SINGLE_SHAPE;
    double height = CLAMP(shape * page->panel_width, LEAST_HEIGHT, MOST_HEIGHT);
    if (content->y.scale == AXIS_NAMED)
        height = MAX(height, PAGE_LINE * content->y.names->len);
    page->panel_height = height;
    g_array_unref(page->y_ticks);
    page->y_ticks = axis_ticks(&content->y, height, true);
    double panel_title = content->panels > 1 ? PAGE_LINE + 0.3 : 0;
    /* Only the lowest panel of a column has labels at its ticks; of an incomplete last row not all are below. */
    bool is_full = content->panels % page->columns == 0;
    page->row_height = height + panel_title + (is_full ? 0.7 : below_panel(page) + 0.3);
}

static size_t key_columns(const struct page *page, const struct page_content *content)
{
    double widest = 0;
    for (guint i = 0; i < content->key->len; i++) {
        const char *text = g_ptr_array_index(content->key, i);
        widest =
            MAX(widest, MAX(text_width(text), GNUPLOT_WIDTH * (double)g_utf8_strlen(text, -1)));
    }
    double columns = floor((page->width - 2 * EDGE) / (widest + KEY_SAMPLE));
    size_t most = (size_t)CLAMP(columns, 1, (double)MAX(content->key->len, 1));
    size_t lines = (content->key->len + most - 1) / most;
    return lines > 0 ? (content->key->len + lines - 1) / lines : 1; /* as even as can be */
}

/* From the top down; `height` is counted from there, and turned over at the end. */
static void set_places(struct page *page, const struct page_content *content)
{
    double y = EDGE, title_y = y + PAGE_LINE / 2;
    y += PAGE_LINE * page->title_lines->len + 0.3 + (content->panels > 1 ? PAGE_LINE + 0.3 : 0);
    double top = y;
    y += (double)(page->rows - 1) * page->row_height + page->panel_height + below_panel(page);
    double x_label_y = y + PAGE_LINE / 2;
    y += PAGE_LINE * page->x_lines->len;
    double note_y = y + PAGE_LINE / 2;
    y += PAGE_LINE * page->note_lines->len;
    page->key_columns = key_columns(page, content);
    double key_top = y + 0.5;
    if (content->key->len > 0) {
        size_t lines = (content->key->len + page->key_columns - 1) / page->key_columns;
        y += KEY_LINE * (double)(lines + (*content->key_title != '\0')) + 0.9;
    }
    page->height = y + EDGE;
    page->top = page->height - top;
    page->title_y = page->height - title_y;
    page->x_label_y = page->height - x_label_y;
    page->key_top = page->height - key_top;
    page->note_y = page->height - note_y;
    page->y_label_x = EDGE + PAGE_LINE / 2;
}

/* The lines of a text; none of an empty one. */
static GPtrArray *lines_of(const char *text, double most)
{
    GPtrArray *lines = text_lines(text, most);
    if (*text == '\0')
        g_ptr_array_set_size(lines, 0);
    return lines;
}

struct page page_new(const struct page_content *content, double width)
{
    struct page page = {.width = width,
                        .title_lines = lines_of(content->title, width - 2 * EDGE),
                        .x_lines = lines_of(content->x_label, width - 2 * EDGE),
                        .y_lines = lines_of(content->y_label, 1e9),
                        .note_lines = lines_of(content->note, width - 2 * EDGE)};
    if (content->has_colours)
        page.z_ticks = axis_ticks(&content->z, LEAST_HEIGHT, true);
    set_widths(&page, content);
    set_heights(&page, content);
    double height = (double)(page.rows - 1) * page.row_height + page.panel_height;
    if (text_width(content->y_label) > height) { /* then its lines take width from the panels */
        g_ptr_array_unref(page.y_lines);
        page.y_lines = lines_of(content->y_label, height);
        g_array_unref(page.x_ticks);
        g_array_unref(page.y_ticks);
        set_widths(&page, content);
        set_heights(&page, content);
    }
    set_places(&page, content);
    return page;
}

void page_clear(struct page *page)
{
    g_ptr_array_unref(page->title_lines);
    g_ptr_array_unref(page->x_lines);
    g_ptr_array_unref(page->y_lines);
    g_ptr_array_unref(page->note_lines);
    g_array_unref(page->x_ticks);
    g_array_unref(page->y_ticks);
    g_clear_pointer(&page->z_ticks, g_array_unref);
}

struct page_panel page_panel(const struct page *page, size_t panels, size_t number)
{
    size_t column = number % page->columns, row = number / page->columns;
    double left = page->left + (double)column * (page->panel_width + page->column_gap);
    double top = page->top - (double)row * page->row_height;
    return (struct page_panel){.left = left,
                               .right = left + page->panel_width,
                               .top = top,
                               .bottom = top - page->panel_height,
                               .shows_x = number + page->columns >= panels,
                               .shows_y = column == 0};
}
