/* SPDX-License-Identifier: BSD-3-Clause */
/* Files: where they are looked for, how they are read and run. */
#ifndef GPUNETSIM_SCRIPT_MACHINE_REQUIRE_H
#define GPUNETSIM_SCRIPT_MACHINE_REQUIRE_H

#include <lua.h>

/* Adds the word `require` and sets the folders it looks in, for a main file at `path` (script_project_root). */
void require_open(lua_State *L, const char *path);

/* Loads and runs the main file; pushes the one value that it returns. */
void require_run_main(lua_State *L, const char *path);

/* Runs a file that the command line names, which requires from its own folder, too; pushes the one value that it returns. */
void require_run(lua_State *L, const char *path);

#endif
