/* SPDX-License-Identifier: BSD-3-Clause */
/* A machine object is a userdata that holds its spec and a table of the given values by path ("nic.rate" -> value as written,
 * with or without a source), which views/tables/machine.lua makes. */
#include "script/machine/machine_lua.h"

#include <glib.h>
#include <lauxlib.h>
#include <string.h>

#include "core/check.h"
#include "protocols/runtimes/software_tables.h"
#include "script/machine/bind.h"
#include "script/machine/software_lua.h"
#include "script/machine/source.h"
#include "script/sandbox/library.h"
#include "script/sandbox/modules.h"
#include "script/sandbox/record.h"
#include "script/sandbox/sandbox.h"
#include "script/sandbox/traces.h"
#include "script/values/values.h"
#include "study/model/machine.h"

#define MACHINE "gpunetsim.machine"

enum { VALUE_GIVEN = 1, VALUE_NAME = 2, VALUE_SET = 3, VALUES = 3 };

/* Scripts are charged for setting some hundred parameters from text. */
#define MACHINE_INSTRUCTIONS 15000

bool machine_is(lua_State *L, int index)
{
    return luaL_testudata(L, index, MACHINE) != NULL;
}

/* Whether the caller is the study's own file, not one that it requires: values in a machine file are a description, and a study
 * need not use all of them. */
static bool is_own_file(lua_State *L)
{
    lua_Debug caller;
    const GPtrArray *files = sandbox_of(L)->files;
    if (files->len == 0 || !lua_getstack(L, 1, &caller))
        return false;
    lua_getinfo(L, "S", &caller);
    const struct script_file *own = g_ptr_array_index(files, 0);
    return strcmp(caller.source + 1, own->path) == 0;
}

/* --- for views/tables/machine.lua ---------------------------------------------------------------- */

/* Sets `field` of the table on top of the stack to the list of names of the parameters, or of those that a kind of nodes may
 * have. */
static void set_names(lua_State *L, const char *field, const struct param_table *table,
                      bool of_kinds)
{
    lua_Integer count = 0;
    lua_createtable(L, (int)table->count, 0);
    for (size_t i = 0; i < table->count; i++) {
        const struct param *param = &table->params[i];
        check_always(param->default_text, "%s.%s has no default", table->component, param->name);
        if (of_kinds && !machine_kind_may_have(table, param))
            continue;
        lua_pushstring(L, param->name);
        lua_rawseti(L, -2, ++count);
    }
    lua_setfield(L, -2, field);
}

/* Pushes the section's table for machine.lua; it is the same table each time. */
static void push_section(lua_State *L, struct machine_section part)
{
    const struct param_table *table = part.table;
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, table) == LUA_TTABLE)
        return;
    lua_pop(L, 1);
    lua_newtable(L);
    lua_set_text(L, "outer", part.outer);
    lua_set_text(L, "component", table->component);
    lua_set_text(L, "kind", table->kind ? table->kind->component : NULL);
    lua_set_flag(L, "is_of_kinds", part.outer && machine_kind_may_have_of(table));
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, table);
}

