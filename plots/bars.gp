# SPDX-License-Identifier: BSD-3-Clause
# A group of bars for each x, one bar a series that has a value there, from zero or from the low end of a logarithmic axis; with
# bands, whiskers from low to high. Set beforehand: bar, their width; bar_at[], their middles, row by row; mark_size, of marks that are no wider.
unset grid
set grid ytics linetype 1 linecolor rgb '#e4e4e4' linewidth 0.6 dashtype 1
set xtics scale 0
base = y_is_log ? y_low : 0
at(i) = bar_at[int(column(0)) * series_count + i]
plot for [i = 1:series_count] @data using (at(i)):(value_of(i)):(at(i) - bar / 2):(at(i) + bar / 2):(base):(value_of(i)) \
         with boxxyerror linetype series_style[i] linewidth 1 dashtype 1, \
     for [i = 1:series_count * has_bands] @data using (at(i)):(least_of(i)):(0):(most_of(i) - least_of(i)) \
         with vectors heads size graph 0.008, 90 linecolor rgb '#000000' linewidth 1 dashtype 1, \
     for [i = 1:mark_count > 0] @marks using 2:(column(4) * is_point(column(1))) \
         with points linecolor rgb '#000000' pointtype 3 pointsize mark_size, \
     for [i = 1:mark_count > 0] @marks using 2:(column(4) * is_measured(column(1))) \
         with points linecolor rgb '#000000' pointtype 2 pointsize mark_size, \
     for [i = 1:mark_count > 0] @marks using 2:(column(4) * is_line(column(1))):(column(3) - column(2)):(0) \
         with vectors nohead linecolor rgb '#000000' linewidth 1.2 dashtype '-', \
     for [i = 1:mark_count > 0] @marks using 2:(column(4) * is_range(column(1))):(0):(column(5) - column(4)) \
         with vectors heads size graph 0.012, 90 linecolor rgb '#000000' linewidth 1.5 dashtype 1
