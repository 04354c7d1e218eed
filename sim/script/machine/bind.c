/* SPDX-License-Identifier: BSD-3-Clause */
/* Binding walks the parameter table, not the Lua table, so that the order of Lua's keys has no effect, nor on errors. */
#include "script/machine/bind.h"

#include <glib.h>
#include <inttypes.h>
#include <lauxlib.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "script/machine/design_lua.h"
#include "script/machine/source.h"
#include "script/sandbox/sandbox.h"

/* Raises the sentence at the line of `key`, inside `outer` if that is not NULL; "queue.memory" is the key memory inside queue. */
static _Noreturn void fail_at_key(lua_State *L, const char *outer, const char *key,
                                  const char *format, ...)
{
    const char *path[6];
    size_t depth = 0;
    const char *dot = strchr(key, '.');
    g_auto(GStrv) outers = g_strsplit(outer ? outer : "", ".", 3);
    va_list arguments;
    va_start(arguments, format);
    const char *sentence = lua_pushvfstring(L, format, arguments);
    va_end(arguments);
    for (char **part = outers; *part; part++)
        path[depth++] = lua_pushstring(L, *part);
    g_clear_pointer(&outers, g_strfreev);
    if (dot)
        path[depth++] = lua_pushlstring(L, key, (size_t)(dot - key));
    path[depth++] = dot ? dot + 1 : key;
    script_fail_at(L, path, depth, "%s", sentence);
}

/* Whether `key` is a record of the table, that is the first part of the names of several rows. */
static bool is_record(const struct param_table *table, const char *key)
{
    for (size_t i = 0; i < table->count; i++)
        if (param_is_of_record(table->params[i].name, key))
            return true;
    return false;
}

static bool is_known(const char *key, const struct param_table *table, const char *const *more)
{
    return (more && g_strv_contains(more, key)) || (table && param_find(table, key));
}

static _Noreturn void fail_unknown(lua_State *L, const char *key, const struct param_table *table,
                                   const char *const *more, const char *what, const char *outer)
{
    size_t count = table ? table->count : 0,
           more_count = more ? g_strv_length((char **)(uintptr_t)more) : 0;
    const char **names = lua_newuserdatauv(L, (count + more_count + 1) * sizeof *names, 0);
    for (size_t i = 0; i < count; i++)
        names[i] = table->params[i].name;
    for (size_t i = 0; i < more_count; i++)
        names[count + i] = more[i];
    bool is_axis = param_find(&design_params, key) || is_record(&design_params, key);
    if (is_axis && strcmp(what, "design") != 0)
        fail_at_key(
            L, outer, key,
            "unknown key \"%s\" in %s; it is an axis of designs: design { from = \"comp-net\", %s = ... }",
            key, what, key);
    fail_at_key(L, outer, key, "unknown key \"%s\" in %s%s", key, what,
                script_push_suggestion(L, key, names, count + more_count));
}

void bind_check_keys(lua_State *L, int index, const struct param_table *table,
                     const char *const *more, const char *what, const char *outer)
{
    const char *unknown = NULL; /* the first unknown key in the order of names */
    index = lua_absindex(L, index);
    for (lua_pushnil(L); lua_next(L, index) != 0; lua_pop(L, 1)) {
        if (lua_type(L, -2) != LUA_TSTRING)
            script_fail(L, "%s has a value without a name; write name = value", what);
        const char *key = lua_tostring(L, -2);
        if (!is_known(key, table, more) && (!unknown || strcmp(key, unknown) < 0))
            unknown = key;
    }
    if (unknown)
        fail_unknown(L, unknown, table, more, what, outer);
}

/* Adds the record on top of the stack, whose key is below it, to the table at `flat`: under keys such as "queue.memory". */
static void add_record(lua_State *L, int flat, const char *what)
{
    int record = lua_gettop(L);
    const char *key = lua_tostring(L, record - 1);
    for (lua_pushnil(L); lua_next(L, record) != 0;) {
        if (lua_type(L, -2) != LUA_TSTRING)
            script_fail(L, "%s.%s has a value without a name; write name = value", what, key);
        lua_pushfstring(L, "%s.%s", key, lua_tostring(L, -2));
        lua_insert(L, -2);
        lua_rawset(L, flat);
    }
}

