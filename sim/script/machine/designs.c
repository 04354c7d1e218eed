/* SPDX-License-Identifier: BSD-3-Clause */
#include "script/machine/designs.h"

#include <lauxlib.h>
#include <string.h>

#include "script/machine/design_lua.h"
#include "script/machine/design_rules.h"
#include "script/machine/require.h"
#include "script/machine/software_lua.h"
#include "script/machine/source.h"

struct designs_call {
    const char *path;
    GArray *named; /* struct named_design */
};

/* Whether a name is valid: names occur in texts such as "comp-net{queue.memory=host}". */
static bool is_name(const char *name)
{
    return g_ascii_isalpha(*name) &&
           name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-")] == '\0';
}

/* Reads the entry whose key is on top of the list of keys, the file's table at index 1. */
static void read_entry(lua_State *L, struct designs_call *call, const char *name)
{
    if (!is_name(name))
        luaL_error(L, "%s: \"%s\" is not a name for a design; use small letters, digits, - and _",
                   call->path, name);
    lua_getfield(L, 1, name);
    if (design_at(L, -1) == NULL)
        luaL_error(L, "%s: \"%s\" is a %s, not a design { ... }", call->path, name,
                   luaL_typename(L, -1));
    g_array_set_size(call->named, call->named->len + 1);
    design_read(L, lua_gettop(L), name,
                &g_array_index(call->named, struct named_design, call->named->len - 1));
    lua_pop(L, 1);
}

static void open_words(lua_State *L)
{
    source_open(L);
    design_open(L);
}

static void read_designs(lua_State *L, void *context)
{
    for (lua_Integer i = 1; lua_rawgeti(L, 2, i) != LUA_TNIL; i++) {
        read_entry(L, context, lua_tostring(L, -1));
        lua_settop(L, 2);
    }
}

/* Loads the runtimes of the file beside the designs, if there is one: designs name them. */
static bool load_runtimes(const char *path, GError **error)
{
    g_autofree char *folder = g_path_get_dirname(path);
    g_autofree char *file = g_build_filename(folder, "runtimes.lua", NULL);
    return !g_file_test(file, G_FILE_TEST_EXISTS) || runtimes_load(file, error);
}

bool designs_load(const char *path, GError **error)
{
    static const struct require_table designs = {"a table of designs", open_words, read_designs};
    if (!design_rules_open(error) || !load_runtimes(path, error))
        return false;
    struct designs_call call = {path, g_array_new(FALSE, TRUE, sizeof(struct named_design))};
    bool good = require_table(path, &designs, &call, error);
    guint count = call.named->len;
    if (good) {
        designs_set((struct named_design *)(void *)g_array_free(call.named, FALSE), count);
    } else {
        for (guint i = 0; i < count; i++)
            named_design_clear(&g_array_index(call.named, struct named_design, i));
        g_array_unref(call.named);
    }
    return good;
}
