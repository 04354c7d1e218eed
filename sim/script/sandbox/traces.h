/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a call has left something in a Lua state that a later call could see. */
#pragma once

#include "script/sandbox/sandbox.h"

/* Remembers all that a script can reach from its texts and from what `push_roots` pushes, one value, as it stands now. A
 * state that reaches more than TRACES_MOST values is not remembered. */
#define TRACES_MOST 20000

/* A field of the metatable of userdata that never change, nor does what they hold: nobody looks into them. */
#define TRACES_CONSTANT "__constant"

void traces_mark(struct script_state *state, void (*push_roots)(lua_State *L));

/* Whether all of it stands as it was remembered. False if it was not remembered. */
bool traces_are_none(struct script_state *state);

/* The same within a call, of what can be reached from the value on top of the stack: it is replaced by a list of that. False if
 * it is too much. Later, whether all of it stands as it was listed. Both may raise an error of memory. */
bool traces_list(lua_State *L, uint64_t *digest);
bool traces_stay(lua_State *L, int list, uint64_t digest);
