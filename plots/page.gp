# What all figures have in common: the page. Loaded once a format, before the first panel.
#
# Set beforehand, for the page: format ('svg', 'png' or 'pdf'), figure_title, x_label, y_label, z_label (of
# a heat map's colours), series_label, panel_count, panel_columns.
# For each panel: data (its file), figure_title, series_count, series_title[], has_bands, x_column (0: rows
# are numbered), x_tick_count with x_tick_label[], x_tick_place[] and x_tick_level[] (1: a minor one), and so
# for y (none: gnuplot chooses), x_low, x_high, y_low, y_high (ends of logarithmic axes; 0 where there are
# none), x_count (rows), legend (its corner: "top left"; "off" where another panel has it).
# Texts are a study's, and may hold anything: they are values here, never part of a command (no eval).
# Data: column 1 is x and column 1 + i is series i, or, with bands, columns 3i - 1 to 3i + 1 are its mean,
# least and most; NaN where there is no value.

reset
set encoding utf8

# A page of several panels grows; on paper a single figure is as wide as a column (88 mm).
panel_rows = ceil(1.0 * panel_count / panel_columns)
wide = panel_count > 1 ? 0.65 * panel_columns : 1
high = panel_count > 1 ? 0.65 * panel_rows : 1
if (format eq 'svg') {
    set terminal svg size 800 * wide, 520 * high dynamic font 'DejaVu Sans,14' noenhanced background 'white'
}
if (format eq 'png') {
    set terminal pngcairo size 1200 * wide, 780 * high font 'DejaVu Sans,15' fontscale 1.1 linewidth 1.3 noenhanced
}
if (format eq 'pdf') {
    set terminal pdfcairo size 3.46 * wide, 2.32 * high font 'DejaVu Sans,7' fontscale 0.9 linewidth 0.6 \
        pointscale 0.5 noenhanced
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

if (panel_count > 1) {
    set multiplot layout panel_rows, panel_columns title figure_title
}
