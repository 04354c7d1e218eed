# Both axes logarithmic: latency over message size.
load 'plots/logx.gp'
set logscale y 10
if (y_low > 0) {
    set ytics ()
    do for [i = 1:y_tick_count] { set ytics add (y_tick_label[i] y_tick_place[i] y_tick_level[i]) }
    # A tick that rounding puts just outside of the axis is not drawn.
    set yrange [y_low / 1.000001 : y_high * 1.000001]
}
load 'plots/curves.gp'
