# SPDX-License-Identifier: BSD-3-Clause
# One curve a series, points joined by lines, a band behind it; or marks alone. The axes are panel.gp's.
plot for [i = 1:series_count * has_bands] @data using 1:(least_of(i)):(most_of(i)) \
         with filledcurves linetype series_style[i] fillstyle transparent solid 0.2 noborder, \
     for [i = 1:series_count] @data using 1:(series_is_marks[i] ? NaN : value_of(i)) with linespoints linetype series_style[i], \
     for [i = 1:series_count] @data using 1:(series_is_marks[i] ? value_of(i) : NaN) with points linetype series_style[i], \
     for [i = 1:mark_count > 0] @marks using 2:(column(4) * is_line(column(1))):(column(3) - column(2)):(0):(mark_colour(column(6))) \
         with vectors nohead linecolor variable linewidth 1.2 dashtype '-', \
     for [i = 1:mark_count > 0] @marks using 2:(column(4) * is_point(column(1))):(mark_colour(column(6))) \
         with points linecolor variable pointtype 3, \
     for [i = 1:mark_count > 0] @marks using 2:(column(4) * is_measured(column(1))):(mark_colour(column(6))) \
         with points linecolor variable pointtype 2 linewidth 1.5, \
     for [i = 1:mark_count > 0] @marks using 2:(column(4) * is_range(column(1))):(0):(column(5) - column(4)):(mark_colour(column(6))) \
         with vectors heads size graph 0.012, 90 linecolor variable linewidth 2 dashtype 1
