# SPDX-License-Identifier: BSD-3-Clause
# What a whole figure has: its page, title, labels and legend. Loaded once a format, before the first panel.
#
# Set beforehand, all lengths in em of the font, from the lower left corner:
#   format ('svg', 'png', 'pdf' or 'pdf-180mm'), output_file, page_width, page_height;
#   title_line[], x_line[], y_line[] with title_line_count ...: the lines of the title and of the axes' labels;
#   note_line[] with note_line_count: what bands are; line (from line to line), title_y, x_label_y, note_y, y_label_x (of the first line), middle_x, middle_y (of the panels);
#   the legend: has_key, key_top, key_columns, key_longest (characters), series_label ('': none), key_title[];
#   all_series: how many series there are in all panels.
# Behind it the script plots the legend, entry by entry.
# Texts are a study's, and may hold anything: they are values here, never part of a command (no eval).

reset
set encoding utf8

# Sizes: a column of a paper (88 mm) and its two columns (180 mm) with letters of 7 and 8 points; the same page for
# a screen, in its dots, as vectors and with two dots a dot.
em = 13.0
if (format eq 'svg') {
    set terminal svg size em * page_width, em * page_height dynamic font 'DejaVu Sans,13' noenhanced background 'white'
}
if (format eq 'png') {
    set terminal pngcairo size 2 * em * page_width, 2 * em * page_height font 'DejaVu Sans,26' fontscale 0.75 noenhanced \
        linewidth 2 pointscale 2 background 'white'
}
if (format eq 'pdf') {
    em = 7.0 / 72
    set terminal pdfcairo size em * page_width, em * page_height font 'DejaVu Sans,7' fontscale 0.75 linewidth 0.5 \
        pointscale 0.35 noenhanced
}
if (format eq 'pdf-180mm') {
    em = 8.0 / 72
    set terminal pdfcairo size em * page_width, em * page_height font 'DejaVu Sans,8' fontscale 0.75 linewidth 0.6 \
        pointscale 0.4 noenhanced
}
set output output_file

# Okabe and Ito's palette, which the colour-blind can tell apart, then eight other colours: boxes have no marks. Marks and dashes
# say the same again for a page printed in black.
set linetype 1 linecolor rgb '#0072b2' linewidth 2 pointtype 7  pointsize 0.8 dashtype 1
set linetype 2 linecolor rgb '#d55e00' linewidth 2 pointtype 5  pointsize 0.8 dashtype '-'
set linetype 3 linecolor rgb '#009e73' linewidth 2 pointtype 9  pointsize 0.9 dashtype '-.'
set linetype 4 linecolor rgb '#cc79a7' linewidth 2 pointtype 11 pointsize 0.9 dashtype '.'
set linetype 5 linecolor rgb '#e69f00' linewidth 2 pointtype 13 pointsize 0.9 dashtype '-..'
set linetype 6 linecolor rgb '#56b4e9' linewidth 2 pointtype 6  pointsize 0.8 dashtype '_'
set linetype 7 linecolor rgb '#000000' linewidth 2 pointtype 4  pointsize 0.8 dashtype 1
set linetype 8 linecolor rgb '#b8a800' linewidth 2 pointtype 8  pointsize 0.9 dashtype '-'
set linetype 9 linecolor rgb '#7f4f24' linewidth 2 pointtype 10 pointsize 0.9 dashtype '-.'
set linetype 10 linecolor rgb '#6a3d9a' linewidth 2 pointtype 12 pointsize 0.9 dashtype '.'
set linetype 11 linecolor rgb '#8c8c8c' linewidth 2 pointtype 6 pointsize 0.9 dashtype 1
set linetype 12 linecolor rgb '#a50f15' linewidth 2 pointtype 4 pointsize 0.9 dashtype '-'
set linetype 13 linecolor rgb '#66a61e' linewidth 2 pointtype 14 pointsize 0.9 dashtype '-.'
set linetype 14 linecolor rgb '#08306b' linewidth 2 pointtype 15 pointsize 0.9 dashtype '.'
set linetype 15 linecolor rgb '#f4a6c0' linewidth 2 pointtype 12 pointsize 0.9 dashtype '_'
set linetype 16 linecolor rgb '#807dba' linewidth 2 pointtype 5 pointsize 0.8 dashtype 1
set linetype cycle 16

set multiplot
unset border
unset tics
set xrange [0:1]
set yrange [0:1]
set lmargin at screen 0.5 / page_width
set rmargin at screen 1 - 0.5 / page_width
set bmargin at screen (key_top + 0.15) / page_height
set tmargin at screen (key_top + 0.2) / page_height
do for [i = 1:title_line_count] {
    set label title_line[i] at screen 0.5, screen (title_y - (i - 1) * line) / page_height center
}
do for [i = 1:x_line_count] {
    set label x_line[i] at screen middle_x / page_width, screen (x_label_y - (i - 1) * line) / page_height center
}
do for [i = 1:y_line_count] {
    set label y_line[i] at screen (y_label_x + (i - 1) * line) / page_width, screen middle_y / page_height \
        center rotate by 90
}

do for [i = 1:note_line_count] {
    set label note_line[i] at screen 0.5, screen (note_y - (i - 1) * line) / page_height center textcolor rgb '#404040'
}

# gnuplot takes a character of SVG for 0.7 em, and would leave legends too wide.
if (has_key) {
    set key bmargin center horizontal Left reverse samplen 3 spacing 1.05 maxcols key_columns \
        width -(format eq 'svg' ? 0.08 : 0.0) * key_longest
    if (strlen(series_label) > 0) { set key title series_label }
} else {
    unset key
}
set style fill solid 0.85 border linecolor rgb '#404040'

# What the legend shows of published and measured values.
set style line 21 linecolor rgb '#404040' linewidth 1.2 dashtype '-'
set style line 22 linecolor rgb '#404040' linewidth 1.2 pointtype 3
set style line 23 linecolor rgb '#404040' linewidth 2 pointtype -1 dashtype 1
set style line 25 linecolor rgb '#404040' linewidth 1.5 pointtype 2
set style line 24 linecolor rgb '#000000' linewidth 1.5
