/* SPDX-License-Identifier: BSD-3-Clause */
/* study { title, machine, vary, where, trials, run, plot, claims, conclude }. The data that C needs become a struct study;
 * functions, and values that are passed on as written, stay in Lua, in one table of the registry. */
#include "script/study/study_lua.h"

#include <lauxlib.h>

#include "script/machine/value_lua.h"
#include "script/sandbox/library.h"
#include "script/sandbox/modules.h"
#include "script/sandbox/sandbox.h"
#include "script/values/values.h"
#include "script/views/measured.h"

#define STUDY "gpunetsim.study"
#define PARTS "gpunetsim.study.parts"

int study_push(lua_State *L, const char *part)
{
    lua_getfield(L, LUA_REGISTRYINDEX, PARTS);
    int type = lua_getfield(L, -1, part);
    lua_remove(L, -2);
    return type;
}

static void study_keep(lua_State *L, const char *name)
{
    luaL_getsubtable(L, LUA_REGISTRYINDEX, PARTS);
    lua_insert(L, -2);
    lua_setfield(L, -2, name);
    lua_pop(L, 1);
}

void study_push_value(lua_State *L, size_t axis, size_t value)
{
    study_push(L, "axes");
    lua_rawgeti(L, -1, (lua_Integer)axis + 1);
    lua_getfield(L, -1, "values");
    lua_rawgeti(L, -1, (lua_Integer)value + 1);
    lua_replace(L, -4);
    lua_pop(L, 2);
}

/* --- the object ------------------------------------------------------------------------------- */

struct study *study_take(lua_State *L, int index)
{
    struct study **holder = luaL_testudata(L, index, STUDY);
    struct study *study = holder ? *holder : NULL;
    if (holder)
        *holder = NULL;
    return study;
}

static int collect(lua_State *L)
{
    struct study *study = study_take(L, 1);
    if (study)
        study_clear(study);
    return 0;
}

static struct study *push_study(lua_State *L)
{
    static const luaL_Reg methods[] = {{"__gc", collect}, {NULL, NULL}};
    struct study **holder = lua_newuserdatauv(L, sizeof(struct study *), 0);
    *holder = NULL;
    library_set_metatable(L, STUDY, methods);
    *holder = g_new0(struct study, 1);
    return *holder;
}

/* --- axes ------------------------------------------------------------------------------------- */

