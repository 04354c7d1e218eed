/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of axes and measures from Lua, and to it. */
#pragma once

#include <lua.h>
#include <stdbool.h>

#include "study/model/value.h"

/* Copies the string, number, boolean or design at `index`; strings stay text. False, and *value untouched,
 * if it is none of these (or not finite, or holds a NUL). A text that is too long is the script's
 * error. */
bool value_read(lua_State *L, int index, struct value *value);

/* Sets the fields by which a script sees a value: `name` is its exact text if it is a quantity or a
 * text, its column's name a number. The table is on top of the stack. */
void value_set_fields(lua_State *L, const char *name, const struct value *value);
