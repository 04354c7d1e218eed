/* SPDX-License-Identifier: BSD-3-Clause */
#include "script/study/settings_lua.h"

#include <lauxlib.h>

#include "script/machine/machine_lua.h"
#include "script/machine/override.h"
#include "script/machine/require.h"
#include "script/sandbox/modules.h"
#include "script/sandbox/sandbox.h"
#include "script/values/values.h"
#include "script/views/home_file.h"

/* machine_of_file(name): the machine that the file returns. */
static int core_machine_of_file(lua_State *L)
{
    GError *error = NULL;
    const char *name = luaL_checkstring(L, 1);
    char *path = home_file(name, false, true, &error);
    if (!path)
        script_fail_error(L, error);
    lua_push_owned(L, path);
    require_run(L, lua_tostring(L, -1));
    if (!machine_is(L, -1))
        script_fail(L, "study.machine=%s: the file describes no machine", name);
    return 1;
}

/* settings(): the command line's settings, such as "study.window=8". */
static int core_settings(lua_State *L)
{
    const char *const *overrides = (const char *const *)sandbox_of(L)->overrides;
    lua_newtable(L);
    for (; overrides && *overrides; overrides++)
        if (override_is_setting(*overrides))
            lua_append_text(L, *overrides);
    return 1;
}

void settings_check(lua_State *L)
{
    modules_call(L, "settings", "check", 0);
    lua_pop(L, 1);
}

void settings_open(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"machine_of_file", core_machine_of_file}, {"settings", core_settings}, {NULL, NULL}};
    static const struct modules_word word = {"settings", "settings", 1};
    modules_push_core(L);
    luaL_setfuncs(L, functions, 0);
    lua_pop(L, 1);
    modules_add_words(L, &word, 1);
}
