# SPDX-License-Identifier: BSD-3-Clause
# What all panels have in common; before the style.
#
# Set beforehand: what page.gp says; data (its file) and marks (of published values, mark_count of them);
# panel_title; left, right, bottom, top in em; x_low, x_high, x_is_log, and so y and z (colours); x_tick_count with
# x_tick_label[], x_tick_place[] and x_tick_level[] (1: a minor one), and so for y and z; shows_x, shows_y: whether ticks have
# labels; x_tick_angle (degrees); series_count, series_style[], series_is_marks[]; has_bands.
# Data: column 1 is x, columns 3i - 1 to 3i + 1 are series i's value, low and high; NaN where there is none.
# Marks: kind (0 line, 1 point, 2 range), x_low, x_high, low, high, style (0: of no series).
reset
unset label
set datafile separator "\t"
set datafile missing "NaN"
set lmargin at screen left / page_width
set rmargin at screen right / page_width
set bmargin at screen bottom / page_height
set tmargin at screen top / page_height
unset key
set title panel_title offset 0, -0.4
set border 3 linecolor rgb '#404040'
set xtics nomirror out scale 0.6, 0.35 ()
set ytics nomirror out scale 0.6, 0.35 ()
set grid xtics ytics linetype 1 linecolor rgb '#e4e4e4' linewidth 0.6 dashtype 1
if (x_is_log) { set logscale x 10 }
if (y_is_log) { set logscale y 10 }
# A tick that rounding puts just outside of the axis would not be drawn.
x_more = x_is_log ? 0 : 1e-9 * (x_high - x_low)
y_more = y_is_log ? 0 : 1e-9 * (y_high - y_low)
set xrange [(x_is_log ? x_low / 1.000001 : x_low - x_more) : (x_is_log ? x_high * 1.000001 : x_high + x_more)]
set yrange [(y_is_log ? y_low / 1.000001 : y_low - y_more) : (y_is_log ? y_high * 1.000001 : y_high + y_more)]
if (x_tick_angle > 0) { set xtics rotate by x_tick_angle right }
do for [i = 1:x_tick_count] { set xtics add ((shows_x ? x_tick_label[i] : '') x_tick_place[i] x_tick_level[i]) }
do for [i = 1:y_tick_count] { set ytics add ((shows_y ? y_tick_label[i] : '') y_tick_place[i] y_tick_level[i]) }
if (!y_is_log && y_low < 0 && y_high > 0) {
    set arrow 1 from graph 0, first 0 to graph 1, first 0 nohead back linecolor rgb '#808080' linewidth 0.8
}
set style arrow 1 nohead
set style fill solid 0.85 border linecolor rgb '#404040'
value_of(i) = column(3 * i - 1)
least_of(i) = column(3 * i)
most_of(i) = column(3 * i + 1)
# What is published or measured stands over what is simulated, in its colour: the last part of every plot command.
mark_colour(style) = style > 0 ? style : -1
is_line(kind) = kind == 0 ? 1 : NaN
is_point(kind) = kind == 1 ? 1 : NaN
is_range(kind) = kind == 2 ? 1 : NaN
is_measured(kind) = kind == 3 ? 1 : NaN
