/* SPDX-License-Identifier: BSD-3-Clause */
/* One run of the Lua commands (views/command.lua): data shared by its C functions. They are fields of the global table `program`. */
#pragma once

#include <lua.h>

#include "script/commands/commands.h"

struct session {
    const struct commands_sweep *sweep; /* NULL: the program with all commands */
    int exit_code;
    struct runner_options resolved;
    bool was_interrupted; /* the run was interrupted and keeps its rows */
    bool sees_rows;       /* what shows the progress needs all measures of the rows */
    GHashTable *objects;  /* objects that Lua holds */
};

/* A function of `program`: pushes its results and returns their number. `call` may fail: it sets the error, which is then
 * raised. It raises no Lua error itself while it has something to free. */
struct session_function {
    const char *name; /* NULL: the end of a list */
    int (*call)(lua_State *L, GError **error);
    lua_CFunction plain; /* a function that cannot fail, if `call` is NULL */
};

extern const struct session_function session_options[], session_files[], session_machines[],
    session_stores[], session_studies[], session_watched[], session_experiments[],
    session_schedules[], session_served[], session_rows[];

/* Pushes the contents of the program for views/help.lua and views/list.lua: a list of the parameter tables and one of the designs. */
int catalogue(lua_State *L);

/* Makes the table `program` of all functions. session_close frees objects that Lua still holds: its state is not closed. */
void session_open(lua_State *L, struct session *session, const struct session_function *own);
void session_close(struct session *session);
struct session *session_of(lua_State *L);

/* session_push_object pushes an object that Lua owns from now on: `free` is called at the latest when the command has ended.
 * session_object returns argument `argument` as such an object. */
void session_push_object(lua_State *L, gpointer object, GDestroyNotify free);
gpointer session_object(lua_State *L, int argument);

/* Pushes a value, which may be floating, as views_texts gives it to functions. Returns 1. */
int session_push_value(lua_State *L, GVariant *value);

/* Appends the name of a value's column and the text of the value to the list on top of the stack. */
void session_append_column(lua_State *L, const char *name, const struct value *value);
