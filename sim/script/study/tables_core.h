/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files in views/tables/ ask C for about studies: functions of `core` (script/sandbox/modules.h). */
#pragma once

#include <lua.h>

void tables_core_open(lua_State *L);
