/* SPDX-License-Identifier: BSD-3-Clause */
#include "study/claims/claims.h"

#include <string.h>

#include "core/home.h"
#include "protocols/design.h"
#include "script/script.h"
#include "script/views/views.h"
#include "study/model/machine.h"

/* Named designs are read when the program starts. */
#define DESIGNS_FILE "configs/designs.lua"

struct claims {
    char *stated, *modelled, *restated; /* paths; NULL: not read */
    GVariant *values;                   /* of places in machine files: their value, or a fault */
    GPtrArray *answers;                 /* GVariant */
};

void claims_free(struct claims *claims)
{
    if (!claims)
        return;
    g_free(claims->stated);
    g_free(claims->modelled);
    g_free(claims->restated);
    g_variant_unref(claims->values);
    g_ptr_array_unref(claims->answers);
    g_free(claims);
}

/* --- values of machine files -------------------------------------------------------------------- */

/* The machine of a file of the project. */
static struct machine *machine_of(GHashTable *machines, const char *path, GError **error)
{
    struct machine *machine = g_hash_table_lookup(machines, path);
    if (machine)
        return machine;
    machine = machine_load(path, NULL, error);
    if (machine)
        g_hash_table_insert(machines, g_strdup(path), machine);
    return machine;
}

/* The value of "comp-net.completion" as text, or NULL if there is no such design or axis. */
static const char *axis_of(const char *name, char *text)
{
    g_auto(GStrv) parts = g_strsplit(name, ".", 2);
    const struct design *design = parts[0] ? design_named(parts[0]) : NULL;
    const struct param *axis = parts[0] && parts[1] ? param_find(&design_params, parts[1]) : NULL;
    return design && axis ? param_format(axis, design, text) : NULL;
}

/* Adds the value of a place "configs/FILE:PARAMETER", or why it has none. */
static void add_value(GVariantBuilder *values, GHashTable *machines, const char *root,
                      const char *place)
{
    char axis_value[UNIT_TEXT_SIZE];
    g_auto(GStrv) parts = g_strsplit(place, ":", 2);
    g_autofree char *path = g_build_filename(root, parts[0], NULL);
    g_autoptr(GError) fault = NULL;
    bool is_design = strcmp(parts[0], DESIGNS_FILE) == 0;
    struct machine *machine = is_design ? NULL : machine_of(machines, path, &fault);
    const struct provenance *entry = machine ? machine_find(machine, parts[1]) : NULL;
    g_variant_builder_open(values, G_VARIANT_TYPE("{sv}"));
    g_variant_builder_add(values, "s", place);
    g_variant_builder_open(values, G_VARIANT_TYPE_VARIANT);
    g_variant_builder_open(values, G_VARIANT_TYPE_VARDICT);
    views_add_text(values, "fault", fault ? fault->message : NULL);
    views_add_text(values, "value",
                   is_design ? axis_of(parts[1], axis_value)
                   : entry   ? entry->value
                             : NULL);
    g_variant_builder_close(values);
    g_variant_builder_close(values);
    g_variant_builder_close(values);
}

static void free_machine(gpointer machine)
{
    machine_free(machine);
}

/* Of all places that modelled.tsv names; it stands in a folder of the project. */
static GVariant *values_of(char *const *places, const char *modelled)
{
    g_autoptr(GHashTable) machines =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_machine);
    g_autofree char *folder = g_path_get_dirname(modelled);
    g_autofree char *root = g_path_get_dirname(folder);
    GVariantBuilder values;
    g_variant_builder_init(&values, G_VARIANT_TYPE_VARDICT);
    for (size_t i = 0; places[i]; i++)
        add_value(&values, machines, root, places[i]);
    return g_variant_ref_sink(g_variant_builder_end(&values));
}

/* --- reading ---------------------------------------------------------------------------------- */

static GVariant *no_values(void)
{
    return g_variant_ref_sink(g_variant_new("a{sv}", NULL));
}

static void unref_variant(gpointer value)
{
    g_variant_unref(value);
}

static bool read_values(struct claims *claims, GError **error)
{
    g_auto(GStrv) places = claims_texts(claims, "places", error);
    if (!places)
        return false;
    g_variant_unref(claims->values);
    claims->values = values_of(places, claims->modelled);
    return true;
}

static bool check(struct claims *claims, GError **error)
{
    if (claims->modelled && !read_values(claims, error))
        return false;
    g_auto(GStrv) none = claims_texts(claims, "check", error);
    return none != NULL;
}

struct claims *claims_open(const char *stated, const char *modelled, const char *restated,
                           GError **error)
{
    struct claims *claims = g_new(struct claims, 1);
    *claims = (struct claims){g_strdup(stated), g_strdup(modelled), g_strdup(restated), no_values(),
                              g_ptr_array_new_with_free_func(unref_variant)};
    if (!check(claims, error))
        g_clear_pointer(&claims, claims_free);
    return claims;
}

struct claims *claims_open_own(GError **error)
{
    g_autofree char *path = home_path("claims/claims.tsv", error);
    return path ? claims_open(path, NULL, NULL, error) : NULL;
}

/* --- answers ---------------------------------------------------------------------------------- */

void claims_enter(struct claims *claims, const char *id, const char *scenario, GVariant *answer,
                  GVariant *samples)
{
    GVariantBuilder entry;
    g_variant_builder_init(&entry, G_VARIANT_TYPE_VARDICT);
    views_add_text(&entry, "id", id);
    views_add_text(&entry, "scenario", scenario);
    g_variant_builder_add(&entry, "{sv}", "answer", answer);
    if (samples)
        g_variant_builder_add(&entry, "{sv}", "samples", samples);
    g_ptr_array_add(claims->answers, g_variant_ref_sink(g_variant_builder_end(&entry)));
}

GVariant *claims_value(const struct claims *claims)
{
    GVariantBuilder value;
    g_variant_builder_init(&value, G_VARIANT_TYPE_VARDICT);
    views_add_text(&value, "stated", claims->stated);
    views_add_text(&value, "modelled", claims->modelled);
    views_add_text(&value, "restated", claims->restated);
    g_variant_builder_add(&value, "{sv}", "values", claims->values);
    g_variant_builder_add(&value, "{sv}", "answers",
                          g_variant_new_array(G_VARIANT_TYPE_VARDICT,
                                              (GVariant **)claims->answers->pdata,
                                              claims->answers->len));
    return g_variant_builder_end(&value);
}

char **claims_texts(const struct claims *claims, const char *function, GError **error)
{
    return views_texts("claims", function, g_variant_new("(@a{sv})", claims_value(claims)), error);
}

char **claims_texts_of(const struct claims *claims, const char *function, GVariant *further,
                       GError **error)
{
    return views_texts("claims", function,
                       g_variant_new("(@a{sv}@*)", claims_value(claims), further), error);
}
