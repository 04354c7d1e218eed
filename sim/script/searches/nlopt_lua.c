/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the module that is linked with NLopt when a search first needs it: loading it takes a twentieth of the program's start. */
#include "script/searches/nlopt_lua.h"

#include <lauxlib.h>

#include "core/home.h"
#include "script/views/views.h"

static int minimise(lua_State *L)
{
    GError *error = NULL;
    const lua_CFunction *loaded =
        home_module_symbol("gpunetsim-nlopt.so", "NLopt", "gpunetsim_nlopt_minimise", &error);
    return loaded ? (*loaded)(L) : views_raise(L, error);
}

void nlopt_lua_open(lua_State *L)
{
    static const luaL_Reg functions[] = {{"minimise", minimise}, {NULL, NULL}};
    luaL_newlib(L, functions);
    lua_setglobal(L, "nlopt");
}
