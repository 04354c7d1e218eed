/* SPDX-License-Identifier: BSD-3-Clause */
/* The language's library, cut down to what is safe and gives the same result each time.
 *
 * Left out: os, io, debug, package, coroutine, load and its kin, rawset and rawget, xpcall (its
 * handler runs unlimited), collectgarbage, math.random. Made repeatable: `pairs` goes by the order
 * of the keys instead of their hash, `tostring` shows no addresses. Guarded: the C functions that
 * could work for ever between two instructions (guard.c). Every library is read-only. */
#include "script/sandbox/library.h"

#include <lualib.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/param.h"
#include "core/shown.h"
#include "script/sandbox/guard.h"
#include "script/sandbox/record.h"
#include "script/sandbox/sandbox.h"
#include "script/values/values.h"

#define BUILTINS "gpunetsim.builtins"
#define ENVIRONMENT "gpunetsim.environment"

/* --- order of keys ---------------------------------------------------------------------------- */

struct sort_key {
    int type;
    bool is_integer;
    lua_Integer integer;
    lua_Number number;
    const char *text;
    size_t length;
    lua_Integer from; /* its place in the unsorted list */
};

/* numbers < strings < booleans */
static int type_rank(int type)
{
    return type == LUA_TNUMBER ? 0 : type == LUA_TSTRING ? 1 : 2;
}

static int compare_text(const struct sort_key *a, const struct sort_key *b)
{
    size_t common = a->length < b->length ? a->length : b->length;
    int order = memcmp(a->text, b->text, common);
    return order != 0 ? order : (a->length > b->length) - (a->length < b->length);
}

static int compare_keys(const void *left, const void *right)
{
    const struct sort_key *a = left, *b = right;
    if (a->type != b->type)
        return type_rank(a->type) - type_rank(b->type);
    if (a->type == LUA_TSTRING)
        return compare_text(a, b);
    if (a->type == LUA_TNUMBER && !(a->is_integer && b->is_integer))
        return (a->number > b->number) - (a->number < b->number);
    return (a->integer > b->integer) - (a->integer < b->integer);
}

static void read_key(lua_State *L, int index, struct sort_key *key)
{
    int is_integer = 0;
    key->type = lua_type(L, index);
    switch (key->type) {
    case LUA_TNUMBER:
        key->number = lua_tonumber(L, index);
        key->integer = lua_tointegerx(L, index, &is_integer);
        key->is_integer = is_integer;
        return;
    case LUA_TSTRING:
        key->text = lua_tolstring(L, index, &key->length);
        return;
    case LUA_TBOOLEAN:
        key->integer = lua_toboolean(L, index);
        return;
    default:
        script_fail(L, "keys that are a %s have no order; pairs takes numbers, strings, booleans",
                    lua_typename(L, key->type));
    }
}

/* What putting a key into its place costs. */
#define SORT_INSTRUCTIONS 8

void library_sort(lua_State *L)
{
    int list = lua_gettop(L);
    size_t count = (size_t)lua_rawlen(L, list);
    struct sort_key *keys = lua_newuserdatauv(L, (count + 1) * sizeof *keys, 0);
    memset(keys, 0, (count + 1) * sizeof *keys);
    lua_createtable(L, (int)count, 0);
    for (size_t i = 0; i < count; i++) {
        keys[i].from = (lua_Integer)i + 1;
        lua_rawgeti(L, list, keys[i].from);
        read_key(L, -1, &keys[i]);
        lua_pop(L, 1);
    }
    sandbox_charge(L, (int64_t)count * SORT_INSTRUCTIONS);
    qsort(keys, count, sizeof *keys, compare_keys);
    for (size_t i = 0; i < count; i++) {
        lua_rawgeti(L, list, keys[i].from);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_replace(L, list);
    lua_settop(L, list);
}

/* --- pairs ------------------------------------------------------------------------------------ */

/* Upvalues: the table, its sorted keys, how many have been given. */
static int next_pair(lua_State *L)
{
    lua_Integer given = lua_tointeger(L, lua_upvalueindex(3));
    while (lua_rawgeti(L, lua_upvalueindex(2), ++given) != LUA_TNIL) {
        lua_pushvalue(L, -1);
        if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL) { /* not removed meanwhile */
            lua_pushinteger(L, given);
            lua_replace(L, lua_upvalueindex(3));
            return 2;
        }
        lua_pop(L, 2);
    }
    return 1;
}