/* sections(spec): a list of all sections, the top level first. */
static int core_sections(lua_State *L)
{
    const struct machine_spec *spec = lua_touserdata(L, 1);
    lua_newtable(L);
    for (size_t i = 0; i < machine_section_count(spec); i++) {
        push_section(L, machine_section(spec, i));
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

/* name_rows(spec, section): adds the lists `names` and `kind_names` to the section. */
static int core_name_rows(lua_State *L)
{
    size_t section = (size_t)luaL_checkinteger(L, 2) - 1;
    struct machine_section part = machine_section(lua_touserdata(L, 1), section);
    push_section(L, part);
    set_names(L, "names", part.table, false);
    set_names(L, "kind_names", part.table, true);
    return 0;
}

/* software(value): the kind of the software that the value describes, and its table; nil for any other value. */
static int core_software(lua_State *L)
{
    const struct param_table *kind = software_kind_at(L, 1);
    if (kind == NULL)
        return 0;
    lua_pushstring(L, kind->component);
    software_push_values(L, 1);
    return 2;
}

static const struct param_table *kind_named(const char *name)
{
    const struct param_table *const *kind = software_kinds;
    while (*kind != NULL && strcmp((*kind)->component, name) != 0)
        kind++;
    return *kind;
}

/* check_software(kind, name): whether the name is new, so that not every machine has it; raises an error if it is not valid. */
static int core_check_software(lua_State *L)
{
    const struct param_table *kind = kind_named(luaL_checkstring(L, 1));
    lua_pushboolean(L, software_check_name(L, machine_defaults(), kind, luaL_checkstring(L, 2)));
    return 1;
}

/* declare(spec, kind, name): adds a part for software of that kind to the spec, if the kind is one of software. */
static int core_declare(lua_State *L)
{
    GError *error = NULL;
    const struct param_table *kind = kind_named(luaL_checkstring(L, 2));
    const struct param_table *instance =
        kind ? software_declare(kind, luaL_checkstring(L, 3), &error) : NULL;
    if (kind && (instance == NULL || !machine_spec_add(lua_touserdata(L, 1), instance, &error)))
        script_fail_error(L, error);
    return 0;
}

/* add_kind(spec, name): adds a kind of nodes to the spec, in the order of their names. */
static int core_add_kind(lua_State *L)
{
    GError *error = NULL;
    if (machine_kind_add(lua_touserdata(L, 1), luaL_checkstring(L, 2), &error) < 0)
        script_fail_error(L, error);
    return 0;
}

/* flat(table, spec, section): a copy of the table whose records have become plain rows. */
static int core_flat(lua_State *L)
{
    size_t section = (size_t)luaL_checkinteger(L, 3) - 1;
    bind_push_flat(L, 1, machine_section(lua_touserdata(L, 2), section).table);
    return 1;
}

/* check_keys(table, names, what, outer): raises an error if the table has a key that is not in `names`. `outer` is the table's
 * own key, or nil. */
static int core_check_keys(lua_State *L)
{
    size_t count;
    const char *const *names = record_strings(L, 2, &count);
    bind_check_keys(L, 1, NULL, names, luaL_checkstring(L, 3), lua_tostring(L, 4));
    return 0;
}

/* set(spec, value, row, section, outer, kind): sets a parameter, given by the number of its section; with `kind` the value for
 * that kind of nodes, whose section 1 is its nodes. `outer` is the key of the table that has the value. */
static int core_set(lua_State *L)
{
    GError *error = NULL;
    struct machine_spec *spec = lua_touserdata(L, 1);
    size_t row = (size_t)luaL_checkinteger(L, 3) - 1;
    size_t section = (size_t)luaL_checkinteger(L, 4) - 1;
    int kind = (int)luaL_optinteger(L, 6, 0) - 1;
    struct machine_section part = machine_section(spec, section);
    if (kind >= 0 && section == 0) {
        part.table = &node_kind_params;
        part.offset = (size_t)((char *)&spec->kinds[kind] - (char *)spec);
    } else if (kind >= 0) {
        size_t place = machine_kind_value(spec, kind, section - 1, row, &error);
        if (place == 0)
            script_fail_error(L, error);
        part.offset = place - part.table->params[row].offset;
    }
    bind_value(L, 2, part.table, &part.table->params[row], machine_section_spec(spec, part),
               lua_tostring(L, 5));
    return 0;
}

/* new_machine(): the spec of a machine with all defaults, for make_machine. */
static int core_new_machine(lua_State *L)
{
    sandbox_charge(L, MACHINE_INSTRUCTIONS);
    struct machine_spec *spec = lua_newuserdatauv(L, sizeof *spec, VALUES);
    *spec = *machine_defaults();
    return 1;
}

/* --- the object --------------------------------------------------------------------------------- */

static int machine_index(lua_State *L);
static int machine_with(lua_State *L);

static int refuse_change(lua_State *L)
{
    script_fail(L, "a machine cannot be changed; m { ... } makes a changed copy");
}

/* Raises an error of the machine as a whole: at the parameter's line, if the sentence begins with a parameter ("network.cables:
 * "). */
static _Noreturn void fail_whole(lua_State *L, GError *error)
{
    const char *sentence = lua_pushstring(L, error->message);
    const char *dot = strchr(sentence, '.'), *colon = strchr(sentence, ':');
    if (dot == NULL || colon == NULL || dot > colon)
        script_fail_error(L, error);
    g_error_free(error);
    const char *path[4];
    size_t depth = 0;
    for (const char *part = sentence; part < colon && depth < G_N_ELEMENTS(path);) {
        size_t length = MIN(strcspn(part, "."), (size_t)(colon - part));
        path[depth++] = lua_pushlstring(L, part, length);
        part += length + 1;
    }
    script_fail_at(L, path, depth, "%s", sentence);
}

/* make_machine(spec, given, set, name): makes the machine object. */
static int core_make_machine(lua_State *L)
{
    static const luaL_Reg methods[] = {{"__index", machine_index},
                                       {"__newindex", refuse_change},
                                       {"__call", machine_with},
                                       {TRACES_CONSTANT, NULL},
                                       {NULL, NULL}};
    GError *error = NULL;
    if (!machine_spec_valid(lua_touserdata(L, 1), &error))
        fail_whole(L, error);
    lua_settop(L, 4);
    lua_setiuservalue(L, 1, VALUE_NAME);
    lua_setiuservalue(L, 1, VALUE_SET);
    lua_setiuservalue(L, 1, VALUE_GIVEN);
    library_set_metatable(L, MACHINE, methods);
    return 1;
}

/* Makes a machine. The stack: the changes; and of the machine that they change, the values given before, the paths that the
 * user set, and the name. */
static int make(lua_State *L)
{
    lua_pushboolean(L, is_own_file(L));
    modules_call(L, "machine", "make", 5);
    return 1;
}

static int machine_word(lua_State *L)
{
    if (!lua_istable(L, 1))
        script_fail(L, "machine needs a table { ... }, not a %s", luaL_typename(L, 1));
    lua_settop(L, 1);
    lua_settop(L, 4);
    return make(L);
}

/* m { ... } and m:with { ... } */
static int machine_with(lua_State *L)
{
    lua_settop(L, 2);
    if (!machine_is(L, 1) || !lua_istable(L, 2))
        script_fail(L, "a machine is changed by m { ... } or m:with { ... }, not with a %s",
                    luaL_typename(L, 2));
    lua_getiuservalue(L, 1, VALUE_GIVEN);
    lua_getiuservalue(L, 1, VALUE_SET);
    lua_getiuservalue(L, 1, VALUE_NAME);
    return make(L);
}

/* m:range "bus.latency": the value as given, from which the words random and latin take the bounds. */
static int machine_range(lua_State *L)
{
    if (!machine_is(L, 1) || lua_type(L, 2) != LUA_TSTRING)
        script_fail(L, "ask for a range as in m:range \"bus.latency\"");
    lua_getiuservalue(L, 1, VALUE_GIVEN);
    lua_pushvalue(L, 2);
    lua_rawget(L, -2);
    if (!source_is(L, -1) || source_push(L, lua_gettop(L), "low") == LUA_TNIL)
        script_fail(
            L, "the machine gives no bounds for \"%s\"; only estimated and fitted values have them",
            lua_tostring(L, 2));
    lua_pop(L, 1);
    return 1;
}

/* The machine on which the point at work is simulated, if it has this machine's name; else NULL. */
static const struct machine *machine_of_point(lua_State *L)
{
    const struct machine *point = sandbox_of(L)->machine;
    lua_getiuservalue(L, 1, VALUE_NAME);
    bool is_point = point && g_strcmp0(point->name, lua_tostring(L, -1)) == 0;
    lua_pop(L, 1);
    return is_point ? point : NULL;
}

/* m:bounds "bus.latency": both ends of the range of a value that is only estimated for the point's machine; else nothing. */
static int machine_bounds(lua_State *L)
{
    luaL_checkudata(L, 1, MACHINE);
    const struct machine *point = machine_of_point(L);
    const struct provenance *entry = point ? machine_find(point, luaL_checkstring(L, 2)) : NULL;
    if (!entry || entry->kind != SOURCE_ESTIMATED)
        return 0;
    lua_pushstring(L, entry->low);
    lua_pushstring(L, entry->high);
    return 2;
}

/* m:value "gpu.clock": the machine's value, as a user would write it; during a run the value at the point. */
static int machine_value(lua_State *L)
{
    char text[PARAM_TEXT_SIZE];
    const char *name = luaL_checkstring(L, 2);
    const struct machine_spec *own = luaL_checkudata(L, 1, MACHINE);
    const struct machine *point = machine_of_point(L);
    struct machine_spec spec = point ? point->spec : *own;
    struct param_use *uses = &sandbox_of(L)->uses;
    for (size_t i = 1; i < machine_section_count(&spec); i++) {
        struct machine_section part = machine_section(&spec, i);
        const char *dot = g_str_has_prefix(name, part.outer) ? name + strlen(part.outer) : "";
        const struct param *param = *dot == '.' ? param_find(part.table, dot + 1) : NULL;
        GError *error = NULL;
        if (param != NULL) {
            if (!machine_kinds_share(&spec, part.table, param->name, "m:value", &error))
                fail_whole(L, error);
            param_uses_only(uses, part.table, param->name, NULL);
            lua_pushstring(L, param_format(param, machine_section_spec(&spec, part), text));
            return 1;
        }
    }
    script_fail(L, "a machine has no \"%s\"; ask as in m:value \"gpu.clock\"", name);
}

/* m.name; m.alike: whether no kind of nodes has a value of its own. */
static int machine_index(lua_State *L)
{
    static const char *const names[] = {"name", "alike", "bounds", "range", "value", "with"};
    static const luaL_Reg methods[] = {{"with", machine_with},
                                       {"range", machine_range},
                                       {"bounds", machine_bounds},
                                       {"value", machine_value},
                                       {NULL, NULL}};
    const char *key = lua_tostring(L, 2);
    if (library_push_method(L, methods))
        return 1;
    if (g_strcmp0(key, "alike") == 0) {
        lua_pushboolean(L, machine_nodes_alike(luaL_checkudata(L, 1, MACHINE)));
        return 1;
    }
    if (g_strcmp0(key, "name") != 0)
        script_fail(L, "unknown name \"%s\" in a machine%s", key ? key : luaL_typename(L, 2),
                    script_push_suggestion(L, key ? key : "", names, G_N_ELEMENTS(names)));
    lua_getiuservalue(L, 1, VALUE_NAME);
    return 1;
}

/* --- to C ------------------------------------------------------------------------------------- */

void machine_read(lua_State *L, int index, struct machine **result)
{
    struct machine_spec *spec = luaL_checkudata(L, index, MACHINE);
    struct machine *machine = *result = machine_new(spec);
    lua_getiuservalue(L, index, VALUE_GIVEN);
    int given = lua_gettop(L);
    lua_getiuservalue(L, index, VALUE_SET);
    int set = lua_gettop(L);
    lua_getiuservalue(L, index, VALUE_NAME);
    machine->name = lua_isnil(L, -1) ? g_strdup("machine") : sandbox_copy_text(L, -1);
    for (guint i = 0; i < machine->provenance->len; i++) {
        struct provenance *origin = g_ptr_array_index(machine->provenance, i);
        lua_pushstring(L, origin->path);
        if (lua_rawget(L, given) != LUA_TNIL)
            source_read(L, lua_gettop(L), origin);
        lua_pushstring(L, origin->path);
        lua_rawget(L, set);
        origin->is_set = lua_toboolean(L, -1);
        lua_pop(L, 2);
    }
    lua_settop(L, given - 1);
}

void machine_open(lua_State *L)
{
    static const luaL_Reg functions[] = {{"sections", core_sections},
                                         {"name_rows", core_name_rows},
                                         {"software", core_software},
                                         {"check_software", core_check_software},
                                         {"declare", core_declare},
                                         {"add_kind", core_add_kind},
                                         {"flat", core_flat},
                                         {"check_keys", core_check_keys},
                                         {"set", core_set},
                                         {"new_machine", core_new_machine},
                                         {"make_machine", core_make_machine},
                                         {NULL, NULL}};
    modules_push_core(L);
    luaL_setfuncs(L, functions, 0);
    lua_pop(L, 1);
    lua_pushcfunction(L, machine_word);
    library_add_builtin(L, "machine");
}
