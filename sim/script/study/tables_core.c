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

static int core_is_machine(lua_State *L)
{
    lua_pushboolean(L, machine_is(L, 1));
    return 1;
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

/* blame(function): later errors are about what the function returned (script_blame). */
static int core_blame(lua_State *L)
{
    script_blame(L);
    return 0;
}

void tables_core_open(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"is_machine", core_is_machine}, {"quantity", core_quantity}, {"places", places_lua},
        {"results", core_results},       {"blame", core_blame},       {NULL, NULL}};
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