int library_pairs(lua_State *L, int index)
{
    index = lua_absindex(L, index);
    lua_pushvalue(L, index);
    lua_newtable(L);
    lua_Integer count = 0;
    for (lua_pushnil(L); lua_next(L, index) != 0; lua_pop(L, 1)) {
        lua_pushvalue(L, -2);
        lua_rawseti(L, -4, ++count);
    }
    library_sort(L);
    lua_pushinteger(L, 0);
    lua_pushcclosure(L, next_pair, 3);
    return 1;
}

static int sorted_pairs(lua_State *L)
{
    luaL_checkany(L, 1);
    if (luaL_getmetafield(L, 1, "__pairs") != LUA_TNIL) {
        lua_pushvalue(L, 1);
        lua_call(L, 1, 3);
        return 3;
    }
    luaL_checktype(L, 1, LUA_TTABLE);
    return library_pairs(L, 1);
}

/* --- text without addresses ------------------------------------------------------------------- */

static void push_text(lua_State *L, int index)
{
    int type = lua_type(L, index);
    if (luaL_callmeta(L, index, "__tostring")) {
        if (lua_type(L, -1) != LUA_TSTRING)
            script_fail(L, "__tostring has to return a string");
    } else if (type == LUA_TNUMBER || type == LUA_TSTRING || type == LUA_TBOOLEAN ||
               type == LUA_TNIL) {
        luaL_tolstring(L, index, NULL);
    } else {
        lua_pushstring(L, lua_typename(L, type));
    }
}

static int text_of_value(lua_State *L)
{
    luaL_checkany(L, 1);
    push_text(L, 1);
    return 1;
}

/* What printing a line costs. */
#define PRINT_INSTRUCTIONS 100

/* To stderr: standard output belongs to results. */
static int print_values(lua_State *L)
{
    int count = lua_gettop(L);
    for (int i = 1; i <= count; i++) {
        push_text(L, i);
        size_t length;
        const char *text = lua_tolstring(L, -1, &length);
        sandbox_charge(L, PRINT_INSTRUCTIONS + (int64_t)length);
        g_autofree char *cut = sandbox_cut(text, length, SANDBOX_TEXT_MAX);
        shown_print(stderr, "%s%s", i > 1 ? "\t" : "", cut);
        lua_pop(L, 1);
    }
    sandbox_charge(L, PRINT_INSTRUCTIONS);
    fputc('\n', stderr);
    return 0;
}

/* What formatting costs at the least: a number of 99 digits takes as long as many instructions. */
#define FORMAT_INSTRUCTIONS 50

static int format_text(lua_State *L)
{
    size_t length;
    const char *c = luaL_checklstring(L, 1, &length), *end = c + length;
    while ((c = memchr(c, '%', (size_t)(end - c))) != NULL) {
        c += 1 + strspn(c + 1, "-+ #0123456789.");
        if (*c == 'p')
            script_fail(L,
                        "string.format does not take %%p here: addresses differ from run to run");
        c += c < end;
    }
    for (int i = 2; i <= lua_gettop(L); i++) {
        int type = lua_type(L, i);
        if (type == LUA_TTABLE || type == LUA_TFUNCTION || type == LUA_TUSERDATA) {
            push_text(L, i);
            lua_replace(L, i);
        }
        if (lua_type(L, i) == LUA_TSTRING)
            sandbox_charge(L, (int64_t)lua_rawlen(L, i) / 8);
    }
    sandbox_charge(L, FORMAT_INSTRUCTIONS + (int64_t)length);
    return guard_call_original(L);
}

