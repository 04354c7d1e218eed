/* SPDX-License-Identifier: BSD-3-Clause */
/* An override is text that goes through the same parameter table as a machine file's values. It has
 * no line in a file, so the message begins with the override itself. */
#include "script/machine/override.h"

#include <glib.h>
#include <string.h>

#include "core/error.h"
#include "core/param_instance.h"
#include "study/model/machine.h"

/* The machine's part called `name`; the top level if that is NULL. */
static bool find_part(const struct machine_spec *spec, const char *name,
                      struct machine_section *part)
{
    for (size_t i = 0; i < machine_section_count(spec); i++) {
        *part = machine_section(spec, i);
        if (name ? part->outer && strcmp(part->outer, name) == 0 : !part->outer)
            return true;
    }
    return false;
}

static void note_override(struct provenance *entry)
{
    entry->kind = SOURCE_GIVEN;
    g_clear_pointer(&entry->low, g_free);
    g_clear_pointer(&entry->high, g_free);
    g_clear_pointer(&entry->claims, g_free);
    g_free(entry->source);
    entry->source = g_strdup("command line");
    entry->is_set = true;
}

/* Sets the error for an unknown name; frees the suggestion. */
static bool fail_unknown(const char *override, const char *name, const char *what, char *suggestion,
                         GError **error)
{
    g_autofree char *rest = suggestion;
    return error_set(error, "override %s: unknown key \"%s\" in %s%s", override, name, what, rest);
}

static bool fail_component(const struct machine_spec *spec, const char *override, const char *name,
                           GError **error)
{
    const char *top = machine_params.component;
    if (strcmp(name, top) == 0)
        return error_set(error,
                         "override %s: parameters of the machine itself stand alone; write %s",
                         override, override + strlen(top) + 1);
    size_t count = machine_section_count(spec) - 1;
    g_autofree const char **names = g_new0(const char *, count + 1);
    for (size_t i = 0; i < count; i++)
        names[i] = machine_section(spec, i + 1).outer;
    return fail_unknown(override, name, "machine", param_suggestion(name, names, count), error);
}

static bool fail_param(const char *override, struct machine_section part, const char *name,
                       GError **error)
{
    if (param_find(&design_params, name))
        return error_set(error, "override %s: \"%s\" is an axis of designs; write design.%s=...",
                         override, name, name);
    return fail_unknown(override, name, part.outer ? part.outer : "machine",
                        param_suggestion_of(part.table, name), error);
}

/* --- designs ------------------------------------------------------------------------------------ */

#define OF_DESIGN "design."

/* Sets the axis; false and a reason if the override is bad. */
static bool set_axis(struct design *design, const char *override, GError **error)
{
    const char *equals = strchr(override, '=');
    g_autofree char *name =
        g_strndup(override + strlen(OF_DESIGN), (gsize)(equals - override) - strlen(OF_DESIGN));
    const struct param *axis = param_find(&design_params, name);
    if (axis)
        return param_set_text(&design_params, axis, design, equals + 1, error);
    g_autofree char *suggestion = param_suggestion_of(&design_params, name);
    return error_set(error, "unknown axis \"%s\" in design%s", name, suggestion);
}

bool override_design(struct design *design, const char *const *overrides, GError **error)
{
    size_t number = design->base > 0 ? (size_t)design->base - 1 : SIZE_MAX;
    bool is_changed = false;
    for (; overrides && *overrides; overrides++) {
        if (!g_str_has_prefix(*overrides, OF_DESIGN))
            continue;
        is_changed = true;
        if (!set_axis(design, *overrides, error))
            return false;
    }
    if (!is_changed)
        return true;
    param_record_set_base(&design_record, design, number);
    char text[PARAM_TEXT_SIZE];
    if (design_valid(design, error))
        return true;
    g_prefix_error(error, "with the overrides, design %s: ", design_text(design, text));
    return false;
}

bool override_is_setting(const char *override)
{
    return g_str_has_prefix(override, OVERRIDE_SETTING) && strchr(override, '=');
}