void bind_push_flat(lua_State *L, int index, const struct param_table *table)
{
    index = lua_absindex(L, index);
    lua_newtable(L);
    int flat = lua_gettop(L);
    for (lua_pushnil(L); lua_next(L, index) != 0; lua_settop(L, flat + 1)) {
        if (lua_type(L, -2) == LUA_TSTRING && lua_istable(L, -1) &&
            is_record(table, lua_tostring(L, -2))) {
            add_record(L, flat, table->component);
            continue;
        }
        lua_pushvalue(L, -2);
        lua_insert(L, -2);
        lua_rawset(L, flat);
    }
}

/* Pushes the kind of value that a parameter accepts, for the message about a value of another type. */
static const char *push_expected(lua_State *L, const struct param *param)
{
    switch (param->kind) {
    case PARAM_QUANTITY:
        if (param->unit == UNIT_COUNT)
            return lua_pushliteral(L, "a whole number");
        return lua_pushfstring(L, "text with one of the units %s", unit_suffixes(param->unit));
    case PARAM_RATIO:
        return lua_pushliteral(L, "a number");
    case PARAM_BOOL:
        return lua_pushliteral(L, "true or false");
    case PARAM_PERCENTILES:
        return lua_pushliteral(L, "a percentile or a list of them, such as { 90, 99.9 }");
    case PARAM_WORDS:
        return lua_pushliteral(L, "a text or a list of texts");
    case PARAM_RECORD:
        return lua_pushfstring(L, "a name or %s { ... }", param->record->table->component);
    case PARAM_CHOICE:
    case PARAM_SHARED:
        break;
    }
    g_autofree char *choices = g_strjoinv(", ", (char **)(uintptr_t)param->choices);
    return lua_pushfstring(L, "one of %s", choices);
}

/* Whether `name` is one of the parameter's choices. */
static bool has_choice(const struct param *param, const char *name)
{
    return param->kind == PARAM_CHOICE && g_strv_contains(param->choices, name);
}

/* Pushes a list as text: { 90, 99.9 } as "90,99.9", texts as "a; b". NULL if it is no list that the parameter accepts. */
static const char *push_list_text(lua_State *L, int index, const struct param *param)
{
    luaL_Buffer text;
    bool is_words = param->kind == PARAM_WORDS;
    lua_Unsigned count = lua_rawlen(L, index);
    if (count == 0 || (!is_words && param->kind != PARAM_PERCENTILES))
        return NULL;
    luaL_buffinit(L, &text);
    for (lua_Unsigned i = 1; i <= count; i++) {
        char number[UNIT_TEXT_SIZE];
        luaL_addstring(&text, i == 1 ? "" : is_words ? "; " : ",");
        if (lua_rawgeti(L, index, (lua_Integer)i) != (is_words ? LUA_TSTRING : LUA_TNUMBER))
            return NULL;
        if (is_words) {
            luaL_addvalue(&text);
            continue;
        }
        unit_format_number(lua_tonumber(L, -1), number);
        lua_pop(L, 1);
        luaL_addstring(&text, number);
    }
    luaL_pushresult(&text);
    return lua_tostring(L, -1);
}

/* The value at `index` as the text that the parameter table reads; NULL if the parameter does not accept its type. */
static const char *push_value_text(lua_State *L, int index, const struct param *param)
{
    char text[UNIT_TEXT_SIZE];
    switch (lua_type(L, index)) {
    case LUA_TSTRING:
        return strlen(lua_tostring(L, index)) == lua_rawlen(L, index) ? lua_tostring(L, index)
                                                                      : NULL;
    case LUA_TNUMBER:
        if (param->kind != PARAM_QUANTITY && param->kind != PARAM_RATIO &&
            param->kind != PARAM_PERCENTILES)
            return NULL;
        if (lua_isinteger(L, index))
            snprintf(text, sizeof text, "%" PRId64, (int64_t)lua_tointeger(L, index));
        else if (fabs(lua_tonumber(L, index)) < 0x1p53 && param->kind == PARAM_QUANTITY &&
                 floor(lua_tonumber(L, index)) == lua_tonumber(L, index))
            snprintf(text, sizeof text, "%.0f", lua_tonumber(L, index)); /* 1e6 for a count */
        else
            unit_format_number(lua_tonumber(L, index), text);
        return lua_pushstring(L, text);
    case LUA_TBOOLEAN:
        if (param->kind != PARAM_BOOL && !has_choice(param, "true"))
            return NULL;
        return lua_pushstring(L, lua_toboolean(L, index) ? "true" : "false");
    case LUA_TTABLE:
        return push_list_text(L, lua_absindex(L, index), param);
    default:
        return NULL;
    }
}

