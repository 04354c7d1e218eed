# A group of bars for each x, one bar a series, y from zero; with bands, whiskers from least to most.
load 'plots/filled.gp'
set style data histograms
if (has_bands) {
    set style histogram errorbars gap 1 linewidth 1
    set bars 0.5
    plot for [i = 1:series_count] data using (column(column_of(i))):(column(3 * i)):(column(3 * i + 1)) \
        linetype i title series_title[i]
} else {
    set style histogram clustered gap 1
    plot for [i = 1:series_count] data using (column(column_of(i))) linetype i title series_title[i]
}
