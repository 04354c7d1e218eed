/* SPDX-License-Identifier: BSD-3-Clause */
#include "script/commands/commands.h"

#include <lauxlib.h>
#include <string.h>

#include "core/error.h"
#include "script/commands/served.h"
#include "script/commands/session.h"
#include "script/searches/nlopt_lua.h"
#include "script/searches/vary_lua.h"
#include "script/views/views.h"
#include "study/system/interrupt.h"

/* --- options ------------------------------------------------------------------------------------ */

/* Kinds of options, as commands call them. */
static const char *const kinds[] = {"flag",  "text",  "texts",  "file",
                                    "files", "whole", "number", NULL};
static const GOptionArg kind_arguments[] = {G_OPTION_ARG_NONE,           G_OPTION_ARG_STRING,
                                            G_OPTION_ARG_STRING_ARRAY,   G_OPTION_ARG_FILENAME,
                                            G_OPTION_ARG_FILENAME_ARRAY, G_OPTION_ARG_INT,
                                            G_OPTION_ARG_DOUBLE};

/* Where a value goes. */
union given {
    gboolean flag;
    int whole;
    double number;
    char *text, **texts;
};

#define NOT_GIVEN (-G_MAXDOUBLE)

static void set_nothing(GOptionArg argument, union given *given)
{
    *given = (union given){.texts = NULL};
    if (argument == G_OPTION_ARG_INT)
        given->whole = G_MININT;
    else if (argument == G_OPTION_ARG_DOUBLE)
        given->number = NOT_GIVEN;
}

static void push_number(lua_State *L, double number, double not_given)
{
    if (number == not_given)
        lua_pushnil(L);
    else
        lua_pushnumber(L, number);
}

static void push_whole(lua_State *L, gint64 number, gint64 not_given)
{
    if (number == not_given)
        lua_pushnil(L);
    else
        lua_pushinteger(L, number);
}

/* What an option has been given; nil: nothing. */
static void push_given(lua_State *L, const GOptionEntry *entry)
{
    gpointer at = entry->arg_data;
    if (entry->arg == G_OPTION_ARG_NONE)
        lua_pushboolean(L, *(gboolean *)at);
    else if (entry->arg == G_OPTION_ARG_INT)
        push_whole(L, *(int *)at, G_MININT);
    else if (entry->arg == G_OPTION_ARG_INT64)
        push_whole(L, *(gint64 *)at, SEED_NOT_GIVEN);
    else if (entry->arg == G_OPTION_ARG_DOUBLE)
        push_number(L, *(double *)at, NOT_GIVEN);
    else if (entry->arg == G_OPTION_ARG_STRING || entry->arg == G_OPTION_ARG_FILENAME)
        lua_pushstring(L, *(char **)at);
    else if (*(char ***)at)
        vary_lua_push_texts(L, *(char ***)at);
    else
        lua_pushnil(L);
}

static const char *field_text(lua_State *L, int table, const char *field)
{
    lua_getfield(L, table, field);
    const char *text = lua_tostring(L, -1); /* it stays in the table */
    lua_pop(L, 1);
    return text;
}

static const char *item_text(lua_State *L, lua_Integer item)
{
    lua_geti(L, -1, item);
    const char *text = lua_tostring(L, -1);
    lua_pop(L, 1);
    return text;
}

/* The option { name, kind, description, argument, short = } on top of the stack. */
static GOptionEntry own_option(lua_State *L, union given *given)
{
    lua_geti(L, -1, 2);
    GOptionArg argument = kind_arguments[luaL_checkoption(L, -1, NULL, kinds)];
    lua_pop(L, 1);
    const char *letter = field_text(L, -1, "short");
    set_nothing(argument, given);
    return (GOptionEntry){item_text(L, 1), letter ? *letter : 0, 0, argument, given,
                          item_text(L, 3), item_text(L, 4)};
}

