/* Ticks. gnuplot would label an axis from 8 B to 1 MiB with 10, 100, 1000; sizes of messages are
 * powers of two and are to be read as such. */
#include "study/ticks.h"

#include <math.h>

#define MOST_X_TICKS 7
#define WIDE_DECADES 3 /* from here on 1, 10, 100 are enough; below 1, 2, 5, 10 */

/* Without a label it is a minor tick. */
static void append_tick(GString *ticks, const char *label, const char *place)
{
    g_autofree char *quoted = g_strdelimit(g_strdup(label), "\"\\", '\'');
    g_string_append_printf(ticks, "%s\"%s\" %s %d", ticks->len ? ", " : "", quoted, place,
                           *label == '\0');
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
static char *byte_ticks(const struct table *pivot)
{
    double low, high;
    GString *ticks = g_string_new(NULL);
    if (!range_of(pivot, 0, 0, &low, &high) || low < 1 || high <= low || high >= 0x1p62)
        return g_string_free(ticks, FALSE);
    int first = (int)ceil(log2(low)), last = (int)floor(log2(high));
    int step = 1 + (last - first) / MOST_X_TICKS;
    for (int power = first; power <= last; power++) {
        bool labelled = ((power - first) % step == 0 && last - power >= step) || power == last;
        g_autofree char *label = labelled ? power_label(power) : g_strdup("");
        g_autofree char *place = g_strdup_printf("%" G_GINT64_FORMAT, (gint64)1 << power);
        append_tick(ticks, label, place);
    }
    return g_string_free(ticks, FALSE);
}

static char *name_ticks(const struct table *pivot)
{
    const struct table_column *column = &pivot->columns[0];
    bool bytes = column->kind == SCRIPT_QUANTITY && column->unit == UNIT_BYTES;
    GString *ticks = g_string_new(NULL);
    for (size_t r = 0; r < pivot->row_count; r++) {
        char size[UNIT_TEXT_SIZE];
        const char *text = table_cell(pivot, r, 0);
        g_autofree char *place = g_strdup_printf("%zu", r);
        if (bytes)
            text = unit_format(g_ascii_strtoll(text, NULL, 10), UNIT_BYTES, size);
        append_tick(ticks, text, place);
    }
    return g_string_free(ticks, FALSE);
}

char *ticks_of_x(const struct table *pivot, bool as_names)
{
    const struct table_column *column = &pivot->columns[0];
    if (as_names || !column->is_number)
        return name_ticks(pivot);
    if (column->kind == SCRIPT_QUANTITY && column->unit == UNIT_BYTES)
        return byte_ticks(pivot);
    return g_strdup("");
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

char *ticks_of_y(const struct table *pivot)
{
    bool wide;
    int first, last;
    GString *ticks = g_string_new(NULL);
    if (rungs_around(pivot, &wide, &first, &last)) {
        for (int n = first; n <= last; n++) {
            char label[G_ASCII_DTOSTR_BUF_SIZE];
            g_ascii_formatd(label, sizeof label, "%.10g", rung(n, wide));
            append_tick(ticks, label, label);
        }
    }
    return g_string_free(ticks, FALSE);
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
