# A mark a point: one measure over another.
set offsets graph 0.05, graph 0.05, graph 0.05, graph 0.05
set rmargin -1
set key outside right top vertical reverse Left title series_label left
plot for [i = 1:series_count] data using (column(1)):(column(1 + i)) with points linetype i \
    pointsize 0.7 title series_title[i]
