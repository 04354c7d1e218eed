/* SPDX-License-Identifier: BSD-3-Clause */
#include "script/values/places.h"

#include <lauxlib.h>

#include "core/rng.h"

int places_lua(lua_State *L)
{
    static const char *const names[] = {"random", "latin", "even", NULL};
    enum way { RANDOM, LATIN, EVEN } way = (enum way)luaL_checkoption(L, 4, NULL, names);
    struct rng rng;
    uint32_t count = (uint32_t)luaL_checkinteger(L, 3), *parts = NULL;
    rng_init(&rng, (uint64_t)luaL_checkinteger(L, 1), luaL_checkstring(L, 2));
    if (way != RANDOM) {
        parts = lua_newuserdatauv(L, count * sizeof *parts, 0);
        rng_order(&rng, parts, count);
    }
    lua_createtable(L, (int)count, 0);
    for (uint32_t i = 0; i < count; i++) {
        double place = way == EVEN ? 0 : rng_double(&rng);
        lua_pushnumber(L, way == EVEN    ? (double)parts[i] / (count - 1)
                          : way == LATIN ? (parts[i] + place) / count
                                         : place);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}
