# SPDX-License-Identifier: BSD-3-Clause
# A mark a point: one measure over another.
plot for [i = 1:series_count] data using 1:(value_of(i)) with points linetype series_style[i] pointsize 1.1
