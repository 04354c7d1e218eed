# One curve a series, points joined by lines; a band from least to most behind it.
if (has_bands) {
    plot for [i = 1:series_count] data using (column(x_column)):(column(3 * i)):(column(3 * i + 1)) \
             with filledcurves linetype i fillstyle transparent solid 0.2 noborder notitle, \
         for [i = 1:series_count] data using (column(x_column)):(column(column_of(i))) \
             with linespoints linetype i title series_title[i]
} else {
    plot for [i = 1:series_count] data using (column(x_column)):(column(column_of(i))) \
        with linespoints linetype i title series_title[i]
}
