/* SPDX-License-Identifier: BSD-3-Clause */
/* What the program has, for views/help.lua and views/list.lua: tables of parameters and designs. */
#pragma once

#include <lua.h>

/* Pushes a table with a list of each. Returns 1. */
int catalogue(lua_State *L);
