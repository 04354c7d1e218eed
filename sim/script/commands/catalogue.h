/* SPDX-License-Identifier: BSD-3-Clause */
/* The contents of the program for views/help.lua and views/list.lua: tables of parameters and designs. */
#pragma once

#include <lua.h>

/* Pushes a table with a list of the parameter tables and one of the designs. Returns 1. */
int catalogue(lua_State *L);
