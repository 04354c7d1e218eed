/* SPDX-License-Identifier: BSD-3-Clause */
/* plot = { x = "bytes", y = "latency_us", by = "design", style = "loglog" }, or a list of such, which views/tables/plots.lua checks. */
#include <string.h>

#include "script/sandbox/list.h"
#include "script/sandbox/sandbox.h"
#include "script/study/point.h"
#include "script/study/results_lua.h"
#include "script/study/study_lua.h"
#include "script/study/tables.h"
#include "script/views/views.h"

/* --- look --------------------------------------------------------------------------------------- */

static GVariant *look_value(lua_State *L);

/* The table on top as a list or as a dictionary. */
static GVariant *look_table(lua_State *L)
{
    bool is_list = list_part(L, -1) > 0;
    GVariantBuilder all;
    g_variant_builder_init(&all, is_list ? G_VARIANT_TYPE("av") : G_VARIANT_TYPE_VARDICT);
    lua_Integer count = list_part(L, -1);
    for (lua_Integer i = 1; i <= count; i++) {
        lua_rawgeti(L, -1, i);
        g_variant_builder_add(&all, "v", look_value(L));
    }
    if (!is_list) {
        lua_pushnil(L);
        while (lua_next(L, -2) != 0) {
            const char *name = lua_tostring(L, -2);
            g_variant_builder_add(&all, "{sv}", name, look_value(L));
        }
    }
    return g_variant_builder_end(&all);
}

/* Pops the value on top. */
static GVariant *look_value(lua_State *L)
{
    GVariant *value;
    if (lua_type(L, -1) == LUA_TNUMBER)
        value = g_variant_new_double(lua_tonumber(L, -1));
    else if (lua_type(L, -1) == LUA_TBOOLEAN)
        value = g_variant_new_boolean(lua_toboolean(L, -1));
    else if (lua_type(L, -1) == LUA_TSTRING)
        value = g_variant_new_bytestring(lua_tostring(L, -1));
    else
        value = look_table(L);
    lua_pop(L, 1);
    return value;
}

/* Pushes the name of the first option that views/look.lua does not accept, and what is wrong with it; else nothing. */
static bool push_look_problem(lua_State *L, const struct plot_spec *plot)
{
    g_autoptr(GError) error = NULL;
    GVariantDict asked;
    g_variant_dict_init(&asked, NULL);
    g_variant_dict_insert_value(&asked, "look", plot->look);
    g_variant_dict_insert_value(&asked, "style", g_variant_new_bytestring(plot->style));
    g_auto(GStrv) problem =
        views_texts("look", "check", g_variant_new("(@a{sv})", g_variant_dict_end(&asked)), &error);
    if (problem && !*problem)
        return false;
    lua_pushstring(L, problem ? problem[0] : "style");
    lua_pushstring(L, problem ? problem[1] : error->message);
    return true;
}

/* Keeps the options in the field `look` of the plot on top, once views/look.lua has accepted all of them. */
static void read_look(lua_State *L, struct plot_spec *plot)
{
    lua_getfield(L, -1, "look");
    plot->look = g_variant_ref_sink(look_value(L));
    if (g_variant_n_children(plot->look) == 0 || !push_look_problem(L, plot))
        return;
    const char *key = lua_tostring(L, -2), *keys[] = {"plot", key};
    script_fail_at(L, keys, G_N_ELEMENTS(keys), "plot.%s %s", key, lua_tostring(L, -1));
}

/* --- published values --------------------------------------------------------------------------- */

/* Keeps plot.published, nil, a list or a function, as number `plot` of the study's part "published". */
static void keep_published(lua_State *L, lua_Integer plot)
{
    if (study_push(L, "published") != LUA_TTABLE) {
        lua_pop(L, 1);
        lua_newtable(L);
        lua_pushvalue(L, -1);
        study_keep(L, "published");
    }
    lua_getfield(L, -2, "published");
    lua_rawseti(L, -2, plot);
    lua_pop(L, 1);
}

struct marks_call {
    const struct results *results;
    size_t plot;
    struct plot_mark *marks;
    size_t count;
};

/* Pushes what the marks are told of their plot. */
static void push_axes(lua_State *L, const struct plot_spec *plot)
{
    const char *const names[] = {"x", "by", "panels"}, *const axes[] = {plot->x, plot->by,
                                                                        plot->panels};
    lua_newtable(L);
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        lua_pushstring(L, axes[i]);
        lua_setfield(L, -2, names[i]);
    }
}

