/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of C that the files in views/ use: the global table `core`. */
#pragma once

#include <lua.h>

void core_lua_open(lua_State *L);
