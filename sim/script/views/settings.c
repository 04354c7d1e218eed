/* SPDX-License-Identifier: BSD-3-Clause */
#include "script/views/settings.h"

#include <string.h>

#include "core/error.h"
#include "protocols/design.h"
#include "script/views/views.h"

/* --- what was read ------------------------------------------------------------------------------- */

/* Whether a kind of nodes (by its number, from 0 on) has a value of its own; without one its nodes are as all others. */
static bool kind_has_value(const struct machine_spec *spec, size_t kind)
{
    for (size_t i = 0; i < spec->kind_value_count; i++)
        if (spec->kind_values[i].kind == kind)
            return true;
    return false;
}

/* Whether a run that reads `uses` reads this value; for a value of a kind of nodes: whether such a node took part and read it. */
static bool is_read(const struct machine *machine, const struct provenance *origin,
                    const struct param_use *uses)
{
    uint64_t kinds = param_use_bits(uses, &node_kind_params);
    size_t kind = origin->section.kind;
    if (kind > 0 && (kinds >> kind & 1) == 0)
        return false;
    if (origin->section.table == &node_kind_params)
        return kind_has_value(&machine->spec, kind - 1);
    return param_is_used(uses, origin->section.table, origin->index);
}

void settings_add(char **list, const char *path)
{
    if (!path)
        return;
    char *longer = *list ? g_strconcat(*list, ",", path, NULL) : g_strdup(path);
    g_free(*list);
    *list = longer;
}

void settings_note(const struct machine *machine, const struct param_use *uses, bool of_all,
                   struct row *row)
{
    if (uses->count == 0)
        return;
    for (guint i = 0; i < machine->provenance->len; i++) {
        const struct provenance *origin = g_ptr_array_index(machine->provenance, i);
        bool is_found = is_read(machine, origin, uses);
        if (origin->is_set || of_all)
            settings_add(is_found ? &row->read : &row->unread, origin->path);
    }
}

void settings_note_design(const struct design *design, struct row *row)
{
    char value[PARAM_TEXT_SIZE];
    for (size_t i = 0; i < design_params.count; i++) {
        const struct param *axis = &design_params.params[i];
        g_autofree char *path =
            g_strconcat("design.", axis->name, "=", param_format(axis, design, value), NULL);
        settings_add(&row->read, path);
    }
}

static void append(GString *list, const char *path)
{
    g_string_append_printf(list, "%s%s", list->len ? "," : "", path);
}

void settings_note_defaults(const struct machine *machine, const struct param_use *uses,
                            struct row *row)
{
    GString *defaults = g_string_new(NULL), *given = g_string_new(NULL);
    for (guint i = 0; i < machine->provenance->len; i++) {
        const struct provenance *origin = g_ptr_array_index(machine->provenance, i);
        if (is_read(machine, origin, uses))
            append(origin->kind == SOURCE_DEFAULT ? defaults : given, origin->path);
    }
    row->read_defaults = g_intern_string(defaults->str);
    row->read_given = g_intern_string(given->str);
    g_string_free(defaults, TRUE);
    g_string_free(given, TRUE);
}

bool settings_refuse(const struct machine *machine, const struct param_use *uses, GError **error)
{
    struct row row = {0};
    settings_note(machine, uses, false, &row);
    settings_note_defaults(machine, uses, &row);
    g_autofree char *unread = row.unread;
    g_free(row.read);
    if (unread == NULL)
        return true;
    *strchrnul(unread, ',') = '\0';
    GVariant *arguments = g_variant_new("(sss)", unread, row.read_defaults, row.read_given);
    g_auto(GStrv) sentence = views_texts("settings", "unread", arguments, error);
    return sentence && error_set(error, "%s", sentence[0]);
}