static void set_plain(lua_State *L, int index, const struct param_table *table,
                      const struct param *param, void *spec, const char *outer)
{
    GError *error = NULL;
    int top = lua_gettop(L);
    if (param->kind == PARAM_RECORD && design_at(L, index)) {
        memcpy((char *)spec + param->offset, design_at(L, index), sizeof(struct design));
        return;
    }
    const char *text = push_value_text(L, index, param);
    if (!text)
        fail_at_key(L, outer, param->name, "%s.%s needs %s, not a %s", table->component,
                    param->name, push_expected(L, param), luaL_typename(L, index));
    if (!param_set_text(table, param, spec, text, &error))
        fail_at_key(L, outer, param->name, "%s", error->message);
    lua_settop(L, top);
}

/* Raises an error unless low <= value <= high; each of them has been checked by itself. */
static void check_estimate(lua_State *L, int index, const struct param_table *table,
                           const struct param *param, const void *spec, const char *outer)
{
    int top = lua_gettop(L);
    char *low = lua_newuserdatauv(L, table->spec_size, 0);
    char *high = lua_newuserdatauv(L, table->spec_size, 0);
    source_push(L, index, "low");
    set_plain(L, lua_gettop(L), table, param, low, outer);
    source_push(L, index, "high");
    set_plain(L, lua_gettop(L), table, param, high, outer);
    if (param_compare(param, low, spec) > 0 || param_compare(param, spec, high) > 0) {
        char text[3][PARAM_TEXT_SIZE];
        fail_at_key(L, outer, param->name,
                    "%s.%s: the value %s is not between its bounds %s and %s", table->component,
                    param->name, param_format(param, spec, text[0]),
                    param_format(param, low, text[1]), param_format(param, high, text[2]));
    }
    lua_settop(L, top);
}

void bind_value(lua_State *L, int index, const struct param_table *table, const struct param *param,
                void *spec, const char *outer)
{
    index = lua_absindex(L, index);
    if (!source_is(L, index)) {
        set_plain(L, index, table, param, spec, outer);
        return;
    }
    source_push(L, index, "value");
    set_plain(L, lua_gettop(L), table, param, spec, outer);
    lua_pop(L, 1);
    bool has_bounds = source_push(L, index, "low") != LUA_TNIL;
    lua_pop(L, 1);
    if (has_bounds)
        check_estimate(L, index, table, param, spec, outer);
}

void bind_table(lua_State *L, int index, const struct param_table *table, void *spec)
{
    GError *error = NULL;
    param_set_defaults(table, spec);
    bool is_given = !lua_isnoneornil(L, index);
    if (is_given && !lua_istable(L, index))
        script_fail(L, "%s needs a table, not a %s", table->component, luaL_typename(L, index));
    if (is_given) {
        bind_push_flat(L, index, table);
        index = lua_gettop(L);
        bind_check_keys(L, index, table, NULL, table->component, NULL);
    }
    for (size_t i = 0; i < table->count; i++) {
        const struct param *param = &table->params[i];
        bool is_set = false;
        if (is_given) {
            lua_pushstring(L, param->name);
            is_set = lua_rawget(L, index) != LUA_TNIL;
        }
        if (is_set)
            bind_value(L, -1, table, param, spec, NULL);
        else if (!param_set_missing(table, param, spec, &error))
            script_fail_error(L, error);
        if (is_given)
            lua_pop(L, 1);
    }
}
