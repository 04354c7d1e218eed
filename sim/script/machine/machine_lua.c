/* SPDX-License-Identifier: BSD-3-Clause */
/* A machine object is a userdata that holds its spec, and beside it a table of what was given, by
 * path ("nic.rate" -> value as written, tagged or plain). A changed copy, `m { ... }` or
 * `m:with { ... }`, is that table with some entries replaced, so the source of all others is kept.
 */
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
#include "script/sandbox/record.h"
#include "script/sandbox/sandbox.h"
#include "study/model/machine.h"

#define MACHINE "gpunetsim.machine"

enum { VALUE_GIVEN = 1, VALUE_NAME = 2, VALUE_SET = 3, VALUES = 3 };

/* Setting some hundred parameters from text is work that scripts pay for. */
#define MACHINE_INSTRUCTIONS 20000

bool machine_is(lua_State *L, int index)
{
    return luaL_testudata(L, index, MACHINE) != NULL;
}

static void check_top_keys(lua_State *L, int index, const struct machine_spec *spec)
{
    size_t count = 0, most = 1 + machine_params.count + machine_section_count(spec);
    const char **names = lua_newuserdatauv(L, most * sizeof *names, 0);
    names[count++] = "name";
    names[count++] = node_kind_params.component;
    for (size_t i = 0; i < machine_params.count; i++)
        names[count++] = machine_params.params[i].name;
    for (size_t i = 1; i < machine_section_count(spec); i++)
        names[count++] = machine_section(spec, i).outer;
    bind_check_keys(L, index, names, count, "machine", NULL);
    lua_pop(L, 1);
}

/* Whether it is the study's own file that calls, not one that it requires: what a machine file says of a machine is
 * a description, whatever of it a study makes use of. */
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

/* Where values go: tables of what was given, and of what the user set, by path. */
struct machine_merging {
    const struct machine_spec *spec; /* with all instances of software that it shall have */
    int given, set;
    bool is_set;
};

/* Copies the values of the component's table on top into the tables. */
static void merge_part(lua_State *L, const struct machine_merging *into,
                       struct machine_section part)
{
    int table = lua_gettop(L);
    for (size_t i = 0; i < part.table->count; i++) {
        const struct param *param = &part.table->params[i];
        lua_pushstring(L, param->name);
        if (lua_rawget(L, table) == LUA_TNIL) {
            lua_pop(L, 1);
            continue;
        }
        lua_pushfstring(L, "%s%s%s", part.outer ? part.outer : "", part.outer ? "." : "",
                        param->name);
        lua_pushvalue(L, -1);
        lua_pushboolean(L, into->is_set);
        lua_rawset(L, into->set);
        lua_insert(L, -2);
        lua_rawset(L, into->given);
    }
}

/* Merges the table of changes at `changes`. */
static void merge(lua_State *L, int changes, const struct machine_merging *into)
{
    check_top_keys(L, changes, into->spec);
    lua_pushvalue(L, changes);
    merge_part(L, into, machine_section(into->spec, 0));
    lua_pop(L, 1);
    for (size_t i = 1; i < machine_section_count(into->spec); i++) {
        struct machine_section part = machine_section(into->spec, i);
        lua_pushstring(L, part.outer);
        int type = lua_rawget(L, changes);
        if (software_kind_at(L, -1) != NULL) {
            software_push_values(L, -1);
            merge_part(L, into, part);
            lua_pop(L, 1);
        } else if (type == LUA_TTABLE) {
            bind_push_flat(L, -1, part.table);
            lua_replace(L, -2);
            int table = lua_gettop(L);
            const char *const *names = bind_names(L, part.table);
            bind_check_keys(L, table, names, part.table->count, part.outer, part.outer);
            lua_settop(L, table);
            merge_part(L, into, part);
        } else if (type != LUA_TNIL) {
            script_fail_at(L, &part.outer, 1, "%s needs a table { ... }, not a %s", part.outer,
                           lua_typename(L, type));
        }
        lua_pop(L, 1);
    }
}

/* --- kinds of nodes ------------------------------------------------------------------------------
 *
 * The table of what was given has "kinds.older" for each, and its values by path: "kinds.older.gpu.clock". */

