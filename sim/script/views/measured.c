/* SPDX-License-Identifier: BSD-3-Clause */
#include "script/views/measured.h"

#include <lauxlib.h>

#include "script/values/values.h"
#include "script/views/units_lua.h"
#include "script/views/views.h"

/* What the functions in views/ are called with. */
struct measured_call {
    const struct study *study;
    const struct measured *files;
    size_t file_count;
    struct row *const *rows;
    size_t row_count;
};

static void push_value(lua_State *L, const struct value *value)
{
    lua_createtable(L, 0, 6);
    lua_set_text(L, "kind", units_lua_kind(value->kind));
    lua_set_text(L, "unit", units_lua_unit(value->unit));
    lua_set_text(L, "text", value->text);
    if (value->kind == VALUE_QUANTITY)
        lua_pushinteger(L, value->quantity);
    else
        lua_pushnumber(L, value->number);
    lua_setfield(L, -2, "number");
}

/* --- the study --------------------------------------------------------------------------------- */

static void push_axis(lua_State *L, const struct axis *axis)
{
    lua_newtable(L);
    lua_set_text(L, "name", axis->name);
    lua_createtable(L, (int)axis->count, 0);
    for (size_t i = 0; i < axis->count; i++) {
        push_value(L, &axis->values[i]);
        lua_seti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, "values");
}

static void push_study(lua_State *L, const struct study *study)
{
    lua_newtable(L);
    lua_set_text(L, "path", study->path);
    lua_createtable(L, (int)study->axis_count, 0);
    for (size_t i = 0; i < study->axis_count; i++) {
        push_axis(L, &study->axes[i]);
        lua_seti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, "axes");
}

/* --- results ------------------------------------------------------------------------------------ */

static void push_point(lua_State *L, const struct study *study, const struct row *row)
{
    lua_newtable(L);
    lua_createtable(L, (int)study->axis_count, 0);
    for (size_t i = 0; i < study->axis_count; i++) {
        lua_pushinteger(L, (lua_Integer)row->axis_index[i] + 1);
        lua_seti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, "steps");
    lua_createtable(L, (int)row->measure_count, 0);
    for (size_t i = 0; i < row->measure_count; i++) {
        push_value(L, &row->measures[i].value);
        lua_set_text(L, "name", row->measures[i].name);
        lua_set_flag(L, "is_absent", value_is_absent(&row->measures[i].value));
        lua_seti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, "measures");
}

int measured_push(lua_State *L, const struct study *study, const struct measured *files,
                  size_t file_count, struct row *const *rows, size_t row_count)
{
    push_study(L, study);
    lua_createtable(L, (int)row_count, 0);
    for (size_t i = 0; i < row_count; i++) {
        push_point(L, study, rows[i]);
        lua_append(L);
    }
    lua_createtable(L, (int)file_count, 0);
    for (size_t i = 0; i < file_count; i++) {
        views_push_value(L, files[i].value);
        lua_append(L);
    }
    return 3;
}

/* --- questions to views/measured.lua ------------------------------------------------------------ */

/* add(number of the point, name, kind, unit, number) */
static int add_measure(lua_State *L)
{
    const struct measured_call *call = lua_touserdata(L, lua_upvalueindex(1));
    struct row *row = call->rows[luaL_checkinteger(L, 1) - 1];
    struct value value = units_lua_check_value(L, 3);
    row->measures = g_renew(struct measure, row->measures, row->measure_count + 1);
    row->measures[row->measure_count++] = (struct measure){g_strdup(luaL_checkstring(L, 2)), value};
    return 0;
}

static int push_call(lua_State *L, void *context)
{
    const struct measured_call *call = context;
    int count =
        measured_push(L, call->study, call->files, call->file_count, call->rows, call->row_count);
    lua_pushlightuserdata(L, context);
    lua_pushcclosure(L, add_measure, 1);
    return count + 1;
}

static char **ask(const char *function, struct measured_call call, GError **error)
{
    return views_call("measured", function, push_call, &call, g_variant_new("()"), error);
}

bool measured_check(const struct study *study, const struct measured *measured, GError **error)
{
    g_auto(GStrv) none = ask("check", (struct measured_call){study, measured, 1, NULL, 0}, error);
    return none != NULL;
}

bool measured_join(const struct study *study, struct row *const *rows, size_t row_count,
                   char **told, GError **error)
{
    const struct measured_call call = {study, study->measured, study->measured_count, rows,
                                       row_count};
    g_auto(GStrv) texts = study->measured_count > 0 ? ask("join", call, error) : NULL;
    if (told)
        *told = g_strdup(texts ? texts[0] : "");
    return texts != NULL || study->measured_count == 0;
}
