/* SPDX-License-Identifier: BSD-3-Clause */
#include "script/views/core_lua.h"

#include <lauxlib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "core/error.h"
#include "core/home.h"
#include "core/json.h"
#include "core/param.h"
#include "core/shown.h"
#include "core/text_file.h"
#include "core/units.h"
#include "protocols/design.h"
#include "script/values/values.h"
#include "script/views/units_lua.h"
#include "script/views/views.h"
#include "script/views/xml_lua.h"
#include "study/model/value.h"

/* --- functions ---------------------------------------------------------------------------------- */

/* text_file(path, what, most): the text of a UTF-8 file of at most `most` MiB (64); `what` is its name in messages. */
static int text_file(lua_State *L)
{
    const struct text_kind kind = {.name = luaL_checkstring(L, 2),
                                   .most_bytes = luaL_optinteger(L, 3, 64) << 20,
                                   .is_utf8 = true};
    GError *error = NULL;
    char *text = text_file_read(luaL_checkstring(L, 1), &kind, NULL, &error);
    return text ? lua_push_owned(L, text) : views_raise(L, error);
}

static int is_wide(lua_State *L)
{
    lua_pushboolean(L, g_unichar_iswide((gunichar)luaL_checkinteger(L, 1)));
    return 1;
}

static int is_upper(lua_State *L)
{
    lua_pushboolean(L, g_unichar_isupper((gunichar)luaL_checkinteger(L, 1)));
    return 1;
}

static int is_number(lua_State *L)
{
    lua_pushboolean(L, unit_is_number(luaL_checkstring(L, 1)));
    return 1;
}

/* number(text): the number at the beginning of a text, independent of the locale. */
static int number(lua_State *L)
{
    lua_pushnumber(L, g_ascii_strtod(luaL_checkstring(L, 1), NULL));
    return 1;
}

/* size_text(65536) and size_text("65536"): "64 KiB". */
static int size_text(lua_State *L)
{
    int64_t size = lua_type(L, 1) == LUA_TSTRING ? g_ascii_strtoll(lua_tostring(L, 1), NULL, 10)
                                                 : (int64_t)luaL_checknumber(L, 1);
    return lua_push_owned(L, value_size_text(size));
}

/* shown(text, most): the text as one line without control characters, cut to its first `most` characters. */
static int shown(lua_State *L)
{
    const char *text = luaL_checkstring(L, 1);
    return lua_push_owned(L, lua_isnoneornil(L, 2)
                                 ? shown_text(text)
                                 : shown_start(text, (size_t)luaL_checkinteger(L, 2)));
}

/* Compiles a pattern, once, since a page has thousands of texts. */
static const GRegex *compiled(const char *pattern)
{
    static GHashTable *known; /* GRegex by pattern */
    if (!known)
        known = g_hash_table_new(g_str_hash, g_str_equal);
    GRegex *regex = g_hash_table_lookup(known, pattern);
    if (!regex) {
        regex = g_regex_new(pattern, G_REGEX_OPTIMIZE, 0, NULL);
        g_hash_table_insert(known, g_strdup(pattern), regex);
    }
    return regex;
}

/* replace(text, pattern, replacement): replaces every match of GLib's pattern. A text that is not UTF-8 stays as it is: GLib
 * does not check it, and PCRE's compiled patterns would read beyond their tables. */
static int replace(lua_State *L)
{
    const char *text = luaL_checkstring(L, 1), *replacement = luaL_checkstring(L, 3);
    const GRegex *regex = compiled(luaL_checkstring(L, 2));
    char *replaced = g_utf8_validate(text, -1, NULL)
                         ? g_regex_replace(regex, text, -1, 0, replacement, 0, NULL)
                         : NULL;
    return lua_push_owned(L, replaced ? replaced : g_strdup(text));
}

/* nearest(name, names): the name of which `name` may be a misspelling, or nil. */
static int nearest(lua_State *L)
{
    const char *name = luaL_checkstring(L, 1);
    luaL_checktype(L, 2, LUA_TTABLE);
    g_auto(GStrv) names = lua_texts_at(L, 2);
    lua_pushstring(L, param_nearest(name, (const char *const *)names, g_strv_length(names)));
    return 1;
}

/* suggestion(name, names): the rest of a sentence about a name that is not among them. */
static int suggestion(lua_State *L)
{
    const char *name = luaL_checkstring(L, 1);
    luaL_checktype(L, 2, LUA_TTABLE);
    g_auto(GStrv) names = lua_texts_at(L, 2);
    return lua_push_owned(L,
                          param_suggestion(name, (const char *const *)names, g_strv_length(names)));
}

/* design_label("comp-net"): "ComP-Net"; nil if no design has this name. */
static int design_label(lua_State *L)
{
    const char *name = luaL_checkstring(L, 1);
    for (size_t i = 0; i < designs_count(); i++)
        if (strcmp(designs_at(i)->name, name) == 0) {
            lua_pushstring(L, designs_at(i)->label);
            return 1;
        }
    return 0;
}

