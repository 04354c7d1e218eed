/* SPDX-License-Identifier: BSD-3-Clause */
#include "script/sandbox/unknown.h"

#include <lauxlib.h>

#include "script/sandbox/library.h"
#include "script/sandbox/sandbox.h"

#define UNKNOWN "gpunetsim.unknown"

_Noreturn void unknown_leave(lua_State *L)
{
    struct script_state *state = sandbox_of(L);
    state->is_enough = true;
    state->is_stopped = true;
    script_fail(L, "the rehearsal goes no further");
}

static int leave(lua_State *L)
{
    unknown_leave(L);
}

static int refuse_change(lua_State *L)
{
    script_fail(L, "a result cannot be changed");
}

static int push_further(lua_State *L)
{
    sandbox_of(L)->is_enough = sandbox_of(L)->is_guess = true;
    unknown_push(L);
    return 1;
}

void unknown_push(lua_State *L)
{
    static const luaL_Reg methods[] = {{"__index", push_further},
                                       {"__call", push_further},
                                       {"__add", push_further},
                                       {"__sub", push_further},
                                       {"__mul", push_further},
                                       {"__div", push_further},
                                       {"__idiv", push_further},
                                       {"__mod", push_further},
                                       {"__pow", push_further},
                                       {"__unm", push_further},
                                       {"__concat", push_further},
                                       {"__eq", leave},
                                       {"__lt", leave},
                                       {"__le", leave},
                                       {"__len", leave},
                                       {"__pairs", leave},
                                       {"__tostring", leave},
                                       {"__newindex", refuse_change},
                                       {NULL, NULL}};
    lua_newuserdatauv(L, 0, 0);
    library_set_metatable(L, UNKNOWN, methods);
}

bool unknown_is(lua_State *L, int index)
{
    return luaL_testudata(L, index, UNKNOWN) != NULL;
}
