/* SPDX-License-Identifier: BSD-3-Clause */
/* What the program has, for views/help.lua and views/list.lua: its commands, tables of parameters, designs and measures. */
#ifndef GPUNETSIM_CLI_CATALOGUE_H
#define GPUNETSIM_CLI_CATALOGUE_H

#include <lua.h>

/* A views_push (script/views/views.h) of one table; the context is not used. */
int catalogue_push(lua_State *L, void *context);

#endif
