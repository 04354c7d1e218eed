/* The axes of a study: `vary = { bytes = pow2("8B", "1MiB"), design = { "dgpu", "apu" } }`, sorted
 * by name, since Lua's tables have no order; or, where the order matters, a list of pairs: `vary =
 * { { "design", { "dgpu", "apu" } }, { "bytes", pow2("8B", "1MiB") } }`. */
#include <lauxlib.h>
#include <string.h>

#include "script/record.h"
#include "script/sandbox.h"
#include "script/study_lua.h"
#include "script/value.h"

static bool is_name(const char *name)
{
    if (!g_ascii_isalpha(*name) && *name != '_')
        return false;
    while (g_ascii_isalnum(*name) || *name == '_')
        name++;
    return *name == '\0';
}

static _Noreturn void fail_axis(lua_State *L, const char *name, const char *problem)
{
    const char *keys[] = {"vary", name};
    script_fail_at(L, keys, 2, "axis \"%s\" %s", name, problem);
}

/* Makes quantities of the texts if all of them are of one kind; "0" is of any kind. */
static void make_quantities(struct axis *axis)
{
    size_t first = 0;
    while (first < axis->count && axis->values[first].kind == SCRIPT_TEXT &&
           strcmp(axis->values[first].text, "0") == 0)
        first++;
    if (first == axis->count || axis->values[first].kind != SCRIPT_TEXT)
        return;
    struct script_value probe = axis->values[first];
    if (!value_to_quantity(&probe))
        return;
    for (size_t i = 0; i < axis->count; i++) {
        if (!value_to_quantity_of(&axis->values[i], probe.unit)) {
            while (i-- > 0)
                axis->values[i].kind = SCRIPT_TEXT;
            return;
        }
    }
}

/* Two values that mean the same would make two rows that cannot be told apart. */
static void check_distinct(lua_State *L, const struct axis *axis)
{
    lua_newtable(L);
    for (size_t i = 0; i < axis->count; i++) {
        char *column = script_column_text(&axis->values[i]);
        lua_pushstring(L, column);
        g_free(column);
        lua_pushvalue(L, -1);
        if (lua_rawget(L, -3) != LUA_TNIL) {
            lua_pushfstring(L, "has the value %s twice", axis->values[i].text);
            fail_axis(L, axis->name, lua_tostring(L, -1));
        }
        lua_pop(L, 1);
        lua_pushboolean(L, 1);
        lua_rawset(L, -3);
    }
    lua_pop(L, 1);
}

/* Reads the list on top into `axis` and leaves a copy of it there instead. */
static void read_values(lua_State *L, struct axis *axis)
{
    int list = lua_gettop(L);
    size_t count = lua_istable(L, list) ? (size_t)lua_rawlen(L, list) : 0;
    if (count == 0)
        fail_axis(L, axis->name, "needs a list of values, such as { \"64B\", \"1KiB\" }");
    axis->values = g_new0(struct script_value, count);
    lua_createtable(L, (int)count, 0);
    int type = lua_rawgeti(L, list, 1);
    lua_pop(L, 1);
    for (size_t i = 0; i < count; i++) {
        if (lua_rawgeti(L, list, (lua_Integer)i + 1) != type)
            fail_axis(L, axis->name, "has values of different kinds");
        if (!value_read(L, -1, &axis->values[i]))
            fail_axis(L, axis->name, "has a value that is no quantity, number, name or boolean");
        axis->count = i + 1;
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_replace(L, list);
    make_quantities(axis);
    check_distinct(L, axis);
}

/* Pops the list of values; its copy goes into the list of all axes at `lists`. */
static void add_axis(lua_State *L, struct study *study, const char *name, int lists)
{
    if (!is_name(name))
        fail_axis(L, name, "needs a name of letters, digits and _");
    if (study_axis(study, name))
        fail_axis(L, name, "stands there twice");
    struct axis *axis = &study->axes[study->axis_count++];
    axis->name = g_strdup(name);
    read_values(L, axis);
    lua_rawseti(L, lists, (lua_Integer)study->axis_count);
}

static void read_pair(lua_State *L, struct study *study, int lists)
{
    int pair = lua_gettop(L);
    if (!lua_istable(L, pair) || lua_rawlen(L, pair) != 2 || lua_rawgeti(L, pair, 1) != LUA_TSTRING)
        script_fail(L, "vary: an entry without a name has to be { name, values }");
    lua_rawgeti(L, pair, 2);
    add_axis(L, study, lua_tostring(L, pair + 1), lists);
    lua_settop(L, pair);
}

void study_read_axes(lua_State *L, struct study *study)
{
    int vary = lua_gettop(L), names = vary + 1, lists = vary + 2;
    record_sorted_keys(L, vary);
    lua_newtable(L);
    lua_Integer pairs = (lua_Integer)lua_rawlen(L, vary);
    lua_Integer named = (lua_Integer)lua_rawlen(L, names);
    if (pairs > 0 && named > 0)
        script_fail(L, "vary has entries with a name and entries without; write either");
    study->axes = g_new0(struct axis, (gsize)(pairs + named) + 1);
    for (lua_Integer i = 1; i <= pairs; i++) {
        lua_rawgeti(L, vary, i);
        read_pair(L, study, lists);
        lua_pop(L, 1);
    }
    for (lua_Integer i = 1; i <= named; i++) {
        lua_rawgeti(L, names, i);
        lua_pushvalue(L, -1);
        lua_rawget(L, vary);
        add_axis(L, study, lua_tostring(L, -2), lists);
        lua_pop(L, 1);
    }
    lua_settop(L, lists);
    study_keep(L, "axes");
    lua_settop(L, vary - 1);
}
