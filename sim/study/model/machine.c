/* SPDX-License-Identifier: BSD-3-Clause */
/* The top level of a machine file is a section like the others, but without a name. */
#include "study/model/machine.h"

#include <string.h>

#include "core/error.h"
#include "core/json.h"
#include "protocols/runtimes/software_tables.h"

const struct machine_spec *machine_defaults(void)
{
    static struct machine_spec spec;
    if (spec.nodes == 0)
        machine_spec_init(&spec, software_tables());
    return &spec;
}

size_t machine_section_count(const struct machine_spec *spec)
{
    return 1 + machine_component_count(spec);
}

struct machine_section machine_section(const struct machine_spec *spec, size_t number)
{
    if (number == 0)
        return (struct machine_section){.table = &machine_params};
    struct machine_component component = machine_component(spec, number - 1);
    return (struct machine_section){component.table, component.offset, component.table->component,
                                    0};
}

const char *source_kind_name(enum source_kind kind)
{
    static const char *const names[] = {
        [SOURCE_DEFAULT] = "default",     [SOURCE_GIVEN] = "given",
        [SOURCE_PUBLISHED] = "published", [SOURCE_MEASURED] = "measured",
        [SOURCE_ESTIMATED] = "estimated", [SOURCE_FITTED] = "fitted",
        [SOURCE_INFERRED] = "inferred"};
    return names[kind];
}

/* --- struct machine --------------------------------------------------------------------------- */

const char *provenance_value(const struct machine *machine, const struct provenance *row,
                             char *text)
{
    const void *spec = (const char *)&machine->spec + row->section.offset;
    return param_format(provenance_param(row), spec, text);
}

static void clear_row(struct provenance *row)
{
    g_free(row->low);
    g_free(row->high);
    g_free(row->source);
    g_free(row->claims);
}

/* Appends `row`, which is all zeros, as that of parameter `index` of a section. */
static struct provenance *append_row(struct machine *machine, struct provenance *row,
                                     struct machine_section part, size_t index)
{
    const char *name = part.table->params[index].name;
    g_autofree char *path = part.outer ? g_strconcat(part.outer, ".", name, NULL) : NULL;
    row->section = part;
    row->index = index;
    row->path = g_intern_string(path ? path : name);
    row->kind = SOURCE_DEFAULT;
    g_ptr_array_add(machine->provenance, row);
    return row;
}

static struct provenance *add_row(struct machine *machine, struct machine_section part,
                                  size_t index)
{
    return append_row(machine, g_new0(struct provenance, 1), part, index);
}

/* --- kinds of nodes --- */

static struct provenance *add_nodes_row(struct machine *machine, size_t kind)
{
    g_autofree char *outer = g_strconcat("kinds.", machine->spec.kinds[kind].name, NULL);
    size_t offset = offsetof(struct machine_spec, kinds) + kind * sizeof(struct node_kind);
    return add_row(
        machine,
        (struct machine_section){&node_kind_params, offset, g_intern_string(outer), 1 + kind}, 0);
}

/* Adds a row for a value of a kind. NULL and one sentence if there is no room. */
static struct provenance *add_value_row(struct machine *machine, size_t kind, size_t component,
                                        size_t index, GError **error)
{
    const struct param_table *table = machine_component(&machine->spec, component).table;
    size_t place = machine_kind_value(&machine->spec, (int)kind, component, index, error);
    g_autofree char *outer =
        g_strconcat("kinds.", machine->spec.kinds[kind].name, ".", table->component, NULL);
    if (place == 0)
        return NULL;
    return add_row(machine,
                   (struct machine_section){table, place - table->params[index].offset,
                                            g_intern_string(outer), 1 + kind},
                   index);
}

static void add_kind_rows(struct machine *machine)
{
    const struct machine_spec *spec = &machine->spec;
    for (size_t kind = 0; kind < spec->kind_count; kind++) {
        add_nodes_row(machine, kind);
        for (size_t i = 0; i < spec->kind_value_count; i++)
            if (spec->kind_values[i].kind == kind)
                add_value_row(machine, kind, spec->kind_values[i].component,
                              spec->kind_values[i].param, NULL);
    }
}