/* Reads the distinct values, the list on top of the stack, and pops it; `unit` is NULL if they are no quantities. */
static void read_values(lua_State *L, struct axis *axis, const enum unit_kind *unit)
{
    size_t count = (size_t)lua_rawlen(L, -1);
    sandbox_take(L, count * sizeof *axis->values);
    axis->values = g_new0(struct value, count);
    for (size_t i = 0; i < count; i++) {
        lua_rawgeti(L, -1, (lua_Integer)i + 1);
        value_read(L, -1, &axis->values[i]);
        axis->count = i + 1;
        if (unit)
            value_to_quantity_of(&axis->values[i], *unit);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

static void read_steps(lua_State *L, struct axis *axis)
{
    axis->step_count = (size_t)lua_rawlen(L, -1);
    sandbox_take(L, axis->step_count * sizeof *axis->steps);
    axis->steps = g_new(uint32_t, axis->step_count);
    for (size_t i = 0; i < axis->step_count; i++) {
        lua_rawgeti(L, -1, (lua_Integer)i + 1);
        axis->steps[i] = (uint32_t)lua_tointeger(L, -1) - 1;
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

/* Adds the axis on top of the stack. */
static void add_axis(lua_State *L, struct study *study)
{
    int top = lua_gettop(L);
    study->axes = g_renew(struct axis, study->axes, study->axis_count + 1);
    struct axis *axis = &study->axes[study->axis_count++];
    *axis = (struct axis){.name = g_strdup(lua_text_field(L, top, "name")),
                          .group = (size_t)lua_integer_field(L, top, "group")};
    const enum unit_kind unit = (enum unit_kind)lua_integer_field(L, top, "unit");
    bool has_unit = lua_getfield(L, top, "unit") != LUA_TNIL;
    lua_getfield(L, top, "values");
    read_values(L, axis, has_unit ? &unit : NULL);
    lua_getfield(L, top, "steps");
    read_steps(L, axis);
    lua_settop(L, top);
}

static int vary(lua_State *L)
{
    modules_call(L, "axes", "vary", 2);
    return 1;
}

/* Calls a function of the project's own, which runs nothing of the script's, with the arguments on top of the stack, and leaves
 * the one result. The script pays for a sixteenth of the instructions: an axis may have a million values. */
static void call_for_less(lua_State *L, int arguments)
{
    const int64_t more = INT64_MAX / 2, part = 16;
    struct script_state *state = sandbox_of(L);
    int64_t budget = state->budget;
    state->budget = more;
    int status = lua_pcall(L, arguments, 1, 0);
    state->budget = MAX(budget - (more - state->budget) / part, 1);
    if (status != LUA_OK)
        lua_error(L);
}

/* Reads the table on top of the stack, which it pops: `vary = { bytes = pow2("8B", "1MiB"), design = { "dgpu", "apu" } }`, sorted by
 * name, since Lua's tables have no order; or, where the order matters, a list of pairs: `vary = { { "design", { "dgpu", "apu" } }, {
 * "bytes", pow2("8B", "1MiB") } }`. Entries of the list may also be groups of axes. views/tables/axes.lua has them. Behind its own
 * axes a study has "trial" with the numbers 1 to `trials`, unless there are none. */
static void read_axes(lua_State *L, struct study *study, lua_Integer trials)
{
    lua_pushinteger(L, trials);
    lua_pushcfunction(L, vary);
    lua_insert(L, -3);
    call_for_less(L, 2);
    lua_pushvalue(L, -1);
    study_keep(L, "axes");
    lua_Integer count = (lua_Integer)lua_rawlen(L, -1);
    for (lua_Integer i = 1; i <= count; i++, lua_pop(L, 1)) {
        lua_rawgeti(L, -1, i);
        add_axis(L, study);
    }
    lua_pop(L, 1);
}

/* --- the word --------------------------------------------------------------------------------- */

/* Keeps a field of the table on top of the stack as the part of that name. Returns whether it is a function. */
static bool keep_field(lua_State *L, const char *name)
{
    int type = lua_getfield(L, -1, name);
    study_keep(L, name);
    return type == LUA_TFUNCTION;
}

/* Reads the tables of the table on top of the stack: the axes first, since the others name them. */
static void read_tables(lua_State *L, struct study *study)
{
    GError *error = NULL;
    lua_Integer trials = lua_integer_field(L, -1, "trials");
    lua_getfield(L, -1, "vary");
    read_axes(L, study, trials);
    modules_call(L, "study", "tables", 1);
    tables_variant(L, &study->tables);
    if (!measured_check(study, &error)) {
        lua_pushstring(L, error->message);
        g_error_free(error);
        lua_error(L);
    }
}

static int study_word(lua_State *L)
{
    if (!lua_istable(L, 1))
        script_fail(L, "study needs a table { ... }, not a %s", luaL_typename(L, 1));
    lua_settop(L, 1);
    if (lua_getfield(L, LUA_REGISTRYINDEX, PARTS) != LUA_TNIL)
        script_fail(L, "a file describes one study");
    lua_settop(L, 1);
    struct study *study = push_study(L);
    lua_insert(L, 1);
    modules_call(L, "study", "read", 1);
    lua_getfield(L, -1, "title");
    study->title = sandbox_copy_text(L, -1);
    lua_pop(L, 1);
    study->is_long = lua_flag_field(L, -1, "long");
    study->band_samples = (size_t)lua_integer_field(L, -1, "band");
    study->asks_machine = keep_field(L, "machine");
    keep_field(L, "run");
    study->asks_where = keep_field(L, "where");
    study->concludes = keep_field(L, "conclude");
    read_tables(L, study);
    lua_settop(L, 1);
    return 1;
}

void study_open(lua_State *L)
{
    tables_open(L);
    lua_pushcfunction(L, study_word);
    library_add_builtin(L, "study");
}
