/* SPDX-License-Identifier: BSD-3-Clause */
#include "script/study/settings_lua.h"

#include <lauxlib.h>

#include "script/machine/machine_lua.h"
#include "script/machine/override.h"
#include "script/machine/require.h"
#include "script/sandbox/library.h"
#include "script/sandbox/modules.h"
#include "script/sandbox/sandbox.h"
#include "script/values/values.h"
#include "script/views/home_file.h"

/* Pushes the machine that the file returns. */
static void push_machine(lua_State *L, const char *name)
{
    GError *error = NULL;
    char *path = home_file(name, false, true, &error);
    if (!path)
        script_fail_error(L, error);
    lua_push_owned(L, path);
    require_run(L, lua_tostring(L, -1));
    if (!machine_is(L, -1))
        script_fail(L, "study.machine=%s: the file describes no machine", name);
}

/* Pushes the command line's settings, such as "study.window=8". */
static void push_overrides(lua_State *L)
{
    const char *const *overrides = (const char *const *)sandbox_of(L)->overrides;
    lua_newtable(L);
    for (; overrides && *overrides; overrides++) {
        if (!override_is_setting(*overrides))
            continue;
        lua_pushstring(L, *overrides);
        lua_append(L);
    }
}

static int settings_word(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    lua_pushvalue(L, 1);
    push_overrides(L);
    modules_call(L, "settings", "read", 2);
    for (lua_Integer i = 1; lua_rawgeti(L, 2, i) == LUA_TTABLE; i++) {
        lua_rawgeti(L, 3, 1);
        lua_rawgeti(L, 3, 2);
        push_machine(L, lua_tostring(L, -1));
        lua_replace(L, 5);
        lua_settop(L, 5);
        lua_rawset(L, 1);
        lua_settop(L, 2);
    }
    lua_settop(L, 1);
    return 1;
}

void settings_check(lua_State *L)
{
    push_overrides(L);
    if (lua_rawlen(L, -1) > 0)
        modules_call(L, "settings", "check", 1);
    lua_pop(L, 1);
}

void settings_open(lua_State *L)
{
    lua_pushcfunction(L, settings_word);
    library_add_builtin(L, "settings");
}
