/* SPDX-License-Identifier: BSD-3-Clause */
/* gnuplot would label an axis from 8 B to 1 MiB with 10, 100, 1000, and each panel of a figure otherwise. */
#include "study/figure/axis.h"

#include <math.h>
#include <string.h>

#include "study/figure/text_width.h"
#include "study/model/value.h"

#define LABEL_GAP 1.0    /* em between two labels side by side */
#define LABEL_HEIGHT 1.9 /* em for a label among others above each other */
#define WIDE_DECADES 3   /* from here on 1, 10, 100 are enough; below 1, 2, 5, 10 */
#define NAME_MOST 24.0   /* em of a value that is a text */
#define MOST_TICKS 200
#define MOST_VALUES_AS_TICKS 16

struct figure_axis axis_new(enum axis_scale scale, bool is_bytes)
{
    return (struct figure_axis){.scale = scale,
                                .is_bytes = is_bytes,
                                .unit = 1,
                                .last = INFINITY,
                                .values = g_array_new(FALSE, FALSE, sizeof(double)),
                                .names = g_ptr_array_new_with_free_func(g_free)};
}

void axis_clear(struct figure_axis *axis)
{
    g_clear_pointer(&axis->values, g_array_unref);
    g_clear_pointer(&axis->names, g_ptr_array_unref);
}

static double value_at(const struct figure_axis *axis, guint number)
{
    return g_array_index(axis->values, double, number);
}

void axis_add(struct figure_axis *axis, double value)
{
    if (isfinite(value))
        g_array_append_val(axis->values, value);
}

double axis_add_name(struct figure_axis *axis, const char *label)
{
    guint number;
    if (!g_ptr_array_find_with_equal_func(axis->names, label, g_str_equal, &number)) {
        number = axis->names->len;
        g_ptr_array_add(axis->names, g_strdup(label));
    }
    return number;
}

static bool has_values(const struct figure_axis *axis)
{
    return axis->values->len > 0;
}

static double least(const struct figure_axis *axis)
{
    return has_values(axis) ? value_at(axis, 0) : 0;
}

static double most(const struct figure_axis *axis)
{
    return has_values(axis) ? value_at(axis, axis->values->len - 1) : 1;
}

static int compare_values(gconstpointer a, gconstpointer b)
{
    double one = *(const double *)a, other = *(const double *)b;
    return (one > other) - (one < other);
}

void axis_settle(struct figure_axis *axis)
{
    guint kept = 0;
    g_array_sort(axis->values, compare_values);
    for (guint i = 0; i < axis->values->len; i++)
        if (kept == 0 || value_at(axis, i) > value_at(axis, kept - 1))
            g_array_index(axis->values, double, kept++) = value_at(axis, i);
    g_array_set_size(axis->values, kept);
    if (!has_values(axis) && axis->scale == AXIS_LOG)
        axis->scale = AXIS_LINEAR;
}

bool axis_can_be_drawn(const struct figure_axis *axis)
{
    for (guint i = 0; axis->scale == AXIS_LOG && i < axis->values->len; i++)
        if (value_at(axis, i) <= 0)
            return false;
    return true;
}

void axis_log_if_wide(struct figure_axis *axis, double ratio)
{
    if (axis->scale == AXIS_LINEAR && has_values(axis) && least(axis) > 0 &&
        most(axis) >= ratio * least(axis))
        axis->scale = AXIS_LOG;
}

void axis_leave_room(struct figure_axis *axis, double factor)
{
    double low = least(axis) / factor;
    g_array_prepend_val(axis->values, low);
}

/* --- ends --------------------------------------------------------------------------------------- */

/* Step `n` of the ladder 1, 2, 5, 10, 20, ... or 1, 10, 100, ...; n may be negative. */
static double rung(int n, bool wide)
{
    static const double steps[] = {1, 2, 5};
    if (wide)
        return pow(10, n);
    int decade = n >= 0 ? n / 3 : -((2 - n) / 3);
    return steps[n - 3 * decade] * pow(10, decade);
}

static bool is_wide(double low, double high)
{
    return log10(high / low) > WIDE_DECADES;
}

/* The first rung that is not below the number. */
static int rung_from(double number, bool wide)
{
    int n = (wide ? 1 : 3) * (int)floor(log10(number));
    while (rung(n, wide) < number * (1 - 1e-9))
        n++;
    return n;
}

/* The smallest round step that cuts the stretch into no more than `parts`. */
static double round_step(double stretch, double parts)
{
    return stretch > 0 ? rung(rung_from(stretch / parts, false), false) : 1;
}

#define USUAL_PARTS 5

