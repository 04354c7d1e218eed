/* SPDX-License-Identifier: BSD-3-Clause */
/* `require "configs.gcn3_node"` is the file configs/gcn3_node.lua below one of a few folders. Names
 * are made of letters, digits, - and _ between the dots, so they cannot lead out of these folders.
 * A file runs once in a state, in an environment of its own; its value is kept for the next file that requires it. */
#include "script/machine/require.h"

#include <glib.h>
#include <lauxlib.h>
#include <string.h>

#include "core/param.h"
#include "core/text_file.h"
#include "script/machine/folders.h"
#include "script/machine/quantity_lua.h"
#include "script/sandbox/grammar.h"
#include "script/sandbox/library.h"
#include "script/sandbox/record.h"
#include "script/sandbox/sandbox.h"
#include "script/values/values.h"
#include "script/views/home_file.h"

#define LOADED "gpunetsim.loaded"

/* No script written by hand is longer. Comments may be in any encoding. */
static const struct text_kind lua_file = {.name = "a Lua file", .most_bytes = 16 << 20};

/* The path as a user would write it: relative to the current folder, if it is below that. */
static char *shown_path(const char *absolute)
{
    g_autofree char *here = g_get_current_dir();
    size_t length = strlen(here);
    bool is_below = g_str_has_prefix(absolute, here) && absolute[length] == '/';
    return g_strdup(is_below ? absolute + length + 1 : absolute);
}

/* --- one file --------------------------------------------------------------------------------- */

/* Pushes the chunk of the text. Errors of syntax are reported for the text as written, without markers. */
static void load_text(lua_State *L, const char *path, const char *text, size_t length)
{
    const char *name = lua_pushfstring(L, "@%s", path);
    int status = luaL_loadbufferx(L, text, length, name, "t");
    char *marked = status == LUA_OK ? grammar_mark(text) : NULL;
    if (marked) {
        sandbox_charge(L, (int64_t)length);
        lua_pop(L, 1);
        status = luaL_loadbufferx(L, marked, strlen(marked), name, "t");
        g_free(marked);
    }
    if (status == LUA_ERRRUN) /* Lua's parser has no line for it */
        luaL_error(L, "%s: is nested too deeply", path);
    if (status != LUA_OK)
        lua_error(L);
    lua_remove(L, -2);
}

/* The file, among those that are given instead of files on disk, that is shown as `path` or required as `name`; NULL if there
 * is none. */
static const struct script_file *find_given(const GPtrArray *given, const char *path,
                                            const char *name)
{
    for (guint i = 0; i < given->len; i++) {
        const struct script_file *file = g_ptr_array_index(given, i);
        g_auto(GStrv) names = g_strsplit(file->names, " ", -1);
        if (path ? strcmp(file->path, path) == 0
                 : g_strv_contains((const char *const *)names, name))
            return file;
    }
    return NULL;
}

/* Notes the name by which the file that is shown as `path` was required. */
static void note_name(const struct script_state *state, const char *path, const char *name)
{
    for (guint i = 0; i < state->files->len; i++) {
        struct script_file *file = g_ptr_array_index(state->files, i);
        g_auto(GStrv) names = g_strsplit(file->names, " ", -1);
        if (strcmp(file->path, path) != 0 || g_strv_contains((const char *const *)names, name))
            continue;
        char *longer = g_strconcat(file->names, *file->names ? " " : "", name, NULL);
        g_free(file->names);
        file->names = longer;
    }
}

/* Pushes the file's text. Errors have no line, since the file is at fault. */
static void push_text(lua_State *L, const char *path)
{
    size_t length;
    GError *error = NULL;
    const GPtrArray *given = sandbox_of(L)->given;
    if (given) {
        const struct script_file *file = find_given(given, path, NULL);
        if (!file)
            luaL_error(L, "%s: is not among the files that are given", path);
        lua_pushstring(L, file->text);
        return;
    }
    char *text = text_file_read(path, &lua_file, &length, &error);
    if (!text) {
        lua_pushstring(L, error->message);
        g_error_free(error);
        lua_error(L);
    }
    lua_pushlstring(L, text, length);
    g_free(text);
    sandbox_take(L, length);
    sandbox_charge(L, (int64_t)length);
}

