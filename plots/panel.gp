# What all panels have in common; before the style. See page.gp.
reset
set datafile separator "\t"
set datafile missing "NaN"
set title figure_title
set xlabel x_label
set ylabel y_label
set rmargin 5
set border 3 linecolor rgb '#404040'
set tics nomirror
set grid xtics ytics linetype 1 linecolor rgb '#e0e0e0' linewidth 0.6 dashtype 1 pointtype 0
set key top left reverse Left samplen 3 title series_label left
eval 'set key ' . legend
if (legend[1:7] eq 'outside') { unset rmargin }
if (series_count < 2) { unset key }
if (x_ticks ne '') { eval 'set xtics (' . x_ticks . ')' }
column_of(i) = has_bands ? 3 * i - 1 : 1 + i
