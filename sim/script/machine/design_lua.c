/* SPDX-License-Identifier: BSD-3-Clause */
/* A design object is a userdata that holds the design, the given values by axis, with or without a source, and its texts: name,
 * label, description, source. */
#include "script/machine/design_lua.h"

#include <glib.h>
#include <lauxlib.h>
#include <string.h>

#include "core/param_instance.h"
#include "protocols/runtimes/mpi.h"
#include "script/machine/bind.h"
#include "script/machine/software_lua.h"
#include "script/sandbox/library.h"
#include "script/sandbox/modules.h"
#include "script/sandbox/sandbox.h"
#include "script/values/values.h"

#define DESIGN "gpunetsim.design"

enum { VALUE_GIVEN = 1, VALUE_TEXTS = 2, VALUES = 2 };

/* The keys of design { ... } that are no axes. */
static const char *const more_keys[] = {"from", "name", "label", "description", "source", NULL};

const struct design *design_at(lua_State *L, int index)
{
    return luaL_testudata(L, index, DESIGN);
}

/* Pushes one of a design's texts, or nil. */
static int push_text(lua_State *L, int index, const char *key)
{
    lua_getiuservalue(L, index, VALUE_TEXTS);
    int type = lua_getfield(L, -1, key);
    lua_remove(L, -2);
    return type;
}

const char *design_push_label(lua_State *L, int index)
{
    char text[PARAM_TEXT_SIZE];
    if (push_text(L, index, "name") == LUA_TSTRING)
        return lua_tostring(L, -1);
    lua_pop(L, 1);
    return lua_pushstring(L, design_text(design_at(L, index), text));
}

static int design_tostring(lua_State *L)
{
    luaL_checkudata(L, 1, DESIGN);
    design_push_label(L, 1);
    return 1;
}

static void push_axis(lua_State *L, const struct design *design, const struct param *axis)
{
    char text[UNIT_TEXT_SIZE];
    if (axis->kind == PARAM_BOOL)
        lua_pushboolean(L, strcmp(param_format(axis, design, text), "true") == 0);
    else if (lua_stringtonumber(L, param_format(axis, design, text)) == 0)
        lua_pushstring(L, text);
}

/* Pushes d.queue, a table of the record's axes. False if the key is no record. */
static bool push_record(lua_State *L, const struct design *design, const char *key)
{
    lua_newtable(L);
    bool is_record = false;
    for (size_t i = 0; i < design_params.count; i++) {
        const struct param *axis = &design_params.params[i];
        if (!param_is_of_record(axis->name, key))
            continue;
        is_record = true;
        push_axis(L, design, axis);
        lua_setfield(L, -2, axis->name + strlen(key) + 1);
    }
    return is_record;
}

/* d.server: the value of an axis, as a user would write it. */
static int design_index(lua_State *L)
{
    const struct design *design = luaL_checkudata(L, 1, DESIGN);
    const char *key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
    const struct param *axis = param_find(&design_params, key);
    if (strcmp(key, "name") == 0)
        design_push_label(L, 1);
    else if (axis != NULL)
        push_axis(L, design, axis);
    else if (!push_record(L, design, key)) {
        lua_push_owned(L, param_suggestion_of(&design_params, key));
        script_fail(L, "unknown axis \"%s\" in a design%s", key, lua_tostring(L, -1));
    }
    return 1;
}

static int refuse_change(lua_State *L)
{
    script_fail(L, "a design cannot be changed; design { from = d, ... } makes another one");
}

/* --- the word ----------------------------------------------------------------------------------- */

/* Reads `from`, the design that this one differs from, and the values given there. Returns the number of the named design that
 * it is, or SIZE_MAX. */
static size_t read_from(lua_State *L, struct design *design, int given)
{
    GError *error = NULL;
    size_t number = SIZE_MAX;
    lua_getfield(L, 1, "from");
    const struct design *from = design_at(L, -1);
    if (lua_isnil(L, -1)) {
        param_set_defaults(&design_params, design);
    } else if (from != NULL) {
        *design = *from;
        number = from->base > 0 ? (size_t)from->base - 1 : SIZE_MAX;
        lua_getiuservalue(L, -1, VALUE_GIVEN);
        for (lua_pushnil(L); lua_next(L, -2) != 0;) {
            lua_pushvalue(L, -2);
            lua_insert(L, -2);
            lua_rawset(L, given);
        }
        lua_pop(L, 1);
    } else if (lua_type(L, -1) != LUA_TSTRING) {
        script_fail(L, "design.from needs the name of a design or a design, not a %s",
                    luaL_typename(L, -1));
    } else {
        number = param_record_find(&design_record, lua_tostring(L, -1), &error);
        if (number == SIZE_MAX) {
            g_prefix_error(&error, "design.from: ");
            script_fail_error_at(L, (const char *[]){"from"}, 1, error);
        }
        *design = designs_at(number)->design;
    }
    lua_pop(L, 1);
    return number;
}

/* --- MPIs that a machine further down describes --------------------------------------------------- */

/* A list in the registry: the name of a runtime, the error if no machine describes it, the name of the next one. */
#define EXPECTED "gpunetsim.expected"

