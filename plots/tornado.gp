# SPDX-License-Identifier: BSD-3-Clause
# A bar to each side for each name upwards: what the measure becomes from series 1 and from series 2.
unset grid
unset arrow
set grid xtics linetype 1 linecolor rgb '#e4e4e4' linewidth 0.6 dashtype 1
set ytics scale 0
set arrow 2 from first 0, graph 0 to first 0, graph 1 nohead back linecolor rgb '#808080' linewidth 0.8
plot for [i = 1:series_count] @data using (value_of(i)):1:(0):(value_of(i)):(column(1) - 0.38 + 0.38 * (i - 1)):(column(1) + 0.38 * (i - 1)) \
    with boxxyerror linetype series_style[i] dashtype 1
