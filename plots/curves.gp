# One curve a series, points joined by lines.
plot for [i = 1:series_count] 'data.tsv' using (column(x_column)):(column(1 + i)) \
    with linespoints linetype i title series_title[i]
unset output
