/* SPDX-License-Identifier: BSD-3-Clause */
/* What files in views/tables get of C, and what becomes of the tables that they make. */
#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "script/machine/machine_lua.h"
#include "script/machine/value_lua.h"
#include "script/sandbox/list.h"
#include "script/sandbox/modules.h"
#include "script/sandbox/sandbox.h"
#include "script/study/study_lua.h"
#include "script/values/places.h"
#include "script/values/values.h"

/* --- tables for files in views/ -------------------------------------------------------------------- */

static GVariant *value_variant(lua_State *L);

/* Converts the table on top of the stack into a list or a dictionary. */
static GVariant *table_variant(lua_State *L)
{
    bool is_list = list_part(L, -1) > 0;
    GVariantBuilder all;
    g_variant_builder_init(&all, is_list ? G_VARIANT_TYPE("av") : G_VARIANT_TYPE_VARDICT);
    lua_Integer count = list_part(L, -1);
    for (lua_Integer i = 1; i <= count; i++) {
        lua_rawgeti(L, -1, i);
        g_variant_builder_add(&all, "v", value_variant(L));
    }
    if (!is_list) {
        lua_pushnil(L);
        while (lua_next(L, -2) != 0) {
            const char *name = lua_tostring(L, -2);
            g_variant_builder_add(&all, "{sv}", name, value_variant(L));
        }
    }
    return g_variant_builder_end(&all);
}

static GVariant *text_variant(lua_State *L)
{
    size_t length;
    const char *text = lua_tolstring(L, -1, &length);
    g_autofree char *cut = sandbox_cut(text, length, SANDBOX_TEXT_MAX);
    return g_variant_new_bytestring(cut);
}

/* Pops the value on top of the stack and converts it. */
static GVariant *value_variant(lua_State *L)
{
    GVariant *value;
    if (lua_type(L, -1) == LUA_TNUMBER)
        value = g_variant_new_double(lua_tonumber(L, -1));
    else if (lua_type(L, -1) == LUA_TBOOLEAN)
        value = g_variant_new_boolean(lua_toboolean(L, -1));
    else if (lua_type(L, -1) == LUA_TSTRING)
        value = text_variant(L);
    else
        value = table_variant(L);
    lua_pop(L, 1);
    return value;
}

void tables_variant(lua_State *L, GVariant **value)
{
    *value = g_variant_ref_sink(value_variant(L));
    sandbox_take(L, g_variant_get_size(*value));
}

/* --- core --------------------------------------------------------------------------------------- */

static int core_is_machine(lua_State *L)
{
    lua_pushboolean(L, machine_is(L, 1));
    return 1;
}

/* check_text(text): raises an error if the text contains a byte of 0, where a text in C would end. */
static int core_check_text(lua_State *L)
{
    if (strlen(luaL_checkstring(L, 1)) < lua_rawlen(L, 1))
        script_fail(L, "a text has a byte of 0 in it");
    return 0;
}

/* Whether the path lies in the folder after links are followed. True if the file does not exist, since reading it then fails. */
static bool is_inside(const char *folder, const char *path)
{
    char *real_folder = realpath(folder, NULL), *real = realpath(path, NULL);
    size_t length = real_folder ? strlen(real_folder) : 0;
    bool is_root = length == 1;
    bool inside = real && real_folder && strncmp(real, real_folder, length) == 0 &&
                  (is_root || real[length] == '/');
    bool is_missing = real == NULL;
    free(real_folder);
    free(real);
    return inside || is_missing;
}

/* path_beside(name): the path of a file beside the study's, or below its folder; nil if it leads elsewhere. */
static int core_path_beside(lua_State *L)
{
    const char *name = luaL_checkstring(L, 1);
    char *folder = g_path_get_dirname(sandbox_of(L)->main_path);
    char *path = strcmp(folder, ".") == 0 ? g_strdup(name) : g_build_filename(folder, name, NULL);
    if (!is_inside(folder, path))
        g_clear_pointer(&path, g_free);
    g_free(folder);
    return lua_push_owned(L, path);
}

/* blame(function): later errors are about what the function returned (script_blame). */
static int core_blame(lua_State *L)
{
    script_blame(L);
    return 0;
}

void tables_open(lua_State *L)
{
    static const luaL_Reg functions[] = {{"is_machine", core_is_machine},
                                         {"places", places_lua},
                                         {"results", core_results},
                                         {"blame", core_blame},
                                         {"path_beside", core_path_beside},
                                         {"check_text", core_check_text},
                                         {NULL, NULL}};
    static const struct modules_word words[] = {{"zip", "axes", 1},
                                                {"random", "axes", 3},
                                                {"latin", "axes", 3},
                                                {"pow2", "series", 2},
                                                {"range", "series", 3}};
    modules_add_words(L, words, G_N_ELEMENTS(words));
    modules_push_core(L);
    luaL_setfuncs(L, functions, 0);
    lua_set_integer(L, "NAME_MAX", STUDY_NAME_MAX);
    lua_set_integer(L, "LIST_MAX", LIST_MAX);
    lua_set_integer(L, "COUNT", UNIT_COUNT);
    lua_set_integer(L, "BYTES", UNIT_BYTES);
    lua_pop(L, 1);
}
