/* SPDX-License-Identifier: BSD-3-Clause */
/* Of `program`: the options of a command line, which GLib takes out of it. */
#include <lauxlib.h>
#include <string.h>

#include "core/error.h"
#include "core/param.h"
#include "script/commands/session.h"
#include "script/searches/vary_lua.h"
#include "script/values/values.h"

/* Kinds of options, as commands call them. */
static const char *const kinds[] = {"flag",  "text",  "texts",  "file",
                                    "files", "whole", "number", NULL};
static const GOptionArg kind_arguments[] = {G_OPTION_ARG_NONE,           G_OPTION_ARG_STRING,
                                            G_OPTION_ARG_STRING_ARRAY,   G_OPTION_ARG_FILENAME,
                                            G_OPTION_ARG_FILENAME_ARRAY, G_OPTION_ARG_INT64,
                                            G_OPTION_ARG_DOUBLE};

/* Where a value goes. */
union given {
    gboolean flag;
    gint64 whole;
    double number;
    char *text, **texts;
};

#define NOT_GIVEN (-G_MAXDOUBLE)

static void set_nothing(GOptionArg argument, union given *given)
{
    *given = (union given){.texts = NULL};
    if (argument == G_OPTION_ARG_INT64)
        given->whole = G_MININT64;
    else if (argument == G_OPTION_ARG_DOUBLE)
        given->number = NOT_GIVEN;
}

/* What an option has been given, which it frees; nil: nothing. */
static void push_given(lua_State *L, const GOptionEntry *entry)
{
    union given *given = entry->arg_data;
    if (entry->arg == G_OPTION_ARG_NONE) {
        lua_pushboolean(L, given->flag);
    } else if (entry->arg == G_OPTION_ARG_INT64 && given->whole != G_MININT64) {
        lua_pushinteger(L, given->whole);
    } else if (entry->arg == G_OPTION_ARG_DOUBLE && given->number != NOT_GIVEN) {
        lua_pushnumber(L, given->number);
    } else if (entry->arg == G_OPTION_ARG_INT64 || entry->arg == G_OPTION_ARG_DOUBLE) {
        lua_pushnil(L);
    } else if (entry->arg == G_OPTION_ARG_STRING || entry->arg == G_OPTION_ARG_FILENAME) {
        lua_push_owned(L, given->text);
    } else if (given->texts) {
        lua_push_texts(L, given->texts);
        g_strfreev(given->texts);
    } else {
        lua_pushnil(L);
    }
}

/* A text of the table on top of the stack, where it stays. */
static const char *item_text(lua_State *L, lua_Integer item)
{
    lua_geti(L, -1, item);
    const char *text = lua_tostring(L, -1);
    lua_pop(L, 1);
    return text;
}

/* The option { name, kind, description, argument, short = } on top of the stack. */
static GOptionEntry option_of(lua_State *L, union given *given)
{
    lua_geti(L, -1, 2);
    GOptionArg argument = kind_arguments[luaL_checkoption(L, -1, NULL, kinds)];
    lua_getfield(L, -2, "short");
    const char *letter = lua_tostring(L, -1);
    lua_pop(L, 2);
    set_nothing(argument, given);
    return (GOptionEntry){item_text(L, 1), letter ? *letter : 0, 0, argument, given,
                          item_text(L, 3), item_text(L, 4)};
}

static GArray *options_of(lua_State *L, int list, union given *given)
{
    GArray *entries = g_array_new(TRUE, TRUE, sizeof(GOptionEntry));
    for (lua_Integer i = 1; lua_geti(L, list, i) != LUA_TNIL; i++) {
        GOptionEntry entry = option_of(L, &given[i - 1]);
        g_array_append_val(entries, entry);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    return entries;
}

/* Takes the options out of the words; the others stay. `--help` ends the program. */
static bool take_options(lua_State *L, const GArray *entries, char ***words, GError **error)
{
    g_autoptr(GOptionContext) context = g_option_context_new(lua_tostring(L, 2));
    g_option_context_set_summary(context, lua_tostring(L, 3));
    if (entries->len)
        g_option_context_add_main_entries(context, (const GOptionEntry *)(void *)entries->data,
                                          NULL);
    g_set_prgname(luaL_checkstring(L, 1));
    return g_option_context_parse_strv(context, words, error);
}

/* parse(program, arguments, description, options, words), nil arguments and description where nobody asks for help: what the options are given, by their names, and a list of the arguments. The
 * first word is the program's. If there is no such option: nil and GLib's sentence on it. */
static int parse(lua_State *L, GError **error)
{
    g_autofree union given *given = g_new0(union given, lua_rawlen(L, 4) + 1);
    g_autoptr(GArray) entries = options_of(L, 4, given);
    g_auto(GStrv) words = lua_texts_at(L, 5);
    if (!take_options(L, entries, &words, error)) {
        bool is_unknown = g_error_matches(*error, G_OPTION_ERROR, G_OPTION_ERROR_UNKNOWN_OPTION);
        lua_pushnil(L);
        lua_pushstring(L, (*error)->message);
        if (is_unknown)
            g_clear_error(error);
        return 2;
    }
    lua_newtable(L);
    for (guint i = 0; i < entries->len; i++) {
        const GOptionEntry *entry = &g_array_index(entries, GOptionEntry, i);
        push_given(L, entry);
        lua_setfield(L, -2, entry->long_name);
    }
    lua_push_texts(L, words + 1);
    return 2;
}

const struct session_function session_options[] = {{"parse", parse, NULL}, {NULL, NULL, NULL}};
