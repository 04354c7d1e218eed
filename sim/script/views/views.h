/* SPDX-License-Identifier: BSD-3-Clause */
/* The project's own Lua files in views/, which make texts for readers of results. They have no limits, as they
 * are no user's; `core` in them is views.c's. */
#pragma once

#include <glib.h>

#include "study/table/table.h"

/* Calls `function` of views/FILE.lua with the arguments, a tuple of dictionaries (a{sv}), arrays, byte strings, numbers, booleans
 * and tables, which is taken over if it is floating. Returns the texts that the function returns as a list, which the caller
 * frees with g_strfreev. NULL and the error that it raises as { sentence = ... } (ERROR_USE, or its `code`), or that the file cannot be run
 * (ERROR_RUN). */
char **views_texts(const char *file, const char *function, GVariant *arguments, GError **error);

struct lua_State;

/* Pushes what a function is called with before its other arguments; returns how many that are. */
typedef int views_push(struct lua_State *L, void *context);

/* The same with first arguments that `push` pushes: functions of C, say, with which a search runs points. */
char **views_call(const char *file, const char *function, views_push *push, void *context,
                  GVariant *arguments, GError **error);

/* The same for what a program does before it ends: the state's memory stays until then. */
char **views_run(const char *file, const char *function, views_push *push, void *context,
                 GVariant *arguments, GError **error);

/* A state of its own with what views/FILE.lua returns on its stack, for calls again and again; closed by the caller. NULL and one
 * sentence (ERROR_RUN) if the file cannot be run. */
struct lua_State *views_open(const char *file, GError **error);

/* Pushes a value as views_texts gives it to a function. */
void views_push_value(struct lua_State *L, GVariant *value);

/* Raises the error, which it takes over, as { sentence = ..., code = ... }: views_call gives it again. Returns never. */
int views_raise(struct lua_State *L, GError *error);

/* A table as an argument: its address, so it has to be there during the call. */
GVariant *views_table(const struct table *table);

/* Adds a byte string to a dictionary; nothing if it is NULL. */
void views_add_text(GVariantBuilder *dictionary, const char *name, const char *text);
