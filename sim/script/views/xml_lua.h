/* SPDX-License-Identifier: BSD-3-Clause */
/* XML for the files in views/, read by GLib. */
#pragma once

#include <lua.h>

/* xml(text, file): the outermost element, a table of its `name`, its `line`, its `attributes` by name, and the elements in it from 1
 * on; texts between elements are left out. Raises a sentence "FILE:LINE: ..." if it is no XML. */
int xml_lua_read(lua_State *L);
