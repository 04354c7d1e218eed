/* SPDX-License-Identifier: BSD-3-Clause */
/* The project's own Lua files in views/, which make texts for readers of results. They are not the user's and run without
 * limits; views.c makes the table `core` that they use. */
#pragma once

#include <glib.h>

/* Calls `function` of views/FILE.lua with the arguments, a tuple of dictionaries (a{sv}), arrays, byte strings, numbers and
 * booleans, which is taken over if it is floating. Returns the texts that the function returns as a list, which the
 * caller frees with g_strfreev. NULL and an error: the one that the function raises as { sentence = ... } (ERROR_USE, or its
 * `code`), or ERROR_RUN if the file cannot be run. */
char **views_texts(const char *file, const char *function, GVariant *arguments, GError **error);

struct lua_State;

/* Pushes the first arguments of a function; returns how many there are. */
typedef int views_push(struct lua_State *L, void *context);

/* The same with first arguments that `push` pushes, such as C functions with which a search runs points. */
char **views_call(const char *file, const char *function, views_push *push, void *context,
                  GVariant *arguments, GError **error);

/* The same for the last call of a program: the state is not closed, and its memory stays until the program ends. */
char **views_run(const char *file, const char *function, views_push *push, void *context,
                 GVariant *arguments, GError **error);

/* A state of its own for repeated calls, with the value that views/FILE.lua returns on its stack. The caller closes it. NULL
 * and one sentence (ERROR_RUN) if the file cannot be run. */
struct lua_State *views_open(const char *file, GError **error);

/* Pushes a value as views_texts gives it to a function. */
void views_push_value(struct lua_State *L, GVariant *value);

/* Raises the error, which it takes over, as { sentence = ..., code = ... }, so that views_call returns it. Never returns. */
int views_raise(struct lua_State *L, GError *error);