/* --- protected calls -------------------------------------------------------------------------- */

/* What giving up a call costs: finding the error's place, and what is closed on the way. */
#define CAUGHT_INSTRUCTIONS 250

static int protected_call(lua_State *L)
{
    luaL_checkany(L, 1);
    lua_pushboolean(L, 1);
    lua_insert(L, 1);
    GPtrArray *loading = sandbox_of(L)->loading;
    guint depth = loading->len;
    int status = lua_pcall(L, lua_gettop(L) - 2, LUA_MULTRET, 0);
    if (status == LUA_OK)
        return lua_gettop(L);
    if (sandbox_is_limit(L, status))
        return lua_error(L);
    sandbox_charge(L, CAUGHT_INSTRUCTIONS);
    g_ptr_array_set_size(loading, (gint)depth); /* files given up half-way */
    lua_pushboolean(L, 0);
    lua_replace(L, 1);
    return 2;
}

/* No finalizers: they would run at the collector's whim, and without limits. */
static int set_metatable(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 2);
    lua_pushliteral(L, "__gc"); /* raw: an __index of the metatable's own could set it just now */
    if (lua_istable(L, 2) && lua_rawget(L, 2) != LUA_TNIL)
        script_fail(L, "setmetatable does not take __gc here");
    lua_settop(L, 2);
    return guard_call_original(L);
}

/* --- builtins and environments ------------------------------------------------------------------- */

void library_add_builtin(lua_State *L, const char *name)
{
    luaL_getsubtable(L, LUA_REGISTRYINDEX, BUILTINS);
    lua_insert(L, -2);
    lua_setfield(L, -2, name);
    lua_pop(L, 1);
}

static bool push_builtin(lua_State *L, int name_index)
{
    lua_getfield(L, LUA_REGISTRYINDEX, BUILTINS);
    lua_pushvalue(L, name_index);
    return lua_rawget(L, -2) != LUA_TNIL;
}

/* What was a builtin once, and the function of benchmarks/parts/cuda.lua that does the same. */
static const char *const made_in_lua[][2] = {
    {"cuda_copy", "copy"}, {"cuda_copies", "copies"}, {"kernel_launch", "launch"}};

static void refuse_made_in_lua(lua_State *L, const char *name)
{
    for (size_t i = 0; i < G_N_ELEMENTS(made_in_lua); i++)
        if (strcmp(name, made_in_lua[i][0]) == 0)
            script_fail(
                L,
                "\"%s\" is not defined; it is the function %s of require \"benchmarks.parts.cuda\" now",
                name, made_in_lua[i][1]);
}

/* Names of two words are mostly meant to be a workload's. */
static const char *workload_hint(const char *name)
{
    return strchr(name, '_') ? "; gpunetsim list workloads names the workloads" : "";
}

static int read_global(lua_State *L)
{
    if (push_builtin(L, 2))
        return 1;
    const char *name = lua_tostring(L, 2);
    lua_getfield(L, LUA_REGISTRYINDEX, BUILTINS);
    record_sorted_keys(L, -1);
    size_t count;
    const char *const *names = record_strings(L, -1, &count);
    if (!name)
        script_fail(L, "a name is text");
    refuse_made_in_lua(L, name);
    const char *now = param_renamed(name, names, count);
    if (now)
        script_fail(L, "\"%s\" is not defined; it is called \"%s\" now", name, now);
    const char *nearest = param_nearest(name, names, count), *hint = workload_hint(name);
    if (nearest)
        script_fail(L, "\"%s\" is not defined; did you mean \"%s\"?%s", name, nearest,
                    *hint ? hint + 1 : hint);
    script_fail(L, "\"%s\" is not defined%s", name, hint);
}

static int write_global(lua_State *L)
{
    if (push_builtin(L, 2))
        script_fail(L, "\"%s\" is a builtin of gpunetsim and cannot be set", lua_tostring(L, 2));
    lua_settop(L, 3);
    lua_rawset(L, 1);
    return 0;
}