bool overrides_are_of_machine(const char *const *overrides, GError **error)
{
    for (; overrides && *overrides; overrides++) {
        bool is_setting = override_is_setting(*overrides);
        if (!is_setting && !g_str_has_prefix(*overrides, OF_DESIGN))
            continue;
        error_set(error, "override %s: %s; this takes a machine alone", *overrides,
                  is_setting ? "settings are of studies" : "designs are chosen by studies");
        return false;
    }
    return true;
}

/* Checks an override for designs by itself. */
static bool axis_override_valid(const char *override, GError **error)
{
    struct design design;
    param_set_defaults(&design_params, &design);
    if (set_axis(&design, override, error))
        return true;
    g_prefix_error(error, "override %s: ", override);
    return false;
}

/* --- machines ----------------------------------------------------------------------------------- */

/* Sets the error for a path that the machine does not have. */
static bool fail_path(const struct machine_spec *spec, const char *override, const char *path,
                      GError **error)
{
    g_auto(GStrv) names = g_strsplit(path, ".", 2);
    struct machine_section part;
    if (!find_part(spec, names[1] ? names[0] : NULL, &part))
        return fail_component(spec, override, names[0], error);
    return fail_param(override, part, names[1] ? names[1] : path, error);
}

/* `path` and `value` are the two sides of the equals sign. */
static bool apply_override(struct machine *machine, const char *override, const char *path,
                           const char *value, GError **error)
{
    bool is_of_kind = g_str_has_prefix(path, "kinds.");
    struct provenance *entry =
        is_of_kind ? machine_find_or_add(machine, path, error) : machine_find(machine, path);
    if (entry == NULL && !is_of_kind)
        return fail_path(&machine->spec, override, path, error);
    if (entry == NULL) {
        g_prefix_error(error, "override %s: ", override);
        return false;
    }
    const struct param *param = provenance_param(entry);
    void *spec = machine_section_spec(&machine->spec, entry->section);
    if (!param_set_text(entry->section.table, param, spec, value, error)) {
        g_prefix_error(error, "override %s: ", override);
        return false;
    }
    note_override(entry);
    return true;
}

static bool override_one(struct machine *machine, const char *override, GError **error)
{
    const char *equals = strchr(override, '=');
    if (!equals || equals == override) {
        return error_set(error, "override %s: write component.parameter=value", override);
    }
    if (override_is_setting(override))
        return true;
    if (g_str_has_prefix(override, OF_DESIGN))
        return axis_override_valid(override, error);
    g_autofree char *path = g_strndup(override, (gsize)(equals - override));
    return apply_override(machine, override, path, equals + 1, error);
}

static bool override_each(struct machine *machine, const char *const *overrides, GError **error)
{
    for (; overrides && *overrides; overrides++) {
        if (!override_one(machine, *overrides, error))
            return false;
    }
    return true;
}

bool override_all(struct machine *machine, const char *const *overrides, GError **error)
{
    if (!override_each(machine, overrides, error))
        return false;
    if (machine_spec_valid(&machine->spec, error))
        return true;
    g_prefix_error(error, "with the overrides, ");
    return false;
}

/* Adds the kinds of nodes that the overrides name: a machine of the study may have them. */
static void add_named_kinds(struct machine *machine, const char *const *overrides)
{
    for (; overrides && *overrides; overrides++) {
        g_auto(GStrv) parts = g_strsplit(*overrides, ".", 3);
        if (g_strcmp0(parts[0], "kinds") != 0 || parts[1] == NULL)
            continue;
        g_autofree char *path = g_strdup_printf("kinds.%s.nodes", parts[1]);
        machine_find_or_add(machine, path, NULL);
    }
}

/* Components that only some machine of the study has are accepted, too. Whether a machine has them, and whether their values
 * fit its others, is checked when a point makes its machine. */
bool overrides_valid(const char *const *overrides, GError **error)
{
    struct machine_spec spec = *machine_defaults();
    struct machine_section part;
    if (!overrides || !*overrides)
        return true;
    for (size_t i = 0; i < param_instance_count(); i++)
        if (!find_part(&spec, param_instance_at(i)->component, &part) &&
            !machine_spec_add(&spec, param_instance_at(i), error))
            return false;
    struct machine *machine = machine_new(&spec);
    add_named_kinds(machine, overrides);
    bool are_valid = override_each(machine, overrides, error);
    machine_free(machine);
    return are_valid;
}
