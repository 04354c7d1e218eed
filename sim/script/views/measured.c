/* SPDX-License-Identifier: BSD-3-Clause */
#include "script/views/measured.h"

#include <lauxlib.h>

#include "script/views/units_lua.h"
#include "script/views/views.h"

/* What the file in views/ is called with: the study, its files, and results. */
struct measured_call {
    const struct study *study;
    const struct measured *files;
    size_t file_count;
    struct row *const *rows;
    size_t row_count;
    lua_CFunction add; /* of a measure or a mark; NULL: none is added, and there are no results */
    GArray *marks;     /* struct plot_mark */
};

static void set_text(lua_State *L, const char *field, const char *text)
{
    lua_pushstring(L, text); /* NULL is nil */
    lua_setfield(L, -2, field);
}

static void set_integer(lua_State *L, const char *field, int64_t number)
{
    lua_pushinteger(L, number);
    lua_setfield(L, -2, field);
}

static void push_texts(lua_State *L, char *const *texts)
{
    lua_newtable(L);
    for (lua_Integer i = 0; texts && texts[i]; i++) {
        lua_pushstring(L, texts[i]);
        lua_seti(L, -2, i + 1);
    }
}

static void push_value(lua_State *L, const struct value *value)
{
    lua_createtable(L, 0, 6);
    set_text(L, "kind", units_lua_kind(value->kind));
    set_text(L, "unit", units_lua_unit(value->unit));
    set_text(L, "text", value->text);
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
    set_text(L, "name", axis->name);
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
    set_text(L, "path", study->path);
    lua_createtable(L, (int)study->axis_count, 0);
    for (size_t i = 0; i < study->axis_count; i++) {
        push_axis(L, &study->axes[i]);
        lua_seti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, "axes");
}

/* --- files -------------------------------------------------------------------------------------- */

static void push_names(lua_State *L, const struct measured_name *names, size_t count)
{
    lua_createtable(L, (int)count, 0);
    for (size_t i = 0; i < count; i++) {
        lua_newtable(L);
        set_text(L, "name", names[i].name);
        set_text(L, "column", names[i].column);
        set_text(L, "unit", names[i].unit);
        lua_seti(L, -2, (lua_Integer)i + 1);
    }
}

static void push_file(lua_State *L, const struct measured *file)
{
    const struct delimited *table = &file->table;
    lua_newtable(L);
    set_text(L, "path", table->path);
    set_integer(L, "names_line", (int64_t)table->names_line);
    push_texts(L, table->columns);
    lua_setfield(L, -2, "columns");
    lua_createtable(L, (int)table->row_count, 0);
    for (size_t i = 0; i < table->row_count; i++) {
        push_texts(L, table->rows[i].fields);
        set_integer(L, "line", (int64_t)table->rows[i].line);
        lua_seti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, "rows");
    push_names(L, file->names, file->name_count);
    lua_setfield(L, -2, "names");
    push_names(L, file->only, file->only_count);
    lua_setfield(L, -2, "only");
    push_texts(L, file->every);
    lua_setfield(L, -2, "every");
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
        set_text(L, "name", row->measures[i].name);
        lua_pushboolean(L, value_is_absent(&row->measures[i].value));
        lua_setfield(L, -2, "is_absent");
        lua_seti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, "measures");
}

static int push_call(lua_State *L, void *context)
{
    const struct measured_call *call = context;
    push_study(L, call->study);
    if (!call->add) {
        push_file(L, call->files);
        return 2;
    }
    lua_createtable(L, (int)call->file_count, 0);
    for (size_t i = 0; i < call->file_count; i++) {
        push_file(L, &call->files[i]);
        lua_seti(L, -2, (lua_Integer)i + 1);
    }
    lua_createtable(L, (int)call->row_count, 0);
    for (size_t i = 0; i < call->row_count; i++) {
        push_point(L, call->study, call->rows[i]);
        lua_seti(L, -2, (lua_Integer)i + 1);
    }
    lua_pushlightuserdata(L, context);
    lua_pushcclosure(L, call->add, 1);
    return 4;
}

/* --- what is asked ------------------------------------------------------------------------------ */

bool measured_check(const struct study *study, const struct measured *measured, GError **error)
{
    struct measured_call call = {.study = study, .files = measured, .file_count = 1};
    g_auto(GStrv) none =
        views_call("measured", "check", push_call, &call, g_variant_new("()"), error);
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
    struct measured_call call = {.study = study,
                                 .files = study->measured,
                                 .file_count = study->measured_count,
                                 .rows = rows,
                                 .row_count = row_count,
                                 .add = add_measure};
    *told = NULL;
    if (study->measured_count == 0) {
        *told = g_strdup("");
        return true;
    }
    g_auto(GStrv) texts =
        views_call("measured", "join", push_call, &call, g_variant_new("()"), error);
    if (texts)
        *told = g_strdup(texts[0]);
    return texts != NULL;
}

/* add(x, y, series, panel) */
static int add_mark(lua_State *L)
{
    const struct measured_call *call = lua_touserdata(L, lua_upvalueindex(1));
    const struct plot_mark mark = {.is_measured = true,
                                   .x_low = g_strdup(luaL_checkstring(L, 1)),
                                   .low = luaL_checknumber(L, 2),
                                   .high = luaL_checknumber(L, 2),
                                   .series = g_strdup(lua_tostring(L, 3)),
                                   .panel = g_strdup(lua_tostring(L, 4))};
    g_array_append_val(call->marks, mark);
    return 0;
}

/* What marks depend on of a plot. */
static GVariant *plot_part(const struct plot_spec *plot)
{
    GVariantBuilder value, only;
    g_variant_builder_init(&value, G_VARIANT_TYPE_VARDICT);
    g_variant_builder_init(&only, G_VARIANT_TYPE("aa{sv}"));
    for (size_t i = 0; i < plot->only_count; i++) {
        g_variant_builder_open(&only, G_VARIANT_TYPE_VARDICT);
        views_add_text(&only, "axis", plot->only[i].axis);
        views_add_text(&only, "text", plot->only[i].text);
        g_variant_builder_close(&only);
    }
    views_add_text(&value, "x", plot->x);
    views_add_text(&value, "y", plot->y);
    views_add_text(&value, "by", plot->by);
    views_add_text(&value, "panels", plot->panels);
    g_variant_builder_add(&value, "{sv}", "only", g_variant_builder_end(&only));
    return g_variant_builder_end(&value);
}

struct plot_mark *measured_marks(const struct study *study, const struct plot_spec *plot,
                                 struct row *const *rows, size_t row_count, size_t *count)
{
    struct measured_call call = {.study = study,
                                 .files = study->measured,
                                 .file_count = study->measured_count,
                                 .rows = rows,
                                 .row_count = row_count,
                                 .add = add_mark,
                                 .marks = g_array_new(FALSE, TRUE, sizeof(struct plot_mark))};
    if (study->measured_count > 0 && !plot_is_scatter(plot))
        g_strfreev(views_call("measured", "marks", push_call, &call,
                              g_variant_new("(@a{sv})", plot_part(plot)), NULL));
    *count = call.marks->len;
    return (struct plot_mark *)(void *)g_array_free(call.marks, FALSE);
}
