/* SPDX-License-Identifier: BSD-3-Clause */
/* Of `program`: the options of a command line, which GLib takes out of it. */
#include <lauxlib.h>
#include <string.h>

#include "core/error.h"
#include "core/param.h"
#include "script/commands/session.h"
#include "script/searches/vary_lua.h"

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
        session_push_text(L, given->text);
    } else if (given->texts) {
        vary_lua_push_texts(L, given->texts);
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

static const char *last_word(const char *sentence)
{
    const char *space = strrchr(sentence, ' ');
    return space ? space + 1 : sentence;
}

/* Names the option that was meant by one that there is none of, or says where they stand. */
static void suggest_option(const GArray *entries, char *const *words, GError **error)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    const char *nearest = NULL, *wrong = NULL;
    for (guint i = 0; i < entries->len; i++)
        g_ptr_array_add(names, (gpointer)(gsize)g_array_index(entries, GOptionEntry, i).long_name);
    for (; *words && !nearest; words++) {
        g_autofree char *name =
            g_str_has_prefix(*words, "--") ? g_strndup(*words + 2, strcspn(*words + 2, "=")) : NULL;
        if (!name || !g_str_has_suffix((*error)->message, *words))
            continue;
        wrong = *words;
        nearest = param_nearest(name, (const char *const *)names->pdata, names->len);
    }
    g_autofree char *option = g_strdup(wrong ? wrong : last_word((*error)->message));
    g_clear_error(error);
    if (nearest)
        error_set(error, "unknown option %s; did you mean --%s?", option, nearest);
    else
        error_set(error, "unknown option %s; \"%s --help\" lists those there are", option,
                  g_get_prgname());
}

/* Takes the options out of the words; the others stay. `--help` ends the program. */
static bool take_options(lua_State *L, const GArray *entries, char ***words, GError **error)
{
    g_autofree char **all = g_memdup2(*words, (g_strv_length(*words) + 1) * sizeof **words);
    g_autoptr(GOptionContext) context = g_option_context_new(lua_tostring(L, 2));
    g_option_context_set_summary(context, lua_tostring(L, 3));
    if (entries->len)
        g_option_context_add_main_entries(context, (const GOptionEntry *)(void *)entries->data,
                                          NULL);
    g_set_prgname(luaL_checkstring(L, 1));
    bool is_parsed = g_option_context_parse_strv(context, words, error);
    if (!is_parsed && g_error_matches(*error, G_OPTION_ERROR, G_OPTION_ERROR_UNKNOWN_OPTION))
        suggest_option(entries, all, error);
    return is_parsed;
}

/* parse(program, arguments, description, options, words), nil arguments and description where nobody asks for help: what the options are given, by their names, and a list of the arguments. The
 * first word is the program's. */
static int parse(lua_State *L, GError **error)
{
    g_autofree union given *given = g_new0(union given, lua_rawlen(L, 4) + 1);
    g_autoptr(GArray) entries = options_of(L, 4, given);
    g_auto(GStrv) words = session_texts(L, 5);
    if (!take_options(L, entries, &words, error))
        return 0;
    lua_newtable(L);
    for (guint i = 0; i < entries->len; i++) {
        const GOptionEntry *entry = &g_array_index(entries, GOptionEntry, i);
        push_given(L, entry);
        lua_setfield(L, -2, entry->long_name);
    }
    vary_lua_push_texts(L, words + 1);
    return 2;
}

const struct session_function session_options[] = {{"parse", parse, NULL}, {NULL, NULL, NULL}};