/* Refuses what a kind cannot say of that component. The flat table is on top. */
static void check_kind_keys(lua_State *L, const struct param_table *table, const char *outer)
{
    const char **names = lua_newuserdatauv(L, (table->count + 1) * sizeof *names, 0);
    size_t count = 0;
    for (size_t i = 0; i < table->count; i++)
        if (machine_kind_may_have(table, &table->params[i]))
            names[count++] = table->params[i].name;
    bind_check_keys(L, -2, names, count, outer, outer);
    lua_pop(L, 1);
}

/* Merges what the table of a kind on top says of a component. */
static void merge_kind_part(lua_State *L, const struct machine_merging *into, const char *kind,
                            const struct param_table *table)
{
    const char *outer = lua_pushfstring(L, "%s.%s", kind, table->component);
    int type = lua_getfield(L, -2, table->component);
    if (type == LUA_TTABLE) {
        bind_push_flat(L, -1, table);
        check_kind_keys(L, table, outer);
        merge_part(L, into, (struct machine_section){.table = table, .outer = outer});
        lua_pop(L, 1);
    } else if (type != LUA_TNIL) {
        script_fail(L, "%s needs a table { ... }, not a %s", outer, lua_typename(L, type));
    }
    lua_pop(L, 2);
}

/* The names of what a kind may say, as an array on the stack. */
static const char **kind_keys(lua_State *L, const struct machine_spec *spec, size_t *count)
{
    const char **names =
        lua_newuserdatauv(L, (1 + machine_component_count(spec)) * sizeof *names, 0);
    *count = 0;
    names[(*count)++] = node_kind_params.params[0].name;
    for (size_t i = 0; i < machine_component_count(spec); i++) {
        const struct param_table *table = machine_component(spec, i).table;
        if (machine_kind_may_have_of(table))
            names[(*count)++] = table->component;
    }
    return names;
}

/* Merges the kind called `name`, whose table is on top. */
static void merge_kind(lua_State *L, const struct machine_merging *into, const char *name)
{
    size_t count;
    int table = lua_gettop(L);
    const char *outer = lua_pushfstring(L, "%s.%s", node_kind_params.component, name);
    if (!machine_kind_name_valid(name))
        script_fail(
            L,
            "kinds: \"%s\" is no name of a kind of nodes, which has letters, digits and underscores",
            name);
    if (!lua_istable(L, table))
        script_fail(L, "%s needs a table { nodes = ..., ... }, not a %s", outer,
                    luaL_typename(L, table));
    const char **names = kind_keys(L, into->spec, &count);
    bind_check_keys(L, table, names, count, outer, outer);
    lua_pushboolean(L, true);
    lua_setfield(L, into->given, outer);
    lua_pushvalue(L, table);
    merge_part(L, into, (struct machine_section){.table = &node_kind_params, .outer = outer});
    for (size_t i = 0; i < machine_component_count(into->spec); i++)
        merge_kind_part(L, into, outer, machine_component(into->spec, i).table);
    lua_settop(L, table);
}

static void merge_kinds(lua_State *L, int changes, const struct machine_merging *into)
{
    int top = lua_gettop(L), type = lua_getfield(L, changes, node_kind_params.component);
    if (type != LUA_TNIL && type != LUA_TTABLE)
        script_fail(L, "kinds needs a table { NAME = { nodes = ..., ... } }, not a %s",
                    lua_typename(L, type));
    for (lua_pushnil(L); type == LUA_TTABLE && lua_next(L, top + 1); lua_pop(L, 1))
        if (lua_type(L, -2) != LUA_TSTRING)
            script_fail(
                L, "kinds has the names of its kinds as keys, as in kinds = { older = { ... } }");
    lua_settop(L, top + 1);
    if (type == LUA_TTABLE) {
        record_sorted_keys(L, top + 1);
        for (lua_Integer i = 1; lua_rawgeti(L, top + 2, i) != LUA_TNIL; i++) {
            const char *name = lua_tostring(L, -1);
            lua_getfield(L, top + 1, name);
            merge_kind(L, into, name);
            lua_settop(L, top + 2);
        }
    }
    lua_settop(L, top);
}

/* Leaves the value given for a parameter on the stack and returns its type. */
static int push_given(lua_State *L, int given, struct machine_section part,
                      const struct param *param)
{
    lua_pushfstring(L, "%s%s%s", part.outer ? part.outer : "", part.outer ? "." : "", param->name);
    return lua_rawget(L, given);
}

