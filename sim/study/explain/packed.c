/* SPDX-License-Identifier: BSD-3-Clause */
/* Explanations as bytes: a process has one machine, so points are run each in one of its own, which hands on what it has heard. Both are
 * the same program, so structs go as they are. */
#include <string.h>

#include "study/explain/explain.h"

static GVariant *bytes_of(const void *bytes, gsize size)
{
    return g_variant_new_fixed_array(G_VARIANT_TYPE_BYTE, bytes, size, 1);
}

static GVariant *parts_of(const GPtrArray *parts)
{
    GByteArray *bytes = g_byte_array_new();
    for (guint i = 0; parts && i < parts->len; i++)
        g_byte_array_append(bytes, g_ptr_array_index(parts, i), sizeof(struct explained_part));
    GVariant *packed = bytes_of(bytes->data, bytes->len);
    g_byte_array_unref(bytes);
    return packed;
}

GVariant *explanation_pack(const struct explanation *explanation)
{
    GVariantBuilder builder;
    g_variant_builder_init(&builder, G_VARIANT_TYPE("a" EXPLAINED_TYPE));
    for (guint i = 0; i < explanation->origins->len; i++) {
        const struct explained *origin = g_ptr_array_index(explanation->origins, i);
        g_variant_builder_add(&builder, "(ss@ay@ay@ay@ay@ay@ay)", origin->path, origin->callers,
                              bytes_of(origin->design, origin->design ? sizeof *origin->design : 0),
                              bytes_of(&origin->repeat, sizeof origin->repeat),
                              bytes_of(&origin->latency, sizeof origin->latency),
                              bytes_of(origin->stages, sizeof origin->stages),
                              parts_of(origin->places), parts_of(origin->iterations));
    }
    return g_variant_builder_end(&builder);
}

/* Copies child `index` of `packed` to `to`, which has its size. */
static void take_bytes(GVariant *packed, gsize index, void *to)
{
    gsize size;
    g_autoptr(GVariant) child = g_variant_get_child_value(packed, index);
    const void *bytes = g_variant_get_fixed_array(child, &size, 1);
    if (size > 0)
        memcpy(to, bytes, size);
}

static struct design *take_design(GVariant *packed, gsize index)
{
    struct design design = {.base = -1};
    take_bytes(packed, index, &design);
    return design.base >= 0 ? g_memdup2(&design, sizeof design) : NULL;
}

/* NULL: none, as of what is no application. */
static GPtrArray *take_parts(GVariant *packed, gsize index)
{
    gsize size;
    g_autoptr(GVariant) child = g_variant_get_child_value(packed, index);
    const char *bytes = g_variant_get_fixed_array(child, &size, 1);
    if (size == 0)
        return NULL;
    GPtrArray *parts = g_ptr_array_new_with_free_func(g_free);
    for (gsize at = 0; at < size; at += sizeof(struct explained_part)) {
        struct explained_part *part = g_memdup2(bytes + at, sizeof(struct explained_part));
        part->last_ps = NULL; // the other process's
        g_ptr_array_add(parts, part);
    }
    return parts;
}

struct explanation *explanation_unpack(GVariant *packed)
{
    struct explanation *explanation = explanation_new();
    for (gsize i = 0; i < g_variant_n_children(packed); i++) {
        struct explained *origin = g_new0(struct explained, 1);
        g_autoptr(GVariant) child = g_variant_get_child_value(packed, i);
        g_variant_get_child(child, 0, "s", &origin->path);
        g_variant_get_child(child, 1, "s", &origin->callers);
        origin->design = take_design(child, 2);
        take_bytes(child, 3, &origin->repeat);
        take_bytes(child, 4, &origin->latency);
        take_bytes(child, 5, origin->stages);
        origin->places = take_parts(child, 6);
        origin->iterations = take_parts(child, 7);
        g_ptr_array_add(explanation->origins, origin);
    }
    return explanation;
}
