# Both axes linear, y from zero.
load 'page.gp'
set yrange [0:*]
load 'curves.gp'
