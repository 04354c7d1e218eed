# A bar for each x, made up of one part a series, y from zero.
load 'plots/filled.gp'
set style data histograms
set style histogram rowstacked
set boxwidth 0.7
set rmargin -1
set key outside right top vertical reverse Left invert title series_label left
plot for [i = 1:series_count] data using (column(column_of(i))) linetype i title series_title[i]
