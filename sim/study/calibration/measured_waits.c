/* SPDX-License-Identifier: BSD-3-Clause */
/* What many atomics wait for one another, and what a thread that sleeps for long takes to wake. */
#include <stdlib.h>
#include <string.h>

#include "core/units.h"
#include "study/calibration/measured_facts_parts.h"
#include "study/table/table.h"

/* --- rows by a number ---------------------------------------------------------------------------- */

static bool is_of(const struct delimited *table, char *const *cells, const char *const *filter)
{
    for (; *filter; filter += 2) {
        int at = delimited_find(table, filter[0]);
        if (at < 0 || strcmp(cells[at], filter[1]) != 0)
            return false;
    }
    return true;
}

static int by_number(const void *a, const void *b)
{
    const struct facts_point *one = a, *other = b;
    if (one->at != other->at)
        return one->at < other->at ? -1 : 1;
    return (one->value > other->value) - (one->value < other->value);
}

void facts_keep_medians(GArray *points)
{
    guint kept = 0;
    for (guint first = 0, end; first < points->len; first = end) {
        const struct facts_point *point = &g_array_index(points, struct facts_point, first);
        for (end = first; end < points->len; end++)
            if (g_array_index(points, struct facts_point, end).at != point->at)
                break;
        g_array_index(points, struct facts_point, kept++) =
            g_array_index(points, struct facts_point, (first + end - 1) / 2);
    }
    g_array_set_size(points, kept);
}

GArray *facts_points(const struct delimited *table, const char *const *filter, const char *number,
                     const char *prefix, const char *value)
{
    int number_at = delimited_find(table, number), value_at = delimited_find(table, value);
    GArray *points = g_array_new(FALSE, FALSE, sizeof(struct facts_point));
    for (size_t i = 0; i < table->row_count; i++) {
        char *const *cells = table->rows[i].fields;
        if (!is_of(table, cells, filter) || !g_str_has_prefix(cells[number_at], prefix) ||
            !unit_is_number(cells[value_at]))
            continue;
        struct facts_point point = {g_ascii_strtod(cells[number_at] + strlen(prefix), NULL),
                                    g_ascii_strtod(cells[value_at], NULL)};
        g_array_append_val(points, point);
    }
    g_array_sort(points, by_number);
    return points;
}

/* --- atomics of many blocks ---------------------------------------------------------------------- */

#define MANY_BLOCKS 256
#define IS_LIMITED 1.5 /* times what one block takes: from there on they wait for one another */

void facts_read_turn(struct measured_facts *facts, const struct delimited *table)
{
    static const char *const filter[] = {"memory",  "host",     "what", "atomic_add_sys",
                                         "address", "own_line", NULL};
    g_autoptr(GArray) points = facts_points(table, filter, "blocks", "", TURN_OF);
    facts_keep_medians(points);
    if (points->len < 2)
        return;
    struct facts_point one = g_array_index(points, struct facts_point, 0);
    struct facts_point most = g_array_index(points, struct facts_point, points->len - 1);
    g_autofree char *file = g_path_get_basename(table->path);
    if (one.at > 1 || most.at < MANY_BLOCKS || most.value < IS_LIMITED * one.value ||
        most.value > 1e8)
        return;
    facts_add(facts, "host.atomic_turn", facts_time_text(most.value / most.at),
              g_strdup_printf("%s: host atomic_add_sys own_line, of %.0f blocks, by their number",
                              file, most.at));
}

/* --- a thread that sleeps ------------------------------------------------------------------------ */

#define LONG_FROM_US 15.0 /* kernels: a core has been left to sleep by then */
#define LONG_TO_US 100.0
#define DEEP_FROM_US 2.0
#define START_US                                                                                   \
    3.0 /* of a kernel, while its thread sleeps already (gpu_host's cuda.kernel_start) */

/* What a kernel of so long takes beyond itself and one of no time. */
static double extra_us(const GArray *points, guint i)
{
    const struct facts_point *first = &g_array_index(points, struct facts_point, 0);
    const struct facts_point *point = &g_array_index(points, struct facts_point, i);
    return point->value - point->at - first->value;
}

static double deep_wake_us(const GArray *points)
{
    g_autoptr(GArray) extras = g_array_new(FALSE, FALSE, sizeof(double));
    for (guint i = 0; i < points->len; i++) {
        double at = g_array_index(points, struct facts_point, i).at, extra = extra_us(points, i);
        if (at >= LONG_FROM_US && at <= LONG_TO_US)
            g_array_append_val(extras, extra);
    }
    g_array_sort(extras, facts_compare);
    return facts_median(extras);
}

void facts_read_sleep(struct measured_facts *facts, const struct delimited *table)
{
    static const char *const filter[] = {"what", "launch_plus_sync", NULL};
    g_autoptr(GArray) points = facts_points(table, filter, "param", "spin=", "median_us");
    facts_keep_medians(points);
    if (points->len < 2 || g_array_index(points, struct facts_point, 0).at > 0)
        return;
    double wake_us = deep_wake_us(points);
    if (wake_us < DEEP_FROM_US || wake_us > 1e4)
        return;
    guint deep = 1;
    while (deep < points->len - 1 && extra_us(points, deep) < wake_us / 2)
        deep++;
    double light_us = g_array_index(points, struct facts_point, deep - 1).at;
    double deep_us = g_array_index(points, struct facts_point, deep).at;
    g_autofree char *file = g_path_get_basename(table->path);
    facts_add(facts, "cuda.deep_wake", facts_time_text(1000 * wake_us),
              g_strdup_printf("%s: kernels of %.0f to %.0f us, less what they take, less one of 0",
                              file, LONG_FROM_US, LONG_TO_US));
    facts_add(facts, "cuda.deep_sleep_after",
              facts_time_text(1000 * ((light_us + deep_us) / 2 + START_US)),
              g_strdup_printf("%s: kernels of %.0f us wake as one of 0 does, those of %.0f do not; "
                              "and a kernel's start, about %.0f us",
                              file, light_us, deep_us, START_US));
}
