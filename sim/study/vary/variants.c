/* SPDX-License-Identifier: BSD-3-Clause */
#include "study/vary/variants.h"

#include <string.h>

#include "script/script.h"
#include "script/study/point.h"
#include "study/model/machine.h"

static void clear_variant(gpointer data)
{
    g_strfreev(((struct variant *)data)->overrides);
}

static GArray *new_list(void)
{
    GArray *list = g_array_new(FALSE, FALSE, sizeof(struct variant));
    g_array_set_clear_func(list, clear_variant);
    return list;
}

/* The digest for variants, which differs from the study's, so that a store does not take variants for points of the study. */
static char *digest_of_variants(const char *digest)
{
    g_autofree char *text = g_strconcat("variants of ", digest, NULL);
    return g_compute_checksum_for_string(G_CHECKSUM_SHA256, text, -1);
}

struct variants *variants_new(struct study *study, const struct runner_options *options)
{
    struct variants *variants = g_new0(struct variants, 1);
    char *digest = study->digest;
    study->digest = digest_of_variants(digest);
    *variants = (struct variants){.study = study,
                                  .options = *options,
                                  .digest = digest,
                                  .points = study->points,
                                  .point_count = study->point_count,
                                  .list = new_list()};
    return variants;
}

/* Restores the study as it was loaded. */
static void restore(const struct variants *variants)
{
    variants->study->points = variants->points;
    variants->study->point_count = variants->point_count;
    variants->study->changes = NULL;
}

struct study *variants_release(struct variants *variants)
{
    struct study *study = variants->study;
    restore(variants);
    g_free(study->digest);
    study->digest = variants->digest;
    g_array_unref(variants->list);
    g_free(variants);
    return study;
}

void variants_free(struct variants *variants)
{
    if (variants)
        study_free(variants_release(variants));
}

size_t variants_add(struct variants *variants, size_t point, char **overrides)
{
    struct variant variant = {point, overrides ? overrides : g_new0(char *, 1)};
    g_array_append_val(variants->list, variant);
    return variants->list->len - 1;
}

struct machine *variants_machine(struct variants *variants, size_t point, GError **error)
{
    restore(variants);
    return study_machine(variants->study, point, error);
}

/* Makes the listed variants the study's points; returns memory that has to be freed with them. */
static uint32_t *take_points(const struct variants *variants)
{
    struct study *study = variants->study;
    size_t width = study->axis_count, count = variants->list->len;
    uint32_t *points = g_new0(uint32_t, count * width + 1);
    study->changes = g_new0(char **, count + 1);
    for (size_t i = 0; i < count; i++) {
        const struct variant *variant = &g_array_index(variants->list, struct variant, i);
        memcpy(&points[i * width], &variants->points[variant->point * width],
               width * sizeof *points);
        study->changes[i] = variant->overrides;
    }
    study->points = points;
    study->point_count = count;
    return points;
}

GPtrArray *variants_run(struct variants *variants, bool from_store, GError **error)
{
    size_t count = variants->list->len;
    if (count == 0) /* an empty list is no failure */
        return g_ptr_array_new_with_free_func((GDestroyNotify)row_free);
    uint32_t *points = take_points(variants);
    char ***changes = variants->study->changes;
    GPtrArray *rows =
        (from_store ? runner_recall : runner_run)(variants->study, &variants->options, error);
    restore(variants);
    g_free(points);
    g_free(changes);
    g_array_set_size(variants->list, 0);
    variants->runs += count;
    return rows;
}
