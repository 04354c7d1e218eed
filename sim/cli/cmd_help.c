/* SPDX-License-Identifier: BSD-3-Clause */
/* gpunetsim help COMPONENT[.PARAMETER]: the parameter tables, as the manual. gpunetsim help DESIGN: a point on
 * the axes, and its sources. gpunetsim help MEASURE: what a number is. With --json all of it, and of commands what they
 * take. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/help_words.h"
#include "core/error.h"
#include "core/json.h"
#include "core/param.h"
#include "protocols/design.h"
#include "protocols/runtimes/software_tables.h"
#include "script/program/program_tables.h"
#include "script/views/terminal.h"
#include "study/model/machine.h"
#include "study/model/value.h"
#include "study/table/export.h"
#include "workloads/goal/goal_placement.h"
#include "workloads/interface/measures.h"
#include "workloads/workloads.h"

#define COMMAND_TEXTS(name, arguments, description) {#name, arguments, description},
static const struct {
    const char *name, *arguments, *description;
} commands[] = {COMMANDS(COMMAND_TEXTS)};
#undef COMMAND_TEXTS

/* All tables: the machine, its components and the kinds of some, the axes of designs, the workloads, the placement of goal, programs. Of
 * const struct param_table. */
static GPtrArray *all_tables(void)
{
    GPtrArray *tables = g_ptr_array_new();
    for (size_t i = 0; i < machine_section_count(machine_defaults()); i++)
        g_ptr_array_add(tables, (gpointer)(gsize)machine_section(machine_defaults(), i).table);
    for (const struct param_table *const *kind = software_kinds; *kind; kind++)
        g_ptr_array_add(tables, (gpointer)(gsize)*kind);
    g_ptr_array_add(tables, (gpointer)(gsize)&design_params);
    for (size_t i = 0; workloads[i]; i++)
        g_ptr_array_add(tables, (gpointer)(gsize)workloads[i]->params);
    g_ptr_array_add(tables, (gpointer)(gsize)&goal_placement_params);
    g_ptr_array_add(tables, (gpointer)(gsize)&program_params);
    g_ptr_array_add(tables, (gpointer)(gsize)&schedule_params);
    return tables;
}

static char *range_text(const struct param *param)
{
    if (param->kind == PARAM_BOOL)
        return g_strdup("true or false");
    if (param->kind == PARAM_RECORD)
        return g_strdup_printf("a name (gpunetsim list %ss), or what departs from one",
                               param->record->table->component);
    if (param->kind == PARAM_WORDS)
        return g_strdup("a text");
    if (param->kind == PARAM_PERCENTILES)
        return g_strdup("a list, such as { 90, 99.9 }");
    if (param->kind != PARAM_CHOICE)
        return g_strdup_printf("%s to %s", param->low ? param->low : "any",
                               param->high ? param->high : "any");
    return g_strjoinv(", ", (char **)(gsize)param->choices);
}

/* A JSON object of texts, NULL-ended pairs of name and text, and at its end a table; or neither. */
static void print_json(const char *const *pairs, const char *table_name, const struct table *table)
{
    struct json json = {.file = stdout, .is_spaced = true};
    json_begin_object(&json, NULL);
    for (; *pairs; pairs += 2)
        json_text(&json, pairs[0], pairs[1]);
    if (table)
        export_json_rows(table, table_name, &json);
    json_end_object(&json);
    putchar('\n');
}

/* An instance of a kind has that kind's rows: only what differs is told again, but to other programs. */
static bool is_told(const struct param_table *table, size_t number)
{
    return table->kind == NULL || strcmp(table->params[number].default_text,
                                         table->kind->params[number].default_text) != 0;
}

static void print_table(const struct param_table *table, bool as_json)
{
    static const char *const names[] = {"parameter", "default", "accepted", "what it is"};
    struct table *manual = table_of_texts(names, G_N_ELEMENTS(names));
    for (size_t i = 0; i < table->count; i++) {
        const struct param *param = &table->params[i];
        if (!as_json && !is_told(table, i))
            continue;
        g_autofree char *range = range_text(param);
        const char *const texts[] = {param->name,
                                     param->default_text ? param->default_text : "(required)",
                                     range, param->description};
        table_append(manual, texts);
    }
    const char *const pairs[] = {"name", table->component, "description", table->description, NULL};
    if (as_json) {
        print_json(pairs, "parameters", manual);
    } else {
        g_autofree char *text = manual->row_count > 0 ? terminal_whole(manual) : g_strdup("");
        printf("%s: %s\n\n%s", table->component, table->description, text);
        if (table->kind)
            printf("%sIts %sparameters are those of %s (gpunetsim help %s).\n", *text ? "\n" : "",
                   *text ? "other " : "", table->kind->component, table->kind->component);
    }
    table_free(manual);
}

static void print_param(const struct param_table *table, const struct param *param, bool as_json)
{
    g_autofree char *range = range_text(param);
    g_autofree char *path = g_strconcat(table->component, ".", param->name, NULL);
    const char *value = param->default_text ? param->default_text : "none: it must be given";
    const char *units = param->kind == PARAM_QUANTITY && param->unit != UNIT_COUNT
                            ? unit_suffixes(param->unit)
                            : NULL;
    const char *const pairs[] = {
        "name", path,       "description", param->description,     "default",
        value,  "accepted", range,         units ? "units" : NULL, units,
        NULL};
    if (as_json) {
        print_json(pairs, NULL, NULL);
        return;
    }
    printf("%s: %s\n  default   %s\n  accepted  %s\n", path, param->description, value, range);
    if (units)
        printf("  units     %s\n", units);
}

