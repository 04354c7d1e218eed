/* SPDX-License-Identifier: BSD-3-Clause */
#include "script/machine/value_lua.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "script/machine/design_lua.h"
#include "script/sandbox/sandbox.h"
#include "script/values/values.h"

bool value_read(lua_State *L, int index, struct value *value)
{
    switch (lua_type(L, index)) {
    case LUA_TNUMBER:
        if (!isfinite(lua_tonumber(L, index)))
            return false;
        if (lua_isinteger(L, index)) /* beyond 2^53 the double is not the number */
            *value = (struct value){
                .kind = VALUE_NUMBER,
                .number = lua_tonumber(L, index),
                .text = g_strdup_printf("%" PRId64, (int64_t)lua_tointeger(L, index))};
        else
            *value = value_number(lua_tonumber(L, index));
        return true;
    case LUA_TSTRING:
        if (strlen(lua_tostring(L, index)) != lua_rawlen(L, index))
            return false;
        *value = (struct value){
            .kind = VALUE_TEXT, .unit = UNIT_COUNT, .text = sandbox_copy_text(L, index)};
        return true;
    case LUA_TBOOLEAN:
        *value = (struct value){.kind = VALUE_TEXT,
                                .text = g_strdup(lua_toboolean(L, index) ? "true" : "false")};
        return true;
    case LUA_TUSERDATA:
        if (!design_at(L, index))
            return false;
        design_push_label(L, lua_absindex(L, index));
        *value = (struct value){.kind = VALUE_TEXT, .text = sandbox_copy_text(L, -1)};
        lua_pop(L, 1);
        return true;
    default:
        return false;
    }
}

void value_set_fields(lua_State *L, const char *name, const struct value *value)
{
    lua_set_text(L, name, value->text);
    if (value->kind == VALUE_TEXT && !value_is_absent(value))
        return;
    char *column = value_column(name, value), *text = value_column_text(value);
    if (value_is_absent(value))
        lua_pushstring(L, text);
    else if (!value_column_is_whole(value) ||
             lua_stringtonumber(L, text) == 0) /* counts are to be integers in Lua */
        lua_pushnumber(L, g_ascii_strtod(text, NULL));
    lua_setfield(L, -2, column);
    g_free(column);
    g_free(text);
}
