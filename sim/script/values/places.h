/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples of a range. */
#pragma once

#include <lua.h>

/* places(seed, name, count, way): a list of `count` numbers from 0 to 1, drawn for this name and seed. "random": each for itself, below 1;
 * "latin": below 1, one in each of `count` equal parts; "even": from 0 to 1 in `count` equal steps, in a random order. */
int places_lua(lua_State *L);
