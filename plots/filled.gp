# Bars: filled, with names below them.
set style fill solid 0.85 border linecolor rgb '#404040'
set boxwidth 0.9
set yrange [0:*]
set grid noxtics
if (x_count > 6) { set xtics rotate by -45 }
do for [i = 1:8] { set linetype i dashtype 1 }
