# Both axes linear, y from zero.
set yrange [0:*]
load 'plots/curves.gp'
