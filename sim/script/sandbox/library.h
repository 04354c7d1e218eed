/* SPDX-License-Identifier: BSD-3-Clause */
/* The names that a script can use: the safe and repeatable part of Lua's library, and the project's own functions. */
#pragma once

#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>

/* Adds the language's safe library to a bare state. Called once. */
void library_open(lua_State *L);

/* Pops a value and makes it the global word `name`, which no script can change. */
void library_add_builtin(lua_State *L, const char *name);

/* Pushes the environment for one file: it has the project's functions, and global variables that no other file sees. */
void library_push_environment(lua_State *L);

/* Gives the userdata on top the metatable called `name`, made of `methods` (NULL: none) at first use and
 * closed to scripts. Methods whose names do not begin with __ are left out: __index has to find them. */
void library_set_metatable(lua_State *L, const char *name, const luaL_Reg *methods);

/* Pushes the method among `methods` (NULL-ended) that argument 2 names. False if there is none of that name. */
bool library_push_method(lua_State *L, const luaL_Reg *methods);

/* Sorts the list on top of the stack: numbers first, then strings, then false and true. */
void library_sort(lua_State *L);

/* Returns iterator, state and start of pairs over the table at `index`, in the order of its keys. */
int library_pairs(lua_State *L, int index);