static void check_keys(lua_State *L, const char *path, const char *text)
{
    char *key;
    int first, line = grammar_duplicate_key(text, &key, &first);
    if (line == 0)
        return;
    lua_push_owned(L, key);
    luaL_error(L,
               "%s:%d: \"%s\" stands twice in one table, first on line %d; Lua would take the last",
               path, line, lua_tostring(L, -1), first);
}

/* Runs the file shown as `path`; pushes the one value that it returns. */
static void run_file(lua_State *L, const char *path)
{
    size_t length;
    push_text(L, path);
    const char *text = lua_tolstring(L, -1, &length);
    sandbox_add_file(sandbox_of(L), path, text);
    if (*text == LUA_SIGNATURE[0])
        luaL_error(L, "%s: is not the text of a Lua script", path);
    load_text(L, path, text, length);
    check_keys(L, path, text);
    library_push_environment(L);
    lua_setupvalue(L, -2, 1); /* the chunk's _ENV */
    quantity_push_markers(L);
    lua_call(L, 2, 1);
    lua_remove(L, -2); /* the file's text */
}

/* --- require ---------------------------------------------------------------------------------- */

static bool is_good_name(const char *name)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    while (true) {
        size_t part = strspn(name, letters);
        name += part;
        if (part == 0 || *name == '\0')
            return part > 0;
        if (*name++ != '.')
            return false;
    }
}

/* The first file of that name in the folders, absolute; NULL if there is none. */
static char *find_file(const GPtrArray *folders, const char *name)
{
    g_autofree char *below = g_strdelimit(g_strdup(name), ".", '/');
    char *found = NULL;
    for (guint i = 0; i < folders->len && !found; i++) {
        found = g_strdup_printf("%s/%s.lua", (const char *)g_ptr_array_index(folders, i), below);
        if (!g_file_test(found, G_FILE_TEST_EXISTS))
            g_clear_pointer(&found, g_free);
    }
    return found;
}

/* Raises the error that a file, number `first` of the list, is required while it is being loaded. */
static _Noreturn void fail_cycle(lua_State *L, const GPtrArray *loading, guint first)
{
    luaL_Buffer text;
    luaL_buffinit(L, &text);
    for (guint i = first; i < loading->len; i++) {
        char *shown = shown_path(g_ptr_array_index(loading, i));
        luaL_addstring(&text, shown);
        luaL_addstring(&text, i > first                  ? (i + 1 < loading->len ? ", " : "")
                              : loading->len - first > 1 ? " requires itself through "
                                                         : " requires itself");
        g_free(shown);
    }
    luaL_pushresult(&text);
    script_fail(L, "%s", lua_tostring(L, -1));
}

/* Pushes the name of the machine that "configs.NAME", or a name alone, may be a misspelling of. */
static const char *push_machine_hint(lua_State *L, const char *name)
{
    const char *rest = g_str_has_prefix(name, "configs.") ? name + strlen("configs.") : name;
    g_auto(GStrv) names = home_machine_names();
    const char *nearest =
        names ? param_nearest(rest, (const char *const *)names, g_strv_length(names)) : NULL;
    return nearest ? lua_pushfstring(L, "; did you mean \"configs.%s\"?", nearest)
                   : lua_pushliteral(L, "");
}

