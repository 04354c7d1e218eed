# A group of bars for each x, one bar a series, y from zero.
load 'page.gp'
set style data histograms
set style histogram clustered gap 1
set style fill solid 0.85 border linecolor rgb '#404040'
set boxwidth 0.9
set yrange [0:*]
set grid noxtics
if (x_count > 10) { set xtics rotate by -45 }
do for [i = 1:8] { set linetype i dashtype 1 }
plot for [i = 1:series_count] 'data.tsv' using (column(1 + i)) linetype i title series_title[i]
unset output