/* The options of the list on top of the stack: tables, and names of common ones. */
static GArray *options_of(lua_State *L, struct run_options *common, union given *given)
{
    GArray *entries = g_array_new(TRUE, TRUE, sizeof(GOptionEntry));
    for (lua_Integer i = 1; lua_geti(L, -1, i) != LUA_TNIL; i++) {
        GOptionEntry entry = lua_isstring(L, -1) ? run_options_entry(common, lua_tostring(L, -1))
                                                 : own_option(L, &given[i - 1]);
        g_array_append_val(entries, entry);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    return entries;
}

static lua_Integer field_number(lua_State *L, int table, const char *field)
{
    lua_getfield(L, table, field);
    lua_Integer number = luaL_optinteger(L, -1, 0);
    lua_pop(L, 1);
    return number;
}

static struct command command_of(lua_State *L, int argument)
{
    return (struct command){field_text(L, argument, "name"), field_text(L, argument, "arguments"),
                            field_text(L, argument, "description")};
}

/* The words as main has them, behind the program's name. */
static char **words_of(lua_State *L, int argument, int *count)
{
    GStrv words = session_texts(L, argument);
    *count = (int)g_strv_length(words) + 1;
    char **all = g_new0(char *, (gsize)*count + 1);
    all[0] = g_strdup("gpunetsim");
    memcpy(all + 1, words, (gsize)(*count - 1) * sizeof *words);
    g_free(words);
    return all;
}

/* parse(command, of, words): what the options of `of` are given, by their names, and the list of arguments. */
static int parse(lua_State *L, GError **error)
{
    struct session *session = session_of(L);
    const struct command command = command_of(L, 1);
    int count;
    lua_getfield(L, 2, "options");
    g_autofree union given *given = g_new0(union given, lua_rawlen(L, -1) + 1);
    g_autoptr(GArray) entries = options_of(L, &session->options, given);
    const GOptionEntry *first = (const GOptionEntry *)(void *)entries->data;
    int least = (int)field_number(L, 2, "least"), most = (int)field_number(L, 2, "most");
    g_auto(GStrv) words = words_of(L, 3, &count);
    char **rest = words;
    if (!command_parse(&command, &count, &rest, first->long_name ? first : NULL, least, most,
                       error))
        return 0;
    lua_newtable(L);
    for (const GOptionEntry *entry = first; entry->long_name; entry++) {
        push_given(L, entry);
        lua_setfield(L, -2, entry->long_name);
    }
    vary_lua_push_texts(L, rest + 1);
    return 2;
}

/* --- the rest of a command ----------------------------------------------------------------------- */

/* study(command, words): runs a study as gpunetsim run does, which says itself what went wrong. */
static int study(lua_State *L)
{
    struct session *session = session_of(L);
    const struct command command = command_of(L, 1);
    int count;
    g_auto(GStrv) words = words_of(L, 2, &count);
    session->exit_code = session->in_c->run(&command, count, words);
    return 0;
}

static int set_exit_code(lua_State *L)
{
    struct session *session = session_of(L);
    session->exit_code = (int)luaL_checkinteger(L, 1);
    return 0;
}

/* tell(sentence): on standard error, behind the program's name. */
static int tell(lua_State *L)
{
    command_tell("%s", luaL_checkstring(L, 1));
    return 0;
}

/* fail(fault): says what went wrong, and lets the command go on. */
static int fail(lua_State *L)
{
    GError *fault = NULL;
    lua_getfield(L, 1, "sentence");
    lua_getfield(L, 1, "code");
    error_set_code(&fault, (enum error_code)lua_tointeger(L, -1), "%s", lua_tostring(L, -2));
    command_fail(fault);
    return 0;
}

static int is_interrupted(lua_State *L)
{
    lua_pushboolean(L, interrupt_pending(NULL));
    return 1;
}

static int check_interrupt(lua_State *L, GError **error)
{
    (void)L;
    interrupt_pending(error);
    return 0;
}

/* load_designs(): the project's own, which most commands know. */
static int load_designs(lua_State *L, GError **error)
{
    (void)L;
    command_load_designs(error);
    return 0;
}

/* in_c(): the commands that stay in C. */
static int in_c(lua_State *L)
{
    lua_newtable(L);
    for (const struct command *one = session_of(L)->in_c->list; one->name; one++) {
        lua_newtable(L);
        lua_pushstring(L, one->name);
        lua_setfield(L, -2, "name");
        lua_pushstring(L, one->arguments);
        lua_setfield(L, -2, "arguments");
        lua_pushstring(L, one->description);
        lua_setfield(L, -2, "description");
        lua_seti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
    }
    return 1;
}

static const struct session_function functions[] = {{"parse", parse, NULL},
                                                    {"in_c", NULL, in_c},
                                                    {"load_designs", load_designs, NULL},
                                                    {"study", NULL, study},
                                                    {"exit", NULL, set_exit_code},
                                                    {"tell", NULL, tell},
                                                    {"fail", NULL, fail},
                                                    {"is_interrupted", NULL, is_interrupted},
                                                    {"check_interrupt", check_interrupt, NULL},
                                                    {NULL, NULL, NULL}};

static int push_program(lua_State *L, void *session)
{
    session_open(L, session, functions);
    vary_lua_open(L);
    nlopt_lua_open(L);
    return 0;
}

static int run_in_lua(int argc, char **argv, const struct commands_in_c *in_c_too)
{
    struct session session = {.in_c = in_c_too,
                              .options = RUN_OPTIONS_DEFAULT,
                              .planned = g_ptr_array_new_with_free_func(g_free)};
    GError *error = NULL;
    bool is_served = argc == 3 && strcmp(argv[1], "serve") == 0;
    if (is_served && !served_begin(argv[2], &error))
        return error->code == ERROR_USE ? command_fail(error) : served_fail(error);
    GVariant *words = g_variant_new_bytestring_array((const char *const *)argv + 1, argc - 1);
    g_auto(GStrv) none = views_call("command", "main", push_program, &session,
                                    g_variant_new("(@aay)", words), &error);
    run_options_close(&session.resolved);
    g_ptr_array_unref(session.planned);
    g_free(session.store);
    return none ? session.exit_code : is_served ? served_fail(error) : command_fail(error);
}

static int run_in_c(const struct command *command, int argc, char **argv,
                    const struct commands_in_c *in_c_too)
{
    GError *error = NULL;
    argv[0] = argv[-1];
    return command_load_designs(&error) ? in_c_too->run(command, argc, argv) : command_fail(error);
}

int commands_run(int argc, char **argv, const struct commands_in_c *in_c_too)
{
    for (const struct command *one = in_c_too->list; argc > 1 && one->name; one++)
        if (strcmp(argv[1], one->name) == 0)
            return run_in_c(one, argc - 1, argv + 1, in_c_too);
    return run_in_lua(argc, argv, in_c_too);
}
