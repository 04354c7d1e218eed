/* gpunetsim help COMPONENT[.PARAMETER]: the parameter tables, as the manual. gpunetsim help DESIGN: a point on
 * the axes, and its sources. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "core/error.h"
#include "core/param.h"
#include "protocols/design.h"
#include "study/model/machine.h"
#include "study/table/export.h"
#include "workloads/goal/goal_placement.h"
#include "workloads/workload.h"

/* All tables: the machine, its components, the axes of designs, the workloads, the placement of goal. Of
 * const struct param_table. */
static GPtrArray *all_tables(void)
{
    GPtrArray *tables = g_ptr_array_new();
    for (size_t i = 0; i < machine_section_count(); i++)
        g_ptr_array_add(tables, (gpointer)(gsize)machine_section(i).table);
    g_ptr_array_add(tables, (gpointer)(gsize)&design_params);
    for (size_t i = 0; workloads[i]; i++)
        g_ptr_array_add(tables, (gpointer)(gsize)workloads[i]->params);
    g_ptr_array_add(tables, (gpointer)(gsize)&goal_placement_params);
    return tables;
}

static char *range_text(const struct param *param)
{
    if (param->kind == PARAM_BOOL)
        return g_strdup("true or false");
    if (param->kind == PARAM_RECORD)
        return g_strdup_printf("a name (gpunetsim list %ss), or what departs from one",
                               param->record->table->component);
    if (param->kind != PARAM_CHOICE)
        return g_strdup_printf("%s to %s", param->low ? param->low : "any",
                               param->high ? param->high : "any");
    return g_strjoinv(", ", (char **)(gsize)param->choices);
}

static void print_table(const struct param_table *table)
{
    static const char *const names[] = {"parameter", "default", "accepted", "what it is"};
    struct table *manual = table_of_texts(names, G_N_ELEMENTS(names));
    for (size_t i = 0; i < table->count; i++) {
        const struct param *param = &table->params[i];
        g_autofree char *range = range_text(param);
        const char *const texts[] = {param->name,
                                     param->default_text ? param->default_text : "(required)",
                                     range, param->description};
        table_append(manual, texts);
    }
    g_autofree char *text = export_text(manual);
    printf("%s: %s\n\n%s", table->component, table->description, text);
    table_free(manual);
}

static void print_param(const struct param_table *table, const struct param *param)
{
    g_autofree char *range = range_text(param);
    printf("%s.%s: %s\n", table->component, param->name, param->description);
    printf("  default   %s\n",
           param->default_text ? param->default_text : "none: it must be given");
    printf("  accepted  %s\n", range);
    if (param->kind == PARAM_QUANTITY && param->unit != UNIT_COUNT)
        printf("  units     %s\n", unit_suffixes(param->unit));
}

static bool unknown(const char *what, const char *name, const GPtrArray *names, GError **error)
{
    const char *nearest = param_nearest(name, (const char *const *)names->pdata, names->len);
    g_autofree char *known = NULL;
    GString *list = g_string_new(NULL);
    for (guint i = 0; i < names->len; i++)
        g_string_append_printf(list, "%s%s", i ? ", " : "",
                               (const char *)g_ptr_array_index(names, i));
    known = g_string_free(list, FALSE);
    return error_set(error, "there is no %s \"%s\"%s%s; known are %s", what, name,
                     nearest ? ": did you mean " : "", nearest ? nearest : "", known);
}

static const struct param_table *find_table(const char *name, GError **error)
{
    g_autoptr(GPtrArray) tables = all_tables();
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (guint i = 0; i < tables->len; i++) {
        const struct param_table *table = g_ptr_array_index(tables, i);
        if (strcmp(table->component, name) == 0)
            return table;
        g_ptr_array_add(names, (gpointer)(gsize)table->component);
    }
    for (size_t i = 0; i < designs_count(); i++)
        g_ptr_array_add(names, designs_at(i)->name);
    unknown("command, component, design or workload", name, names, error);
    return NULL;
}

static const struct param *find_param(const struct param_table *table, const char *name,
                                      GError **error)
{
    const struct param *param = param_find(table, name);
    if (param)
        return param;
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (size_t i = 0; i < table->count; i++)
        g_ptr_array_add(names, (gpointer)(gsize)table->params[i].name);
    g_autofree char *what = g_strdup_printf("parameter of %s", table->component);
    unknown(what, name, names, error);
    return NULL;
}

static void print_design(const struct named_design *named)
{
    static const char *const names[] = {"axis", "value", "where the value is from"};
    struct table *manual = table_of_texts(names, G_N_ELEMENTS(names));
    for (size_t i = 0; i < design_params.count; i++) {
        const struct param *axis = &design_params.params[i];
        char value[UNIT_TEXT_SIZE];
        const char *const texts[] = {axis->name, param_format(axis, &named->design, value),
                                     named->axis_sources[i] ? named->axis_sources[i] : ""};
        table_append(manual, texts);
    }
    g_autofree char *text = export_text(manual);
    printf("%s: %s\nSource: %s\n\n%s", named->name, named->description, named->source, text);
    table_free(manual);
}

static const struct named_design *find_design(const char *name)
{
    for (size_t i = 0; i < designs_count(); i++)
        if (strcmp(designs_at(i)->name, name) == 0)
            return designs_at(i);
    return NULL;
}

static bool print_topic(const char *topic, GError **error)
{
    if (find_design(topic)) {
        print_design(find_design(topic));
        return true;
    }
    g_auto(GStrv) parts = g_strsplit(topic, ".", 2);
    const struct param_table *table = find_table(parts[0] ? parts[0] : "", error);
    if (!table)
        return false;
    if (!parts[1]) {
        print_table(table);
        return true;
    }
    const struct param *param = find_param(table, parts[1], error);
    if (param)
        print_param(table, param);
    return param != NULL;
}

int cmd_help(const struct command *command, int argc, char **argv)
{
    GError *error = NULL;
    if (!command_parse(command, &argc, &argv, NULL, 1, 1, &error) || !print_topic(argv[1], &error))
        return command_fail(error);
    return EXIT_CODE_OK;
}
