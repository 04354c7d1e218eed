/* SPDX-License-Identifier: BSD-3-Clause */
#include "script/views/measured.h"

#include <lauxlib.h>

#include "script/values/values.h"
#include "script/views/units_lua.h"
#include "script/views/views.h"

/* What the file in views/ is called with before the files: the study, and results. */
struct measured_call {
    const struct study *study;
    struct row *const *rows;
    size_t row_count;
    lua_CFunction add; /* of a measure or a mark */
    GVariantBuilder *marks;
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

static int push_call(lua_State *L, void *context)
{
    const struct measured_call *call = context;
    push_study(L, call->study);
    lua_createtable(L, (int)call->row_count, 0);
    for (size_t i = 0; i < call->row_count; i++) {
        push_point(L, call->study, call->rows[i]);
        lua_seti(L, -2, (lua_Integer)i + 1);
    }
    lua_pushlightuserdata(L, context);
    lua_pushcclosure(L, call->add, 1);
    return 3;
}

/* --- what is asked ------------------------------------------------------------------------------ */

/* The values of the files as a list, whose reference is floating. */
static GVariant *files_value(const struct measured *files, size_t count)
{
    GVariantBuilder all;
    g_variant_builder_init(&all, G_VARIANT_TYPE("aa{sv}"));
    for (size_t i = 0; i < count; i++)
        g_variant_builder_add_value(&all, files[i].value);
    return g_variant_builder_end(&all);
}

static int add_nothing(lua_State *L)
{
    (void)L;
    return 0;
}

bool measured_check(const struct study *study, const struct measured *measured, GError **error)
{
    struct measured_call call = {.study = study, .add = add_nothing};
    g_auto(GStrv) none = views_call("measured", "check", push_call, &call,
                                    g_variant_new("(@aa{sv})", files_value(measured, 1)), error);
    return none != NULL;
}

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

bool measured_join(const struct study *study, struct row *const *rows, size_t row_count,
                   char **told, GError **error)
{
    struct measured_call call = {
        .study = study, .rows = rows, .row_count = row_count, .add = add_measure};
    *told = NULL;
    if (study->measured_count == 0) {
        *told = g_strdup("");
        return true;
    }
    g_auto(GStrv) texts = views_call(
        "measured", "join", push_call, &call,
        g_variant_new("(@aa{sv})", files_value(study->measured, study->measured_count)), error);
    if (texts)
        *told = g_strdup(texts[0]);
    return texts != NULL;
}

/* add(x, y, series, panel) */
static int add_mark(lua_State *L)
{
    const struct measured_call *call = lua_touserdata(L, lua_upvalueindex(1));
    GVariantBuilder mark;
    g_variant_builder_init(&mark, G_VARIANT_TYPE_VARDICT);
    g_variant_builder_add(&mark, "{sv}", "is_measured", g_variant_new_boolean(true));
    g_variant_builder_add(&mark, "{sv}", "low", g_variant_new_double(luaL_checknumber(L, 2)));
    g_variant_builder_add(&mark, "{sv}", "high", g_variant_new_double(luaL_checknumber(L, 2)));
    views_add_text(&mark, "x_low", luaL_checkstring(L, 1));
    views_add_text(&mark, "series", lua_tostring(L, 3));
    views_add_text(&mark, "panel", lua_tostring(L, 4));
    g_variant_builder_add(call->marks, "v", g_variant_builder_end(&mark));
    return 0;
}

void measured_add_marks(const struct study *study, GVariant *plot, struct row *const *rows,
                        size_t row_count, GVariantBuilder *marks)
{
    struct measured_call call = {
        .study = study, .rows = rows, .row_count = row_count, .add = add_mark, .marks = marks};
    GVariant *files = files_value(study->measured, study->measured_count);
    GVariant *arguments = g_variant_ref_sink(g_variant_new("(@aa{sv}@a{sv})", files, plot));
    if (study->measured_count > 0)
        g_strfreev(views_call("measured", "marks", push_call, &call, arguments, NULL));
    g_variant_unref(arguments);
}
