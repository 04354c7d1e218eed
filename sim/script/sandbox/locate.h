/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the line of a key in the source text of a table constructor. */
#pragma once

#include <stddef.h>

/* The line on which keys[depth - 1] is written in the first constructor at or after `line` (1 is
 * the first), inside the table of keys[depth - 2], and so on. `line` itself if it is not found, as
 * when the table was made elsewhere. */
int locate_key(const char *text, int line, const char *const *keys, size_t depth);

/* Finds the first key that a table constructor of a Lua text has twice, as in { a = 1, a = 2 }, where Lua would take the last
 * value. Returns the line of its second occurrence; 0 if there is no such key. Keys are names and ["texts"]. *key is then the
 * key, which the caller frees with g_free, and *first the line of its first occurrence. */
int locate_duplicate_key(const char *text, char **key, int *first);
