/* SPDX-License-Identifier: BSD-3-Clause */
/* What stands for a result, and for all that is computed from it, in a rehearsal, where nothing is simulated: fields, calls and
 * operators of it give another. Where it has to be known, such as in a comparison, the rehearsal ends. */
#pragma once

#include <lua.h>
#include <stdbool.h>

void unknown_push(lua_State *L);
bool unknown_is(lua_State *L, int index);

/* Ends the rehearsal; nothing catches that. */
_Noreturn void unknown_leave(lua_State *L);
