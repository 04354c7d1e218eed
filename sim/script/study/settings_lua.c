/* SPDX-License-Identifier: BSD-3-Clause */
/* A setting takes what its value in the file is: a text, a number, true or false, or a machine, which the command line gives by
 * its name or file. */
#include "script/study/settings_lua.h"

#include <lauxlib.h>
#include <string.h>

#include "core/home.h"
#include "script/machine/machine_lua.h"
#include "script/machine/override.h"
#include "script/machine/require.h"
#include "script/sandbox/library.h"
#include "script/sandbox/sandbox.h"

#define NAMES "gpunetsim.settings" /* of all settings, as keys of a table */

/* Pushes the machine that the file returns. */
static void push_machine(lua_State *L, const char *name)
{
    GError *error = NULL;
    char *path = home_file(name, HOME_MACHINE, &error);
    if (path) {
        lua_pushstring(L, path);
        g_free(path);
    } else {
        lua_pushstring(L, error->message);
        g_error_free(error);
        script_fail(L, "%s", lua_tostring(L, -1));
    }
    require_run(L, lua_tostring(L, -1));
    lua_remove(L, -2); /* the path */
    if (!machine_is(L, -1))
        script_fail(L, "study.machine=%s: the file describes no machine", name);
}

/* Pushes `text` as what the value on top is. */
static void push_value(lua_State *L, const char *override, const char *text)
{
    if (lua_type(L, -1) == LUA_TSTRING) {
        lua_pushstring(L, text);
    } else if (lua_type(L, -1) == LUA_TNUMBER) {
        if (lua_stringtonumber(L, text) == 0)
            script_fail(L, "override %s: this setting is a number", override);
    } else if (lua_type(L, -1) == LUA_TBOOLEAN) {
        if (strcmp(text, "true") != 0 && strcmp(text, "false") != 0)
            script_fail(L, "override %s: this setting is true or false", override);
        lua_pushboolean(L, *text == 't');
    } else if (machine_is(L, -1)) {
        push_machine(L, text);
    } else {
        script_fail(L, "settings: a value is a text, a number, true, false or a machine, not a %s",
                    luaL_typename(L, -1));
    }
}

/* The names of the file's settings are kept; argument 1 gets the command line's values and is returned. */
static int settings_word(lua_State *L)
{
    const char *const *overrides = (const char *const *)sandbox_of(L)->overrides;
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    luaL_getsubtable(L, LUA_REGISTRYINDEX, NAMES);
    for (lua_pushnil(L); lua_next(L, 1); lua_pop(L, 1)) {
        lua_pushvalue(L, -2);
        lua_pushboolean(L, true);
        lua_rawset(L, 2);
    }
    for (; overrides && *overrides; overrides++) {
        if (!override_is_setting(*overrides))
            continue;
        const char *name = *overrides + strlen(OVERRIDE_SETTING), *equals = strchr(name, '=');
        lua_pushlstring(L, name, (size_t)(equals - name));
        lua_pushvalue(L, -1);
        if (lua_rawget(L, 1) != LUA_TNIL) {
            push_value(L, *overrides, equals + 1);
            lua_remove(L, -2);
            lua_rawset(L, 1);
        }
        lua_settop(L, 2);
    }
    lua_settop(L, 1);
    return 1;
}

void settings_check(lua_State *L)
{
    const char *const *overrides = (const char *const *)sandbox_of(L)->overrides;
    luaL_getsubtable(L, LUA_REGISTRYINDEX, NAMES);
    for (; overrides && *overrides; overrides++) {
        if (!override_is_setting(*overrides))
            continue;
        const char *name = *overrides + strlen(OVERRIDE_SETTING), *equals = strchr(name, '=');
        lua_pushlstring(L, name, (size_t)(equals - name));
        if (lua_rawget(L, -2) == LUA_TNIL)
            luaL_error(L, "override %s: the study has no setting of this name", *overrides);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

void settings_open(lua_State *L)
{
    lua_pushcfunction(L, settings_word);
    library_add_builtin(L, "settings");
}
