/* SPDX-License-Identifier: BSD-3-Clause */
#include "study/store/contents.h"

#include "study/store/pack.h"

#define STUDY_TYPE "(ssssx)"
#define POINT_TYPE "(sssssmsxx@" PACKED_ROW_TYPE ")"

struct contents {
    GVariantBuilder studies, points;
    bool has_results;
};

static char *seed_text(uint64_t seed)
{
    return g_strdup_printf("%" G_GUINT64_FORMAT, seed);
}

static bool see_study(void *context, const void *row)
{
    const struct store_study *study = row;
    struct contents *all = context;
    g_autofree char *seed = seed_text(study->seed);
    g_variant_builder_add(&all->studies, STUDY_TYPE, study->name, study->digest, seed,
                          study->version, (gint64)study->points);
    return true;
}

/* The point's row; if its bytes are no row, a failed one with "unreadable". */
static GVariant *row_value(GBytes *bytes)
{
    struct row *row = g_new0(struct row, 1);
    if (!unpack_row(bytes, row)) {
        g_free(row->failure);
        row->failure = g_strdup("unreadable");
    }
    g_autoptr(GBytes) packed = pack_row(row);
    row_free(row);
    return g_variant_new_from_bytes(G_VARIANT_TYPE(PACKED_ROW_TYPE), packed, TRUE);
}

static bool see_point(void *context, const void *row)
{
    const struct store_point *point = row;
    struct contents *all = context;
    g_autofree char *seed = seed_text(point->seed);
    g_autoptr(GBytes) none = g_bytes_new_static(NULL, 0);
    g_variant_builder_add(&all->points, POINT_TYPE, point->study, point->digest, seed,
                          point->version, point->axes, point->failure, (gint64)point->started_us,
                          (gint64)point->duration_us,
                          row_value(all->has_results ? point->result : none));
    return true;
}

GVariant *store_contents(struct result_store *store, bool has_results, GError **error)
{
    struct contents all = {.has_results = has_results};
    uint64_t lost;
    g_variant_builder_init(&all.studies, G_VARIANT_TYPE("a" STUDY_TYPE));
    g_variant_builder_init(&all.points, G_VARIANT_TYPE("a(sssssmsxx" PACKED_ROW_TYPE ")"));
    bool is_read = store_each(store, STORED_STUDY, see_study, &all, error) &&
                   store_each(store, STORED_POINT, see_point, &all, error);
    if (!is_read) {
        g_variant_builder_clear(&all.studies);
        g_variant_builder_clear(&all.points);
        return NULL;
    }
    bool is_damaged = store_is_damaged(store, &lost);
    return g_variant_new("(a" STUDY_TYPE "a(sssssmsxx" PACKED_ROW_TYPE ")bx)", &all.studies,
                         &all.points, is_damaged, (gint64)lost);
}
