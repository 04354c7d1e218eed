/* SPDX-License-Identifier: BSD-3-Clause */
#include "script/sandbox/file.h"

#include <glib.h>

#include "script/sandbox/sandbox.h"

void file_push(lua_State *L, const char *path, const struct text_kind *kind)
{
    size_t length;
    GError *error = NULL;
    char *text = text_file_read(path, kind, &length, &error);
    if (!text) {
        lua_pushstring(L, error->message);
        g_error_free(error);
        lua_error(L);
    }
    lua_pushlstring(L, text, length);
    g_free(text);
    sandbox_take(L, length);
    sandbox_charge(L, (int64_t)length);
}
