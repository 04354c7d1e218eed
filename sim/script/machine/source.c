/* SPDX-License-Identifier: BSD-3-Clause */
/* A tagged value is a userdata without methods that holds a table of its parts; no script can look
 * into it or change it. Whether the bounds of an estimate enclose its value is checked where the
 * value is used, since only there the kind of quantity is known (bind.c). */
#include "script/machine/source.h"

#include <lauxlib.h>

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

/* A word: what it takes behind the value. */
static const struct word {
    enum source_kind kind;
    bool has_bounds, has_claims; /* with claims the last text may be missing */
    const char *what;            /* the last text */
} words[] = {{SOURCE_PUBLISHED, false, false, "the source"},
             {SOURCE_MEASURED, false, false, "the source"},
             {SOURCE_ESTIMATED, true, false, "the reason"},
             {SOURCE_FITTED, true, true, "the reason"},
             {SOURCE_INFERRED, true, true, "the reason"}};
#define MOST_ARGUMENTS 5

/* published(value, source) and its like: the word is the upvalue. */
static int tag(lua_State *L)
{
    static const luaL_Reg none[] = {{NULL, NULL}};
    const struct word *word = lua_touserdata(L, lua_upvalueindex(1));
    const char *name = source_kind_name(word->kind);
    int last = 2 + (word->has_bounds ? 2 : 0) + word->has_claims;
    lua_settop(L, MOST_ARGUMENTS);
    lua_newuserdatauv(L, 0, 1);
    lua_newtable(L);
    lua_pushinteger(L, word->kind);
    lua_setfield(L, -2, "kind");
    keep_value(L, 1, name, "value");
    if (word->has_bounds) {
        keep_value(L, 2, name, "low");
        keep_value(L, 3, name, "high");
    }
    if (word->has_claims)
        keep_claims(L, last - 1, name);
    if (!word->has_claims || !lua_isnil(L, last))
        keep_text(L, last, name, "source", word->what);
    lua_setiuservalue(L, -2, 1);
    library_set_metatable(L, SOURCE, none);
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
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
        lua_pushlightuserdata(L, (void *)(uintptr_t)&words[i]);
        lua_pushcclosure(L, tag, 1);
        library_add_builtin(L, source_kind_name(words[i].kind));
    }
}
