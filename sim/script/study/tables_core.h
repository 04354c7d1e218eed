/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files in views/tables/ ask C for: the table `core` in them. */
#pragma once

#include <lua.h>

void tables_core_push(lua_State *L);
