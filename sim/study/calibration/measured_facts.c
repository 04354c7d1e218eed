/* SPDX-License-Identifier: BSD-3-Clause */
#include "study/calibration/measured_facts.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "study/table/table.h"

#define READS_BACK_FROM                                                                            \
    0.85 /* of a load of the host: a fence that takes less has read nothing there */

void measured_facts_clear(struct measured_facts *facts)
{
    for (size_t i = 0; i < facts->count; i++) {
        g_free(facts->facts[i].path);
        g_free(facts->facts[i].value);
        g_free(facts->facts[i].source);
    }
    g_clear_pointer(&facts->facts, g_free);
    facts->count = 0;
}

/* Takes `value` and `source`. */
static void add(struct measured_facts *facts, const char *path, char *value, char *source)
{
    facts->facts = g_renew(struct measured_fact, facts->facts, facts->count + 1);
    facts->facts[facts->count++] = (struct measured_fact){g_strdup(path), value, source};
}

/* Where a column stands; -1: nowhere. */
static int find(char *const *columns, const char *name)
{
    for (int i = 0; columns[i]; i++)
        if (strcmp(columns[i], name) == 0)
            return i;
    return -1;
}

static bool has(char *const *columns, const char *const *names)
{
    for (; *names; names++)
        if (find(columns, *names) < 0)
            return false;
    return true;
}

static bool is_row(const char *line)
{
    return *line != '#' && *line != '\0';
}

/* --- the host's GPUs ---------------------------------------------------------------------------- */

bool measured_is_platform(char *const *columns)
{
    static const char *const names[] = {"gpu", "sms", "sm_clock_MHz", NULL};
    return has(columns, names);
}

static bool read_platform(struct measured_facts *facts, const char *path, char *const *columns,
                          char *const *lines, GError **error)
{
    int gpu = find(columns, "gpu"), sms = find(columns, "sms"), at = find(columns, "sm_clock_MHz");
    double units = 0, clock_MHz = 0;
    for (size_t number = 1; lines[number - 1]; number++) {
        g_auto(GStrv) cells = g_strsplit(lines[number - 1], "\t", -1);
        if (!is_row(lines[number - 1]))
            continue;
        if (!table_is_number(cells[gpu]) || !table_is_number(cells[sms]) ||
            !table_is_number(cells[at]))
            return error_set(error, "%s:%zu: gpu, sms and sm_clock_MHz are numbers", path, number);
        units = CLAMP(g_ascii_strtod(cells[sms], NULL), 0, 1e6);
        clock_MHz = CLAMP(g_ascii_strtod(cells[at], NULL), 0, 1e6);
    }
    if (units >= 1)
        add(facts, "gpu.compute_units", g_strdup_printf("%.0f", units), g_path_get_basename(path));
    if (clock_MHz >= 1)
        add(facts, "gpu.clock", g_strdup_printf("%.0fMHz", clock_MHz), g_path_get_basename(path));
    return true;
}

/* --- rows of one kind --------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of column `value` over the rows whose first columns `what` and, unless NULL, `param` are these; 0: there are none. */
static double median_of(char *const *columns, char *const *lines, const char *what,
                        const char *param, const char *value)
{
    int what_at = find(columns, "what"), param_at = find(columns, "param");
    int value_at = find(columns, value);
    g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(double));
    for (; *lines; lines++) {
        g_auto(GStrv) cells = g_strsplit(*lines, "\t", -1);
        if (!is_row(*lines) || strcmp(cells[what_at], what) != 0 ||
            (param && strcmp(cells[param_at], param) != 0) || !table_is_number(cells[value_at]))
            continue;
        double number = g_ascii_strtod(cells[value_at], NULL);
        g_array_append_val(numbers, number);
    }
    guint count = numbers->len;
    if (count == 0)
        return 0;
    g_array_sort(numbers, compare);
    return (g_array_index(numbers, double, (count - 1) / 2) +
            g_array_index(numbers, double, count / 2)) /
           2;
}

static void read_cores(struct measured_facts *facts, const char *path, char *const *columns,
                       char *const *lines)
{
    double one_way_ns = median_of(columns, lines, "core_to_core_one_way_median", NULL, "value");
    g_autofree char *file = g_path_get_basename(path);
    if (one_way_ns > 0 && one_way_ns < 1e5)
        add(facts, "host.bounced_line",
            g_strdup_printf("%" G_GINT64_FORMAT "ps", (int64_t)(one_way_ns * 1000 + 0.5)),
            g_strdup_printf("%s: core_to_core_one_way_median", file));
}

static void read_fences(struct measured_facts *facts, const char *path, char *const *columns,
                        char *const *lines, const char *value)
{
    double load = median_of(columns, lines, "host_op", "load", value);
    double fence = median_of(columns, lines, "host_op", "store_plus_fence_sys", value);
    g_autofree char *file = g_path_get_basename(path);
    if (load > 0 && fence > 0)
        add(facts, "gpu.fence_reads_back",
            g_strdup(fence < READS_BACK_FROM * load ? "false" : "true"),
            g_strdup_printf("%s: host_op store_plus_fence_sys, by host_op load", file));
}

bool measured_facts_read(struct measured_facts *facts, const char *path, char *const *columns,
                         char *const *lines, GError **error)
{
    static const char *const host[] = {"what", "param", "param2", "value", "unit", NULL};
    static const char *const signals[] = {"what", "param", NULL};
    static const char *const times[] = {"median_ns", "median_us", NULL};
    if (measured_is_platform(columns))
        return read_platform(facts, path, columns, lines, error);
    if (has(columns, host))
        read_cores(facts, path, columns, lines);
    for (const char *const *time = times; has(columns, signals) && *time; time++)
        if (find(columns, *time) >= 0)
            read_fences(facts, path, columns, lines, *time);
    return true;
}
