/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that scripts may read. */
#ifndef GPUNETSIM_SCRIPT_SANDBOX_FILE_H
#define GPUNETSIM_SCRIPT_SANDBOX_FILE_H

#include <lua.h>

/* Pushes the text of the file at `path`: a regular one of 16 MiB at most. Errors have no line: it is the file that is at
 * fault. */
void file_push(lua_State *L, const char *path);

#endif
