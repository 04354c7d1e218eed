/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that scripts may read. */
#pragma once

#include <lua.h>

#include "core/text_file.h"

/* Pushes the text of the file at `path`. Errors have no line of the script, since the file is at fault. */
void file_push(lua_State *L, const char *path, const struct text_kind *kind);
