/* SPDX-License-Identifier: BSD-3-Clause */
#include "study/calibration/measured_facts.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/units.h"
#include "study/calibration/measured_facts_parts.h"
#include "study/table/table.h"

#define READS_BACK_FROM                                                                            \
    0.85 /* of a load of the host: a fence that takes less has read nothing there */
#define OWN_ROOT_FROM 1.5 /* of what one GPU moves, where two move more */

void measured_facts_clear(struct measured_facts *facts)
{
    for (size_t i = 0; i < facts->count; i++) {
        g_free(facts->facts[i].path);
        g_free(facts->facts[i].value);
        g_free(facts->facts[i].source);
    }
    for (size_t i = 0; i < LOOK_PLACES; i++)
        g_free(facts->looks[i].source);
    g_free(facts->facts);
    g_free(facts->gpu);
    *facts = (struct measured_facts){0};
}

void facts_add(struct measured_facts *facts, const char *path, char *value, char *source)
{
    facts->facts = g_renew(struct measured_fact, facts->facts, facts->count + 1);
    facts->facts[facts->count++] = (struct measured_fact){g_strdup(path), value, source};
}

static bool facts_has(const struct delimited *table, const char *const *names)
{
    for (; *names; names++)
        if (delimited_find(table, *names) < 0)
            return false;
    return true;
}

/* --- the host's GPUs ---------------------------------------------------------------------------- */

bool measured_is_platform(const struct delimited *table)
{
    static const char *const names[] = {"gpu", "sms", "sm_clock_MHz", NULL};
    return facts_has(table, names);
}

/* A number above 0 in a table of the host's GPUs. */
static bool read_above(const struct delimited *table, const struct delimited_row *row,
                       const char *column, double *number, GError **error)
{
    const char *text = row->fields[delimited_find(table, column)];
    *number = unit_is_number(text) ? g_ascii_strtod(text, NULL) : 0;
    return (*number >= 1 && *number <= 1e6) ||
           delimited_fail(table, row->line, error, "%s is \"%s\", no number from 1 to 1e6", column,
                          text);
}

/* A GPU's name, with its units: "NVIDIA H200, 132 sms". */
static char *gpu_named(const struct delimited *table, const struct delimited_row *row, double units)
{
    int name = delimited_find(table, "name");
    return g_strdup_printf("%s%s%.0f sms", name < 0 ? "" : row->fields[name], name < 0 ? "" : ", ",
                           units);
}

/* All tables are to be of GPUs of one kind. */
static bool note_gpu(struct measured_facts *facts, const struct delimited *table,
                     const struct delimited_row *row, double units, GError **error)
{
    g_autofree char *gpu = gpu_named(table, row, units);
    if (facts->gpu && strcmp(facts->gpu, gpu) != 0)
        return delimited_fail(table, row->line, error,
                              "a GPU \"%s\" behind a \"%s\"; a machine file has GPUs of one kind",
                              gpu, facts->gpu);
    if (!facts->gpu)
        facts->gpu = g_steal_pointer(&gpu);
    return true;
}

static bool read_platform(struct measured_facts *facts, const struct delimited *table,
                          GError **error)
{
    double units = 0, clock_MHz = 0;
    for (size_t i = 0; i < table->row_count; i++) {
        const struct delimited_row *row = &table->rows[i];
        if (!read_above(table, row, "sms", &units, error) ||
            !read_above(table, row, "sm_clock_MHz", &clock_MHz, error) ||
            !note_gpu(facts, table, row, units, error))
            return false;
    }
    if (table->row_count == 0)
        return true;
    facts_add(facts, "gpu.compute_units", g_strdup_printf("%.0f", units),
              g_path_get_basename(table->path));
    facts_add(facts, "gpu.clock", g_strdup_printf("%.0fMHz", clock_MHz),
              g_path_get_basename(table->path));
    return true;
}

/* --- rows of one kind --------------------------------------------------------------------------- */

int facts_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double facts_median(const GArray *numbers)
{
    guint count = numbers->len;
    if (count == 0)
        return 0;
    return (g_array_index(numbers, double, (count - 1) / 2) +
            g_array_index(numbers, double, count / 2)) /
           2;
}

GArray *facts_numbers(const struct delimited *table, const char *key, const char *what,
                      const char *param, const char *value)
{
    int what_at = delimited_find(table, key), param_at = delimited_find(table, "param");
    int value_at = delimited_find(table, value);
    GArray *numbers = g_array_new(FALSE, FALSE, sizeof(double));
    for (size_t i = 0; i < table->row_count; i++) {
        char *const *cells = table->rows[i].fields;
        if (strcmp(cells[what_at], what) != 0 || (param && strcmp(cells[param_at], param) != 0) ||
            !unit_is_number(cells[value_at]))
            continue;
        double number = g_ascii_strtod(cells[value_at], NULL);
        g_array_append_val(numbers, number);
    }
    g_array_sort(numbers, facts_compare);
    return numbers;
}

