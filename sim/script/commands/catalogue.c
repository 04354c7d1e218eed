/* SPDX-License-Identifier: BSD-3-Clause */
#include "script/commands/catalogue.h"

#include <string.h>

#include "core/home.h"
#include "core/param.h"
#include "protocols/design.h"
#include "protocols/runtimes/software_tables.h"
#include "script/commands/command.h"
#include "script/program/program.h"
#include "script/views/views.h"
#include "study/model/machine.h"
#include "workloads/goal/goal_placement.h"
#include "workloads/workloads.h"

#define LIST_OF_RECORDS G_VARIANT_TYPE("aa{sv}")

/* Adds the texts, NULL-ended pairs of a name and a text, to a dictionary; what has no text is left out. */
static void add_texts(GVariantBuilder *record, const char *const *texts)
{
    for (; *texts; texts += 2)
        views_add_text(record, texts[0], texts[1]);
}

static GVariant *record_of(const char *const *texts)
{
    GVariantBuilder record;
    g_variant_builder_init(&record, G_VARIANT_TYPE_VARDICT);
    add_texts(&record, texts);
    return g_variant_builder_end(&record);
}

/* --- tables of parameters ------------------------------------------------------------------------ */

/* The table of which the row is, if several share it; else NULL. */
static const struct param_table *shared_table(const struct param *param)
{
    bool has_own = param->kind == PARAM_RECORD || param->kind == PARAM_WORDS;
    return has_own || param->record == NULL ? NULL : param->record->table;
}

static GVariant *param_record(const struct param_table *table, size_t number)
{
    static const char *const kinds[] = {[PARAM_QUANTITY] = "quantity",
                                        [PARAM_RATIO] = "ratio",
                                        [PARAM_BOOL] = "bool",
                                        [PARAM_CHOICE] = "choice",
                                        [PARAM_PERCENTILES] = "percentiles",
                                        [PARAM_WORDS] = "words",
                                        [PARAM_RECORD] = "record"};
    const struct param *param = &table->params[number];
    const struct param_table *shared = shared_table(param);
    bool is_choice = param->kind == PARAM_CHOICE, is_record = param->kind == PARAM_RECORD;
    bool has_units = param->kind == PARAM_QUANTITY && param->unit != UNIT_COUNT;
    bool is_as_kind =
        table->kind && strcmp(param->default_text, table->kind->params[number].default_text) == 0;
    g_autofree char *choices = is_choice ? g_strjoinv(", ", (char **)(gsize)param->choices) : NULL;
    const char *const texts[] = {"name",        param->name,
                                 "kind",        kinds[param->kind],
                                 "default",     param->default_text,
                                 "low",         param->low,
                                 "high",        param->high,
                                 "choices",     choices,
                                 "record",      is_record ? param->record->table->component : NULL,
                                 "units",       has_units ? unit_suffixes(param->unit) : NULL,
                                 "description", param->description,
                                 "is_as_kind",  is_as_kind ? "true" : NULL,
                                 "shared",      shared ? shared->component : NULL,
                                 NULL};
    return record_of(texts);
}

/* `of` says what the table describes: a "component", a "workload" or, NULL, something else. */
static void add_table(GVariantBuilder *tables, const struct param_table *table, const char *of)
{
    const char *const texts[] = {"component",   table->component,
                                 "description", table->description,
                                 "kind",        table->kind ? table->kind->component : NULL,
                                 "of",          of,
                                 "in_kinds",    machine_kind_may_have_of(table) ? "true" : NULL,
                                 NULL};
    GVariantBuilder record, params;
    g_variant_builder_init(&record, G_VARIANT_TYPE_VARDICT);
    add_texts(&record, texts);
    g_variant_builder_init(&params, LIST_OF_RECORDS);
    for (size_t i = 0; i < table->count; i++)
        g_variant_builder_add_value(&params, param_record(table, i));
    g_variant_builder_add(&record, "{sv}", "params", g_variant_builder_end(&params));
    g_variant_builder_add_value(tables, g_variant_builder_end(&record));
}

