/* SPDX-License-Identifier: BSD-3-Clause */
/* Records: tables that a script may read but not change, and in which an unknown name is an error
 * that lists the known ones. */
#pragma once

#include <lua.h>
#include <stddef.h>

/* Replaces the table (string keys) on top of the stack by a record of it. `what` names it in
 * messages: `unknown name "byts" in the point`. */
void record_push(lua_State *L, const char *what);

/* Pushes a sorted list of the string keys of the table at `index`. */
void record_sorted_keys(lua_State *L, int index);

/* The strings of the list at `index` as an array, which is pushed as a userdata; it is good as long
 * as both stay on the stack. */
const char *const *record_strings(lua_State *L, int index, size_t *count);

/* Raises `unknown WORD "name" in WHAT; did you mean ...`, the accepted names are the list of strings on top of the stack. */
_Noreturn void record_unknown(lua_State *L, const char *word, const char *name, const char *what);
