/* SPDX-License-Identifier: BSD-3-Clause */
/* The page of a figure: what stands where, in em of its font. What it looks like is plots/'s. */
#ifndef GPUNETSIM_STUDY_FIGURE_PAGE_H
#define GPUNETSIM_STUDY_FIGURE_PAGE_H

#include <glib.h>
#include <stdbool.h>

#include "study/figure/axis.h"

/* What is to be put on the page. */
struct page_content {
    const char *title, *x_label, *y_label;
    const char *note;           /* above the legend; "": none */
    struct figure_axis x, y, z; /* z: of a heat map's colours; without values elsewhere */
    size_t panels;              /* 1: a single figure, whose panel has no title */
    GPtrArray *panel_titles;    /* of char *, if there are several */
    GPtrArray *key;             /* entries of the legend, of char *; none: no legend */
    const char *key_title;      /* "": none */
    bool has_colours;           /* a bar of colours at the right */
};

/* Lengths in em from the lower left corner. */
struct page {
    double width, height;
    size_t columns, rows; /* of panels */
    double panel_width, panel_height, column_gap;
    double left, top;  /* of the first panel */
    double row_height; /* from one row of panels to the next */
    GPtrArray *title_lines, *x_lines, *y_lines, *note_lines;
    double title_y, x_label_y, y_label_x, note_y; /* of the first lines' middle */
    double key_top;
    size_t key_columns;
    GArray *x_ticks, *y_ticks, *z_ticks; /* struct tick; NULL: none */
    bool x_ticks_are_slanted;
};

#define PAGE_LINE 1.5 /* em from line to line */

/* Lays the content out on a page `width` em wide; its height is what it needs. page_clear frees it. */
struct page page_new(const struct page_content *content, double width);
void page_clear(struct page *page);

/* Where a panel stands, and whether its ticks have labels: those beside another panel need none. */
struct page_panel {
    double left, right, bottom, top;
    bool shows_x, shows_y;
};
struct page_panel page_panel(const struct page *page, size_t panels, size_t number);

#endif
