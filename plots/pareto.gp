# A mark a point, and the front of those that no other beats in both measures: less is better. The last
# series is the front.
set offsets graph 0.05, graph 0.05, graph 0.05, graph 0.05
set rmargin -1
set key outside right top vertical reverse Left title series_label left
plot for [i = 1:series_count - 1] data using (column(1)):(column(1 + i)) with points linetype i \
         pointsize 0.7 title series_title[i], \
     data using (column(1)):(column(1 + series_count)) with steps linecolor rgb '#000000' linewidth 1.5 \
         dashtype 1 title series_title[series_count]
