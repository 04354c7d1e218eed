# SPDX-License-Identifier: BSD-3-Clause
# As lines: what is logarithmic is the axes, set by panel.gp.
load 'plots/lines.gp'
