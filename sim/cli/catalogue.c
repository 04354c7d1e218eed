/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/catalogue.h"

#include <lauxlib.h>
#include <string.h>

#include "cli/command.h"
#include "core/param.h"
#include "protocols/design.h"
#include "protocols/runtimes/software_tables.h"
#include "script/program/program_tables.h"
#include "study/model/machine.h"
#include "study/model/value.h"
#include "workloads/goal/goal_placement.h"
#include "workloads/interface/measures.h"
#include "workloads/workloads.h"

#define COMMAND_TEXTS(name, arguments, description) {#name, arguments, description},
static const struct {
    const char *name, *arguments, *description;
} commands[] = {COMMANDS(COMMAND_TEXTS)};
#undef COMMAND_TEXTS

/* Sets a field of the table on top; a NULL is none. */
static void set_text(lua_State *L, const char *field, const char *text)
{
    lua_pushstring(L, text);
    lua_setfield(L, -2, field);
}

static void push_commands(lua_State *L)
{
    lua_newtable(L);
    for (size_t i = 0; i < G_N_ELEMENTS(commands); i++) {
        lua_newtable(L);
        set_text(L, "name", commands[i].name);
        set_text(L, "arguments", commands[i].arguments);
        set_text(L, "description", commands[i].description);
        lua_seti(L, -2, (lua_Integer)i + 1);
    }
}

static void push_param(lua_State *L, const struct param_table *table, size_t number)
{
    static const char *const kinds[] = {[PARAM_QUANTITY] = "quantity",
                                        [PARAM_RATIO] = "ratio",
                                        [PARAM_BOOL] = "bool",
                                        [PARAM_CHOICE] = "choice",
                                        [PARAM_WORDS] = "words",
                                        [PARAM_PERCENTILES] = "percentiles",
                                        [PARAM_RECORD] = "record"};
    const struct param *param = &table->params[number];
    bool is_choice = param->kind == PARAM_CHOICE, is_record = param->kind == PARAM_RECORD;
    bool has_units = param->kind == PARAM_QUANTITY && param->unit != UNIT_COUNT;
    g_autofree char *choices = is_choice ? g_strjoinv(", ", (char **)(gsize)param->choices) : NULL;
    lua_newtable(L);
    set_text(L, "name", param->name);
    set_text(L, "kind", kinds[param->kind]);
    set_text(L, "default", param->default_text);
    set_text(L, "low", param->low);
    set_text(L, "high", param->high);
    set_text(L, "choices", choices);
    set_text(L, "record", is_record ? param->record->table->component : NULL);
    set_text(L, "units", has_units ? unit_suffixes(param->unit) : NULL);
    set_text(L, "description", param->description);
    lua_pushboolean(L, table->kind && strcmp(param->default_text,
                                             table->kind->params[number].default_text) == 0);
    lua_setfield(L, -2, "is_as_kind");
}

/* Adds a table to the list on top. `of` says what it describes: a "component", a "workload" or, NULL, something else. */
static void add_table(lua_State *L, const struct param_table *table, const char *of)
{
    lua_newtable(L);
    set_text(L, "of", of);
    set_text(L, "component", table->component);
    set_text(L, "description", table->description);
    set_text(L, "kind", table->kind ? table->kind->component : NULL);
    lua_newtable(L);
    for (size_t i = 0; i < table->count; i++) {
        push_param(L, table, i);
        lua_seti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, "params");
    lua_seti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
}

/* All tables: the machine, its components and the kinds of some, the axes of designs, the workloads, the placement of goal, programs. */
static void push_tables(lua_State *L)
{
    static const struct param_table *const others[] = {&goal_placement_params, &program_params,
                                                       &schedule_params};
    lua_newtable(L);
    for (size_t i = 0; i < machine_section_count(machine_defaults()); i++)
        add_table(L, machine_section(machine_defaults(), i).table, "component");
    for (const struct param_table *const *kind = software_kinds; *kind; kind++)
        add_table(L, *kind, "component");
    add_table(L, &design_params, NULL);
    for (size_t i = 0; workloads[i]; i++)
        add_table(L, workloads[i]->params, "workload");
    for (size_t i = 0; i < G_N_ELEMENTS(others); i++)
        add_table(L, others[i], NULL);
}

/* The axes of a design, each { name, value, where that is from }. */
static void push_axes(lua_State *L, const struct named_design *named)
{
    lua_newtable(L);
    for (size_t i = 0; i < design_params.count; i++) {
        const struct param *axis = &design_params.params[i];
        char value[UNIT_TEXT_SIZE];
        const char *const texts[] = {axis->name, param_format(axis, &named->design, value),
                                     named->axis_sources[i] ? named->axis_sources[i] : ""};
        lua_newtable(L);
        for (size_t k = 0; k < G_N_ELEMENTS(texts); k++) {
            lua_pushstring(L, texts[k]);
            lua_seti(L, -2, (lua_Integer)k + 1);
        }
        lua_seti(L, -2, (lua_Integer)i + 1);
    }
}

static void push_designs(lua_State *L)
{
    lua_newtable(L);
    for (size_t i = 0; i < designs_count(); i++) {
        const struct named_design *named = designs_at(i);
        lua_newtable(L);
        set_text(L, "name", named->name);
        set_text(L, "description", named->description);
        set_text(L, "source", named->source);
        push_axes(L, named);
        lua_setfield(L, -2, "axes");
        lua_seti(L, -2, (lua_Integer)i + 1);
    }
}

static void push_measures(lua_State *L)
{
    lua_newtable(L);
    for (size_t i = 0; i < measure_info_count; i++) {
        const struct measure_info *info = &measure_infos[i];
        struct value value = info->is_ratio ? value_number(0) : value_quantity(0, info->unit);
        g_autofree char *column = value_column(info->name, &value);
        value_clear(&value);
        lua_newtable(L);
        set_text(L, "name", info->name);
        set_text(L, "column", column);
        set_text(L, "description", info->description);
        lua_seti(L, -2, (lua_Integer)i + 1);
    }
}

/* measure(name): what the measure of that name is, which may be a spread or a percentile of one; nil if there is none. */
static int measure(lua_State *L)
{
    const struct measure_info *found = measure_info_find(luaL_checkstring(L, 1));
    lua_pushstring(L, found ? found->description : NULL);
    return 1;
}

int catalogue_push(lua_State *L, void *context)
{
    (void)context;
    lua_newtable(L);
    push_commands(L);
    lua_setfield(L, -2, "commands");
    push_tables(L);
    lua_setfield(L, -2, "tables");
    push_designs(L);
    lua_setfield(L, -2, "designs");
    push_measures(L);
    lua_setfield(L, -2, "measures");
    lua_pushcfunction(L, measure);
    lua_setfield(L, -2, "measure");
    return 1;
}
