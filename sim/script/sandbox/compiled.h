/* SPDX-License-Identifier: BSD-3-Clause */
/* The project's own Lua files that several states run: each file is compiled once in a process. */
#pragma once

#include <lua.h>
#include <stdbool.h>

/* Pushes the chunk of the file at `path`; false if it cannot be read or compiled, with the error pushed instead. Its name in
 * messages is `name`, as luaL_loadbufferx has it. */
bool compiled_load(lua_State *L, const char *path, const char *name);