static int evaluate_marks(lua_State *L)
{
    static const struct table_field fields[] = {
        {"claim", FIELD_TEXT, offsetof(struct plot_mark, claim)},
        {"panel", FIELD_TEXT, offsetof(struct plot_mark, panel)},
        {"series", FIELD_TEXT, offsetof(struct plot_mark, series)},
        {"x_low", FIELD_TEXT, offsetof(struct plot_mark, x_low)},
        {"x_high", FIELD_TEXT, offsetof(struct plot_mark, x_high)},
        {"low", FIELD_NUMBER, offsetof(struct plot_mark, low)},
        {"high", FIELD_NUMBER, offsetof(struct plot_mark, high)},
        {NULL, FIELD_TEXT, 0}};
    struct marks_call *call = lua_touserdata(L, 1);
    const struct study *study = call->results->study;
    lua_pushlightuserdata(L, (void *)(uintptr_t)study);
    push_axes(L, &study->plots[call->plot]);
    if (study_push(L, "published") != LUA_TTABLE)
        return 0;
    int type = lua_rawgeti(L, -1, (lua_Integer)call->plot + 1);
    if (type == LUA_TNIL)
        return 0;
    lua_remove(L, -2);
    if (type == LUA_TFUNCTION) {
        script_blame(L);
        results_push(L, call->results);
        lua_call(L, 1, 1);
    }
    tables_call(L, "plots", "marks", 3);
    tables_read_list(L, "marks", fields, sizeof *call->marks, &call->marks, &call->count);
    return 0;
}

bool study_plot_marks(struct study *study, size_t plot, struct row *const *rows, size_t row_count,
                      struct plot_mark **marks, size_t *count, GError **error)
{
    struct results results = {.study = study, .rows = rows, .row_count = row_count};
    struct marks_call call = {.results = &results, .plot = plot};
    study->state->results = &results;
    bool good = sandbox_call(study->state, evaluate_marks, &call, ERROR_USE, error);
    study->state->results = NULL;
    if (!good) {
        plot_marks_free(call.marks, call.count);
        call.marks = NULL;
        call.count = 0;
    }
    *marks = call.marks;
    *count = call.count;
    return good;
}

/* --- the table ---------------------------------------------------------------------------------- */

static const struct table_field plot_fields[] = {
    {"x", FIELD_TEXT, offsetof(struct plot_spec, x)},
    {"y", FIELD_TEXT, offsetof(struct plot_spec, y)},
    {"by", FIELD_TEXT, offsetof(struct plot_spec, by)},
    {"over", FIELD_TEXT, offsetof(struct plot_spec, over)},
    {"panels", FIELD_TEXT, offsetof(struct plot_spec, panels)},
    {"style", FIELD_TEXT, offsetof(struct plot_spec, style)},
    {"title", FIELD_TEXT, offsetof(struct plot_spec, title)},
    {"x_label", FIELD_TEXT, offsetof(struct plot_spec, x_label)},
    {"y_label", FIELD_TEXT, offsetof(struct plot_spec, y_label)},
    {"band_low", FIELD_TEXT, offsetof(struct plot_spec, band_low)},
    {"band_high", FIELD_TEXT, offsetof(struct plot_spec, band_high)},
    {"marks", FIELD_TEXTS, offsetof(struct plot_spec, marks)},
    {NULL, FIELD_TEXT, 0}};
static const struct table_field only_fields[] = {
    {"axis", FIELD_TEXT, offsetof(struct plot_only, axis)},
    {"text", FIELD_TEXT, offsetof(struct plot_only, text)},
    {NULL, FIELD_TEXT, 0}};
static const struct table_field label_fields[] = {
    {"text", FIELD_TEXT, offsetof(struct plot_label, text)},
    {"label", FIELD_TEXT, offsetof(struct plot_label, label)},
    {NULL, FIELD_TEXT, 0}};

void study_read_plots(lua_State *L, struct study *study)
{
    lua_pushlightuserdata(L, study);
    lua_insert(L, -2);
    tables_call(L, "plots", "read", 2);
    size_t count = (size_t)lua_rawlen(L, -1);
    sandbox_take(L, count * sizeof *study->plots);
    study->plots = g_new0(struct plot_spec, count);
    while (study->plot_count < count) {
        struct plot_spec *plot = &study->plots[study->plot_count++];
        lua_rawgeti(L, -1, (lua_Integer)study->plot_count);
        tables_read(L, plot_fields, plot);
        tables_read_list(L, "only", only_fields, sizeof *plot->only, &plot->only,
                         &plot->only_count);
        tables_read_list(L, "labels", label_fields, sizeof *plot->labels, &plot->labels,
                         &plot->label_count);
        read_look(L, plot);
        keep_published(L, (lua_Integer)study->plot_count);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}
