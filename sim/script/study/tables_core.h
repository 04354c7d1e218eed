/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files in views/tables/ ask C for: the table `core` in them. */
#ifndef GPUNETSIM_SCRIPT_STUDY_TABLES_CORE_H
#define GPUNETSIM_SCRIPT_STUDY_TABLES_CORE_H

#include <lua.h>

void tables_core_push(lua_State *L);

#endif
