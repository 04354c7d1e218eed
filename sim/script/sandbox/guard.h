/* SPDX-License-Identifier: BSD-3-Clause */
/* Guards around the functions of Lua's library that could work for long, or for ever, between two
 * instructions. A guard replaces the function in its library and calls it. */
#pragma once

#include <lua.h>

/* Wraps the function `name` of the table on top; `guard` finds it as upvalue 1, `extra` as 2. */
void guard_field(lua_State *L, const char *name, lua_CFunction guard, int extra);

/* For guards: calls the function guarded with the arguments given, and returns what it does. */
int guard_call_original(lua_State *L);

/* Guard the functions of one library, the table on top. */
void guard_base(lua_State *L);
void guard_string(lua_State *L);
void guard_table(lua_State *L);
void guard_utf8(lua_State *L);
