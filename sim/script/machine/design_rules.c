/* SPDX-License-Identifier: BSD-3-Clause */
#include "script/machine/design_rules.h"

#include <lauxlib.h>
#include <lualib.h>

#include "core/error.h"
#include "core/home.h"
#include "protocols/design.h"
#include "script/values/values.h"

/* Stays open, since each design is held against the rules, as what departs from the defaults. On its stack: */
static lua_State *state;
static struct design defaults;
enum { BROKEN = 1, DEFAULTS, KINDS, LIKE_DEFAULTS };

/* The texts of its axes; but for `base` (or NULL), of those that depart from it. */
static void push_axes(lua_State *L, const struct design *design, const struct design *base)
{
    char text[PARAM_TEXT_SIZE];
    lua_newtable(L);
    for (size_t i = 0; i < design_params.count; i++) {
        const struct param *axis = &design_params.params[i];
        if (base != NULL && param_compare(axis, design, base) == 0)
            continue;
        lua_set_text(L, axis->name, param_format(axis, design, text));
    }
}

static void push_kind(lua_State *L, const struct agent_kind *kind)
{
    lua_newtable(L);
    lua_set_text(L, "name", kind->name);
    lua_set_flag(L, "is_initiator", kind->is_initiator);
    lua_set_flag(L, "is_trigger", kind->is_trigger);
    lua_set_flag(L, "is_on_host", kind->is_on_host);
    lua_set_flag(L, "is_on_gpu", kind->is_on_gpu);
    lua_set_flag(L, "is_on_board", kind->memory == MEMORY_NIC);
    lua_set_flag(L, "calls_runtime", kind->calls_runtime);
    const char *why = kind->no_rank ? kind->no_rank : "agents of this kind run no processes";
    lua_set_text(L, "no_rank", kind->rank_core ? NULL : why);
}

/* Of the file at the path: its function, what it is told of every design. */
static int open_rules(lua_State *L)
{
    luaL_requiref(L, LUA_GNAME, luaopen_base, 1);
    luaL_requiref(L, LUA_STRLIBNAME, luaopen_string, 1);
    luaL_requiref(L, LUA_TABLIBNAME, luaopen_table, 1);
    if (luaL_loadfilex(L, lua_tostring(L, 1), "t") != LUA_OK)
        return lua_error(L);
    lua_call(L, 0, 1);
    lua_getfield(L, -1, "broken");
    param_set_defaults(&design_params, &defaults);
    push_axes(L, &defaults, NULL);
    int first = lua_gettop(L);
    lua_newtable(L);
    for (size_t i = 0; agent_kinds[i] != NULL; i++) {
        push_kind(L, agent_kinds[i]);
        lua_seti(L, -2, (lua_Integer)i + 1);
    }
    lua_newtable(L);
    lua_pushvalue(L, first);
    lua_setfield(L, -2, "__index");
    return LIKE_DEFAULTS;
}

static bool is_valid(const struct design *design, GError **error)
{
    lua_pushvalue(state, BROKEN);
    push_axes(state, design, &defaults);
    lua_pushvalue(state, LIKE_DEFAULTS);
    lua_setmetatable(state, -2);
    lua_pushvalue(state, DEFAULTS);
    lua_pushvalue(state, KINDS);
    lua_pcall(state, 3, 1, 0);
    const char *sentence = lua_tostring(state, -1); /* or what is wrong with the file */
    if (sentence != NULL)
        error_set(error, "%s", sentence);
    lua_pop(state, 1);
    return sentence == NULL;
}

bool design_rules_open(GError **error)
{
    g_autofree char *path = state ? NULL : home_path("views/rules.lua", error);
    if (path == NULL)
        return state != NULL;
    lua_State *L = luaL_newstate();
    lua_pushcfunction(L, open_rules);
    lua_pushstring(L, path);
    if (lua_pcall(L, 1, LIKE_DEFAULTS, 0) != LUA_OK) {
        error_set(error, "%s", lua_tostring(L, -1));
        lua_close(L);
        return false;
    }
    state = L;
    design_set_rules(is_valid);
    return true;
}
