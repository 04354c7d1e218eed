/* SPDX-License-Identifier: BSD-3-Clause */
#include "script/sandbox/modules.h"

#include <glib.h>
#include <lauxlib.h>
#include <lualib.h>

#include "core/home.h"
#include "script/sandbox/library.h"
#include "script/sandbox/list.h"
#include "script/sandbox/record.h"
#include "script/sandbox/sandbox.h"
#include "script/sandbox/traces.h"

#define MODULES "gpunetsim.modules"
#define CORE "gpunetsim.core"
#define KEYS_MAX 4

/* --- core --------------------------------------------------------------------------------------- */

/* fail(sentence, key, ...): raises the sentence at the line of the last key, which is inside the keys before it, or at the line
 * of the call. */
static int core_fail(lua_State *L)
{
    const char *keys[KEYS_MAX], *sentence = luaL_checkstring(L, 1);
    int depth = lua_gettop(L) - 1;
    for (int i = 0; i < depth && i < KEYS_MAX; i++)
        keys[i] = luaL_checkstring(L, i + 2);
    if (depth > 0)
        script_fail_at(L, keys, (size_t)MIN(depth, KEYS_MAX), "%s", sentence);
    script_fail(L, "%s", sentence);
}

/* length(list): of a table that is only a list; part(table): of the list in a table that may also have names. */
static int core_length(lua_State *L)
{
    lua_pushinteger(L, list_length(L, 1));
    return 1;
}

static int core_part(lua_State *L)
{
    lua_pushinteger(L, list_part(L, 1));
    return 1;
}

/* keys(table): its keys that are texts, sorted. */
static int core_keys(lua_State *L)
{
    record_sorted_keys(L, 1);
    return 1;
}

/* suggestion(name, names): the rest of a sentence about a name that is not among them. */
static int core_suggestion(lua_State *L)
{
    size_t count;
    const char *const *names = record_strings(L, 2, &count);
    script_push_suggestion(L, luaL_checkstring(L, 1), names, count);
    return 1;
}

/* seal(kind, table): what a word gives to scripts may be a table that they can neither read nor change: an object of it.
 * unseal(kind, value): the table; nothing if the value is no such object. */
static int core_seal(lua_State *L)
{
    static const luaL_Reg methods[] = {{TRACES_CONSTANT, NULL}, {NULL, NULL}};
    lua_newuserdatauv(L, 0, 1);
    lua_pushvalue(L, 2);
    lua_setiuservalue(L, -2, 1);
    library_set_metatable(L, luaL_checkstring(L, 1), methods);
    return 1;
}

static int core_unseal(lua_State *L)
{
    bool is_sealed = luaL_testudata(L, 2, luaL_checkstring(L, 1)) != NULL;
    if (is_sealed)
        lua_getiuservalue(L, 2, 1);
    return is_sealed;
}

void modules_push_core(lua_State *L)
{
    static const luaL_Reg functions[] = {{"fail", core_fail},
                                         {"length", core_length},
                                         {"part", core_part},
                                         {"keys", core_keys},
                                         {"suggestion", core_suggestion},
                                         {"seal", core_seal},
                                         {"unseal", core_unseal},
                                         {NULL, NULL}};
    if (!luaL_getsubtable(L, LUA_REGISTRYINDEX, CORE))
        luaL_setfuncs(L, functions, 0);
}

/* --- files -------------------------------------------------------------------------------------- */

static int append_code(lua_State *L, const void *bytes, size_t length, void *code)
{
    (void)L;
    g_byte_array_append(code, bytes, (guint)length);
    return 0;
}

bool compiled_load(lua_State *L, const char *path, const char *name)
{
    static GHashTable *compiled; /* GByteArray by path */
    compiled = compiled ? compiled : g_hash_table_new(g_str_hash, g_str_equal);
    GByteArray *code = g_hash_table_lookup(compiled, path);
    if (code)
        return luaL_loadbufferx(L, (const char *)code->data, code->len, name, "b") == LUA_OK;
    g_autoptr(GError) error = NULL;
    g_autofree char *text = NULL;
    gsize length = 0;
    if (!g_file_get_contents(path, &text, &length, &error))
        return lua_pushstring(L, error->message) == NULL;
    if (luaL_loadbufferx(L, text, length, name, "t") != LUA_OK)
        return false;
    code = g_byte_array_new();
    lua_dump(L, append_code, code, 0);
    return g_hash_table_insert(compiled, g_strdup(path), code);
}

static int require_module(lua_State *L);

/* Pushes the global names of the files: the language's functions, the guarded libraries, `require` and `core`. */
static void push_environment(lua_State *L)
{
    static const char *const libraries[] = {LUA_STRLIBNAME, LUA_TABLIBNAME, LUA_MATHLIBNAME};
    lua_newtable(L);
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    for (size_t i = 0; i < G_N_ELEMENTS(libraries); i++) {
        lua_getfield(L, -1, libraries[i]);
        lua_setfield(L, -3, libraries[i]);
    }
    lua_pop(L, 1);
    lua_pushcfunction(L, require_module);
    lua_setfield(L, -2, "require");
    modules_push_core(L);
    lua_setfield(L, -2, "core");
    lua_newtable(L);
    lua_pushglobaltable(L);
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, -2);
}

/* Pushes the chunk of views/tables/NAME.lua. Its name in messages does not begin with @, unlike the names of scripts. */
static void load_module(lua_State *L, const char *name)
{
    GError *error = NULL;
    const char *file = lua_pushfstring(L, "=views/tables/%s.lua", name);
    char *found = home_path(file + 1, &error);
    if (!found)
        script_fail_error(L, error);
    const char *path = lua_pushstring(L, found);
    g_free(found);
    if (!compiled_load(L, path, file))
        lua_error(L);
}

/* require(name): the value that the file returns, which runs once in a state. */
static int require_module(lua_State *L)
{
    const char *name = luaL_checkstring(L, 1);
    luaL_getsubtable(L, LUA_REGISTRYINDEX, MODULES);
    int modules = lua_gettop(L);
    if (lua_getfield(L, modules, name) != LUA_TNIL)
        return 1;
    load_module(L, name);
    push_environment(L);
    lua_setupvalue(L, -2, 1); /* the chunk's _ENV */
    lua_call(L, 0, 1);
    lua_pushvalue(L, -1);
    lua_setfield(L, modules, name);
    return 1;
}

void modules_call(lua_State *L, const char *file, const char *function, int arguments)
{
    int module = lua_gettop(L) + 1;
    luaL_getsubtable(L, LUA_REGISTRYINDEX, MODULES);
    if (lua_getfield(L, -1, file) == LUA_TNIL) {
        lua_settop(L, module - 1);
        lua_pushcfunction(L, require_module);
        lua_pushstring(L, file);
        lua_call(L, 1, 1);
    }
    lua_getfield(L, -1, function);
    lua_replace(L, module);
    lua_settop(L, module);
    lua_insert(L, -1 - arguments);
    lua_call(L, arguments, 1);
}

/* Upvalue: the word. */
static int call_word(lua_State *L)
{
    const struct modules_word *word = lua_touserdata(L, lua_upvalueindex(1));
    lua_settop(L, word->arguments);
    modules_call(L, word->file, word->name, word->arguments);
    return 1;
}

void modules_add_words(lua_State *L, const struct modules_word *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        lua_pushlightuserdata(L, (void *)(uintptr_t)&words[i]);
        lua_pushcclosure(L, call_word, 1);
        library_add_builtin(L, words[i].name);
    }
}
