/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings of a study: settings { window = 64, machine = require "configs.summit" } returns the table, in which values of the
 * command line ("study.window=8") replace those of the file. */
#pragma once

#include <lua.h>

/* Adds the word settings (views/tables/settings.lua). */
void settings_open(lua_State *L);

/* Raises an error if the command line gives a setting that the loaded file does not have. */
void settings_check(lua_State *L);
