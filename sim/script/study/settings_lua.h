/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings of a study: settings { window = 64, machine = require "configs.summit" } returns the table with what the command
 * line gives ("study.window=8") in place of its values. */
#pragma once

#include <lua.h>

/* Adds the word. */
void settings_open(lua_State *L);

/* Raises an error if the command line gives a setting that the file which has been loaded does not have. */
void settings_check(lua_State *L);
