/* SPDX-License-Identifier: BSD-3-Clause */
/* Just enough of Lua's grammar to find comparisons, and keys of tables, in the text of a script. */
#pragma once

#include <stddef.h>

/* Lua compares two texts letter by letter, and nothing that a metatable says changes that; but quantities are texts, and "8B" <
 * "1KiB" has to hold. So each comparison in a script is marked before Lua reads it: the operator `|` applies a marker to its
 * left operand, an object that turns a quantity into a value that compares as one (machine/quantity_lua.h) and returns any
 * other value as it is. `|` binds just tighter than the comparisons, so that it takes the whole operand:
 *
 *     a + b < c    becomes    a + b |order< c
 *     a == b       becomes    a |same== same| b
 *
 * Returns the text with its comparisons marked, on the same lines; the markers are the two arguments of its chunk, order and
 * same. NULL if it has none. No marker is needed for a comparison with nil, true, false or a number alone, nor for an equality
 * with a text that does not begin like a quantity. The caller frees it with g_free. */
char *grammar_mark(const char *text);

/* The line on which keys[depth - 1] is written in the first table constructor at or after `line` (1 is
 * the first), inside the table of keys[depth - 2], and so on. `line` itself if it is not found, as
 * when the table was made elsewhere. */
int grammar_key_line(const char *text, int line, const char *const *keys, size_t depth);

/* Finds the first key that a table constructor has twice, as in { a = 1, a = 2 }, where Lua would take the last value. Returns
 * the line of its second occurrence; 0 if there is no such key. Keys are names and ["texts"]. *key is then the key, which the
 * caller frees with g_free, and *first the line of its first occurrence. */
int grammar_duplicate_key(const char *text, char **key, int *first);
