# Both axes logarithmic: latency over message size.
load 'logx.gp'
set logscale y 10
if (y_low > 0) {
    eval 'set ytics (' . y_ticks . ')'
    # A tick that rounding puts just outside of the axis is not drawn.
    set yrange [y_low / 1.000001 : y_high * 1.000001]
}
load 'curves.gp'
