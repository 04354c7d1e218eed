# SPDX-License-Identifier: BSD-3-Clause
# What a whole figure has: its page, title, labels and legend. Loaded once a format, before the first panel.
#
# Set beforehand, all lengths in em of the font, from the lower left corner:
#   format ('svg', 'png', 'pdf' or 'pdf-180mm'), output_file, page_width, page_height;
#   title_line[], x_line[], y_line[] with title_line_count ...: the lines of the title and of the axes' labels;
#   note_line[] with note_line_count: what bands are; line (from line to line), title_y, x_label_y, note_y, y_label_x (of the first line), middle_x, middle_y (of the panels);
#   font_name, letters (points; 0: a screen's).
# Behind it the script plots nothing, which sets the texts.
# Texts are a study's, and may hold anything: they are values here, never part of a command (no eval).

reset
set encoding utf8

# Sizes: a column of a paper and its two columns (88 and 180 mm with letters of 7 and 8 points); the same page for
# a screen, in its dots, as vectors and with two dots a dot.
em = 13.0
triangle = 0.9
if (format eq 'svg') {
    set terminal svg size em * page_width, em * page_height dynamic font font_name . ',13' noenhanced background 'white'
}
if (format eq 'png') {
    set terminal pngcairo size 2 * em * page_width, 2 * em * page_height font font_name . ',26' fontscale 0.75 noenhanced \
        linewidth 2 pointscale 2 background 'white'
}
if (format eq 'pdf') {
    em = letters / 72.0
    triangle = 1.35 # the terminal rounds the heights of small ones
    set terminal pdfcairo size em * page_width, em * page_height font sprintf('%s,%g', font_name, letters) fontscale 0.75 linewidth 0.5 \
        pointscale 0.35 noenhanced
}
if (format eq 'pdf-180mm') {
    em = letters / 72.0
    triangle = 1.35 # the terminal rounds the heights of small ones
    set terminal pdfcairo size em * page_width, em * page_height font sprintf('%s,%g', font_name, letters) fontscale 0.75 linewidth 0.6 \
        pointscale 0.4 noenhanced
}
set output output_file

# Okabe and Ito's palette, which the colour-blind can tell apart, then eight other colours: boxes have no marks. Marks and dashes
# say the same again for a page printed in black.
set linetype 1 linecolor rgb '#0072b2' linewidth 2 pointtype 7  pointsize 0.8 dashtype 1
set linetype 2 linecolor rgb '#d55e00' linewidth 2 pointtype 5  pointsize 0.8 dashtype '-'
set linetype 3 linecolor rgb '#009e73' linewidth 2 pointtype 9  pointsize triangle dashtype '-.'
set linetype 4 linecolor rgb '#cc79a7' linewidth 2 pointtype 11 pointsize triangle dashtype '.'
set linetype 5 linecolor rgb '#e69f00' linewidth 2 pointtype 13 pointsize 0.9 dashtype '-..'
set linetype 6 linecolor rgb '#56b4e9' linewidth 2 pointtype 6  pointsize 0.8 dashtype '_'
set linetype 7 linecolor rgb '#000000' linewidth 2 pointtype 4  pointsize 0.8 dashtype 1
set linetype 8 linecolor rgb '#b8a800' linewidth 2 pointtype 8  pointsize triangle dashtype '-'
set linetype 9 linecolor rgb '#7f4f24' linewidth 2 pointtype 10 pointsize triangle dashtype '-.'
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
set bmargin at screen 0
set tmargin at screen 1
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

unset key
