/* SPDX-License-Identifier: BSD-3-Clause */
#include "study/model/study.h"

#include <string.h>

#include "core/json.h"
#include "core/rng.h"

size_t study_axis_index(const struct study *study, size_t n, size_t axis)
{
    return study->points[n * study->axis_count + axis];
}

const struct axis *study_axis(const struct study *study, const char *name)
{
    for (size_t i = 0; i < study->axis_count; i++) {
        if (strcmp(study->axes[i].name, name) == 0)
            return &study->axes[i];
    }
    return NULL;
}

void study_clear(struct study *study)
{
    for (size_t i = 0; i < study->axis_count; i++) {
        struct axis *axis = &study->axes[i];
        for (size_t j = 0; j < axis->count; j++)
            value_clear(&axis->values[j]);
        g_free(axis->values);
        g_free(axis->steps);
        g_free(axis->name);
    }
    g_clear_pointer(&study->tables, g_variant_unref);
    g_free(study->axes);
    g_free(study->points);
    g_free(study->digest);
    g_free(study->path);
    g_free(study->name);
    g_free(study->title);
    g_free(study);
}

GVariant *study_table(const struct study *study, const char *name)
{
    return g_variant_lookup_value(study->tables, name, NULL);
}

/* --- rows ------------------------------------------------------------------------------------- */

static void clear_measures(struct row *row)
{
    for (size_t i = 0; i < row->measure_count; i++) {
        g_free(row->measures[i].name);
        value_clear(&row->measures[i].value);
    }
    g_clear_pointer(&row->measures, g_free);
    row->measure_count = 0;
}

void row_fail(struct row *row, char *failure)
{
    clear_measures(row);
    g_free(row->failure);
    row->failure = failure;
}

void row_free(struct row *row)
{
    if (!row)
        return;
    clear_measures(row);
    g_free(row->axis_index);
    g_free(row->failure);
    g_free(row->read);
    g_free(row->unread);
    g_free(row->stats);
    g_free(row->design);
    g_free(row);
}

struct row *study_new_row(const struct study *study, size_t n)
{
    struct row *row = g_new0(struct row, 1);
    row->axis_index = g_new0(size_t, study->axis_count + 1);
    for (size_t i = 0; i < study->axis_count; i++)
        row->axis_index[i] = study_axis_index(study, n, i);
    return row;
}

/* --- what tells a point from others ----------------------------------------------------------- */

static gint compare_texts(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* An entry as JSON, "bytes":"8". Entries are sorted by this text, since a store identifies points by it. */
static char *json_entry(const char *key, const char *text)
{
    struct json json = {.text = g_string_new(NULL)};
    json_text(&json, key, text);
    return g_string_free(json.text, FALSE);
}

char *study_point_json(const struct study *study, size_t n)
{
    GPtrArray *entries = g_ptr_array_new_with_free_func(g_free);
    for (size_t i = 0; i < study->axis_count; i++) {
        const struct axis *axis = &study->axes[i];
        const struct value *value = &axis->values[study_axis_index(study, n, i)];
        g_autofree char *column = value_column(axis->name, value), *text = value_column_text(value);
        g_ptr_array_add(entries, json_entry(column, text));
    }
    g_ptr_array_sort(entries, compare_texts);
    if (study->changes && study->changes[n][0]) {
        g_autofree char *changes = g_strjoinv(",", study->changes[n]);
        g_ptr_array_add(entries, json_entry("set", changes));
    }
    g_ptr_array_add(entries, NULL);
    char *list = g_strjoinv(",", (char **)entries->pdata);
    char *json = g_strdup_printf("{%s}", list);
    g_ptr_array_unref(entries);
    g_free(list);
    return json;
}

uint64_t study_point_seed(const struct study *study, size_t n, uint64_t master_seed)
{
    char path[40];
    struct rng rng;
    size_t trial = 0;
    for (size_t i = 0; i < study->axis_count; i++) {
        if (strcmp(study->axes[i].name, "trial") == 0)
            trial = study_axis_index(study, n, i);
    }
    g_snprintf(path, sizeof path, "trial%zu", trial);
    rng_init(&rng, master_seed, path);
    return rng_next(&rng);
}