/* Their median; 0: there are none. */
static double median_at(const struct delimited *table, const char *key, const char *what,
                        const char *value)
{
    g_autoptr(GArray) numbers = facts_numbers(table, key, what, NULL, value);
    return facts_median(numbers);
}

static double median_of(const struct delimited *table, const char *what, const char *param,
                        const char *value)
{
    g_autoptr(GArray) numbers = facts_numbers(table, "what", what, param, value);
    return facts_median(numbers);
}

/* The greatest; 0: there is none. */
static double most_of(const struct delimited *table, const char *what, const char *value)
{
    g_autoptr(GArray) numbers = facts_numbers(table, "what", what, NULL, value);
    return numbers->len == 0 ? 0 : g_array_index(numbers, double, numbers->len - 1);
}

/* --- flags from core to core -------------------------------------------------------------------- */

#define HOPS 10.0          /* to the farthest core of a mesh of 8 x 4 (models/host/inbound.c) */
#define SIBLINGS_BELOW 0.5 /* of the run's median: two threads of one core share its caches */
#define TAIL 0.05

/* What a run's pairs tell: the nearest, and what each hop adds. */
struct core_ways {
    GArray *nearest_ns, *hop_ns;
};

static double at_part(const GArray *sorted, double part)
{
    return g_array_index(sorted, double, (guint)(part * (sorted->len - 1) + 0.5));
}

/* Takes the times of one run, which are sorted here and then left out. */
static void take_run(struct core_ways *ways, GArray *times_ns)
{
    g_array_sort(times_ns, facts_compare);
    guint siblings = 0;
    while (siblings < times_ns->len &&
           g_array_index(times_ns, double, siblings) < SIBLINGS_BELOW * at_part(times_ns, 0.5))
        siblings++;
    g_array_remove_range(times_ns, 0, siblings);
    if (times_ns->len > 0) {
        double low = at_part(times_ns, TAIL), hop = (at_part(times_ns, 1 - TAIL) - low) / HOPS;
        g_array_append_val(ways->nearest_ns, low);
        g_array_append_val(ways->hop_ns, hop);
    }
    g_array_set_size(times_ns, 0);
}

char *facts_time_text(double ns)
{
    return g_strdup_printf("%" G_GINT64_FORMAT "ps", (int64_t)(ns * 1000 + 0.5));
}

/* Of several runs the nearest is the median, and the hop the least: what disturbs a run makes its pairs differ more. */
static void add_ways(struct measured_facts *facts, const struct delimited *table, const char *what,
                     struct core_ways *ways)
{
    if (ways->nearest_ns->len == 0)
        return;
    g_array_sort(ways->nearest_ns, facts_compare);
    g_array_sort(ways->hop_ns, facts_compare);
    double nearest_ns = at_part(ways->nearest_ns, 0.5), hop_ns = at_part(ways->hop_ns, 0);
    g_autofree char *file = g_path_get_basename(table->path);
    if (nearest_ns <= 0 || nearest_ns > 1e5 || hop_ns > 1000)
        return;
    facts_add(facts, "host.bounced_line", facts_time_text(nearest_ns),
              g_strdup_printf("%s: %s, the nearest pairs", file, what));
    facts_add(facts, "host.mesh_hop", facts_time_text(hop_ns),
              g_strdup_printf("%s: %s, from the nearest to the farthest pairs, over 10 hops", file,
                              what));
}

/* `what` NULL: every row is a pair. */
static void read_cores(struct measured_facts *facts, const struct delimited *table,
                       const char *what, const char *value)
{
    int run_at = delimited_find(table, "run"), what_at = delimited_find(table, "what");
    int value_at = delimited_find(table, value);
    struct core_ways ways = {g_array_new(FALSE, FALSE, sizeof(double)),
                             g_array_new(FALSE, FALSE, sizeof(double))};
    g_autoptr(GArray) times_ns = g_array_new(FALSE, FALSE, sizeof(double));
    g_autofree char *run = NULL;
    for (size_t i = 0; i < table->row_count; i++) {
        char *const *cells = table->rows[i].fields;
        if ((what && strcmp(cells[what_at], what) != 0) || !unit_is_number(cells[value_at]))
            continue;
        if (run_at >= 0 && g_strcmp0(run, cells[run_at]) != 0) {
            take_run(&ways, times_ns);
            g_free(run);
            run = g_strdup(cells[run_at]);
        }
        double time_ns = g_ascii_strtod(cells[value_at], NULL);
        g_array_append_val(times_ns, time_ns);
    }
    take_run(&ways, times_ns);
    add_ways(facts, table, what ? what : value, &ways);
    g_array_free(ways.nearest_ns, TRUE);
    g_array_free(ways.hop_ns, TRUE);
}

/* --- calls, roots, power ------------------------------------------------------------------------ */

