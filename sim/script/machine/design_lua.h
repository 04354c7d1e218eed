/* SPDX-License-Identifier: BSD-3-Clause */
/* Designs in Lua: `design { from = "comp-net", server = "gpu_warp", queue = { memory = "host" } }`. */
#pragma once

#include <lua.h>

#include "protocols/design.h"

/* Adds the word design. */
void design_open(lua_State *L);

/* The design at `index`, valid as long as it is on the stack; NULL if the value is no design. */
const struct design *design_at(lua_State *L, int index);

/* Pushes the design's label in tables and figures: its name, or else design_text. */
const char *design_push_label(lua_State *L, int index);

/* Called after a script has been loaded: raises an error if one of its designs names a runtime that none of its machines has
 * described. */
void design_check_expected(lua_State *L);
