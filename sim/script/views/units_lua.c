/* SPDX-License-Identifier: BSD-3-Clause */
#include "script/views/units_lua.h"

#include <glib.h>
#include <lauxlib.h>

#include "script/values/values.h"

static const char *const kinds[] = {
    [VALUE_TEXT] = "text", [VALUE_NUMBER] = "number", [VALUE_QUANTITY] = "quantity", NULL};
static const char *const units[] = {[UNIT_TIME] = "time",   [UNIT_BYTES] = "bytes",
                                    [UNIT_RATE] = "rate",   [UNIT_FREQUENCY] = "frequency",
                                    [UNIT_POWER] = "power", [UNIT_ENERGY] = "energy",
                                    [UNIT_COUNT] = "count", NULL};

const char *units_lua_kind(enum value_kind kind)
{
    return kinds[kind];
}

static enum value_kind check_kind(lua_State *L, int argument)
{
    return (enum value_kind)luaL_checkoption(L, argument, NULL, kinds);
}

const char *units_lua_unit(enum unit_kind unit)
{
    return units[unit];
}

enum unit_kind units_lua_check_unit(lua_State *L, int argument)
{
    return (enum unit_kind)luaL_checkoption(L, argument, NULL, units);
}

/* The quantity or plain number in three arguments: kind, unit and number. */
static struct value check_value(lua_State *L, int first)
{
    enum unit_kind unit = units_lua_check_unit(L, first + 1);
    return check_kind(L, first) == VALUE_QUANTITY
               ? value_quantity(luaL_checkinteger(L, first + 2), unit)
               : value_number(luaL_checknumber(L, first + 2));
}

static int push_static(lua_State *L, const char *text)
{
    lua_pushstring(L, text); /* NULL is nil */
    return 1;
}

static int named(lua_State *L)
{
    return push_static(L, unit_named(luaL_checkstring(L, 2), units_lua_check_unit(L, 1)));
}

static int suffixes(lua_State *L)
{
    return push_static(L, unit_suffixes(units_lua_check_unit(L, 1)));
}

static int base(lua_State *L)
{
    return push_static(L, unit_base_suffix(units_lua_check_unit(L, 1)));
}

static int scale(lua_State *L)
{
    lua_pushnumber(L, unit_scale(luaL_checkstring(L, 2), units_lua_check_unit(L, 1)));
    return 1;
}

static int parse(lua_State *L)
{
    int64_t quantity;
    if (!unit_parse(luaL_checkstring(L, 2), units_lua_check_unit(L, 1), &quantity, NULL))
        return 0;
    lua_pushinteger(L, quantity);
    return 1;
}

static int value_texts(lua_State *L)
{
    struct value value = check_value(L, 1);
    lua_pushstring(L, value.text);
    lua_push_owned(L, value_column_text(&value));
    value_clear(&value);
    return 2;
}

static int column_name(lua_State *L)
{
    const struct value like = {
        .kind = check_kind(L, 1), .unit = units_lua_check_unit(L, 2), .text = ""};
    return lua_push_owned(L, value_column(luaL_checkstring(L, 3), &like));
}

void units_lua_add(lua_State *L)
{
    static const luaL_Reg functions[] = {{"unit_named", named},
                                         {"unit_suffixes", suffixes},
                                         {"unit_base", base},
                                         {"unit_scale", scale},
                                         {"parse", parse},
                                         {"value_texts", value_texts},
                                         {"column_name", column_name},
                                         {NULL, NULL}};
    luaL_setfuncs(L, functions, 0);
}