void library_push_environment(lua_State *L)
{
    static const luaL_Reg methods[] = {
        {"__index", read_global}, {"__newindex", write_global}, {NULL, NULL}};
    lua_newtable(L);
    library_set_metatable(L, ENVIRONMENT, methods);
}

void library_set_metatable(lua_State *L, const char *name, const luaL_Reg *methods)
{
    if (luaL_newmetatable(L, name)) {
        if (methods)
            luaL_setfuncs(L, methods, 0);
        lua_set_flag(L, "__metatable", 0);
    }
    lua_setmetatable(L, -2);
}

bool library_push_method(lua_State *L, const luaL_Reg *methods)
{
    const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
    while (methods->name && strcmp(methods->name, name) != 0)
        methods++;
    if (methods->name)
        lua_pushcfunction(L, methods->func);
    return methods->name != NULL;
}

/* --- opening ---------------------------------------------------------------------------------- */

static int refuse_change(lua_State *L)
{
    script_fail(L, "a library cannot be changed");
}

/* Replaces the table on top by a read-only view of it and makes that a builtin. */
static void add_library(lua_State *L, const char *name)
{
    lua_newtable(L);
    lua_newtable(L);
    lua_pushvalue(L, -3);
    lua_setfield(L, -2, "__index");
    lua_pushcfunction(L, refuse_change);
    lua_setfield(L, -2, "__newindex");
    lua_set_flag(L, "__metatable", 0);
    lua_setmetatable(L, -2);
    library_add_builtin(L, name);
    lua_pop(L, 1);
}

static void remove_fields(lua_State *L, const char *const *names)
{
    for (; *names; names++) {
        lua_pushnil(L);
        lua_setfield(L, -2, *names);
    }
}

static void open_base(lua_State *L)
{
    static const char *const kept[] = {"assert", "error",  "getmetatable", "ipairs", "rawequal",
                                       "rawlen", "select", "tonumber",     "type",   NULL};
    luaL_requiref(L, LUA_GNAME, luaopen_base, 0);
    guard_base(L);
    for (const char *const *name = kept; *name; name++) {
        lua_getfield(L, -1, *name);
        library_add_builtin(L, *name);
    }
    guard_field(L, "setmetatable", set_metatable, 0);
    lua_getfield(L, -1, "setmetatable");
    library_add_builtin(L, "setmetatable");
    lua_pop(L, 1);
    static const luaL_Reg own[] = {{"pairs", sorted_pairs},
                                   {"pcall", protected_call},
                                   {"print", print_values},
                                   {"tostring", text_of_value},
                                   {NULL, NULL}};
    for (const luaL_Reg *function = own; function->name; function++) {
        lua_pushcfunction(L, function->func);
        library_add_builtin(L, function->name);
    }
}

static void open_string(lua_State *L)
{
    static const char *const removed[] = {"dump", "pack", "packsize", "unpack", NULL};
    luaL_requiref(L, LUA_STRLIBNAME, luaopen_string, 0);
    remove_fields(L, removed);
    guard_field(L, "format", format_text, 0);
    guard_string(L);
    lua_pushliteral(L, "");
    lua_getmetatable(L, -1);
    lua_set_flag(L, "__metatable", 0);
    lua_pop(L, 2);
    add_library(L, LUA_STRLIBNAME);
}

void library_open(lua_State *L)
{
    static const char *const random[] = {"random", "randomseed", NULL};
    open_base(L);
    open_string(L);
    luaL_requiref(L, LUA_TABLIBNAME, luaopen_table, 0);
    guard_table(L);
    add_library(L, LUA_TABLIBNAME);
    luaL_requiref(L, LUA_MATHLIBNAME, luaopen_math, 0);
    remove_fields(L, random);
    add_library(L, LUA_MATHLIBNAME);
    luaL_requiref(L, LUA_UTF8LIBNAME, luaopen_utf8, 0);
    guard_utf8(L);
    add_library(L, LUA_UTF8LIBNAME);
}
