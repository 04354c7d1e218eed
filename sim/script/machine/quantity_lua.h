/* SPDX-License-Identifier: BSD-3-Clause */
/* Quantities in Lua: operators on a text that is a quantity ("8B", "1.5us") compute with the quantity.
 *
 *   p.bytes * 2, 2 * "8B"                 the same kind, rounded to the base unit
 *   "1KiB" + "8B", - % , -"5ns"           quantities of one kind
 *   r.latency / r2.latency, //            of one kind: a number
 *   "1GB" / "2s", "1GB/s" * "2s", ...     products and quotients of bytes, rates, times, powers, energies and frequencies
 *   p.bytes < "1MiB", == ~= <= > >=       as quantities of one kind (sandbox/grammar.h)
 *   r.latency:us(), p.bytes:KiB()         the number in that unit
 *   quantity(r.latency)                   the number in the base unit
 *
 * Operations without a meaning ("8B" + "5ns", "8B" < 3, ("8B"):us()) are errors of the script. Operands and results are texts,
 * so that they can be keys of tables, arguments and measures. */
#pragma once

#include <lua.h>

/* Gives texts these operators and methods, and adds the word quantity. */
void quantity_open(lua_State *L);

/* Pushes the two markers of grammar_mark. */
void quantity_push_markers(lua_State *L);
