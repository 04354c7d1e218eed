# Logarithmic x, linear y from zero: bandwidth over message size.
load 'logx.gp'
set yrange [0:*]
load 'curves.gp'
