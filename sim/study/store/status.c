/* SPDX-License-Identifier: BSD-3-Clause */
/* A study that is changed between two sweeps is another one here, since its text is another. */
#include "study/store/status.h"

#include <glib.h>
#include <string.h>

#define FAILURES_SHOWN 5 /* of each study */

/* A study at a seed and a version. */
struct status_entry {
    char *id, *name, *version;
    uint64_t seed, points, done, failed;
    double busy_us;
    gint64 last_us;
};

struct collection {
    GPtrArray *entries;  /* of struct status_entry */
    GPtrArray *failures; /* of struct store_point, their texts only */
};

static void entry_free(gpointer data)
{
    struct status_entry *entry = data;
    g_free(entry->id);
    g_free(entry->name);
    g_free(entry->version);
    g_free(entry);
}

static struct status_entry *entry_of(const struct collection *all, const char *digest,
                                     uint64_t seed, const char *version, const char *name)
{
    g_autofree char *id = g_strdup_printf("%s %" G_GUINT64_FORMAT " %s", digest, seed, version);
    for (guint i = 0; i < all->entries->len; i++) {
        struct status_entry *entry = g_ptr_array_index(all->entries, i);
        if (strcmp(entry->id, id) == 0)
            return entry;
    }
    struct status_entry *entry = g_new0(struct status_entry, 1);
    entry->id = g_steal_pointer(&id);
    entry->name = g_strdup(name);
    entry->version = g_strdup(version);
    entry->seed = seed;
    g_ptr_array_add(all->entries, entry);
    return entry;
}

static bool see_study(void *context, const struct store_study *study)
{
    struct status_entry *entry =
        entry_of(context, study->digest, study->seed, study->version, study->name);
    entry->points = study->points;
    return true;
}

static bool see_point(void *context, const struct store_point *point)
{
    struct collection *all = context;
    struct status_entry *entry =
        entry_of(all, point->digest, point->seed, point->version, point->study);
    entry->done++;
    entry->busy_us += (double)point->duration_us;
    entry->last_us = MAX(entry->last_us, point->started_us);
    if (point->failure && ++entry->failed <= FAILURES_SHOWN) {
        char **texts = g_new0(char *, 4);
        texts[0] = g_strdup(point->study);
        texts[1] = g_strdup(point->axes);
        texts[2] = g_strdup(point->failure);
        g_ptr_array_add(all->failures, texts);
    }
    return true;
}

static gint compare_entries(gconstpointer a, gconstpointer b)
{
    const struct status_entry *one = *(const struct status_entry *const *)a,
                              *other = *(const struct status_entry *const *)b;
    int by_name = strcmp(one->name, other->name);
    return by_name ? by_name : strcmp(one->id, other->id);
}

static void append_entry(struct table *table, const struct status_entry *entry)
{
    g_autofree char *seed = g_strdup_printf("%" G_GUINT64_FORMAT, entry->seed);
    g_autofree char *points =
        g_strdup_printf("%" G_GUINT64_FORMAT,
                        MAX(entry->points, entry->done)); /* variants have no number beforehand */
    g_autofree char *done = g_strdup_printf("%" G_GUINT64_FORMAT, entry->done);
    g_autofree char *failed = g_strdup_printf("%" G_GUINT64_FORMAT, entry->failed);
    g_autofree char *busy = g_strdup_printf("%.1f", entry->busy_us / 1e6);
    g_autoptr(GDateTime) time = g_date_time_new_from_unix_utc(entry->last_us / G_USEC_PER_SEC);
    g_autofree char *last = entry->done ? g_date_time_format(time, "%F %T") : g_strdup("");
    const char *const texts[] = {entry->name, done, points, failed,
                                 busy,        last, seed,   entry->version};
    table_append(table, texts);
}

bool status_read(struct result_store *store, struct status *status, GError **error)
{
    static const char *const names[] = {
        "study", "done", "points", "failed", "busy_s", "last start (UTC)", "seed", "version"};
    static const char *const failure_names[] = {"study", "failed point", "why"};
    struct collection all = {g_ptr_array_new_with_free_func(entry_free),
                             g_ptr_array_new_with_free_func((GDestroyNotify)g_strfreev)};
    status->studies = table_of_texts(names, G_N_ELEMENTS(names));
    status->failures = table_of_texts(failure_names, G_N_ELEMENTS(failure_names));
    bool is_read = store_each_study(store, see_study, &all, error) &&
                   store_each_point(store, see_point, &all, error);
    status->is_damaged = store_is_damaged(store, &status->lost);
    g_ptr_array_sort(all.entries, compare_entries);
    for (guint i = 0; i < all.entries->len; i++)
        append_entry(status->studies, g_ptr_array_index(all.entries, i));
    for (guint i = 0; i < all.failures->len; i++)
        table_append(status->failures, g_ptr_array_index(all.failures, i));
    g_ptr_array_unref(all.entries);
    g_ptr_array_unref(all.failures);
    if (!is_read)
        status_clear(status);
    return is_read;
}

void status_clear(struct status *status)
{
    table_free(status->studies);
    table_free(status->failures);
}
