# Both axes linear, y from zero.
set yrange [0:*]
load 'curves.gp'
