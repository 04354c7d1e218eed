/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes the table of rows that come from bytes, and reads all of its cells. */
#pragma once

#include <lauxlib.h>

#include "script/views/table_lua.h"

static inline void fuzz_table(const struct axis *axes, size_t axis_count, struct row *const *rows,
                              size_t row_count)
{
    lua_State *L = luaL_newstate();
    table_lua_push(L, axes, axis_count, rows, row_count);
    lua_getfield(L, 1, "columns");
    for (size_t i = 0; i < row_count * lua_rawlen(L, 2); i++) {
        lua_getfield(L, 1, "cell");
        lua_pushinteger(L, (lua_Integer)(i / lua_rawlen(L, 2)) + 1);
        lua_pushinteger(L, (lua_Integer)(i % lua_rawlen(L, 2)) + 1);
        lua_call(L, 2, 0);
    }
    lua_close(L);
}
