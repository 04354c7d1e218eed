# SPDX-License-Identifier: BSD-3-Clause
# The legend of a whole figure, after the last panel: below all panels, or in a corner of the first one. Behind it the script plots
# it, entry by entry.
#
# Set beforehand: what page.gp says; key_columns, key_longest (characters), series_label ('': none), key_title[]; key_top, or, where
# key_is_inside, key_x, key_y, key_is_right and key_is_low: its corner.
reset
unset border
unset tics
set xrange [0:1]
set yrange [0:1]
set lmargin at screen 0.5 / page_width
set rmargin at screen 1 - 0.5 / page_width
set bmargin at screen 0
set tmargin at screen 1
# A line of 1.5 em: terminals differ in what they take for the height of a character.
key_spacing = format eq 'svg' ? 1.0 : 1.29
if (key_is_inside) {
    set key opaque vertical Left reverse samplen 2.5 spacing key_spacing maxcols key_columns
    if (key_is_right) { set key right } else { set key left }
    if (key_is_low) { set key bottom } else { set key top }
    set key at screen key_x / page_width, screen key_y / page_height
} else {
    # gnuplot takes a character of SVG for 0.7 em, and would leave legends too wide.
    set key at screen 0.5, screen key_top / page_height center top horizontal Left reverse samplen 3 spacing key_spacing maxcols key_columns \
        width -(format eq 'svg' ? 0.08 : 0.0) * key_longest
}
if (strlen(series_label) > 0) { set key title series_label }
set style fill solid 0.85 border linecolor rgb '#404040'

# What the legend shows of published and measured values.
set style line 21 linecolor rgb '#404040' linewidth 1.2 dashtype '-'
set style line 22 linecolor rgb '#404040' linewidth 1.2 pointtype 3
set style line 23 linecolor rgb '#404040' linewidth 2 pointtype -1 dashtype 1
set style line 25 linecolor rgb '#404040' linewidth 1.5 pointtype 2
set style line 24 linecolor rgb '#000000' linewidth 1.5
