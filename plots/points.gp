# SPDX-License-Identifier: BSD-3-Clause
# A mark a point: one measure over another; with bands, bars from low to high.
plot for [i = 1:series_count * has_bands] @data using 1:(value_of(i)):(least_of(i)):(most_of(i)) \
         with yerrorbars linetype series_style[i] pointtype -1 linewidth 1 dashtype 1, \
     for [i = 1:series_count] @data using 1:(value_of(i)) with points linetype series_style[i] pointsize 1.1
