/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of C that the files in views/ use: the global table `core`. */
#pragma once

#include <lua.h>

#include "study/table/table.h"

void core_lua_open(lua_State *L);

/* A column as a Lua table. */
void core_lua_push_column(lua_State *L, const struct table_column *column);
