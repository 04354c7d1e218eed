/* SPDX-License-Identifier: BSD-3-Clause */
#include "script/views/core_lua.h"

#include <lauxlib.h>
#include <string.h>

#include "core/param.h"
#include "core/shown.h"
#include "core/units.h"
#include "protocols/design.h"
#include "study/table/terminal.h"

static const char *const value_kinds[] = {
    [VALUE_TEXT] = "text", [VALUE_NUMBER] = "number", [VALUE_QUANTITY] = "quantity", NULL};
static const char *const units[] = {[UNIT_TIME] = "time",   [UNIT_BYTES] = "bytes",
                                    [UNIT_RATE] = "rate",   [UNIT_FREQUENCY] = "frequency",
                                    [UNIT_POWER] = "power", [UNIT_ENERGY] = "energy",
                                    [UNIT_COUNT] = "count", NULL};

/* --- columns ------------------------------------------------------------------------------------ */

void core_lua_push_column(lua_State *L, const struct table_column *column)
{
    const struct {
        const char *field, *text;
    } texts[] = {{"key", column->key},
                 {"name", column->name},
                 {"kind", value_kinds[column->kind]},
                 {"unit", units[column->unit]}};
    lua_newtable(L);
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        lua_pushstring(L, texts[i].text);
        lua_setfield(L, -2, texts[i].field);
    }
    lua_pushboolean(L, column->is_axis);
    lua_setfield(L, -2, "is_axis");
    lua_pushboolean(L, column->is_number);
    lua_setfield(L, -2, "is_number");
    lua_pushinteger(L, (lua_Integer)column->group);
    lua_setfield(L, -2, "group");
    if (column->spread > 0) {
        lua_pushinteger(L, (lua_Integer)column->spread + 1);
        lua_setfield(L, -2, "spread");
    }
}

static bool flag_of(lua_State *L, int column, const char *field)
{
    lua_getfield(L, column, field);
    bool is_set = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return is_set;
}

static char *text_of(lua_State *L, int column, const char *field)
{
    lua_getfield(L, column, field);
    char *text = g_strdup(luaL_checkstring(L, -1));
    lua_pop(L, 1);
    return text;
}

static int choice_of(lua_State *L, int column, const char *field, const char *const *choices)
{
    lua_getfield(L, column, field);
    int choice = luaL_checkoption(L, -1, NULL, choices);
    lua_pop(L, 1);
    return choice;
}

struct table_column core_lua_column(lua_State *L, int index)
{
    lua_getfield(L, index, "spread");
    lua_Integer spread = luaL_optinteger(L, -1, 1) - 1;
    lua_pop(L, 1);
    return (struct table_column){.key = text_of(L, index, "key"),
                                 .name = text_of(L, index, "name"),
                                 .is_axis = flag_of(L, index, "is_axis"),
                                 .is_number = flag_of(L, index, "is_number"),
                                 .spread = (size_t)spread,
                                 .kind = (enum value_kind)choice_of(L, index, "kind", value_kinds),
                                 .unit = (enum unit_kind)choice_of(L, index, "unit", units)};
}

/* --- functions ---------------------------------------------------------------------------------- */

/* Pushes a text, which it frees. */
static int push_text(lua_State *L, char *text)
{
    lua_pushstring(L, text);
    g_free(text);
    return 1;
}

static int is_wide(lua_State *L)
{
    lua_pushboolean(L, g_unichar_iswide((gunichar)luaL_checkinteger(L, 1)));
    return 1;
}

static int is_upper(lua_State *L)
{
    lua_pushboolean(L, g_unichar_isupper((gunichar)luaL_checkinteger(L, 1)));
    return 1;
}

static int is_number(lua_State *L)
{
    lua_pushboolean(L, unit_is_number(luaL_checkstring(L, 1)));
    return 1;
}

/* A text as the number that it begins with, whatever the locale. */
static int number(lua_State *L)
{
    lua_pushnumber(L, g_ascii_strtod(luaL_checkstring(L, 1), NULL));
    return 1;
}

/* size_text(65536) and size_text("65536"): "64 KiB". */
static int size_text(lua_State *L)
{
    int64_t size = lua_type(L, 1) == LUA_TSTRING ? g_ascii_strtoll(lua_tostring(L, 1), NULL, 10)
                                                 : (int64_t)luaL_checknumber(L, 1);
    return push_text(L, value_size_text(size));
}

/* shown(text, most): as one line without what would steer a terminal; of more than `most` characters the start. */
static int shown(lua_State *L)
{
    const char *text = luaL_checkstring(L, 1);
    return push_text(L, lua_isnoneornil(L, 2) ? shown_text(text)
                                              : shown_start(text, (size_t)luaL_checkinteger(L, 2)));
}

/* replace(text, pattern, replacement): every match of GLib's pattern. */
static int replace(lua_State *L)
{
    const char *text = luaL_checkstring(L, 1);
    g_autoptr(GRegex) regex = g_regex_new(luaL_checkstring(L, 2), 0, 0, NULL);
    char *replaced = g_regex_replace(regex, text, -1, 0, luaL_checkstring(L, 3), 0, NULL);
    return push_text(L, replaced ? replaced : g_strdup(text)); /* not UTF-8 */
}

/* nearest(name, names): the one that may have been meant, or nil. */
static int nearest(lua_State *L)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (lua_Integer i = 1; lua_geti(L, 2, i) == LUA_TSTRING; i++)
        g_ptr_array_add(names, (char *)(gsize)lua_tostring(L, -1));
    lua_pushstring(
        L, param_nearest(luaL_checkstring(L, 1), (const char *const *)names->pdata, names->len));
    return 1;
}

/* design_label("comp-net"): "ComP-Net"; nil of what names no design. */
static int design_label(lua_State *L)
{
    const char *name = luaL_checkstring(L, 1);
    for (size_t i = 0; i < designs_count(); i++)
        if (strcmp(designs_at(i)->name, name) == 0) {
            lua_pushstring(L, designs_at(i)->label);
            return 1;
        }
    return 0;
}

static int value_text(lua_State *L)
{
    struct table_column column = core_lua_column(L, 1);
    char *text = terminal_value(&column, luaL_optstring(L, 2, NULL));
    g_free(column.key);
    g_free(column.name);
    return push_text(L, text);
}

void core_lua_open(lua_State *L)
{
    static const luaL_Reg functions[] = {{"is_wide", is_wide},
                                         {"is_upper", is_upper},
                                         {"is_number", is_number},
                                         {"number", number},
                                         {"size_text", size_text},
                                         {"shown", shown},
                                         {"replace", replace},
                                         {"nearest", nearest},
                                         {"design_label", design_label},
                                         {"terminal_value", value_text},
                                         {NULL, NULL}};
    luaL_newlib(L, functions);
    lua_setglobal(L, "core");
}