/* Sets in the spec what is given of a kind and a component. */
static void apply_kind_part(lua_State *L, int given, struct machine_spec *spec, int kind,
                            size_t component)
{
    GError *error = NULL;
    const struct param_table *table = machine_component(spec, component).table;
    const char *outer = lua_pushfstring(L, "kinds.%s.%s", spec->kinds[kind].name, table->component);
    for (size_t j = 0; j < table->count; j++) {
        const struct param *param = &table->params[j];
        if (push_given(L, given, (struct machine_section){.outer = outer}, param) != LUA_TNIL) {
            size_t place = machine_kind_value(spec, kind, component, j, &error);
            if (place == 0)
                script_fail_error(L, error);
            bind_value(L, -1, table, param, (char *)spec + place - param->offset, outer);
        }
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

/* Gives the spec the kinds that are given. */
static void apply_kinds(lua_State *L, int given, struct machine_spec *spec)
{
    GError *error = NULL;
    int top = lua_gettop(L);
    record_sorted_keys(L, given);
    for (lua_Integer i = 1; lua_rawgeti(L, top + 1, i) != LUA_TNIL; i++) {
        const char *key = lua_tostring(L, -1), *name = key + strlen("kinds.");
        if (g_str_has_prefix(key, "kinds.") && strchr(name, '.') == NULL &&
            machine_kind_add(spec, name, &error) < 0)
            script_fail_error(L, error);
        lua_settop(L, top + 1);
    }
    for (size_t kind = 0; kind < spec->kind_count; kind++) {
        const char *outer = lua_pushfstring(L, "kinds.%s", spec->kinds[kind].name);
        const struct machine_section nodes = {.outer = outer};
        if (push_given(L, given, nodes, &node_kind_params.params[0]) != LUA_TNIL)
            bind_value(L, -1, &node_kind_params, &node_kind_params.params[0], &spec->kinds[kind],
                       outer);
        for (size_t i = 0; i < machine_component_count(spec); i++)
            apply_kind_part(L, given, spec, (int)kind, i);
        lua_settop(L, top);
    }
    lua_settop(L, top);
}

/* The spec from all that was given. */
static void apply(lua_State *L, int given, struct machine_spec *spec)
{
    for (size_t i = 0; i < machine_section_count(spec); i++) {
        struct machine_section part = machine_section(spec, i);
        for (size_t j = 0; j < part.table->count; j++) {
            const struct param *param = &part.table->params[j];
            if (push_given(L, given, part, param) != LUA_TNIL)
                bind_value(L, -1, part.table, param, machine_section_spec(spec, part), part.outer);
            else
                check_always(param->default_text, "%s.%s has no default", part.table->component,
                             param->name);
            lua_pop(L, 1);
        }
    }
}

/* --- software of the machine's own ---------------------------------------------------------------
 *
 * Beside values by path, the table of what was given has the names of its instances: "mine" -> "mpi". */

/* The instance at `name` of the changes is described anew. */
static void note_instance(lua_State *L, const char *name, const struct param_table *kind, int given,
                          int set)
{
    for (size_t i = 0; i < kind->count; i++) {
        const char *path = lua_pushfstring(L, "%s.%s", name, kind->params[i].name);
        lua_pushnil(L);
        lua_setfield(L, given, path);
        lua_pushnil(L);
        lua_setfield(L, set, path);
        lua_pop(L, 1);
    }
    if (!software_check_name(L, machine_defaults(), kind, name))
        return;
    if (lua_getfield(L, given, name) != LUA_TNIL && strcmp(lua_tostring(L, -1), kind->component))
        script_fail_at(L, &name, 1, "component \"%s\" of this machine is of kind %s, not %s", name,
                       lua_tostring(L, -1), kind->component);
    lua_pushstring(L, kind->component);
    lua_setfield(L, given, name);
    lua_pop(L, 1);
}

static void note_instances(lua_State *L, int changes, int given, int set)
{
    int top = lua_gettop(L);
    record_sorted_keys(L, changes);
    for (lua_Integer i = 1; lua_rawgeti(L, top + 1, i) != LUA_TNIL; i++) {
        const char *name = lua_tostring(L, -1);
        lua_getfield(L, changes, name);
        if (software_kind_at(L, -1) != NULL)
            note_instance(L, name, software_kind_at(L, -1), given, set);
        lua_settop(L, top + 1);
    }
    lua_settop(L, top);
}

/* Gives the spec a part for each of them, in the order of their names. */
static void add_instances(lua_State *L, int given, struct machine_spec *spec)
{
    GError *error = NULL;
    int top = lua_gettop(L);
    record_sorted_keys(L, given);
    for (lua_Integer i = 1; lua_rawgeti(L, top + 1, i) != LUA_TNIL; i++) {
        const char *name = lua_tostring(L, -1);
        for (const struct param_table *const *kind = software_kinds; *kind != NULL; kind++) {
            if (strchr(name, '.') != NULL || param_find(&machine_params, name) != NULL ||
                (lua_getfield(L, given, name), strcmp(lua_tostring(L, -1), (*kind)->component)))
                continue;
            const struct param_table *instance = software_declare(*kind, name, &error);
            if (instance == NULL || !machine_spec_add(spec, instance, &error))
                script_fail_error(L, error);
        }
        lua_settop(L, top + 1);
    }
    lua_settop(L, top);
}

/* The instance of the same kind that `from` on top of the stack names. */
static struct machine_section section_from(lua_State *L, const struct machine_spec *spec,
                                           struct machine_section part)
{
    if (lua_type(L, -1) != LUA_TSTRING)
        script_fail_at(L, (const char *[]){part.outer, "from"}, 2,
                       "%s.from needs the name of another %s, not a %s", part.outer,
                       part.table->kind->component, luaL_typename(L, -1));
    const char *from = lua_tostring(L, -1);
    const char **names = lua_newuserdatauv(L, machine_section_count(spec) * sizeof *names, 0);
    size_t count = 0;
    for (size_t i = 1; i < machine_section_count(spec); i++) {
        struct machine_section section = machine_section(spec, i);
        if (section.table->kind != part.table->kind || section.table == part.table)
            continue;
        if (strcmp(section.outer, from) == 0)
            return section;
        names[count++] = section.outer;
    }
    script_fail_at(L, (const char *[]){part.outer, "from"}, 2,
                   "%s.from: the machine has no other %s \"%s\"%s", part.outer,
                   part.table->kind->component, from,
                   script_push_suggestion(L, from, names, count));
}

/* What the changes do not say of an instance that they describe `from` another one is that one's, and so is its source. Called
 * for `first`, and `depth` steps from there. */
static void take_from(lua_State *L, int changes, const struct machine_merging *into,
                      struct machine_section part, const char *first, size_t depth)
{
    int top = lua_gettop(L);
    luaL_checkstack(L, LUA_MINSTACK, NULL);
    lua_getfield(L, changes, part.outer);
    bool is_described = software_kind_at(L, -1) != NULL;
    if (is_described)
        software_push_values(L, -1);
    if (is_described && lua_getfield(L, top + 2, "from") != LUA_TNIL) {
        struct machine_section from = section_from(L, into->spec, part);
        if (depth > machine_section_count(into->spec))
            script_fail_at(L, (const char *[]){first, "from"}, 2, "%s.from leads in a circle",
                           first);
        take_from(L, changes, into, from, first, depth + 1);
        for (size_t i = 0; i < part.table->count; i++) {
            const char *name = part.table->params[i].name;
            if (lua_getfield(L, top + 2, name) == LUA_TNIL) {
                lua_pushfstring(L, "%s.%s", part.outer, name);
                push_given(L, into->given, from, &part.table->params[i]);
                lua_rawset(L, into->given);
            }
            lua_settop(L, top + 2);
        }
    }
    lua_settop(L, top);
}

/* Pushes a copy of the table at `index`. */
static void push_copy(lua_State *L, int index)
{
    lua_newtable(L);
    for (lua_pushnil(L); lua_next(L, index) != 0;) {
        lua_pushvalue(L, -2);
        lua_insert(L, -2);
        lua_rawset(L, -4);
    }
}

static int machine_index(lua_State *L);
static int machine_with(lua_State *L);

static int refuse_change(lua_State *L)
{
    script_fail(L, "a machine cannot be changed; m { ... } makes a changed copy");
}

/* Raises what is wrong with the machine as a whole: at the parameter's line, if the sentence begins with one ("network.cables: "). */
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

/* Makes the machine from the changes at `changes`, the tables of what was given before at `given` and of what the
 * user set at `set` (now its own) and the name on top, or nil. */
static int finish(lua_State *L, int changes, int given, int set)
{
    static const luaL_Reg methods[] = {{"__index", machine_index},
                                       {"__newindex", refuse_change},
                                       {"__call", machine_with},
                                       {NULL, NULL}};
    int name = lua_gettop(L);
    sandbox_charge(L, MACHINE_INSTRUCTIONS);
    struct machine_spec *spec = lua_newuserdatauv(L, sizeof *spec, VALUES);
    int object = lua_gettop(L);
    *spec = *machine_defaults();
    note_instances(L, changes, given, set);
    add_instances(L, given, spec);
    const struct machine_merging into = {spec, given, set, is_own_file(L)};
    merge(L, changes, &into);
    merge_kinds(L, changes, &into);
    for (size_t i = 1; i < machine_section_count(spec); i++)
        take_from(L, changes, &into, machine_section(spec, i), machine_section(spec, i).outer, 0);
    lua_pushliteral(L, "name");
    int type = lua_rawget(L, changes);
    if (type == LUA_TSTRING)
        lua_replace(L, name);
    else if (type != LUA_TNIL)
        script_fail(L, "the name of a machine is text, not a %s", lua_typename(L, type));
    apply(L, given, spec);
    apply_kinds(L, given, spec);
    GError *error = NULL;
    if (!machine_spec_valid(spec, &error))
        fail_whole(L, error);
    lua_pushvalue(L, object);
    lua_pushvalue(L, given);
    lua_setiuservalue(L, -2, VALUE_GIVEN);
    lua_pushvalue(L, set);
    lua_setiuservalue(L, -2, VALUE_SET);
    lua_pushvalue(L, name);
    lua_setiuservalue(L, -2, VALUE_NAME);
    library_set_metatable(L, MACHINE, methods);
    return 1;
}

static int machine_word(lua_State *L)
{
    if (!lua_istable(L, 1))
        script_fail(L, "machine needs a table { ... }, not a %s", luaL_typename(L, 1));
    lua_settop(L, 1);
    lua_newtable(L);
    lua_newtable(L);
    lua_pushnil(L);
    return finish(L, 1, 2, 3);
}

/* m { ... } and m:with { ... } */
static int machine_with(lua_State *L)
{
    lua_settop(L, 2);
    if (!machine_is(L, 1) || !lua_istable(L, 2))
        script_fail(L, "a machine is changed by m { ... } or m:with { ... }, not with a %s",
                    luaL_typename(L, 2));
    lua_getiuservalue(L, 1, VALUE_GIVEN);
    push_copy(L, 3);
    lua_getiuservalue(L, 1, VALUE_SET);
    push_copy(L, 5);
    lua_getiuservalue(L, 1, VALUE_NAME);
    return finish(L, 2, 4, 6);
}

/* m:range "bus.latency": the value as given, whose bounds the words random and latin read. */
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

/* What a point is simulated on, if that is the machine of this name; else the machine itself. */
static const struct machine_spec *point_spec(lua_State *L, const struct machine_spec *own)
{
    const struct machine *point = sandbox_of(L)->machine;
    lua_getiuservalue(L, 1, VALUE_NAME);
    bool is_point = point && g_strcmp0(point->name, lua_tostring(L, -1)) == 0;
    lua_pop(L, 1);
    return is_point ? &point->spec : own;
}

/* m:value "gpu.clock": the value that the machine has, as a user would write it; in a run that of the point. */
static int machine_value(lua_State *L)
{
    char text[PARAM_TEXT_SIZE];
    const char *name = luaL_checkstring(L, 2);
    struct machine_spec spec = *point_spec(L, luaL_checkudata(L, 1, MACHINE));
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
    static const char *const names[] = {"name", "alike", "range", "value", "with"};
    static const luaL_Reg methods[] = {
        {"with", machine_with}, {"range", machine_range}, {"value", machine_value}, {NULL, NULL}};
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
    lua_pushcfunction(L, machine_word);
    library_add_builtin(L, "machine");
}
