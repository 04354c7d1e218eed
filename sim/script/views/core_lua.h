/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of C that the files in views/ use: the global table `core`. */
#ifndef GPUNETSIM_SCRIPT_VIEWS_CORE_LUA_H
#define GPUNETSIM_SCRIPT_VIEWS_CORE_LUA_H

#include <lua.h>

#include "study/table/table.h"

void core_lua_open(lua_State *L);

/* A column as a Lua table, and back; texts of the latter are the caller's. */
void core_lua_push_column(lua_State *L, const struct table_column *column);
struct table_column core_lua_column(lua_State *L, int index);

#endif
