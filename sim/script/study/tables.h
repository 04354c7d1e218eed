/* SPDX-License-Identifier: BSD-3-Clause */
/* Plain tables, as the files in views/tables make them (script/sandbox/modules.h), for files in views/. */
#pragma once

#include <glib.h>
#include <lua.h>

/* Pops the table on top of the stack and turns it into *value for files in views/: a dictionary or, if it has a list part, a
 * list, of texts, numbers, switches and such tables. The caller owns it, even if an error ends the call. */
void tables_variant(lua_State *L, GVariant **value);
