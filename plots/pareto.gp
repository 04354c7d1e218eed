# SPDX-License-Identifier: BSD-3-Clause
# A mark a point, and the front of those that no other beats in both measures: less is better. The last series is
# the front. With bands, bars from low to high.
plot for [i = 1:(series_count - 1) * has_bands] @data using 1:(value_of(i)):(least_of(i)):(most_of(i)) \
         with yerrorbars linetype series_style[i] pointtype -1 linewidth 1 dashtype 1, \
     for [i = 1:series_count - 1] @data using 1:(value_of(i)) with points linetype series_style[i] pointsize 1.1, \
     for [i = series_count:series_count] @data using 1:(value_of(i)) with steps linecolor rgb '#000000' linewidth 1.5 dashtype 1