static void end_log(struct figure_axis *axis)
{
    bool wide = is_wide(least(axis), most(axis));
    int first = rung_from(least(axis), wide), last = rung_from(most(axis), wide);
    if (rung(first, wide) > least(axis) * (1 + 1e-9) || first == last)
        first--;
    axis->low = rung(first, wide);
    axis->high = rung(MAX(last, first + 1), wide);
}

void axis_end_round(struct figure_axis *axis, bool from_zero)
{
    if (axis->scale == AXIS_LOG) {
        end_log(axis);
        return;
    }
    double low = from_zero ? MIN(least(axis), 0) : least(axis);
    double high = from_zero ? MAX(most(axis), 0) : most(axis);
    double step = round_step(high - low, USUAL_PARTS);
    axis->low = floor(low / step + 1e-9) * step;
    axis->high = ceil(high / step - 1e-9) * step;
    if (axis->high <= axis->low)
        axis->high = axis->low + step;
}

void axis_end_near(struct figure_axis *axis)
{
    static const double margin = 0.02;
    double low = least(axis), high = most(axis);
    if (axis->scale == AXIS_NAMED) {
        axis->low = -0.6;
        axis->high = MAX(axis->names->len, 1) - 0.4;
    } else if (axis->scale == AXIS_LOG) {
        double factor = high > low ? pow(high / low, margin) : 2;
        axis->low = low / factor;
        axis->high = high * factor;
    } else {
        double more = high > low ? margin * (high - low) : MAX(fabs(high), 1) / 2;
        axis->low = low - more;
        axis->high = high + more;
    }
}

double axis_share(const struct figure_axis *axis, double value)
{
    if (axis->scale == AXIS_LOG)
        return log(value / axis->low) / log(axis->high / axis->low);
    return (value - axis->low) / (axis->high - axis->low);
}

/* --- ticks -------------------------------------------------------------------------------------- */

static void clear_tick(gpointer tick)
{
    g_free(((struct tick *)tick)->label);
}

static GArray *new_ticks(void)
{
    GArray *ticks = g_array_new(FALSE, FALSE, sizeof(struct tick));
    g_array_set_clear_func(ticks, clear_tick);
    return ticks;
}

/* The label is taken over. A tick outside of the axis is dropped. */
static void append_tick(GArray *ticks, const struct figure_axis *axis, char *label, double place)
{
    struct tick tick = {label, place};
    double share = axis_share(axis, place);
    if (share >= -1e-6 && share <= 1 + 1e-6 && place <= axis->last)
        g_array_append_val(ticks, tick);
    else
        g_free(label);
}

double ticks_width(const GArray *ticks)
{
    double width = 0;
    for (guint i = 0; i < ticks->len; i++)
        width = MAX(width, text_width(g_array_index(ticks, struct tick, i).label));
    return width;
}

/* Whether every `step`th label from the first on has room beside the next one. */
static bool labels_fit(const GArray *ticks, guint step, const struct figure_axis *axis,
                       double length, bool is_vertical)
{
    for (guint i = 0; i + step < ticks->len; i += step) {
        const struct tick *one = &g_array_index(ticks, struct tick, i);
        const struct tick *next = &g_array_index(ticks, struct tick, i + step);
        double apart = fabs(axis_share(axis, next->place) - axis_share(axis, one->place)) * length;
        double needs = is_vertical
                           ? LABEL_HEIGHT
                           : (text_width(one->label) + text_width(next->label)) / 2 + LABEL_GAP;
        if (apart < needs)
            return false;
    }
    return true;
}

/* Takes away labels until the others have room: evenly, from the first on. */
static void thin_out(GArray *ticks, const struct figure_axis *axis, double length, bool is_vertical)
{
    guint step = 1;
    while (step < ticks->len && !labels_fit(ticks, step, axis, length, is_vertical))
        step++;
    for (guint i = 0; i < ticks->len; i++)
        if (i % step != 0)
            *g_array_index(ticks, struct tick, i).label = '\0';
}

/* "10⁻⁵". */
static char *power_of_ten(int power)
{
    static const char *const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    g_autofree char *text = g_strdup_printf("%d", abs(power));
    GString *label = g_string_new(power < 0 ? "10⁻" : "10");
    for (const char *c = text; *c; c++)
        g_string_append(label, digits[*c - '0']);
    return g_string_free(label, FALSE);
}

/* A number on an axis on which `largest` and `smallest` are the ends of what stands there: all as plain
 * decimals, or all with powers of ten. */
