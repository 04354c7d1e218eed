/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a call has left something in a Lua state that a later call could see. */
#pragma once

#include "script/sandbox/sandbox.h"

/* Remembers the present state of all values that a script can reach from its texts and from the one value that `push_roots`
 * pushes. It remembers nothing if these are more than TRACES_MOST values. */
#define TRACES_MOST 20000

/* A field of the metatable of userdata that never change, nor do the values that they hold: they are not searched. */
#define TRACES_CONSTANT "__constant"

void traces_mark(struct script_state *state, void (*push_roots)(lua_State *L));

/* Whether all of these values are as they were remembered. False if nothing was remembered. */
bool traces_are_none(struct script_state *state);

/* The same within a call, for the values that can be reached from the value on top of the stack, which traces_list replaces by
 * a list of them; false if they are too many. traces_stay: whether all of them are as they were listed. Both may raise an error
 * of memory. */
bool traces_list(lua_State *L, uint64_t *digest);
bool traces_stay(lua_State *L, int list, uint64_t digest);
