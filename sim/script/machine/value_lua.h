/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads values of axes and measures from Lua, and gives them to Lua. */
#pragma once

#include <lua.h>
#include <stdbool.h>

#include "study/model/value.h"

/* Copies the string, number, boolean or design at `index`; strings stay text. False, with *value unchanged, if it is none of
 * these, or not finite, or contains a NUL. A text that is too long is an error of the script. */
bool value_read(lua_State *L, int index, struct value *value);

/* Sets the fields that give a value to a script: the field `name` is the exact text of a quantity or a text, and the field with
 * the column's name is a number. The table is on top of the stack. */
void value_set_fields(lua_State *L, const char *name, const struct value *value);
