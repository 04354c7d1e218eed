/* SPDX-License-Identifier: BSD-3-Clause */
/* Machines: the word `machine`, machine objects, and struct machine from them. */
#pragma once

#include <lua.h>
#include <stdbool.h>

#include "study/model/study.h"

/* Adds the word machine. */
void machine_open(lua_State *L);

/* Whether the value at `index` is a machine object. */
bool machine_is(lua_State *L, int index);

/* Makes a struct machine of the object at `index` (absolute). */
void machine_read(lua_State *L, int index, struct machine **machine);
