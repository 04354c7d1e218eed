/* gpunetsim list */
#include <stdio.h>

#include "cli/command.h"
#include "script/machine_sections.h"
#include "study/export.h"
#include "study/project.h"
#include "workloads/workload.h"

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

static void print_section(struct table *table)
{
    g_autofree char *text = export_text(table);
    printf("%s\n", text);
    table_free(table);
}

static bool print_scenarios(GError **error)
{
    g_autoptr(GPtrArray) paths = project_scenarios(error);
    if (!paths)
        return false;
    struct table *table = section("scenario");
    bool good = true;
    for (guint i = 0; good && i < paths->len; i++) {
        struct study *study = study_load(g_ptr_array_index(paths, i), NULL, error);
        good = study != NULL;
        if (good)
            add(table, study->name, study->title);
        study_free(study);
    }
    if (good)
        print_section(table);
    else
        table_free(table);
    return good;
}

static void print_workloads(void)
{
    struct table *table = section("workload");
    for (size_t i = 0; workloads[i]; i++)
        add(table, workloads[i]->name, workloads[i]->description);
    print_section(table);
}

static void print_components(void)
{
    struct table *table = section("component");
    for (size_t i = 0; i < machine_section_count(); i++)
        add(table, machine_section(i).table->component, machine_section(i).table->description);
    print_section(table);
}

int cmd_list(const struct command *command, int argc, char **argv)
{
    GError *error = NULL;
    if (!command_parse(command, &argc, &argv, NULL, 0, 0, &error) || !print_scenarios(&error))
        return command_fail(error);
    print_workloads();
    print_components();
    return EXIT_CODE_OK;
}
