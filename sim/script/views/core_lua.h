/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of C that the files in views/ use: the global table `core`. */
#ifndef GPUNETSIM_SCRIPT_VIEWS_CORE_LUA_H
#define GPUNETSIM_SCRIPT_VIEWS_CORE_LUA_H

#include <lua.h>

#include "study/table/table.h"

void core_lua_open(lua_State *L);

/* A column as a Lua table. */
void core_lua_push_column(lua_State *L, const struct table_column *column);

/* The name that the files know a unit by, and the unit of an argument that names one. */
const char *core_lua_unit(enum unit_kind unit);
enum unit_kind core_lua_check_unit(lua_State *L, int argument);

#endif
