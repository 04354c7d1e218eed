/* SPDX-License-Identifier: BSD-3-Clause */
#include "study/calibration/machine_text.h"

#include "study/calibration/measured.h"

void machine_text_append_value(GString *lua, const struct param *param, const char *text)
{
    bool is_bare = param->kind == PARAM_RATIO || param->kind == PARAM_BOOL ||
                   (param->kind == PARAM_QUANTITY && param->unit == UNIT_COUNT);
    if (is_bare)
        g_string_append(lua, text);
    else
        measured_append_quoted(lua, text);
}

static void append_argument(GString *lua, const char *text)
{
    g_string_append(lua, ", ");
    measured_append_quoted(lua, text);
}

static void append_as_given(GString *lua, const struct provenance *entry, const struct param *param)
{
    if (entry->kind == SOURCE_GIVEN) {
        machine_text_append_value(lua, param, entry->value);
        return;
    }
    g_string_append_printf(lua, "%s(", source_kind_name(entry->kind));
    machine_text_append_value(lua, param, entry->value);
    if (entry->low != NULL) {
        g_string_append(lua, ", ");
        machine_text_append_value(lua, param, entry->low);
        g_string_append(lua, ", ");
        machine_text_append_value(lua, param, entry->high);
    }
    if (entry->kind == SOURCE_FITTED)
        append_argument(lua, entry->claims);
    if (entry->source != NULL)
        append_argument(lua, entry->source);
    g_string_append(lua, ")");
}

/* What machine_text works with. */
struct writer {
    const struct machine *machine;
    machine_text_instead *instead;
    void *context;
    GString *lua;
};

/* "  ucx = {"; of an instance that not every machine has: "  mine = mpi {". */
static void open_section(GString *lua, struct machine_section section, bool is_added)
{
    if (section.outer != NULL)
        g_string_append_printf(lua, "  %s = %s%s{\n", section.outer,
                               is_added ? section.table->kind->component : "", is_added ? " " : "");
}

/* The section's numbers, whose provenance begins at `row`. */
static void append_section(const struct writer *writer, struct machine_section section,
                           bool is_added, guint row)
{
    bool is_open = false;
    const char *indent = section.outer != NULL ? "    " : "  ";
    for (size_t j = 0; j < section.table->count; j++) {
        const struct provenance *entry = g_ptr_array_index(writer->machine->provenance, row + j);
        const struct param *param = &section.table->params[j];
        if (entry->kind == SOURCE_DEFAULT)
            continue;
        if (!is_open)
            open_section(writer->lua, section, is_added);
        is_open = true;
        g_string_append_printf(writer->lua, "%s%s = ", indent, param->name);
        if (!writer->instead || !writer->instead(writer->context, writer->lua, entry->path, param))
            append_as_given(writer->lua, entry, param);
        g_string_append(writer->lua, ",\n");
    }
    if (is_added && !is_open)
        open_section(writer->lua, section, is_added);
    if ((is_open || is_added) && section.outer != NULL)
        g_string_append(writer->lua, "  },\n");
}

char *machine_text(const struct machine *machine, const char *header, machine_text_instead *instead,
                   void *context)
{
    GString *lua = g_string_new(NULL);
    const struct writer writer = {machine, instead, context, lua};
    g_auto(GStrv) lines = g_strsplit(header, "\n", -1);
    for (char **line = lines; *line; line++)
        g_string_append_printf(lua, "-- %s\n", *line);
    g_string_append(lua, "\nreturn machine {\n  name = ");
    measured_append_quoted(lua, machine->name);
    g_string_append(lua, ",\n");
    guint row = 0;
    for (size_t i = 0; i < machine_section_count(&machine->spec); i++) {
        struct machine_section section = machine_section(&machine->spec, i);
        append_section(&writer, section, i >= machine_section_count(machine_defaults()), row);
        row += (guint)section.table->count;
    }
    g_string_append(lua, "}\n");
    return g_string_free(lua, FALSE);
}
