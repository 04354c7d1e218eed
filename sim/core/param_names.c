/* SPDX-License-Identifier: BSD-3-Clause */
/* Sentences about unknown names: names of earlier versions, names of records, misspellings. */
#include <glib.h>
#include <string.h>

#include "core/param.h"

/* Longer names than this are not compared as misspellings. */
#define NAME_MAX_LENGTH 63

/* Names of earlier versions, and the names that replaced them. */
static const char *const renamed[][2] = {
    {"command", "nic_queue.memory"},
    {"locked", "queue.locked"},
    {"shared_queues", "queue.count"},
    {"room_by", "queue.room_by"},
    {"gpu_queue_polling", "queue.polling"},
    {"wait_on", "queue.wait_on"},
    {"network_library", "nic_queue.sharers"},
    {"queue_sharers", "nic_queue.sharers"},
    {"reserve", "nic_queue.reserve"},
    {"order", "nic_queue.order"},
    {"post_fences", "nic_queue.fences"},
    {"progress", "quiet_by"},
    {"coalesce_count", "coalesce.count"},
    {"coalesce_size", "coalesce.size"},
    {"coalesce_timeout", "coalesce.timeout"},
    {"osu_multi_latency", "osu_latency"},
    {"osu_multi_pair", "osu_bandwidth"},
    {"osu_bidirectional", "osu_bandwidth"},
    {"host_syncs", "optimised"},
    {"transfer_streams", "optimised"},
    {"perftest_latency", "perftest"},
    {"perftest_bandwidth", "perftest"},
};

/* The least number of insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t rows = strlen(a), columns = strlen(b);
    size_t cost[NAME_MAX_LENGTH + 1][NAME_MAX_LENGTH + 1];
    for (size_t i = 0; i <= rows; i++) {
        for (size_t j = 0; j <= columns; j++) {
            if (i == 0 || j == 0) {
                cost[i][j] = i + j;
                continue;
            }
            size_t replaced = cost[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            size_t best = MIN(replaced, MIN(cost[i - 1][j], cost[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                best = MIN(best, cost[i - 2][j - 2] + 1);
            cost[i][j] = best;
        }
    }
    return cost[rows][columns];
}

const char *param_nearest(const char *name, const char *const *names, size_t count)
{
    size_t length = strlen(name);
    if (length > NAME_MAX_LENGTH)
        return NULL;
    size_t allowed = 1 + length / 3;
    const char *nearest = NULL;
    for (size_t i = 0; i < count; i++) {
        if (strlen(names[i]) > NAME_MAX_LENGTH)
            continue;
        size_t distance = edit_distance(name, names[i]);
        if (distance <= allowed) {
            nearest = names[i];
            allowed = distance - (distance > 0); /* only a nearer name replaces it */
            if (distance == 0)
                break;
        }
    }
    return nearest;
}

static bool is_among(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

const char *param_renamed(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < G_N_ELEMENTS(renamed); i++)
        if (strcmp(renamed[i][0], name) == 0 && is_among(renamed[i][1], names, count))
            return renamed[i][1];
    return NULL;
}

/* "; it is a record: queue.memory, queue.count; in Lua queue = { memory = ..., }"; NULL if the name is no record. */
static char *record_hint(const char *name, const char *const *names, size_t count)
{
    const char *first = NULL;
    GString *text = g_string_new("; it is a record of");
    for (size_t i = 0; i < count; i++) {
        if (!param_is_of_record(names[i], name))
            continue;
        g_string_append_printf(text, "%s %s", first ? "," : "", names[i]);
        first = first ? first : names[i] + strlen(name) + 1;
    }
    if (first)
        g_string_append_printf(text, "; in Lua %s = { %s = ... }", name, first);
    return g_string_free(text, first == NULL);
}

/* The records to which the names belong, each record once. */
static char **record_names(const char *const *names, size_t count)
{
    GPtrArray *records = g_ptr_array_new();
    for (size_t i = 0; i < count; i++) {
        const char *dot = strchr(names[i], '.');
        if (dot && (i == 0 || strncmp(names[i - 1], names[i], (size_t)(dot - names[i]) + 1) != 0))
            g_ptr_array_add(records, g_strndup(names[i], (gsize)(dot - names[i])));
    }
    g_ptr_array_add(records, NULL);
    return (char **)g_ptr_array_free(records, FALSE);
}

char *param_suggestion(const char *name, const char *const *names, size_t count)
{
    const char *now = param_renamed(name, names, count);
    if (count == 0)
        return g_strdup("; it has none");
    if (now)
        return g_strdup_printf("; it is called \"%s\" now", now);
    char *hint = record_hint(name, names, count);
    if (hint)
        return hint;
    GString *text = g_string_new(NULL);
    g_auto(GStrv) whole = record_names(names, count);
    const char *nearest = param_nearest(name, names, count);
    if (!nearest)
        nearest = param_nearest(name, (const char *const *)whole, g_strv_length(whole));
    if (nearest)
        g_string_append_printf(text, "; did you mean \"%s\"? Accepted:", nearest);
    else
        g_string_append(text, "; accepted:");
    for (size_t i = 0; i < count; i++)
        g_string_append_printf(text, "%s %s", i > 0 ? "," : "", names[i]);
    return g_string_free(text, FALSE);
}

char *param_suggestion_of(const struct param_table *table, const char *name)
{
    g_autofree const char **names = g_new0(const char *, table->count + 1);
    for (size_t i = 0; i < table->count; i++)
        names[i] = table->params[i].name;
    return param_suggestion(name, names, table->count);
}
