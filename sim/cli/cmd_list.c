/* SPDX-License-Identifier: BSD-3-Clause */
/* gpunetsim list [scenarios|machines|designs|workloads|measures|components]: views/list.lua writes it. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/catalogue.h"
#include "cli/command.h"
#include "core/home.h"
#include "script/script.h"
#include "script/views/views.h"
#include "study/model/machine.h"

static void add(GVariantBuilder *rows, const char *name, const char *text)
{
    const char *const texts[] = {name, text};
    g_variant_builder_add_value(rows, g_variant_new_bytestring_array(texts, G_N_ELEMENTS(texts)));
}

/* Adds { name, path, nodes, values that are published, measured, estimated, fitted or inferred }. */
static void add_machine(GVariantBuilder *rows, const char *name, const char *path,
                        const struct machine *machine)
{
    int counts[SOURCE_KINDS] = {0};
    const char *texts[3 + SOURCE_FITTED + 1 - SOURCE_PUBLISHED] = {name, path};
    for (guint i = 0; i < machine->provenance->len; i++)
        counts[((struct provenance *)g_ptr_array_index(machine->provenance, i))->kind]++;
    g_autofree char *numbers =
        g_strdup_printf("%" PRId64 " %d %d %d %d", machine->spec.nodes, counts[SOURCE_PUBLISHED],
                        counts[SOURCE_MEASURED], counts[SOURCE_ESTIMATED],
                        counts[SOURCE_FITTED] + counts[SOURCE_INFERRED]);
    g_auto(GStrv) each = g_strsplit(numbers, " ", -1);
    for (size_t i = 2; i < G_N_ELEMENTS(texts); i++)
        texts[i] = each[i - 2];
    g_variant_builder_add_value(rows, g_variant_new_bytestring_array(texts, G_N_ELEMENTS(texts)));
}

/* Machine files: those in configs/ that describe one. */
static bool add_machines(GVariantBuilder *rows, GError **error)
{
    g_autoptr(GPtrArray) names = home_machine_names(error);
    for (guint i = 0; names && i < names->len; i++) {
        g_autofree char *path = home_file(g_ptr_array_index(names, i), HOME_MACHINE, NULL);
        struct machine *machine = path ? machine_load(path, NULL, NULL) : NULL;
        if (machine)
            add_machine(rows, g_ptr_array_index(names, i), path, machine);
        machine_free(machine);
    }
    return names != NULL;
}

static bool add_scenarios(GVariantBuilder *rows, GError **error)
{
    g_autoptr(GPtrArray) paths = home_scenarios(error);
    bool good = paths != NULL;
    for (guint i = 0; good && i < paths->len; i++) {
        struct study *study = study_load(g_ptr_array_index(paths, i), NULL, error);
        good = study != NULL;
        if (good)
            add(rows, study->name, study->title);
        study_free(study);
    }
    return good;
}

/* The scenarios' files, for what is said of machines. */
static GVariant *scenario_paths(void)
{
    g_autoptr(GPtrArray) paths = home_scenarios(NULL);
    return g_variant_new_bytestring_array(paths ? (const char *const *)paths->pdata : NULL,
                                          paths ? (gssize)paths->len : 0);
}

/* The rows of a list whose files are read only if it, or (NULL) all, is asked for; NULL and an error if they cannot be. */
static GVariant *rows_of(const char *name, const char *asked,
                         bool (*add_rows)(GVariantBuilder *rows, GError **error), GError **error)
{
    GVariantBuilder rows;
    g_variant_builder_init(&rows, G_VARIANT_TYPE("aaay"));
    if ((!asked || strcmp(asked, name) == 0) && !add_rows(&rows, error)) {
        g_variant_builder_clear(&rows);
        return NULL;
    }
    return g_variant_ref_sink(g_variant_builder_end(&rows));
}

/* The text of the list called `name`, NULL: of all. */
static char **list_texts(const char *name, bool as_json, GError **error)
{
    const char *const names[] = {name, NULL};
    g_autoptr(GVariant) scenarios = rows_of("scenarios", name, add_scenarios, error);
    g_autoptr(GVariant) machines =
        scenarios ? rows_of("machines", name, add_machines, error) : NULL;
    return machines
               ? views_texts("list", "text",
                             g_variant_new("(@a{sv}@aaay@aaay@aayb^aay)", catalogue(), scenarios,
                                           machines, scenario_paths(), as_json, names),
                             error)
               : NULL;
}

int cmd_list(const struct command *command, int argc, char **argv)
{
    GError *error = NULL;
    gboolean as_json = FALSE;
    const GOptionEntry entries[] = {COMMAND_JSON(&as_json), {0}};
    if (!command_parse(command, &argc, &argv, entries, 0, 1, &error))
        return command_fail(error);
    g_auto(GStrv) texts = list_texts(argc > 1 ? argv[1] : NULL, as_json, &error);
    if (!texts)
        return command_fail(error);
    fputs(texts[0], stdout);
    return EXIT_CODE_OK;
}
