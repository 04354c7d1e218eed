/* SPDX-License-Identifier: BSD-3-Clause */
/* What views/claims.lua is given, for tests in C: as views/claims/session.lua makes it for commands. */
#pragma once

#include <glib.h>
#include <string.h>

#include "protocols/design.h"
#include "script/script.h"
#include "script/views/views.h"
#include "study/model/machine.h"

struct claims {
    char *stated, *modelled, *restated, *causes; /* paths; NULL: not read */
    GVariant *values;   /* of places in machine files: their value, or a fault */
    GPtrArray *answers; /* GVariant */
};

static inline void claims_free(struct claims *claims)
{
    if (!claims)
        return;
    g_free(claims->stated);
    g_free(claims->modelled);
    g_free(claims->restated);
    g_free(claims->causes);
    g_variant_unref(claims->values);
    g_ptr_array_unref(claims->answers);
    g_free(claims);
}

/* Adds a byte string to a dictionary; nothing if it is NULL. */
static inline void claims_add_text(GVariantBuilder *dictionary, const char *name, const char *text)
{
    if (text)
        g_variant_builder_add(dictionary, "{sv}", name, g_variant_new_bytestring(text));
}

/* Floating. */
static inline GVariant *claims_value(const struct claims *claims)
{
    GVariantBuilder value;
    g_variant_builder_init(&value, G_VARIANT_TYPE_VARDICT);
    claims_add_text(&value, "stated", claims->stated);
    claims_add_text(&value, "modelled", claims->modelled);
    claims_add_text(&value, "restated", claims->restated);
    claims_add_text(&value, "causes", claims->causes);
    g_variant_builder_add(&value, "{sv}", "values", claims->values);
    g_variant_builder_add(&value, "{sv}", "answers",
                          g_variant_new_array(G_VARIANT_TYPE_VARDICT,
                                              (GVariant **)claims->answers->pdata,
                                              claims->answers->len));
    return g_variant_builder_end(&value);
}

/* What a function of views/claims.lua makes of it, for g_strfreev; NULL and an error. */
static inline char **claims_texts(const struct claims *claims, const char *function, GError **error)
{
    return views_texts("claims", function, g_variant_new("(@a{sv})", claims_value(claims)), error);
}

/* Adds the value of a place "configs/FILE:PARAMETER", or why it has none. */
static inline void claims_add_value(GVariantBuilder *values, const char *root, const char *place)
{
    char text[PARAM_TEXT_SIZE];
    GVariantBuilder found;
    g_auto(GStrv) parts = g_strsplit(place, ":", 2);
    g_autofree char *path = g_build_filename(root, parts[0], NULL);
    g_autoptr(GError) fault = NULL;
    g_variant_builder_init(&found, G_VARIANT_TYPE_VARDICT);
    if (strcmp(parts[0], "configs/designs.lua") == 0) {
        g_auto(GStrv) names = g_strsplit(parts[1], ".", 2);
        const struct design *design = design_named(names[0]);
        const struct param *axis = names[1] ? param_find(&design_params, names[1]) : NULL;
        claims_add_text(&found, "value", design && axis ? param_format(axis, design, text) : NULL);
    } else {
        struct machine *machine = machine_load(path, NULL, &fault);
        const struct provenance *entry = machine ? machine_find(machine, parts[1]) : NULL;
        claims_add_text(&found, "value", entry ? provenance_value(machine, entry, text) : NULL);
        machine_free(machine);
    }
    claims_add_text(&found, "fault", fault ? fault->message : NULL);
    g_variant_builder_add(values, "{sv}", place, g_variant_builder_end(&found));
}

/* Values of all places that modelled.tsv names, relative to the folder above its own. */
static inline bool claims_read_values(struct claims *claims, GError **error)
{
    g_auto(GStrv) places = claims_texts(claims, "places", error);
    g_autofree char *folder = g_path_get_dirname(claims->modelled);
    g_autofree char *root = g_path_get_dirname(folder);
    GVariantBuilder values;
    if (!places)
        return false;
    g_variant_builder_init(&values, G_VARIANT_TYPE_VARDICT);
    for (size_t i = 0; places[i]; i++)
        claims_add_value(&values, root, places[i]);
    g_variant_unref(claims->values);
    claims->values = g_variant_ref_sink(g_variant_builder_end(&values));
    return true;
}

static inline bool claims_are_good(struct claims *claims, GError **error)
{
    if (claims->modelled && !claims_read_values(claims, error))
        return false;
    g_auto(GStrv) none = claims_texts(claims, "check", error);
    return none != NULL;
}

static inline void claims_unref(gpointer value)
{
    g_variant_unref(value);
}

/* Reads the tables at these paths (the last three NULL: not read); NULL and an error. */
static inline struct claims *claims_open(const char *stated, const char *modelled,
                                         const char *restated, const char *causes, GError **error)
{
    struct claims *claims = g_new(struct claims, 1);
    *claims = (struct claims){g_strdup(stated),
                              g_strdup(modelled),
                              g_strdup(restated),
                              g_strdup(causes),
                              g_variant_ref_sink(g_variant_new("a{sv}", NULL)),
                              g_ptr_array_new_with_free_func(claims_unref)};
    if (!claims_are_good(claims, error))
        g_clear_pointer(&claims, claims_free);
    return claims;
}

/* Enters what a scenario answers, and its answers in samples of what is estimated (NULL: none); both may be floating. */
static inline void claims_enter(struct claims *claims, const char *id, const char *scenario,
                                GVariant *answer, GVariant *samples)
{
    GVariantBuilder entry;
    g_variant_builder_init(&entry, G_VARIANT_TYPE_VARDICT);
    claims_add_text(&entry, "id", id);
    claims_add_text(&entry, "scenario", scenario);
    g_variant_builder_add(&entry, "{sv}", "answer", answer);
    if (samples)
        g_variant_builder_add(&entry, "{sv}", "samples", samples);
    g_ptr_array_add(claims->answers, g_variant_ref_sink(g_variant_builder_end(&entry)));
}
