/* SPDX-License-Identifier: BSD-3-Clause */
/* Lua compares two texts letter by letter, and nothing that a metatable says changes that; but quantities are
 * texts, and "8B" < "1KiB" has to hold. So each comparison in a script is marked before Lua reads it: what
 * stands on its left goes through the operator `|` with a marker, an object that makes of a quantity what
 * compares as one (machine/quantity_lua.h) and leaves all else as it is. `|` binds just tighter than the
 * comparisons, so that the mark is about the whole operand:
 *
 *     a + b < c    becomes    a + b |order< c
 *     a == b       becomes    a |same== same| b
 */
#pragma once

/* The text of a script with its comparisons marked, on the same lines; the markers are the two arguments of
 * its chunk, order and same. NULL if it has none. What stands before nil, true, false or a
 * number alone needs none, nor an equality with a text that begins like no quantity. The caller frees it with g_free. */
char *compare_mark(const char *text);
