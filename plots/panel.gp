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
if (legend eq 'top left') { set key top left }
if (legend eq 'top right') { set key top right }
if (legend eq 'bottom left') { set key bottom left }
if (legend eq 'bottom right') { set key bottom right }
if (legend eq 'outside right top') { set key outside right top }
if (legend eq 'off') { set key off }
if (legend eq 'outside right top') { unset rmargin }
if (series_count < 2) { unset key }
if (x_tick_count > 0) { set xtics () }
do for [i = 1:x_tick_count] { set xtics add (x_tick_label[i] x_tick_place[i] x_tick_level[i]) }
column_of(i) = has_bands ? 3 * i - 1 : 1 + i