/* The rows that several components of a machine have, each table once, such as "cache". */
static void add_shared(GVariantBuilder *tables)
{
    g_autoptr(GPtrArray) added = g_ptr_array_new();
    for (size_t i = 0; i < machine_section_count(machine_defaults()); i++) {
        const struct param_table *table = machine_section(machine_defaults(), i).table;
        for (size_t k = 0; k < table->count; k++) {
            gpointer shared = (gpointer)(gsize)shared_table(&table->params[k]);
            if (shared == NULL || g_ptr_array_find(added, shared, NULL))
                continue;
            g_ptr_array_add(added, shared);
            add_table(tables, shared, "rows");
        }
    }
}

/* The machine, its components, what several of these have, its kinds of nodes, the kinds of some components, the axes of designs, the workloads, the placement of goal, programs. */
static GVariant *table_records(void)
{
    static const struct param_table *const others[] = {&goal_placement_params, &program_params,
                                                       &schedule_params};
    GVariantBuilder tables;
    g_variant_builder_init(&tables, LIST_OF_RECORDS);
    for (size_t i = 0; i < machine_section_count(machine_defaults()); i++)
        add_table(&tables, machine_section(machine_defaults(), i).table, "component");
    add_table(&tables, &node_kind_params, "component");
    for (const struct param_table *const *kind = software_kinds; *kind; kind++)
        add_table(&tables, *kind, "component");
    add_shared(&tables);
    add_table(&tables, &design_params, NULL);
    GError *error = NULL;
    g_autofree char *files =
        home_path("benchmarks/parts/workloads", NULL); /* not of every project */
    if (files && !workloads_load(&error))
        command_fail(error);
    for (size_t i = 0; workloads[i]; i++)
        if (workloads[i]->params->count > 0) /* it could be read */
            add_table(&tables, workloads[i]->params, "workload");
    for (size_t i = 0; i < G_N_ELEMENTS(others); i++)
        add_table(&tables, others[i], NULL);
    return g_variant_builder_end(&tables);
}

/* --- designs ------------------------------------------------------------------------------------ */

/* The axes of a design, each { name, value, where that is from }. */
static GVariant *axes_of(const struct named_design *named)
{
    GVariantBuilder axes;
    g_variant_builder_init(&axes, G_VARIANT_TYPE("aaay"));
    for (size_t i = 0; i < design_params.count; i++) {
        const struct param *axis = &design_params.params[i];
        char value[UNIT_TEXT_SIZE];
        const char *const texts[] = {axis->name, param_format(axis, &named->design, value),
                                     named->axis_sources[i] ? named->axis_sources[i] : ""};
        g_variant_builder_add_value(&axes,
                                    g_variant_new_bytestring_array(texts, G_N_ELEMENTS(texts)));
    }
    return g_variant_builder_end(&axes);
}

static GVariant *design_records(void)
{
    GVariantBuilder designs;
    g_variant_builder_init(&designs, LIST_OF_RECORDS);
    for (size_t i = 0; i < designs_count(); i++) {
        const struct named_design *named = designs_at(i);
        const char *const texts[] = {"name",   named->name,   "description", named->description,
                                     "source", named->source, NULL};
        GVariantBuilder record;
        g_variant_builder_init(&record, G_VARIANT_TYPE_VARDICT);
        add_texts(&record, texts);
        g_variant_builder_add(&record, "{sv}", "axes", axes_of(named));
        g_variant_builder_add_value(&designs, g_variant_builder_end(&record));
    }
    return g_variant_builder_end(&designs);
}

GVariant *catalogue(void)
{
    GVariantBuilder all;
    g_variant_builder_init(&all, G_VARIANT_TYPE_VARDICT);
    g_variant_builder_add(&all, "{sv}", "tables", table_records());
    g_variant_builder_add(&all, "{sv}", "designs", design_records());
    return g_variant_builder_end(&all);
}