/* Pushes the absolute path of the required file. */
static const char *push_found(lua_State *L, const char *name)
{
    if (!is_good_name(name))
        script_fail(L,
                    "require \"%s\": a name is made of letters, digits, _ and -, with dots for "
                    "folders",
                    name);
    const GPtrArray *given = sandbox_of(L)->given;
    const struct script_file *file = given ? find_given(given, NULL, name) : NULL;
    char *found = file    ? g_strdup(file->path)
                  : given ? NULL
                          : find_file(sandbox_of(L)->folders, name);
    if (!found)
        script_fail(L,
                    "require \"%s\": there is no such file below the script's folder or the "
                    "project's%s",
                    name, push_machine_hint(L, name));
    lua_push_owned(L, found);
    return lua_tostring(L, -1);
}

/* The instructions that the search for a file in the folders costs. */
#define FIND_INSTRUCTIONS 2000

/* The stack: name, path, path as shown, files that have been loaded. */
static int require_word(lua_State *L)
{
    struct script_state *state = sandbox_of(L);
    sandbox_charge(L, FIND_INSTRUCTIONS);
    lua_settop(L, 1);
    const char *path = push_found(L, luaL_checkstring(L, 1));
    lua_push_owned(L, state->given ? g_strdup(path) : shown_path(path));
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LOADED);
    if (lua_getfield(L, -1, path) != LUA_TNIL) {
        note_name(state, lua_tostring(L, 3), lua_tostring(L, 1));
        return 1;
    }
    guint first;
    if (state->is_complete) /* the study's digest is to cover all its files */
        script_fail(L,
                    "require \"%s\": files are required while the script is loaded, not when a "
                    "point runs; require it above the study, as in local node = require \"NAME\"",
                    lua_tostring(L, 1));
    if (g_ptr_array_find_with_equal_func(state->loading, path, g_str_equal, &first))
        fail_cycle(L, state->loading, first);
    g_ptr_array_add(state->loading, g_strdup(path));
    run_file(L, lua_tostring(L, 3));
    g_ptr_array_set_size(state->loading, (gint)state->loading->len - 1);
    if (lua_isnil(L, -1))
        script_fail(L, "require \"%s\": the file returns nothing", lua_tostring(L, 1));
    note_name(state, lua_tostring(L, 3), lua_tostring(L, 1));
    lua_pushvalue(L, -1);
    lua_setfield(L, 4, path);
    return 1;
}

void require_open(lua_State *L, const char *path)
{
    folders_find(sandbox_of(L)->folders, path);
    lua_pushcfunction(L, require_word);
    library_add_builtin(L, "require");
}

void require_run(lua_State *L, const char *path)
{
    struct script_state *state = sandbox_of(L);
    if (!state->given)
        folders_find(state->folders, path);
    g_ptr_array_add(state->loading, g_canonicalize_filename(path, NULL));
    run_file(L, path);
    g_ptr_array_set_size(state->loading, (gint)state->loading->len - 1);
}

void require_run_main(lua_State *L, const char *path)
{
    struct script_state *state = sandbox_of(L);
    g_ptr_array_add(state->loading, g_canonicalize_filename(path, NULL));
    run_file(L, path);
    g_ptr_array_set_size(state->loading, 0);
}

/* --- a file of its own ---------------------------------------------------------------------------- */

struct table_call {
    const char *path;
    const struct require_table *table;
    void *context;
};

static int load_table(lua_State *L)
{
    const struct table_call *call = lua_touserdata(L, 1);
    library_open(L);
    require_open(L, call->path);
    call->table->open(L);
    lua_settop(L, 0);
    require_run_main(L, call->path);
    if (!lua_istable(L, 1))
        luaL_error(L, "%s: returns a %s instead of %s", call->path, luaL_typename(L, 1),
                   call->table->what);
    record_sorted_keys(L, 1);
    call->table->read(L, call->context);
    return 0;
}

bool require_table(const char *path, const struct require_table *table, void *context,
                   GError **error)
{
    struct table_call call = {path, table, context};
    struct script_state *state = sandbox_new(path);
    bool good = sandbox_call(state, load_table, &call, ERROR_USE, error);
    sandbox_free(state);
    return good;
}