/* A row that is a parameter. */
static const struct {
    const char *what, *path;
} calls[] = {{"event_record", "cuda.event_record"},
             {"event_query_not_ready", "cuda.event_query"},
             {"stream_wait_event", "cuda.event_wait"},
             {"stream_sync_idle", "cuda.synchronize"}};

static void read_calls(struct measured_facts *facts, const struct delimited *table)
{
    g_autofree char *file = g_path_get_basename(table->path);
    for (size_t i = 0; i < G_N_ELEMENTS(calls); i++) {
        double time_us = median_of(table, calls[i].what, NULL, "median_us");
        if (time_us > 0 && time_us < 1000)
            facts_add(facts, calls[i].path, facts_time_text(1000 * time_us),
                      g_strdup_printf("%s: %s", file, calls[i].what));
    }
}

/* Whether each of two GPUs has a root port of its own: what both move of large copies at a time, by what one does. */
static void read_roots(struct measured_facts *facts, const struct delimited *table)
{
    double both = most_of(table, "D2H_gpu0+D2H_gpu1", "GBps_median");
    double one = most_of(table, "D2H_gpu0", "GBps_median");
    g_autofree char *file = g_path_get_basename(table->path);
    if (one > 0 && both > 0)
        facts_add(facts, "bus.root_links", g_strdup(both > OWN_ROOT_FROM * one ? "2" : "1"),
                  g_strdup_printf("%s: D2H of both GPUs, by that of one", file));
}

static void read_power(struct measured_facts *facts, const struct delimited *table)
{
    static const char *const idle[] = {"idle_context", "idle_with_context"};
    g_autofree char *file = g_path_get_basename(table->path);
    for (size_t i = 0; i < G_N_ELEMENTS(idle); i++) {
        double power_W = median_at(table, "activity", idle[i], "gpu0_power_W");
        if (power_W > 0 && power_W < 1e5)
            facts_add(facts, "gpu.idle_power",
                      g_strdup_printf("%" G_GINT64_FORMAT "mW", (int64_t)(power_W * 1000 + 0.5)),
                      g_strdup_printf("%s: %s", file, idle[i]));
    }
}

/* --- fences ------------------------------------------------------------------------------------- */

static void read_fences(struct measured_facts *facts, const struct delimited *table,
                        const char *value)
{
    double load = median_of(table, "host_op", "load", value);
    double near = median_of(table, "dev_op", "load", value);
    double unit_ns = strcmp(value, "median_us") == 0 ? 1000 : 1;
    double fence = median_of(table, "host_op", "store_plus_fence_sys", value);
    g_autofree char *file = g_path_get_basename(table->path);
    if (load > 0 && fence > 0)
        facts_add(facts, "gpu.fence_reads_back",
                  g_strdup(fence < READS_BACK_FROM * load ? "false" : "true"),
                  g_strdup_printf("%s: host_op store_plus_fence_sys, by host_op load", file));
    facts->load_ns[LOOK_HOST] = load > 0 ? load * unit_ns : facts->load_ns[LOOK_HOST];
    facts->load_ns[LOOK_DEVICE] = near > 0 ? near * unit_ns : facts->load_ns[LOOK_DEVICE];
}

bool measured_facts_read(struct measured_facts *facts, const struct delimited *table,
                         GError **error)
{
    static const char *const host[] = {"what", "param", "param2", "value", "unit", NULL};
    static const char *const pairs[] = {"cpu_a", "cpu_b", "one_way_ns", NULL};
    static const char *const launches[] = {"what", "param", "median_us", NULL};
    static const char *const signals[] = {"what", "param", NULL};
    static const char *const atomics[] = {"memory", "what", "address", "blocks", TURN_OF, NULL};
    static const char *const looks[] = {"flags_in", "delay_us", "median_ns", NULL};
    static const char *const streams[] = {"what", "bytes", "GBps_median", NULL};
    static const char *const powers[] = {"activity", "gpu0_power_W", NULL};
    static const char *const times[] = {"median_ns", "median_us", NULL};
    if (measured_is_platform(table))
        return read_platform(facts, table, error);
    if (facts_has(table, host))
        read_cores(facts, table, "core_to_core_one_way_median", "value");
    if (facts_has(table, pairs))
        read_cores(facts, table, NULL, "one_way_ns");
    if (facts_has(table, launches)) {
        read_calls(facts, table);
        facts_read_sleep(facts, table);
    }
    if (facts_has(table, atomics))
        facts_read_turn(facts, table);
    if (facts_has(table, looks))
        facts_read_front_end(facts, table);
    if (facts_has(table, streams))
        read_roots(facts, table);
    if (facts_has(table, powers))
        read_power(facts, table);
    for (const char *const *time = times; facts_has(table, signals) && *time; time++)
        if (delimited_find(table, *time) >= 0)
            read_fences(facts, table, *time);
    return true;
}

void measured_facts_finish(struct measured_facts *facts)
{
    facts_add_front_end(facts);
}
