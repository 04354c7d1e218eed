/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions about studies for the files in views/tables/: functions of `core` (script/sandbox/modules.h). */
#pragma once

#include <lua.h>

void tables_core_open(lua_State *L);
