/* SPDX-License-Identifier: BSD-3-Clause */
/* Lengths of the lists that scripts hand over: raw, so that no __len and no __index has a say, and
 * bounded, since the border that Lua finds in a table with gaps can lie anywhere below 2^63. */
#pragma once

#include <lua.h>

/* No study of anybody's is longer. */
#define LIST_MAX 1000000

/* The length of the table at `index`, 0 to LIST_MAX; an error of the script if it is longer, or has anything
 * that is not 1 to its length: what stands behind a gap would go without a word. */
lua_Integer list_length(lua_State *L, int index);

/* The same of a table that may also have names. */
lua_Integer list_part(lua_State *L, int index);
