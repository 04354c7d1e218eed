/* Ticks. gnuplot would label an axis from 8 B to 1 MiB with 10, 100, 1000; sizes of messages are
 * powers of two and are to be read as such. */
#include "study/figure/ticks.h"

#include <math.h>

#define MOST_X_TICKS 7
#define WIDE_DECADES 3 /* from here on 1, 10, 100 are enough; below 1, 2, 5, 10 */

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

/* The label is taken over. */
static void append_tick(GArray *ticks, char *label, double place)
{
    struct tick tick = {label, place};
    g_array_append_val(ticks, tick);
}

/* Smallest and largest number in columns [first, last]; false if there is none. */
static bool range_of(const struct table *pivot, size_t first, size_t last, double *low,
                     double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t r = 0; r < pivot->row_count; r++) {
        for (size_t c = first; c <= last; c++) {
            const char *text = table_cell(pivot, r, c);
            double value = text ? g_ascii_strtod(text, NULL) : NAN;
            *low = fmin(*low, value);
            *high = fmax(*high, value);
        }
    }
    return isfinite(*low) && isfinite(*high);
}

/* --- x ------------------------------------------------------------------------------------------
 */

static char *power_label(int power)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    return g_strdup_printf("%d %s", 1 << power % 10, units[power / 10]);
}

/* A tick at each power of two. The ends have a label, and between them every `step`th, as long as
 * it does not come too near to the last. */
static GArray *byte_ticks(const struct table *pivot)
{
    double low, high;
    GArray *ticks = new_ticks();
    if (!range_of(pivot, 0, 0, &low, &high) || low < 1 || high <= low || high >= 0x1p62)
        return ticks;
    int first = (int)ceil(log2(low)), last = (int)floor(log2(high));
    int step = 1 + (last - first) / MOST_X_TICKS;
    for (int power = first; power <= last; power++) {
        bool labelled = ((power - first) % step == 0 && last - power >= step) || power == last;
        append_tick(ticks, labelled ? power_label(power) : g_strdup(""), ldexp(1, power));
    }
    return ticks;
}

static GArray *name_ticks(const struct table *pivot)
{
    const struct table_column *column = &pivot->columns[0];
    bool bytes = column->kind == VALUE_QUANTITY && column->unit == UNIT_BYTES;
    GArray *ticks = new_ticks();
    for (size_t r = 0; r < pivot->row_count; r++) {
        char size[UNIT_TEXT_SIZE];
        const char *text = table_cell(pivot, r, 0);
        if (bytes)
            text = unit_format(g_ascii_strtoll(text, NULL, 10), UNIT_BYTES, size);
        append_tick(ticks, g_strdup(text), (double)r);
    }
    return ticks;
}

GArray *ticks_of_x(const struct table *pivot, bool as_names)
{
    const struct table_column *column = &pivot->columns[0];
    if (as_names || !column->is_number)
        return name_ticks(pivot);
    if (column->kind == VALUE_QUANTITY && column->unit == UNIT_BYTES)
        return byte_ticks(pivot);
    return new_ticks();
}

/* --- y ------------------------------------------------------------------------------------------
 */

/* Tick `n` of the ladder 1, 2, 5, 10, 20, ... or 1, 10, 100, ...; n may be negative. */
static double rung(int n, bool wide)
{
    static const double steps[] = {1, 2, 5};
    if (wide)
        return pow(10, n);
    int decade = n >= 0 ? n / 3 : -((2 - n) / 3);
    return steps[n - 3 * decade] * pow(10, decade);
}

/* The rungs around all y; false if some y is not above zero. */
static bool rungs_around(const struct table *pivot, bool *wide, int *first, int *last)
{
    double low, high;
    if (!range_of(pivot, 1, pivot->column_count - 1, &low, &high) || low <= 0)
        return false;
    *wide = log10(high / low) > WIDE_DECADES;
    *first = (*wide ? 1 : 3) * (int)floor(log10(low));
    while (rung(*first + 1, *wide) <= low)
        ++*first;
    *last = *first + 1;
    while (rung(*last, *wide) < high)
        ++*last;
    return true;
}

GArray *ticks_of_y(const struct table *pivot)
{
    bool wide;
    int first, last;
    GArray *ticks = new_ticks();
    if (rungs_around(pivot, &wide, &first, &last)) {
        for (int n = first; n <= last; n++) {
            char label[G_ASCII_DTOSTR_BUF_SIZE];
            g_ascii_formatd(label, sizeof label, "%.10g", rung(n, wide));
            append_tick(ticks, g_strdup(label), g_ascii_strtod(label, NULL));
        }
    }
    return ticks;
}

struct tick_ends ticks_ends(const struct table *pivot)
{
    struct tick_ends ends = {0};
    bool wide;
    int first, last;
    double low, high;
    if (pivot->columns[0].is_number && range_of(pivot, 0, 0, &low, &high) && low > 0) {
        ends.x_low = low;
        ends.x_high = high;
    }
    if (rungs_around(pivot, &wide, &first, &last)) {
        ends.y_low = rung(first, wide);
        ends.y_high = rung(last, wide);
    }
    return ends;
}
