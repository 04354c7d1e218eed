# A field for each pair of values: a line for each value of `by`, a column for each x; the measure as a
# colour of cividis, which grows in lightness and is the same to the colour-blind. White: no value.
set palette defined (0 '#00224e', 1 '#123570', 2 '#3b496c', 3 '#575d6d', 4 '#707173', 5 '#8a8678', \
    6 '#a59c74', 7 '#c3b369', 8 '#e1cc55', 9 '#fee838')
set cblabel z_label
unset key
unset grid
unset xtics
set border 15
set rmargin at screen 0.82
set xrange [-0.5 : series_count - 0.5]
set yrange [-0.5 : x_count - 0.5]
set xtics () nomirror out
do for [i = 1:series_count] { set xtics add (series_title[i] i - 1) }
if (series_count > 8) { set xtics rotate by -45 }
set ytics () nomirror out
do for [i = 1:x_tick_count] { set ytics add (x_tick_label[i] x_tick_place[i] x_tick_level[i]) }
plot for [i = 1:series_count] data using (i - 1):0:(0.5):(0.5):(column(1 + i)) with boxxyerror \
    fillstyle solid noborder linecolor palette notitle
