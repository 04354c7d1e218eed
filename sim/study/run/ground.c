/* SPDX-License-Identifier: BSD-3-Clause */
#include "study/run/ground.h"

#include <string.h>

/* Whether the platform depends on the parameter of this row. */
static bool is_of_platform(const struct provenance *row)
{
    const struct param_table *const tables[] = {
        &machine_params,     &node_params,    &bus_params,      &nvlink_params,
        &socket_link_params, &network_params, &node_kind_params};
    for (size_t i = 0; i < G_N_ELEMENTS(tables); i++)
        if (row->section.table == tables[i])
            return true;
    return false;
}

GBytes *ground_survey(const struct machine *machine)
{
    char text[PARAM_TEXT_SIZE];
    GByteArray *ground = g_byte_array_new();
    for (guint i = 0; i < machine->provenance->len; i++) {
        const struct provenance *row = g_ptr_array_index(machine->provenance, i);
        if (!is_of_platform(row))
            continue;
        g_byte_array_append(ground, (const guint8 *)row->path, (guint)strlen(row->path) + 1);
        const char *value = provenance_value(machine, row, text);
        g_byte_array_append(ground, (const guint8 *)value, (guint)strlen(value) + 1);
    }
    return g_byte_array_free_to_bytes(ground);
}

void ground_build(GBytes *ground)
{
    gsize length;
    const char *path = g_bytes_get_data(ground, &length), *end = path + length;
    struct machine *machine = machine_new(machine_defaults());
    for (const char *value; path < end; path = value + strlen(value) + 1) {
        value = path + strlen(path) + 1;
        const struct provenance *row = machine_find_or_add(machine, path, NULL);
        if (row != NULL && strcmp(value, "none") != 0)
            param_set_text(row->section.table, provenance_param(row),
                           machine_section_spec(&machine->spec, row->section), value, NULL);
    }
    machine_platform(&machine->spec, NULL);
    machine_free(machine);
}
