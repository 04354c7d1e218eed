/* SPDX-License-Identifier: BSD-3-Clause */
#include "script/commands/session.h"

#include <string.h>

#include "core/home.h"
#include "core/param.h"
#include "protocols/design.h"
#include "protocols/runtimes/software_tables.h"
#include "script/commands/commands.h"
#include "script/program/program.h"
#include "script/values/values.h"
#include "study/model/machine.h"
#include "workloads/goal/goal_placement.h"
#include "workloads/workloads.h"

/* --- tables of parameters ------------------------------------------------------------------------ */

/* The table that the row comes from, if several tables share it; else NULL. */
static const struct param_table *shared_table(const struct param *param)
{
    bool has_own = param->kind == PARAM_RECORD || param->kind == PARAM_WORDS;
    return has_own || param->record == NULL ? NULL : param->record->table;
}

static void push_param(lua_State *L, const struct param_table *table, size_t number)
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
    lua_newtable(L);
    lua_set_text(L, "name", param->name);
    lua_set_text(L, "kind", kinds[param->kind]);
    lua_set_text(L, "default", param->default_text);
    lua_set_text(L, "low", param->low);
    lua_set_text(L, "high", param->high);
    lua_push_owned(L, is_choice ? g_strjoinv(", ", (char **)(gsize)param->choices) : NULL);
    lua_setfield(L, -2, "choices");
    lua_set_text(L, "record", is_record ? param->record->table->component : NULL);
    lua_set_text(L, "units", has_units ? unit_suffixes(param->unit) : NULL);
    lua_set_text(L, "description", param->description);
    lua_set_text(L, "is_as_kind", is_as_kind ? "true" : NULL);
    lua_set_text(L, "shared", shared ? shared->component : NULL);
}

/* Adds a table to the list on top of the stack. `of` says what it describes: a "component", a "workload" or (NULL) neither. */
static void add_table(lua_State *L, const struct param_table *table, const char *of)
{
    lua_newtable(L);
    lua_set_text(L, "component", table->component);
    lua_set_text(L, "description", table->description);
    lua_set_text(L, "kind", table->kind ? table->kind->component : NULL);
    lua_set_text(L, "of", of);
    lua_set_text(L, "in_kinds", machine_kind_may_have_of(table) ? "true" : NULL);
    lua_createtable(L, (int)table->count, 0);
    for (size_t i = 0; i < table->count; i++) {
        push_param(L, table, i);
        lua_append(L);
    }
    lua_setfield(L, -2, "params");
    lua_append(L);
}

/* Adds the tables of rows that several components of a machine share, each once, such as "cache". */
static void add_shared(lua_State *L)
{
    g_autoptr(GPtrArray) added = g_ptr_array_new();
    for (size_t i = 0; i < machine_section_count(machine_defaults()); i++) {
        const struct param_table *table = machine_section(machine_defaults(), i).table;
        for (size_t k = 0; k < table->count; k++) {
            gpointer shared = (gpointer)(gsize)shared_table(&table->params[k]);
            if (shared == NULL || g_ptr_array_find(added, shared, NULL))
                continue;
            g_ptr_array_add(added, shared);
            add_table(L, shared, "rows");
        }
    }
}

/* Pushes the list of tables: the machine, its components, the rows that several of these share, its kinds of nodes, the kinds
 * of some components, the axes of designs, the workloads, the placement of goal, programs. */
static void push_tables(lua_State *L)
{
    static const struct param_table *const others[] = {&goal_placement_params, &program_params,
                                                       &schedule_params};
    lua_newtable(L);
    for (size_t i = 0; i < machine_section_count(machine_defaults()); i++)
        add_table(L, machine_section(machine_defaults(), i).table, "component");
    add_table(L, &node_kind_params, "component");
    for (const struct param_table *const *kind = software_kinds; *kind; kind++)
        add_table(L, *kind, "component");
    add_shared(L);
    add_table(L, &design_params, NULL);
    GError *error = NULL;
    g_autofree char *files =
        home_path("benchmarks/parts/workloads", NULL); /* not of every project */
    if (files && !workloads_load(&error))
        command_fail(error);
    for (size_t i = 0; workloads[i]; i++)
        if (workloads[i]->params->count > 0) /* its file could be read */
            add_table(L, workloads[i]->params, "workload");
    for (size_t i = 0; i < G_N_ELEMENTS(others); i++)
        add_table(L, others[i], NULL);
}

/* --- designs ------------------------------------------------------------------------------------ */

/* Pushes a list of { name, value, source } for each axis. */
static void push_axes(lua_State *L, const struct named_design *named)
{
    lua_createtable(L, (int)design_params.count, 0);
    for (size_t i = 0; i < design_params.count; i++) {
        const struct param *axis = &design_params.params[i];
        const char *source = named->axis_sources[i];
        char value[UNIT_TEXT_SIZE];
        lua_createtable(L, 3, 0);
        lua_append_text(L, axis->name);
        lua_append_text(L, param_format(axis, &named->design, value));
        lua_append_text(L, source ? source : "");
        lua_append(L);
    }
}

static void push_designs(lua_State *L)
{
    lua_newtable(L);
    for (size_t i = 0; i < designs_count(); i++) {
        const struct named_design *named = designs_at(i);
        lua_newtable(L);
        lua_set_text(L, "name", named->name);
        lua_set_text(L, "description", named->description);
        lua_set_text(L, "source", named->source);
        push_axes(L, named);
        lua_setfield(L, -2, "axes");
        lua_append(L);
    }
}

int catalogue(lua_State *L)
{
    lua_newtable(L);
    push_tables(L);
    lua_setfield(L, -2, "tables");
    push_designs(L);
    lua_setfield(L, -2, "designs");
    return 1;
}
