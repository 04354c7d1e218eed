/* SPDX-License-Identifier: BSD-3-Clause */
/* The top level of a machine file is a section as any other, but without a name. */
#include "study/model/machine.h"

#include <string.h>

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
    return (struct machine_section){component.table, component.offset, component.table->component};
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

static void provenance_free(gpointer data)
{
    struct provenance *provenance = data;
    g_free(provenance->path);
    g_free(provenance->value);
    g_free(provenance->low);
    g_free(provenance->high);
    g_free(provenance->source);
    g_free(provenance->claims);
    g_free(provenance);
}

struct machine *machine_new(const struct machine_spec *spec)
{
    struct machine *machine = g_new0(struct machine, 1);
    machine->spec = *spec;
    machine->provenance = g_ptr_array_new_with_free_func(provenance_free);
    for (size_t i = 0; i < machine_section_count(spec); i++) {
        struct machine_section part = machine_section(spec, i);
        for (size_t j = 0; j < part.table->count; j++) {
            const struct param *param = &part.table->params[j];
            struct provenance *row = g_new0(struct provenance, 1);
            row->section = part;
            row->index = j;
            char text[PARAM_TEXT_SIZE];
            row->path = part.outer ? g_strconcat(part.outer, ".", param->name, NULL)
                                   : g_strdup(param->name);
            row->value =
                g_strdup(param_format(param, machine_section_spec(&machine->spec, part), text));
            row->kind = SOURCE_DEFAULT;
            g_ptr_array_add(machine->provenance, row);
        }
    }
    return machine;
}

void machine_free(struct machine *machine)
{
    if (!machine)
        return;
    g_free(machine->name);
    g_ptr_array_free(machine->provenance, TRUE);
    g_free(machine);
}

struct provenance *machine_find(const struct machine *machine, const char *path)
{
    for (guint i = 0; i < machine->provenance->len; i++) {
        struct provenance *entry = g_ptr_array_index(machine->provenance, i);
        if (strcmp(entry->path, path) == 0)
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
    struct json json = {.text = g_string_new(NULL)};
    json_begin_object(&json, NULL);
    for (guint i = 0; i < machine->provenance->len; i++) {
        const struct provenance *row = g_ptr_array_index(machine->provenance, i);
        json_text(&json, row->path, row->value);
    }
    json_end_object(&json);
    return g_string_free(json.text, FALSE);
}
