/* SPDX-License-Identifier: BSD-3-Clause */
#include "script/machine/designs.h"

#include <lauxlib.h>

#include "core/error.h"
#include "script/machine/design_lua.h"
#include "script/machine/require.h"
#include "script/machine/software_lua.h"
#include "script/machine/source.h"
#include "script/sandbox/modules.h"
#include "script/sandbox/sandbox.h"
#include "script/values/values.h"
#include "script/views/views.h"

/* --- rules about axes that cannot be combined: views/rules.lua ----------------------------------- */

/* Stays open, since every design is checked by the rules, as the axes that differ from the defaults. On its stack: */
static lua_State *state;
static struct design defaults;
enum { BROKEN = 1, DEFAULTS, KINDS, LIKE_DEFAULTS };

/* Pushes the texts of the design's axes; with `base` not NULL, only of the axes that differ from it. */
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

static bool is_valid(const struct design *design, GError **error)
{
    lua_pushvalue(state, BROKEN);
    push_axes(state, design, &defaults);
    lua_pushvalue(state, LIKE_DEFAULTS);
    lua_setmetatable(state, -2);
    lua_pushvalue(state, DEFAULTS);
    lua_pushvalue(state, KINDS);
    lua_pcall(state, 3, 1, 0);
    const char *sentence = lua_tostring(state, -1); /* or the error of the file */
    if (sentence != NULL)
        error_set(error, "%s", sentence);
    lua_pop(state, 1);
    return sentence == NULL;
}

/* Reads the rules, once, for design_valid (protocols/design.h). False and an error if the file is missing or bad. */
static bool open_rules(GError **error)
{
    lua_State *L = state ? NULL : views_open("rules", error);
    if (L == NULL)
        return state != NULL;
    lua_getfield(L, 1, "broken");
    lua_replace(L, BROKEN);
    param_set_defaults(&design_params, &defaults);
    push_axes(L, &defaults, NULL);
    lua_newtable(L);
    for (size_t i = 0; agent_kinds[i] != NULL; i++) {
        push_kind(L, agent_kinds[i]);
        lua_append(L);
    }
    lua_newtable(L);
    lua_pushvalue(L, DEFAULTS);
    lua_setfield(L, -2, "__index");
    state = L;
    design_set_rules(is_valid);
    return true;
}

/* --- named designs ------------------------------------------------------------------------------- */

struct designs_call {
    const char *path;
    GArray *named; /* struct named_design */
};

static char *copy_field(lua_State *L, const char *field)
{
    lua_getfield(L, -1, field);
    char *text = sandbox_copy_text(L, -1);
    lua_pop(L, 1);
    return text;
}

/* Reads the entry on top of the stack, as views/tables/designs.lua makes it. */
static void read_entry(lua_State *L, struct named_design *named)
{
    named->name = copy_field(L, "name");
    named->label = copy_field(L, "label");
    named->description = copy_field(L, "description");
    named->source = copy_field(L, "source");
    named->axis_sources = g_new0(char *, design_params.count + 1);
    lua_getfield(L, -1, "sources");
    for (size_t i = 0; i < design_params.count; i++)
        named->axis_sources[i] = copy_field(L, design_params.params[i].name);
    lua_getfield(L, -2, "design");
    named->design = *design_at(L, -1);
    lua_pop(L, 2);
}

static void open_words(lua_State *L)
{
    source_open(L);
    design_open(L);
}

static void read_designs(lua_State *L, void *context)
{
    struct designs_call *call = context;
    lua_pushstring(L, call->path);
    lua_insert(L, 1);
    modules_call(L, "designs", "read", 3);
    for (lua_Integer i = 1; lua_rawgeti(L, 1, i) != LUA_TNIL; i++, lua_pop(L, 1)) {
        g_array_set_size(call->named, call->named->len + 1);
        read_entry(L, &g_array_index(call->named, struct named_design, call->named->len - 1));
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
    if (!open_rules(error) || !load_runtimes(path, error))
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
