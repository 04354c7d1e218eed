/* SPDX-License-Identifier: BSD-3-Clause */
/* Lua compares two texts letter by letter, and nothing that a metatable says changes that; but quantities are texts, and "8B" <
 * "1KiB" has to hold. So each comparison in a script is marked before Lua reads it: the operator `|` applies a marker to its
 * left operand, an object that turns a quantity into a value that compares as one (machine/quantity_lua.h) and returns any
 * other value as it is. `|` binds just tighter than the comparisons, so that it takes the whole operand:
 *
 *     a + b < c    becomes    a + b |order< c
 *     a == b       becomes    a |same== same| b
 */
#pragma once

/* The text of a script with its comparisons marked, on the same lines; the markers are the two arguments of its chunk, order
 * and same. NULL if it has none. No marker is needed for a comparison with nil, true, false or a number alone, nor for an
 * equality with a text that does not begin like a quantity. The caller frees it with g_free. */
char *compare_mark(const char *text);
