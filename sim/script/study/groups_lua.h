/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups of axes that advance together, and lists of values: the words zip, random and latin, pow2 and range. */
#pragma once

#include <lua.h>
#include <stdbool.h>

/* Adds the words. */
void groups_open(lua_State *L);

/* Whether the value at `index` is a group; if so, pushes its axes as a list of { name, values }. */
bool groups_push_axes(lua_State *L, int index);