static char *number_label(const struct figure_axis *axis, double number, double smallest,
                          double largest)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    number /= axis->unit;
    smallest /= axis->unit;
    largest /= axis->unit;
    if ((largest < 1e6 && smallest >= 1e-4) || number == 0)
        return g_strdup(g_ascii_formatd(text, sizeof text, "%.7g", number + 0.0));
    int power = (int)floor(log10(fabs(number)) + 1e-9);
    g_autofree char *tens = power_of_ten(power);
    double factor = number / pow(10, power);
    if (fabs(factor - 1) < 1e-9)
        return g_steal_pointer(&tens);
    return g_strdup_printf("%s·%s", g_ascii_formatd(text, sizeof text, "%.3g", factor), tens);
}

static GArray *byte_ticks(const struct figure_axis *axis)
{
    GArray *ticks = new_ticks();
    int first = axis->low >= 1 ? (int)floor(log2(axis->low)) : 0;
    for (int power = first; power < 62 && ldexp(1, power) <= axis->high; power++)
        append_tick(ticks, axis, value_size_text(INT64_C(1) << power), ldexp(1, power));
    return ticks;
}

static GArray *rung_ticks(const struct figure_axis *axis, bool wide)
{
    GArray *ticks = new_ticks();
    int last = rung_from(axis->high, wide);
    for (int n = rung_from(axis->low, wide); n <= last && ticks->len < MOST_TICKS; n++)
        append_tick(ticks, axis, number_label(axis, rung(n, wide), axis->low, axis->high),
                    rung(n, wide));
    return ticks;
}

/* A few values, such as counts of threads, are their own ticks; else 1, 2, 5 as far as they have room, else
 * decades, or every second one. */
static GArray *log_ticks(const struct figure_axis *axis, double length, bool is_vertical)
{
    bool wide = is_wide(axis->low, axis->high);
    GArray *ticks = rung_ticks(axis, wide);
    if (!wide && !labels_fit(ticks, 1, axis, length, is_vertical)) {
        for (guint i = 0; i < ticks->len; i++) {
            struct tick *tick = &g_array_index(ticks, struct tick, i);
            double power = log10(tick->place);
            if (fabs(power - round(power)) > 1e-6)
                *tick->label = '\0';
        }
        return ticks;
    }
    thin_out(ticks, axis, length, is_vertical);
    return ticks;
}

static GArray *value_ticks(const struct figure_axis *axis)
{
    GArray *ticks = new_ticks();
    for (guint i = 0; i < axis->values->len; i++) {
        double value = value_at(axis, i);
        append_tick(ticks, axis,
                    axis->is_bytes ? value_size_text((int64_t)value)
                                   : number_label(axis, value, least(axis), most(axis)),
                    value);
    }
    return ticks;
}

static GArray *linear_ticks(const struct figure_axis *axis, double parts)
{
    GArray *ticks = new_ticks();
    double step = round_step(axis->high - axis->low, parts);
    double largest = MAX(fabs(axis->low), fabs(axis->high));
    for (double n = ceil(axis->low / step - 1e-6) + 0.0;
         n * step <= axis->high * (1 + 1e-9) + step * 1e-6; n++)
        append_tick(ticks, axis,
                    axis->is_bytes ? value_size_text((int64_t)(n * step))
                                   : number_label(axis, n * step, step, largest),
                    n * step);
    return ticks;
}

static GArray *name_ticks(const struct figure_axis *axis)
{
    GArray *ticks = new_ticks();
    for (guint i = 0; i < axis->names->len; i++)
        append_tick(ticks, axis, text_fitting(g_ptr_array_index(axis->names, i), NAME_MOST), i);
    return ticks;
}

GArray *axis_ticks(const struct figure_axis *axis, double length_em, bool is_vertical)
{
    GArray *ticks;
    if (axis->scale == AXIS_NAMED)
        return name_ticks(axis);
    if (axis->scale == AXIS_LOG && !axis->is_bytes &&
        (is_vertical || axis->values->len > MOST_VALUES_AS_TICKS))
        return log_ticks(axis, length_em, is_vertical);
    bool has_few = axis->values->len > 0 && axis->values->len <= MOST_VALUES_AS_TICKS;
    if (axis->scale == AXIS_LINEAR && !(axis->is_bytes && has_few && !is_vertical)) {
        for (double parts = 8;; parts /= 1.5) {
            ticks = linear_ticks(axis, parts);
            if (parts < 1 || labels_fit(ticks, 1, axis, length_em, is_vertical))
                return ticks;
            g_array_unref(ticks);
        }
    }
    ticks = axis->is_bytes && axis->scale == AXIS_LOG ? byte_ticks(axis) : value_ticks(axis);
    thin_out(ticks, axis, length_em, is_vertical);
    return ticks;
}
