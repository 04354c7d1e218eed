# SPDX-License-Identifier: BSD-3-Clause
# A field for each pair of values: a line for each value of `by`, a column for each x; the measure as a
# colour of cividis, which grows in lightness and is the same to the colour-blind. White: no value.
set palette defined (0 '#00224e', 1 '#123570', 2 '#3b496c', 3 '#575d6d', 4 '#707173', 5 '#8a8678', \
    6 '#a59c74', 7 '#c3b369', 8 '#e1cc55', 9 '#fee838')
set label z_label at screen 1 - 1.2 / page_width, graph 0.5 center rotate by 90
set cbrange [z_low:z_high]
set cbtics ()
do for [i = 1:z_tick_count] { set cbtics add (z_tick_label[i] z_tick_place[i] z_tick_level[i]) }
if (z_is_log) { set logscale cb }
unset grid
unset arrow
set border 15
plot for [i = 1:series_count] @data using (series_style[i] - 1):1:(0.5):(0.5):(value_of(i)) with boxxyerror \
    fillstyle solid noborder linecolor palette