/* Whether a kind's name in a path is valid: letters, digits and underscores. */
static bool is_kind_name(const char *name)
{
    return *name != '\0' &&
           strspn(name, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_") == strlen(name);
}

/* Adds a kind in the order of names: later kinds move up by one, and so do the numbers of kinds in rows. */
static struct provenance *add_kind(struct machine *machine, const char *name, GError **error)
{
    if (!is_kind_name(name)) {
        error_set(error, "the name of a kind of nodes has letters, digits and underscores");
        return NULL;
    }
    int kind = machine_kind_add(&machine->spec, name, error);
    for (guint i = 0; kind >= 0 && i < machine->provenance->len; i++) {
        struct machine_section *part =
            &((struct provenance *)g_ptr_array_index(machine->provenance, i))->section;
        if (part->kind <= (size_t)kind)
            continue;
        part->kind++;
        if (part->table == &node_kind_params)
            part->offset += sizeof(struct node_kind);
    }
    return kind < 0 ? NULL : add_nodes_row(machine, (size_t)kind);
}

/* The names of the machine's kinds, for a sentence. */
static char *kind_names(const struct machine_spec *spec)
{
    GString *names = g_string_new(NULL);
    for (size_t kind = 0; kind < spec->kind_count; kind++)
        g_string_append_printf(names, "%s%s", kind > 0 ? ", " : "", spec->kinds[kind].name);
    if (spec->kind_count == 0)
        g_string_append(names, "none");
    return g_string_free(names, FALSE);
}

/* `parts`: "kinds", the kind's name, a component, a parameter. */
static struct provenance *add_value(struct machine *machine, char *const *parts, GError **error)
{
    int kind = machine_kind_find(&machine->spec, parts[1]);
    g_autofree char *names = kind_names(&machine->spec);
    const char *name = parts[2] != NULL ? parts[3] : NULL;
    for (size_t i = 0; kind >= 0 && name && i < machine_component_count(&machine->spec); i++) {
        const struct param_table *table = machine_component(&machine->spec, i).table;
        const struct param *param = param_find(table, name);
        if (strcmp(table->component, parts[2]) == 0 && param && machine_kind_may_have(table, param))
            return add_value_row(machine, (size_t)kind, i, (size_t)(param - table->params), error);
    }
    if (kind < 0)
        error_set(
            error,
            "the machine has no kind of nodes \"%s\"; it has %s, and kinds.%s.nodes makes one",
            parts[1], names, is_kind_name(parts[1]) ? parts[1] : "NAME");
    else
        error_set(
            error,
            "a kind of nodes has no %s%s%s of its own; accepted: nodes, and parameters of the "
            "components that gpunetsim help kinds names",
            parts[2] ? parts[2] : "value", name ? "." : "", name ? name : "");
    return NULL;
}

struct provenance *machine_find_or_add(struct machine *machine, const char *path, GError **error)
{
    struct provenance *found = machine_find(machine, path);
    g_auto(GStrv) parts = g_strsplit(path, ".", 4);
    if (found)
        return found;
    if (!g_str_has_prefix(path, "kinds.") || parts[1] == NULL) {
        error_set(error, "the machine has no \"%s\"", path);
        return NULL;
    }
    if (g_strcmp0(parts[2], "nodes") == 0 && parts[3] == NULL)
        return add_kind(machine, parts[1], error);
    return add_value(machine, parts, error);
}

struct machine *machine_new(const struct machine_spec *spec)
{
    struct machine *machine = g_new0(struct machine, 1);
    machine->spec = *spec;
    for (size_t i = 0; i < machine_section_count(spec); i++)
        machine->row_count += machine_section(spec, i).table->count;
    machine->rows = g_new0(struct provenance, machine->row_count);
    machine->provenance = g_ptr_array_sized_new((guint)machine->row_count);
    for (size_t i = 0; i < machine_section_count(spec); i++) {
        struct machine_section part = machine_section(spec, i);
        for (size_t j = 0; j < part.table->count; j++)
            append_row(machine, &machine->rows[machine->provenance->len], part, j);
    }
    add_kind_rows(machine);
    return machine;
}

void machine_free(struct machine *machine)
{
    if (!machine)
        return;
    for (guint i = 0; i < machine->provenance->len; i++) {
        struct provenance *row = g_ptr_array_index(machine->provenance, i);
        clear_row(row);
        if (i >= machine->row_count)
            g_free(row);
    }
    g_ptr_array_free(machine->provenance, TRUE);
    g_free(machine->rows);
    g_free(machine->name);
    g_free(machine);
}

struct provenance *machine_find(const struct machine *machine, const char *path)
{
    const char *known = g_quark_to_string(g_quark_try_string(path));
    for (guint i = 0; known && i < machine->provenance->len; i++) {
        struct provenance *entry = g_ptr_array_index(machine->provenance, i);
        if (entry->path == known)
            return entry;
    }
    return NULL;
}

void machine_is_described(struct machine *machine)
{
    for (guint i = 0; i < machine->provenance->len; i++)
        ((struct provenance *)g_ptr_array_index(machine->provenance, i))->is_set = false;
}

char *machine_json(const struct machine *machine)
{
    char text[PARAM_TEXT_SIZE];
    struct json json = {.text = g_string_new(NULL)};
    json_begin_object(&json, NULL);
    for (guint i = 0; i < machine->provenance->len; i++) {
        const struct provenance *row = g_ptr_array_index(machine->provenance, i);
        json_text(&json, row->path, provenance_value(machine, row, text));
    }
    json_end_object(&json);
    return g_string_free(json.text, FALSE);
}
