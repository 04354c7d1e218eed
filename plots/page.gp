# What all figures have in common. Loaded by the style files once a format.
#
# Set beforehand: format ('svg' or 'png'), figure_title, x_label, y_label, series_label, series_count,
# series_title[], x_column (0: rows are numbered), x_ticks and y_ticks (gnuplot's tick lists, or ''),
# x_low, x_high, y_low, y_high (ends of logarithmic axes; 0 where there are none), x_count (rows).
# Data: data.tsv, column 1 is x and column 1 + i is series i; NaN where there is no value.

reset
set datafile separator "\t"
set datafile missing "NaN"
set encoding utf8

if (format eq 'svg') {
    set terminal svg size 800,520 dynamic font 'DejaVu Sans,14' noenhanced background 'white'
} else {
    set terminal pngcairo size 1200,780 font 'DejaVu Sans,15' fontscale 1.1 linewidth 1.3 noenhanced
}
set output 'figure.' . format

# Okabe and Ito's palette, which the colour-blind can tell apart; markers and dashes say the same
# again for a page printed in black.
set linetype 1 linecolor rgb '#0072b2' linewidth 2 pointtype 7  pointsize 0.8 dashtype 1
set linetype 2 linecolor rgb '#d55e00' linewidth 2 pointtype 5  pointsize 0.8 dashtype '-'
set linetype 3 linecolor rgb '#009e73' linewidth 2 pointtype 9  pointsize 0.9 dashtype '-.'
set linetype 4 linecolor rgb '#cc79a7' linewidth 2 pointtype 11 pointsize 0.9 dashtype '.'
set linetype 5 linecolor rgb '#e69f00' linewidth 2 pointtype 13 pointsize 0.9 dashtype '-..'
set linetype 6 linecolor rgb '#56b4e9' linewidth 2 pointtype 6  pointsize 0.8 dashtype '_'
set linetype 7 linecolor rgb '#000000' linewidth 2 pointtype 4  pointsize 0.8 dashtype 1
set linetype 8 linecolor rgb '#f0e442' linewidth 2 pointtype 8  pointsize 0.9 dashtype '-'
set linetype cycle 8

set title figure_title
set xlabel x_label
set ylabel y_label
set rmargin 5
set border 3 linecolor rgb '#404040'
set tics nomirror
set grid xtics ytics linetype 1 linecolor rgb '#e0e0e0' linewidth 0.6 dashtype 1 pointtype 0
set key top left reverse Left samplen 3 title series_label left
if (series_count < 2) { unset key }
if (x_ticks ne '') { eval 'set xtics (' . x_ticks . ')' }
