/* SPDX-License-Identifier: BSD-3-Clause */
/* Unknown values stand for results, and for all values computed from them, in a rehearsal, where nothing is simulated: their
 * fields, calls and operators give unknown values again. Where a value has to be known, as in a comparison, the rehearsal ends. */
#pragma once

#include <lua.h>
#include <stdbool.h>

void unknown_push(lua_State *L);
bool unknown_is(lua_State *L, int index);

/* Ends the rehearsal; a script cannot catch that. */
_Noreturn void unknown_leave(lua_State *L);
