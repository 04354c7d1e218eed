/* SPDX-License-Identifier: BSD-3-Clause */
/* A value with a source is an object that views/tables/source.lua makes; no script can look into it or change it. Whether the
 * bounds of an estimate enclose its value is checked where the value is used, since only there the kind of quantity is known
 * (bind.c). */
#include "script/machine/source.h"

#include <lauxlib.h>
#include <string.h>

#include "script/machine/value_lua.h"
#include "script/sandbox/modules.h"

#define SOURCE "gpunetsim.source"

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
    while (strcmp(source_kind_name(provenance->kind), lua_tostring(L, -1)) != 0)
        provenance->kind++;
    lua_pop(L, 1);
    provenance->low = text_part(L, index, "low");
    provenance->high = text_part(L, index, "high");
    provenance->source = text_part(L, index, "source");
    provenance->claims = text_part(L, index, "claims");
}

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

void source_open(lua_State *L)
{
    static const struct modules_word words[] = {{"published", "source", 2},
                                                {"measured", "source", 2},
                                                {"estimated", "source", 4},
                                                {"fitted", "source", 5},
                                                {"inferred", "source", 5}};
    modules_add_words(L, words, G_N_ELEMENTS(words));
    modules_push_core(L);
    lua_pushcfunction(L, core_cell);
    lua_setfield(L, -2, "cell");
    lua_pop(L, 1);
}
