# SPDX-License-Identifier: BSD-3-Clause
# A bar for each x, made up of one part a series, from zero: least_of(i) to most_of(i).
unset grid
set grid ytics linetype 1 linecolor rgb '#e4e4e4' linewidth 0.6 dashtype 1
set xtics scale 0
plot for [i = 1:series_count] @data using 1:(most_of(i)):(column(1) - 0.35):(column(1) + 0.35):(least_of(i)):(most_of(i)) \
    with boxxyerror linetype series_style[i] dashtype 1
