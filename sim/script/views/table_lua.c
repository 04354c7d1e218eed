/* SPDX-License-Identifier: BSD-3-Clause */
/* The texts of cells are made when they are read, since most of them never are. */
#include "script/views/table_lua.h"

#include <lauxlib.h>
#include <string.h>

#include "script/values/values.h"
#include "script/views/units_lua.h"

struct tabled {
    const struct axis *axes;
    size_t axis_count;
    struct row *const *rows;
    size_t failure; /* number of the column of failures, from 1 on; 0: none */
};

/* --- columns ------------------------------------------------------------------------------------ */

/* Fills in the column on top of the stack, whose values are like this one. */
static void set_column(lua_State *L, const char *key, const struct value *value, bool is_axis)
{
    lua_set_text(L, "key", key);
    lua_push_owned(L, value_column(key, value));
    lua_setfield(L, -2, "name");
    lua_set_text(L, "kind", units_lua_kind(value->kind));
    lua_set_text(L, "unit", units_lua_unit(value->unit));
    lua_set_flag(L, "is_axis", is_axis);
    lua_set_flag(L, "is_number", value->kind != VALUE_TEXT || (!is_axis && value_is_absent(value)));
}

/* Adds the column of a measure to the list at `columns`, and its number to `places` by its key. The first modelled value of a column
 * decides what the column holds. */
static void add_measure(lua_State *L, int columns, int places, const struct measure *measure)
{
    lua_Integer place = lua_integer_field(L, places, measure->name);
    bool is_new = place == 0;
    if (is_new) {
        place = (lua_Integer)lua_rawlen(L, columns) + 1;
        lua_set_integer(L, measure->name, place);
        lua_newtable(L);
    } else {
        lua_geti(L, columns, place);
    }
    bool is_open = lua_flag_field(L, -1, "is_number") &&
                   strcmp(lua_text_field(L, -1, "kind"), units_lua_kind(VALUE_TEXT)) == 0;
    if (is_new || (is_open && !value_is_absent(&measure->value)))
        set_column(L, measure->name, &measure->value, false);
    lua_seti(L, columns, place);
}

/* Each mean finds the columns about it. */
static void link_means(lua_State *L, int columns, int places)
{
    static const char *const beside[] = {"spread", "interval_95", "lower", "upper", "lower_share"};
    for (lua_Integer i = 1; lua_geti(L, columns, i) != LUA_TNIL; i++) {
        for (size_t k = 0; k < G_N_ELEMENTS(beside); k++) {
            g_autofree char *key = g_strjoin("_", lua_text_field(L, -1, "key"), beside[k], NULL);
            lua_getfield(L, places, key);
            lua_setfield(L, -2, beside[k]);
        }
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

/* Pushes the list of columns. */
static void push_columns(lua_State *L, struct tabled *of, size_t row_count)
{
    const struct value failure = {.kind = VALUE_TEXT, .text = (char[]){""}};
    lua_newtable(L);
    int columns = lua_gettop(L), places = columns + 1;
    for (size_t i = 0; i < of->axis_count; i++) {
        lua_newtable(L);
        set_column(L, of->axes[i].name, &of->axes[i].values[0], true);
        lua_set_integer(L, "group", (lua_Integer)of->axes[i].group);
        lua_append(L);
    }
    lua_newtable(L);
    bool has_failed = false;
    for (size_t i = 0; i < row_count; i++) {
        has_failed = has_failed || of->rows[i]->failure;
        for (size_t k = 0; k < of->rows[i]->measure_count; k++)
            add_measure(L, columns, places, &of->rows[i]->measures[k]);
    }
    link_means(L, columns, places);
    lua_settop(L, columns);
    if (!has_failed)
        return;
    lua_newtable(L);
    set_column(L, "failure", &failure, false);
    lua_append(L);
    of->failure = (size_t)lua_rawlen(L, columns);
}

/* --- cells -------------------------------------------------------------------------------------- */

static const struct value *measure_of(const struct row *row, const char *name)
{
    for (size_t i = 0; i < row->measure_count; i++)
        if (strcmp(row->measures[i].name, name) == 0)
            return &row->measures[i].value;
    return NULL;
}

/* cell(row, column), shown(row, column). Upvalues: struct tabled, the columns, and whether it is for display. */
static int push_cell(lua_State *L)
{
    const struct tabled *of = lua_touserdata(L, lua_upvalueindex(1));
    const struct row *row = of->rows[luaL_checkinteger(L, 1) - 1];
    size_t column = (size_t)luaL_checkinteger(L, 2);
    if (column == of->failure) {
        lua_pushstring(L, row->failure);
        return 1;
    }
    lua_geti(L, lua_upvalueindex(2), (lua_Integer)column);
    const struct value *value = column <= of->axis_count
                                    ? &of->axes[column - 1].values[row->axis_index[column - 1]]
                                    : measure_of(row, lua_text_field(L, -1, "key"));
    if (!value || (!lua_toboolean(L, lua_upvalueindex(3)) && value_is_absent(value) &&
                   lua_flag_field(L, -1, "is_number")))
        return 0;
    return lua_push_owned(L, value_column_text(value));
}

void table_lua_push(lua_State *L, const struct axis *axes, size_t axis_count,
                    struct row *const *rows, size_t row_count)
{
    lua_newtable(L);
    lua_set_integer(L, "count", (lua_Integer)row_count);
    struct tabled *of = lua_newuserdatauv(L, sizeof *of, 0);
    *of = (struct tabled){axes, axis_count, rows, 0};
    push_columns(L, of, row_count);
    for (int is_shown = 0; is_shown < 2; is_shown++) {
        lua_pushvalue(L, -2);
        lua_pushvalue(L, -2);
        lua_pushboolean(L, is_shown);
        lua_pushcclosure(L, push_cell, 3);
        lua_setfield(L, -4, is_shown ? "shown" : "cell");
    }
    lua_setfield(L, -3, "columns");
    lua_pop(L, 1);
}
