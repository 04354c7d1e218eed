/* SPDX-License-Identifier: BSD-3-Clause */
/* Designs in Lua: `design { from = "comp-net", server = "gpu_warp", queue = { memory = "host" } }`. */
#pragma once

#include <lua.h>

#include "protocols/design.h"

/* Adds the word. */
void design_open(lua_State *L);

/* The design at `index`, good as long as that is on the stack; NULL if it is none. */
const struct design *design_at(lua_State *L, int index);

/* Pushes what it is called in tables and figures: the name that it was given, or design_text. */
const char *design_push_label(lua_State *L, int index);

/* Of a script that has been loaded: raises an error if a design in it names a runtime that no machine of it has described. */
void design_check_expected(lua_State *L);

/* Makes a named design of the object at `index` (absolute); the caller clears `named` (all 0 before) with
 * named_design_clear, also after an error. */
void design_read(lua_State *L, int index, const char *name, struct named_design *named);
