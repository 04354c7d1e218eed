# Logarithmic x; the ends stand a little off the frame, so that no mark is cut.
set logscale x 2
if (x_high > x_low) {
    margin = (x_high / x_low) ** 0.015
    set xrange [x_low / margin : x_high * margin]
}
