/* SPDX-License-Identifier: BSD-3-Clause */
#include "script/study/tables_core.h"

#include <lauxlib.h>

#include "script/machine/machine_lua.h"
#include "script/machine/value_lua.h"
#include "script/sandbox/list.h"
#include "script/sandbox/modules.h"
#include "script/sandbox/sandbox.h"
#include "script/study/study_lua.h"
#include "script/values/places.h"
#include "script/values/values.h"

/* --- shapes --------------------------------------------------------------------------------------- */

static int core_is_machine(lua_State *L)
{
    lua_pushboolean(L, machine_is(L, 1));
    return 1;
}

/* --- values --------------------------------------------------------------------------------------- */

/* cell(value, unit): its text in columns, and as written; nil if it is no quantity of that kind (nil: of any value), false if it
 * is no value. */
static int core_cell(lua_State *L)
{
    struct value value;
    if (!value_read(L, 1, &value)) {
        lua_pushboolean(L, false);
        return 1;
    }
    bool is_good =
        lua_isnoneornil(L, 2) || value_to_quantity_of(&value, (enum unit_kind)lua_tointeger(L, 2));
    g_autofree char *text = value_column_text(&value), *written = value.text;
    lua_pushstring(L, is_good ? text : NULL);
    lua_pushstring(L, written);
    return 2;
}

/* quantity(text): a whole number of base units, and the number of the unit's kind; nil if it is no quantity. */
static int core_quantity(lua_State *L)
{
    struct value value;
    if (!value_read(L, 1, &value))
        return 0;
    bool is_quantity = lua_isnone(L, 2)
                           ? value_to_quantity(&value)
                           : value_to_quantity_of(&value, (enum unit_kind)luaL_checkinteger(L, 2));
    lua_pushinteger(L, value.quantity);
    lua_pushinteger(L, value.unit);
    value_clear(&value);
    return is_quantity ? 2 : 0;
}

void tables_core_open(lua_State *L)
{
    static const luaL_Reg functions[] = {{"is_machine", core_is_machine},
                                         {"cell", core_cell},
                                         {"quantity", core_quantity},
                                         {"places", places_lua},
                                         {NULL, NULL}};
    static const struct modules_word words[] = {{"zip", "axes", 1},
                                                {"random", "axes", 3},
                                                {"latin", "axes", 3},
                                                {"pow2", "series", 2},
                                                {"range", "series", 3}};
    modules_add_words(L, words, G_N_ELEMENTS(words));
    modules_push_core(L);
    luaL_setfuncs(L, functions, 0);
    lua_set_integer(L, "NAME_MAX", STUDY_NAME_MAX);
    lua_set_integer(L, "LIST_MAX", LIST_MAX);
    lua_set_integer(L, "COUNT", UNIT_COUNT);
    lua_set_integer(L, "BYTES", UNIT_BYTES);
    lua_pop(L, 1);
}
