/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that scripts may read. */
#ifndef GPUNETSIM_SCRIPT_SANDBOX_FILE_H
#define GPUNETSIM_SCRIPT_SANDBOX_FILE_H

#include <lua.h>

#include "core/text_file.h"

/* Pushes the text of the file at `path`. Errors have no line of the script: it is the file that is at fault. */
void file_push(lua_State *L, const char *path, const struct text_kind *kind);

#endif