/* quoted(text): the text as a JSON string, in UTF-8. */
static int quoted(lua_State *L)
{
    g_autoptr(GString) text = g_string_new(NULL);
    g_autofree char *valid = g_utf8_make_valid(luaL_checkstring(L, 1), -1);
    json_text(&(struct json){.text = text}, NULL, valid);
    lua_pushlstring(L, text->str, text->len);
    return 1;
}

/* folder("plots"): the project's own folder of that name. */
static int folder(lua_State *L)
{
    GError *error = NULL;
    char *path = home_path(luaL_checkstring(L, 1), &error);
    return path ? lua_push_owned(L, path) : views_raise(L, error);
}

/* --- lists of files ------------------------------------------------------------------------------ */

/* Folders of this name hold parts that scenarios share. */
#define PARTS_FOLDER "parts"

/* Collects the files whose names have the ending; `is_deep`: also those in subfolders without parts. */
static void collect(const char *folder, const char *ending, bool is_deep, GPtrArray *paths)
{
    g_autoptr(GDir) entries = g_dir_open(folder, 0, NULL);
    const char *name;
    while (entries && (name = g_dir_read_name(entries))) {
        g_autofree char *path = g_build_filename(folder, name, NULL);
        bool is_folder = is_deep && g_file_test(path, G_FILE_TEST_IS_DIR);
        if (is_folder && strcmp(name, PARTS_FOLDER) != 0)
            collect(path, ending, true, paths);
        else if (!is_folder && g_str_has_suffix(name, ending))
            g_ptr_array_add(paths, g_steal_pointer(&path));
    }
}

static int compare_paths(gconstpointer one, gconstpointer other)
{
    return strcmp(*(const char *const *)one, *(const char *const *)other);
}

/* files_in(ending, is_deep, folder, ...): the paths of such files (collect), sorted. */
static int files_in(lua_State *L)
{
    g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
    for (int i = 3; i <= lua_gettop(L); i++)
        collect(lua_tostring(L, i), lua_tostring(L, 1), lua_toboolean(L, 2), paths);
    g_ptr_array_sort(paths, compare_paths);
    g_ptr_array_add(paths, NULL);
    lua_push_texts(L, (char *const *)paths->pdata);
    return 1;
}

/* --- arithmetic that Lua has not ---------------------------------------------------------------- */

#define ARITHMETIC(name)                                                                           \
    static int core_##name(lua_State *L)                                                           \
    {                                                                                              \
        lua_pushnumber(L, name(luaL_checknumber(L, 1)));                                           \
        return 1;                                                                                  \
    }
ARITHMETIC(asinh)
ARITHMETIC(sinh)
ARITHMETIC(log1p)
ARITHMETIC(round)

static int core_hypot(lua_State *L)
{
    lua_pushnumber(L, hypot(luaL_checknumber(L, 1), luaL_checknumber(L, 2)));
    return 1;
}

/* --- texts of other programs --------------------------------------------------------------------- */

/* packed(text): the text deflated, in base64, for a browser to inflate. */
static int packed(lua_State *L)
{
    size_t length;
    const char *text = luaL_checklstring(L, 1, &length);
    uLongf packed_length = compressBound(length);
    g_autofree Bytef *bytes = g_malloc(packed_length);
    compress2(bytes, &packed_length, (const Bytef *)text, length, Z_BEST_COMPRESSION);
    return lua_push_owned(L, g_base64_encode(bytes, packed_length));
}

/* print(text): prints the text without control characters. */
static int print(lua_State *L)
{
    shown_print(stdout, "%s", luaL_checkstring(L, 1));
    return 0;
}

void core_lua_open(lua_State *L)
{
    static const luaL_Reg functions[] = {{"is_wide", is_wide},
                                         {"is_upper", is_upper},
                                         {"is_number", is_number},
                                         {"number", number},
                                         {"size_text", size_text},
                                         {"shown", shown},
                                         {"replace", replace},
                                         {"nearest", nearest},
                                         {"suggestion", suggestion},
                                         {"design_label", design_label},
                                         {"asinh", core_asinh},
                                         {"sinh", core_sinh},
                                         {"log1p", core_log1p},
                                         {"round", core_round},
                                         {"hypot", core_hypot},
                                         {"packed", packed},
                                         {"print", print},
                                         {"folder", folder},
                                         {"files_in", files_in},
                                         {"quoted", quoted},
                                         {"xml", xml_lua_read},
                                         {"text_file", text_file},
                                         {NULL, NULL}};
    luaL_newlib(L, functions);
    units_lua_add(L);
    lua_set_integer(L, "ERROR_RUN", ERROR_RUN);
    lua_setglobal(L, "core");
}