/* A sentence on something that has nothing else to be told. */
static void print_sentence(const char *name, const char *sentence, bool as_json)
{
    const char *const pairs[] = {"name", name, "description", sentence, NULL};
    if (as_json)
        print_json(pairs, NULL, NULL);
    else
        printf("%s: %s\n", name, sentence);
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
    for (size_t i = 0; i < G_N_ELEMENTS(commands); i++)
        g_ptr_array_add(names, (gpointer)(gsize)commands[i].name);
    for (size_t i = 0; i < measure_info_count; i++)
        g_ptr_array_add(names, (gpointer)(gsize)measure_infos[i].name);
    for (size_t i = 0; i < help_word_count(); i++)
        g_ptr_array_add(names, (gpointer)(gsize)help_word_name(i));
    const char *nearest = param_nearest(name, (const char *const *)names->pdata, names->len);
    error_set(
        error,
        "there is no command, component, design, workload, measure or word of a study \"%s\"%s%s; \"gpunetsim "
        "help\" and \"gpunetsim list\" show them all",
        name, nearest ? ": did you mean " : "", nearest ? nearest : "");
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

static void print_design(const struct named_design *named, bool as_json)
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
    const char *const pairs[] = {"name",   named->name,   "description", named->description,
                                 "source", named->source, NULL};
    if (as_json) {
        print_json(pairs, "axes", manual);
    } else {
        g_autofree char *text = terminal_whole(manual);
        printf("%s: %s\nSource: %s\n\n%s", named->name, named->description, named->source, text);
    }
    table_free(manual);
}

static const struct named_design *find_design(const char *name)
{
    for (size_t i = 0; i < designs_count(); i++)
        if (strcmp(designs_at(i)->name, name) == 0)
            return designs_at(i);
    return NULL;
}

/* The measure that is called so, with or without its unit. */
static const struct measure_info *find_measure(const char *name)
{
    const struct measure_info *found = measure_info_find(name);
    for (size_t i = 0; i < measure_info_count && !found; i++) {
        const struct measure_info *info = &measure_infos[i];
        struct value value = info->is_ratio ? value_number(0) : value_quantity(0, info->unit);
        g_autofree char *column = value_column(info->name, &value);
        found = strcmp(column, name) == 0 ? info : NULL;
        value_clear(&value);
    }
    return found;
}

/* Commands tell about themselves; this is what other programs need to know of them. */
static bool print_command(const char *name)
{
    for (size_t i = 0; i < G_N_ELEMENTS(commands); i++) {
        const char *const pairs[] = {
            "name",        commands[i].name,        "arguments", commands[i].arguments,
            "description", commands[i].description, NULL};
        if (strcmp(commands[i].name, name) != 0)
            continue;
        print_json(pairs, NULL, NULL);
        return true;
    }
    return false;
}

static void print_commands(void)
{
    static const char *const names[] = {"command", "arguments", "description"};
    struct table *table = table_of_texts(names, G_N_ELEMENTS(names));
    for (size_t i = 0; i < G_N_ELEMENTS(commands); i++) {
        const char *const texts[] = {commands[i].name, commands[i].arguments,
                                     commands[i].description};
        table_append(table, texts);
    }
    command_print_table(table, true);
    table_free(table);
}

static bool print_topic(const char *topic, bool as_json, GError **error)
{
    const struct named_design *design = find_design(topic);
    // A workload may be called as one of its measures: it has more to tell.
    const struct measure_info *measure = find_table(topic, NULL) ? NULL : find_measure(topic);
    if (as_json && print_command(topic))
        return true;
    if (design) {
        print_design(design, as_json);
        return true;
    }
    if (measure) {
        print_sentence(topic, measure->description, as_json);
        return true;
    }
    const char *word = help_word(topic);
    if (word && (!as_json || !find_table(topic, NULL))) {
        print_sentence(topic, word, as_json);
        if (!find_table(topic, NULL))
            return true;
        putchar('\n');
    }
    g_auto(GStrv) parts = g_strsplit(topic, ".", 2);
    const struct param_table *table = find_table(parts[0] ? parts[0] : "", error);
    if (!table)
        return false;
    if (!parts[1]) {
        print_table(table, as_json);
        return true;
    }
    const struct param *param = find_param(table, parts[1], error);
    if (param)
        print_param(table, param, as_json);
    return param != NULL;
}

int cmd_help(const struct command *command, int argc, char **argv)
{
    GError *error = NULL;
    gboolean as_json = FALSE;
    const GOptionEntry entries[] = {COMMAND_JSON(&as_json), {0}};
    if (!command_parse(command, &argc, &argv, entries, 0, 1, &error))
        return command_fail(error);
    if (argc == 1)
        print_commands();
    else if (!print_topic(argv[1], as_json, &error))
        return command_fail(error);
    return EXIT_CODE_OK;
}