/* Sets an axis; arguments: 1 the value, 2 the design, 3 the axis. */
static int bind_axis(lua_State *L)
{
    bind_value(L, 1, &design_params, lua_touserdata(L, 3), lua_touserdata(L, 2), NULL);
    return 0;
}

/* While files are loaded, notes an unknown runtime, since a machine may describe it later. */
static void expect_runtime(lua_State *L, const struct param *axis, struct design *design)
{
    int value = lua_gettop(L);
    if (sandbox_of(L)->is_complete || strcmp(axis->name, "runtime") != 0 ||
        lua_type(L, value) != LUA_TSTRING)
        return;
    sandbox_push_handler(L);
    lua_pushcfunction(L, bind_axis);
    lua_pushvalue(L, value);
    lua_pushlightuserdata(L, design);
    lua_pushlightuserdata(L, (void *)(gsize)axis);
    int status = lua_pcall(L, 3, 0, value + 1);
    if (sandbox_is_limit(L, status))
        lua_error(L);
    if (status != LUA_OK && software_is_name(lua_tostring(L, value)) &&
        design_add_runtime(lua_tostring(L, value), NULL)) {
        luaL_getsubtable(L, LUA_REGISTRYINDEX, EXPECTED);
        lua_append_text(L, lua_tostring(L, value));
        lua_pushvalue(L, -2);
        lua_append(L);
    }
    lua_settop(L, value);
}

void design_check_expected(lua_State *L)
{
    luaL_getsubtable(L, LUA_REGISTRYINDEX, EXPECTED);
    for (lua_Integer i = 1; lua_rawgeti(L, -1, i) != LUA_TNIL; i += 2, lua_pop(L, 2)) {
        lua_rawgeti(L, -2, i + 1);
        if (!param_instance_is_made(&mpi_params, lua_tostring(L, -2)))
            sandbox_raise(L, g_strdup(lua_tostring(L, -1)), true);
    }
    lua_pop(L, 2);
}

static void read_axes(lua_State *L, struct design *design, int given)
{
    for (size_t i = 0; i < design_params.count; i++) {
        const struct param *axis = &design_params.params[i];
        if (lua_getfield(L, 1, axis->name) != LUA_TNIL) {
            expect_runtime(L, axis, design);
            bind_value(L, -1, &design_params, axis, design, NULL);
            lua_pushvalue(L, -1);
            lua_setfield(L, given, axis->name);
        }
        lua_pop(L, 1);
    }
}

static void read_texts(lua_State *L, int texts)
{
    for (const char *const *key = more_keys + 1; *key; key++) {
        int type = lua_getfield(L, 1, *key);
        if (type != LUA_TNIL && type != LUA_TSTRING)
            script_fail(L, "design.%s is text, not a %s", *key, lua_typename(L, type));
        lua_setfield(L, texts, *key);
    }
}

/* In tables and figures a label stands for the design, so it must not be the name of another design. */
static void check_label(lua_State *L, const struct design *design, int texts)
{
    lua_getfield(L, texts, "name");
    const struct design *other = lua_isnil(L, -1) ? NULL : design_named(lua_tostring(L, -1));
    if (other != NULL && !param_record_equal(&design_record, design, other))
        script_fail(L, "design.name: \"%s\" is the name of another design", lua_tostring(L, -1));
    lua_pop(L, 1);
}

static int design_word(lua_State *L)
{
    static const luaL_Reg methods[] = {{"__index", design_index},
                                       {"__newindex", refuse_change},
                                       {"__tostring", design_tostring},
                                       {NULL, NULL}};
    GError *error = NULL;
    if (!lua_istable(L, 1))
        script_fail(L, "design needs a table { from = ..., ... }, not a %s", luaL_typename(L, 1));
    lua_settop(L, 1);
    bind_push_flat(L, 1, &design_params);
    lua_replace(L, 1);
    bind_check_keys(L, 1, &design_params, more_keys, "design", NULL);
    struct design *design = lua_newuserdatauv(L, sizeof *design, VALUES);
    lua_newtable(L);
    lua_newtable(L);
    memset(design, 0, sizeof *design);
    size_t number = read_from(L, design, 3);
    read_axes(L, design, 3);
    read_texts(L, 4);
    if (!design_valid(design, &error)) {
        g_prefix_error(&error, "design: ");
        script_fail_error(L, error);
    }
    param_record_set_base(&design_record, design, number);
    check_label(L, design, 4);
    lua_setiuservalue(L, 2, VALUE_TEXTS);
    lua_setiuservalue(L, 2, VALUE_GIVEN);
    library_set_metatable(L, DESIGN, methods);
    return 1;
}

/* design(value): the given values by axis, with or without a source, and its texts; nothing if the value is no design. */
static int core_design(lua_State *L)
{
    if (design_at(L, 1) == NULL)
        return 0;
    lua_getiuservalue(L, 1, VALUE_GIVEN);
    lua_getiuservalue(L, 1, VALUE_TEXTS);
    return 2;
}

void design_open(lua_State *L)
{
    modules_push_core(L);
    lua_pushcfunction(L, core_design);
    lua_setfield(L, -2, "design");
    lua_pop(L, 1);
    lua_pushcfunction(L, design_word);
    library_add_builtin(L, "design");
}
