/* SPDX-License-Identifier: BSD-3-Clause */
/* A tagged value is a userdata without methods that holds a table of its parts; no script can look
 * into it or change it. Whether the bounds of an estimate enclose its value is checked where the
 * value is used, since only there the kind of quantity is known (bind.c). */
#include "script/machine/source.h"

#include <lauxlib.h>
#include <string.h>

#include "script/machine/value_lua.h"
#include "script/sandbox/library.h"
#include "script/sandbox/list.h"
#include "script/sandbox/sandbox.h"

#define SOURCE "gpunetsim.source"

/* Checks argument `index` and puts it into the table on top as `part`. */
static void keep_value(lua_State *L, int index, const char *word, const char *part)
{
    int type = lua_type(L, index);
    if (type != LUA_TSTRING && type != LUA_TNUMBER && type != LUA_TBOOLEAN)
        script_fail(L, "%s: the %s has to be a quantity, a number, a name or a boolean, not %s",
                    word, part, type == LUA_TNONE ? "missing" : lua_typename(L, type));
    lua_pushvalue(L, index);
    lua_setfield(L, -2, part);
}

static void keep_text(lua_State *L, int index, const char *word, const char *part, const char *what)
{
    if (lua_type(L, index) != LUA_TSTRING || lua_rawlen(L, index) == 0)
        script_fail(L, "%s: %s is missing; give it as text", word, what);
    lua_pushvalue(L, index);
    lua_setfield(L, -2, part);
}

/* "N-05" or { "N-05", "N-44" }, kept as "N-05 N-44". */
static void keep_claims(lua_State *L, int index, const char *word)
{
    bool is_list = lua_istable(L, index);
    lua_Integer count = is_list ? list_length(L, index) : 1;
    lua_pushliteral(L, "");
    for (lua_Integer i = 1; i <= count; i++) {
        if (is_list)
            lua_rawgeti(L, index, i);
        else
            lua_pushvalue(L, index);
        if (lua_type(L, -1) != LUA_TSTRING || lua_rawlen(L, -1) == 0)
            script_fail(L, "%s: the claims it is fitted to are missing; give a list of their ids",
                        word);
        lua_pushfstring(L, "%s%s%s", lua_tostring(L, -2), i > 1 ? " " : "", lua_tostring(L, -1));
        lua_replace(L, -3);
        lua_pop(L, 1);
    }
    if (count == 0)
        script_fail(L, "%s: the list of claims it is fitted to is empty", word);
    lua_setfield(L, -2, "claims");
}

/* Makes the tagged value from the table of parts on top. */
static int finish(lua_State *L, enum source_kind kind)
{
    static const luaL_Reg none[] = {{NULL, NULL}};
    lua_pushinteger(L, kind);
    lua_setfield(L, -2, "kind");
    lua_newuserdatauv(L, 0, 1);
    lua_insert(L, -2);
    lua_setiuservalue(L, -2, 1);
    library_set_metatable(L, SOURCE, none);
    return 1;
}

static int cited(lua_State *L, const char *word, enum source_kind kind)
{
    lua_newtable(L);
    keep_value(L, 1, word, "value");
    keep_text(L, 2, word, "source", "the source");
    return finish(L, kind);
}

static int published(lua_State *L)
{
    lua_settop(L, 2);
    return cited(L, "published", SOURCE_PUBLISHED);
}

static int measured(lua_State *L)
{
    lua_settop(L, 2);
    return cited(L, "measured", SOURCE_MEASURED);
}

static int estimated(lua_State *L)
{
    lua_settop(L, 4);
    lua_newtable(L);
    keep_value(L, 1, "estimated", "value");
    keep_value(L, 2, "estimated", "low");
    keep_value(L, 3, "estimated", "high");
    keep_text(L, 4, "estimated", "source", "the reason");
    return finish(L, SOURCE_ESTIMATED);
}

static int fitted(lua_State *L)
{
    lua_settop(L, 5);
    lua_newtable(L);
    keep_value(L, 1, "fitted", "value");
    keep_value(L, 2, "fitted", "low");
    keep_value(L, 3, "fitted", "high");
    keep_claims(L, 4, "fitted");
    if (!lua_isnil(L, 5))
        keep_text(L, 5, "fitted", "source", "the reason");
    return finish(L, SOURCE_FITTED);
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

/* A part as text of the caller's own; NULL if there is none. */
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
    static const luaL_Reg words[] = {{"published", published},
                                     {"measured", measured},
                                     {"estimated", estimated},
                                     {"fitted", fitted},
                                     {NULL, NULL}};
    for (const luaL_Reg *word = words; word->name; word++) {
        lua_pushcfunction(L, word->func);
        library_add_builtin(L, word->name);
    }
}
