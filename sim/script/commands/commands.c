/* SPDX-License-Identifier: BSD-3-Clause */
#include "script/commands/commands.h"

#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "core/home.h"
#include "core/shown.h"
#include "script/commands/served.h"
#include "script/commands/session.h"
#include "script/machine/designs.h"
#include "script/searches/nlopt_lua.h"
#include "script/searches/vary_lua.h"
#include "script/views/views.h"
#include "study/system/interrupt.h"

/* --- what is told ------------------------------------------------------------------------------- */

static void command_tell(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *sentence = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    shown_print(stderr, "gpunetsim: %s\n", sentence);
}

static int exit_code(const GError *error)
{
    if (error->domain == G_OPTION_ERROR)
        return EXIT_CODE_USE;
    if (error->domain != ERROR_DOMAIN)
        return EXIT_CODE_FAILED;
    if (error->code == ERROR_USE)
        return EXIT_CODE_USE;
    return error->code == ERROR_INTERRUPTED ? EXIT_CODE_INTERRUPTED : EXIT_CODE_FAILED;
}

int command_fail(GError *error)
{
    /* An error after Ctrl-C, as when that ends gnuplot, is caused by it. */
    if (interrupt_pending(NULL)) {
        g_clear_error(&error);
        interrupt_pending(&error);
        ending_told();
    }
    int code = exit_code(error);
    g_autofree char *sentence =
        error_sentence(error->message); /* a report may have several lines */
    g_autofree char *line = shown_text(sentence);
    command_tell("%s", code == EXIT_CODE_USE ? line : sentence);
    g_error_free(error);
    return code;
}

/* --- functions of `program` ----------------------------------------------------------------------- */

static int set_exit_code(lua_State *L)
{
    struct session *session = session_of(L);
    session->exit_code = (int)luaL_checkinteger(L, 1);
    return 0;
}

/* tell(sentence): prints it on standard error, behind the program's name. */
static int tell(lua_State *L)
{
    command_tell("%s", luaL_checkstring(L, 1));
    return 0;
}

/* fail(fault): prints the error, and lets the command go on. */
static int fail(lua_State *L)
{
    GError *fault = NULL;
    lua_getfield(L, 1, "sentence");
    lua_getfield(L, 1, "code");
    error_set_code(&fault, (enum error_code)lua_tointeger(L, -1), "%s", lua_tostring(L, -2));
    command_fail(fault);
    return 0;
}

static int check_interrupt(lua_State *L, GError **error)
{
    (void)L;
    interrupt_pending(error);
    return 0;
}

/* load_designs(): loads the project's named designs, which most commands use. */
static int load_designs(lua_State *L, GError **error)
{
    (void)L;
    g_autofree char *path = home_path("configs/designs.lua", NULL);
    if (path)
        designs_load(path, error);
    return 0;
}

static const struct session_function functions[] = {{"load_designs", load_designs, NULL},
                                                    {"exit", NULL, set_exit_code},
                                                    {"tell", NULL, tell},
                                                    {"fail", NULL, fail},
                                                    {"check_interrupt", check_interrupt, NULL},
                                                    {NULL, NULL, NULL}};

static int push_program(lua_State *L, void *session)
{
    session_open(L, session, functions);
    vary_lua_open(L);
    nlopt_lua_open(L);
    return 0;
}

/* The arguments of main in views/command.lua: the command line, and name and description of a program that only sweeps. */
static GVariant *arguments_of(int argc, char **argv, const struct commands_sweep *sweep)
{
    GVariant *words = g_variant_new_bytestring_array((const char *const *)argv + 1, argc - 1);
    return sweep ? g_variant_new("(@aayssb)", words, sweep->program, sweep->description,
                                 sweep->is_helper)
                 : g_variant_new("(@aay)", words);
}

int commands_run(int argc, char **argv, const struct commands_sweep *sweep)
{
    GError *error = NULL;
    bool is_served = !sweep && argc == 3 && strcmp(argv[1], "serve") == 0;
    if (is_served && !served_begin(argv[2], &error))
        return error->code == ERROR_USE ? command_fail(error) : served_fail(error);
    struct session session = {.sweep = sweep, .objects = g_hash_table_new(NULL, NULL)};
    g_auto(GStrv) none = views_run("command", sweep ? "sweep" : "main", push_program, &session,
                                   arguments_of(argc, argv, sweep), &error);
    session_close(&session);
    g_clear_pointer(&session.resolved.store, store_close);
    return none ? session.exit_code : is_served ? served_fail(error) : command_fail(error);
}
