/* SPDX-License-Identifier: BSD-3-Clause */
#include "script/sandbox/compiled.h"

#include <glib.h>
#include <lauxlib.h>

static int append_code(lua_State *L, const void *bytes, size_t length, void *code)
{
    (void)L;
    g_byte_array_append(code, bytes, (guint)length);
    return 0;
}

bool compiled_load(lua_State *L, const char *path, const char *name)
{
    static GHashTable *compiled; /* GByteArray by path */
    compiled = compiled ? compiled : g_hash_table_new(g_str_hash, g_str_equal);
    GByteArray *code = g_hash_table_lookup(compiled, path);
    if (code)
        return luaL_loadbufferx(L, (const char *)code->data, code->len, name, "b") == LUA_OK;
    g_autoptr(GError) error = NULL;
    g_autofree char *text = NULL;
    gsize length = 0;
    if (!g_file_get_contents(path, &text, &length, &error))
        return lua_pushstring(L, error->message) == NULL;
    if (luaL_loadbufferx(L, text, length, name, "t") != LUA_OK)
        return false;
    code = g_byte_array_new();
    lua_dump(L, append_code, code, 0);
    return g_hash_table_insert(compiled, g_strdup(path), code);
}
