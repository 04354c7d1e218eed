# As lines: what is logarithmic is the axes, set by panel.gp.
load 'plots/lines.gp'
