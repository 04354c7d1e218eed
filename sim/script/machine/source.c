/* SPDX-License-Identifier: BSD-3-Clause */
/* A value with a source is a userdata without methods that holds a table of its parts; no script can look
 * into it or change it. Whether the bounds of an estimate enclose its value is checked where the
 * value is used, since only there the kind of quantity is known (bind.c). */
#include "script/machine/source.h"

#include <lauxlib.h>

#include "script/machine/value_lua.h"
#include "script/sandbox/library.h"
#include "script/sandbox/modules.h"
#include "script/sandbox/traces.h"

#define SOURCE "gpunetsim.source"

#define MOST_ARGUMENTS 5

/* published(value, source) and its like: the upvalue is the word's kind of source. views/tables/source.lua makes the parts. */
static int tag(lua_State *L)
{
    static const luaL_Reg methods[] = {{TRACES_CONSTANT, NULL}, {NULL, NULL}};
    lua_Integer kind = lua_tointeger(L, lua_upvalueindex(1));
    lua_settop(L, MOST_ARGUMENTS);
    lua_pushstring(L, source_kind_name((enum source_kind)kind));
    lua_pushinteger(L, kind);
    lua_rotate(L, 1, 2);
    modules_call(L, "source", "tag", MOST_ARGUMENTS + 2);
    lua_newuserdatauv(L, 0, 1);
    lua_insert(L, -2);
    lua_setiuservalue(L, -2, 1);
    library_set_metatable(L, SOURCE, methods);
    return 1;
}

bool source_is(lua_State *L, int index)
{
    return luaL_testudata(L, index, SOURCE) != NULL;
}

int source_push(lua_State *L, int index, const char *part)
{
    lua_getiuservalue(L, index, 1);
    int type = lua_getfield(L, -1, part);
    lua_remove(L, -2);
    return type;
}

/* A part as a text that the caller frees; NULL if there is none. */
static char *text_part(lua_State *L, int index, const char *part)
{
    struct value value = {.text = NULL};
    source_push(L, index, part);
    value_read(L, -1, &value);
    lua_pop(L, 1);
    return value.text;
}

void source_read(lua_State *L, int index, struct provenance *provenance)
{
    provenance->kind = SOURCE_GIVEN;
    if (!source_is(L, index))
        return;
    source_push(L, index, "kind");
    provenance->kind = (enum source_kind)lua_tointeger(L, -1);
    lua_pop(L, 1);
    provenance->low = text_part(L, index, "low");
    provenance->high = text_part(L, index, "high");
    provenance->source = text_part(L, index, "source");
    provenance->claims = text_part(L, index, "claims");
}

void source_open(lua_State *L)
{
    for (lua_Integer kind = SOURCE_PUBLISHED; kind < SOURCE_KINDS; kind++) {
        lua_pushinteger(L, kind);
        lua_pushcclosure(L, tag, 1);
        library_add_builtin(L, source_kind_name((enum source_kind)kind));
    }
}
