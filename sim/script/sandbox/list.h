/* SPDX-License-Identifier: BSD-3-Clause */
/* Lengths of the lists that scripts pass: raw, so that __len and __index have no effect, and bounded, since the border that Lua
 * finds in a table with gaps can lie anywhere below 2^63. */
#pragma once

#include <lua.h>

/* More elements than any list of a study needs. */
#define LIST_MAX 1000000

/* The length of the table at `index`, 0 to LIST_MAX; an error of the script if it is longer, or has a key other than 1 to its
 * length: elements behind a gap would be lost silently. */
lua_Integer list_length(lua_State *L, int index);

/* The same of a table that may also have names. */
lua_Integer list_part(lua_State *L, int index);
