/* SPDX-License-Identifier: BSD-3-Clause */
/* The project's own Lua files for what scripts hand over: views/tables/NAME.lua checks and orders it, where C would walk tables. They run
 * in the script's state and under its limits, and what they refuse has the script's own line. Beside the language they have `core`:
 * functions of the rooms. */
#pragma once

#include <lua.h>

/* Pushes `core`, to which rooms add before a file is called. */
void modules_push_core(lua_State *L);

/* Calls `function` of views/tables/FILE.lua with the `arguments` values on top of the stack, which it pops, and leaves the one result. */
void modules_call(lua_State *L, const char *file, const char *function, int arguments);
