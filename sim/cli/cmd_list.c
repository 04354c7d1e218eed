/* SPDX-License-Identifier: BSD-3-Clause */
/* gpunetsim list [scenarios|machines|designs|workloads|measures|components] */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "core/error.h"
#include "core/home.h"
#include "protocols/design.h"
#include "protocols/runtimes/software_tables.h"
#include "script/script.h"
#include "study/model/machine.h"
#include "study/model/value.h"
#include "workloads/interface/measures.h"
#include "workloads/workloads.h"

static struct table *section(const char *first)
{
    const char *const names[] = {first, "what it is"};
    return table_of_texts(names, G_N_ELEMENTS(names));
}

static void add(struct table *table, const char *name, const char *sentence)
{
    const char *const texts[] = {name, sentence};
    table_append(table, texts);
}

/* Machine files: those in configs/ that describe one. */
static struct table *list_machines(GError **error)
{
    g_autoptr(GPtrArray) names = home_machine_names(error);
    if (!names)
        return NULL;
    struct table *table = section("machine");
    for (guint i = 0; i < names->len; i++) {
        g_autofree char *path = home_file(g_ptr_array_index(names, i), HOME_MACHINE, NULL);
        struct machine *machine = path ? machine_load(path, NULL, NULL) : NULL;
        g_autofree char *text =
            machine ? g_strdup_printf("%s, %" PRId64 " node%s", machine->name, machine->spec.nodes,
                                      machine->spec.nodes == 1 ? "" : "s")
                    : NULL;
        if (machine)
            add(table, g_ptr_array_index(names, i), text);
        machine_free(machine);
    }
    return table;
}

static struct table *list_scenarios(GError **error)
{
    g_autoptr(GPtrArray) paths = home_scenarios(error);
    if (!paths)
        return NULL;
    struct table *table = section("scenario");
    bool good = true;
    for (guint i = 0; good && i < paths->len; i++) {
        struct study *study = study_load(g_ptr_array_index(paths, i), NULL, error);
        good = study != NULL;
        if (good)
            add(table, study->name, study->title);
        study_free(study);
    }
    if (!good)
        g_clear_pointer(&table, table_free);
    return table;
}

static struct table *list_designs(GError **error)
{
    struct table *table = section("design");
    (void)error;
    for (size_t i = 0; i < designs_count(); i++)
        add(table, designs_at(i)->name, designs_at(i)->description);
    return table;
}

static struct table *list_workloads(GError **error)
{
    (void)error;
    struct table *table = section("workload");
    for (size_t i = 0; workloads[i]; i++)
        add(table, workloads[i]->name, workloads[i]->params->description);
    return table;
}

static struct table *list_components(GError **error)
{
    (void)error;
    struct table *table = section("component");
    for (size_t i = 0; i < machine_section_count(machine_defaults()); i++)
        add(table, machine_section(machine_defaults(), i).table->component,
            machine_section(machine_defaults(), i).table->description);
    for (const struct param_table *const *kind = software_kinds; *kind; kind++)
        add(table, (*kind)->component, (*kind)->description);
    return table;
}

static struct table *list_measures(GError **error)
{
    (void)error;
    struct table *table = section("measure");
    for (size_t i = 0; i < measure_info_count; i++) {
        const struct measure_info *info = &measure_infos[i];
        struct value value = info->is_ratio ? value_number(0) : value_quantity(0, info->unit);
        g_autofree char *column = value_column(info->name, &value);
        add(table, column, info->description);
        value_clear(&value);
    }
    return table;
}

static const struct {
    const char *name;
    struct table *(*make)(GError **error); /* NULL and an error if it cannot be made */
} sections[] = {
    {"scenarios", list_scenarios}, {"machines", list_machines}, {"designs", list_designs},
    {"workloads", list_workloads}, {"measures", list_measures}, {"components", list_components},
};

/* One list as a table or a JSON array; of all each with its name: {"scenarios": [...], ...}. */
static bool print_section(size_t number, bool is_alone, bool as_json, GError **error)
{
    struct table *table = sections[number].make(error);
    if (!table)
        return false;
    if (as_json && !is_alone)
        printf("%s\"%s\": ", number ? "," : "{", sections[number].name);
    command_print_table(table, as_json);
    if (!as_json && !is_alone)
        putchar('\n');
    if (as_json && !is_alone && number + 1 == G_N_ELEMENTS(sections))
        puts("}");
    table_free(table);
    return true;
}

/* The section called `name`, all of them if that is NULL. */
static bool print(const char *name, bool as_json, GError **error)
{
    const char *names[G_N_ELEMENTS(sections)];
    bool is_there = false;
    for (size_t i = 0; i < G_N_ELEMENTS(sections); i++) {
        names[i] = sections[i].name;
        if (name && strcmp(name, names[i]) != 0)
            continue;
        is_there = true;
        if (!print_section(i, name != NULL, as_json, error))
            return false;
    }
    if (is_there)
        return true;
    g_autofree char *suggestion = param_suggestion(name, names, G_N_ELEMENTS(names));
    return error_set(error, "there is no list \"%s\"%s", name, suggestion);
}

int cmd_list(const struct command *command, int argc, char **argv)
{
    GError *error = NULL;
    gboolean as_json = FALSE;
    const GOptionEntry entries[] = {COMMAND_JSON(&as_json), {0}};
    if (!command_parse(command, &argc, &argv, entries, 0, 1, &error) ||
        !print(argc > 1 ? argv[1] : NULL, as_json, &error))
        return command_fail(error);
    return EXIT_CODE_OK;
}
