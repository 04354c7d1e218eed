/* SPDX-License-Identifier: BSD-3-Clause */
/* Guards around the functions of Lua's library that could run for long, or for ever, between two instructions. A guard replaces
 * the function in its library and calls it. */
#pragma once

#include <lua.h>

/* Wraps the function `name` of the table on top of the stack; `guard` has it as upvalue 1, and `extra` as upvalue 2. */
void guard_field(lua_State *L, const char *name, lua_CFunction guard, int extra);

/* For guards: calls the guarded function with the given arguments, and returns its results. */
int guard_call_original(lua_State *L);

/* Each guards the functions of one library, the table on top of the stack. */
void guard_base(lua_State *L);
void guard_string(lua_State *L);
void guard_table(lua_State *L);
void guard_utf8(lua_State *L);
