# Logarithmic x, linear y from zero: bandwidth over message size.
load 'plots/logx.gp'
set yrange [0:*]
load 'plots/curves.gp'
