/* SPDX-License-Identifier: BSD-3-Clause */
/* plot = { x = "bytes", y = "latency_us", by = "design", style = "loglog" }, or a list of such. */
#include <lauxlib.h>
#include <math.h>
#include <string.h>

#include "script/machine/bind.h"
#include "script/machine/value_lua.h"
#include "script/sandbox/list.h"
#include "script/sandbox/record.h"
#include "script/sandbox/sandbox.h"
#include "script/study/point.h"
#include "script/study/results_lua.h"
#include "script/study/study_lua.h"
#include "script/views/views.h"

static const char *const plot_keys[] = {
    "x",       "y",      "by",    "over",    "panels", "style",     "title",   "x_label",
    "y_label", "bands",  "marks", "only",    "labels", "published", "x_range", "y_range",
    "width",   "height", "font",  "colours", "lines",  "legend",    "order",   "gnuplot"};
#define TEXT_KEYS 9 /* the first ones are texts */
/* From here on they change no value, and views/look.lua says what they may be. */
#define LOOK_FROM 14
static const char *const plot_styles[] = {"lines", "loglog",  "semilogx", "bars",
                                          "stack", "heatmap", "points",   "pareto"};

#define PLOTS_MAX 1000

static _Noreturn void fail_plot(lua_State *L, const char *key, const char *problem)
{
    const char *keys[] = {"plot", key};
    script_fail_at(L, keys, 2, "plot.%s %s", key, problem);
}

/* Joins a list of texts at `index` in its place: { "a", "b" } becomes "a,b". */
static void join_list(lua_State *L, const char *key)
{
    luaL_Buffer text;
    int list = lua_gettop(L);
    lua_Integer count = list_length(L, list);
    luaL_buffinit(L, &text);
    for (lua_Integer i = 1; i <= count; i++) {
        if (i > 1)
            luaL_addchar(&text, ',');
        if (lua_rawgeti(L, list, i) != LUA_TSTRING)
            fail_plot(L, key, "has to be a text or a list of texts");
        luaL_addvalue(&text);
    }
    luaL_pushresult(&text);
    lua_replace(L, list);
    lua_settop(L, list);
}

/* A text of the plot's table, on top; NULL if it is not given. */
static char *read_text(lua_State *L, const char *key)
{
    lua_pushstring(L, key);
    int type = lua_rawget(L, -2);
    if (type == LUA_TTABLE && strcmp(key, "y") == 0) {
        join_list(L, key);
    } else if (type != LUA_TNIL && type != LUA_TSTRING) {
        lua_pushfstring(L, "has to be a text, not a %s", lua_typename(L, type));
        fail_plot(L, key, lua_tostring(L, -1));
    }
    char *text = sandbox_copy_text(L, -1); /* NULL stays NULL */
    lua_pop(L, 1);
    return text;
}

static void check_axis(lua_State *L, const struct study *study, const char *key, const char *name)
{
    if (study_axis(study, name))
        return;
    lua_pushfstring(L, "names an axis, and \"%s\" is none%s", name,
                    study_push_axis_hint(L, study, name));
    fail_plot(L, key, lua_tostring(L, -1));
}

/* A mean is of repetitions of one quantity. Sizes are what a figure compares: a mean over them says nothing. */
static void check_over(lua_State *L, const struct study *study, const struct plot_spec *plot)
{
    size_t group = study_axis(study, plot->over)->group;
    for (size_t i = 0; i < study->axis_count; i++) {
        const struct axis *axis = &study->axes[i];
        if (axis->group != group || axis->count < 2 || axis->values[0].kind != VALUE_QUANTITY ||
            axis->values[0].unit != UNIT_BYTES)
            continue;
        lua_pushfstring(
            L,
            "draws the mean, and \"%s\" has different sizes; name it in x, by or panels, "
            "or draw a figure for each size (only = { %s = ... })",
            axis->name, axis->name);
        fail_plot(L, "over", lua_tostring(L, -1));
    }
}

static bool has_logarithm(const struct value *value)
{
    g_autofree char *text = value_column_text(value);
    return value->kind != VALUE_TEXT && g_ascii_strtod(text, NULL) > 0;
}

/* Lua keeps the text: an error leaves this room by a jump. */
static void push_value_text(lua_State *L, const struct value *value)
{
    g_autofree char *text = value_column_text(value);
    lua_pushstring(L, text);
}

/* A logarithmic x takes numbers above 0. */
static void check_log_axis(lua_State *L, const struct study *study, const struct plot_spec *plot)
{
    if (strcmp(plot->style, "loglog") != 0 && strcmp(plot->style, "semilogx") != 0)
        return;
    const struct axis *axis = study_axis(study, plot->x);
    for (size_t i = 0; i < axis->count; i++) {
        if (has_logarithm(&axis->values[i]))
            continue;
        push_value_text(L, &axis->values[i]);
        lua_pushfstring(
            L,
            "is \"%s\", which takes numbers above 0 as x, and \"%s\" has %s; use \"lines\" "
            "or \"bars\"",
            plot->style, plot->x, lua_tostring(L, -1));
        fail_plot(L, "style", lua_tostring(L, -1));
    }
}

static void check_style(lua_State *L, const char *style)
{
    size_t count = G_N_ELEMENTS(plot_styles);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(plot_styles[i], style) == 0)
            return;
    }
    lua_pushfstring(L, "is \"%s\"%s", style, script_push_suggestion(L, style, plot_styles, count));
    fail_plot(L, "style", lua_tostring(L, -1));
}

/* --- values of axes ----------------------------------------------------------------------------- */

/* The text in columns of the axis's value at `index`; an error if the axis has no such value. */
static char *axis_text(lua_State *L, const struct study *study, const char *key,
                       const char *axis_name, int index)
{
    const struct axis *axis = study_axis(study, axis_name);
    size_t found = axis ? study_value_at(L, axis, index) : SIZE_MAX;
    if (found == SIZE_MAX) {
        lua_pushfstring(L, "needs a value of axis \"%s\", not a %s", axis_name,
                        luaL_typename(L, index));
        fail_plot(L, key, lua_tostring(L, -1));
    }
    if (found == axis->count) {
        lua_pushfstring(L, "names %s, which axis \"%s\" does not have",
                        luaL_tolstring(L, index, NULL), axis_name);
        fail_plot(L, key, lua_tostring(L, -1));
    }
    return value_column_text(&axis->values[found]);
}

/* Pushes a field of the plot's table, on top; returns its type. */
static int push_field(lua_State *L, const char *key)
{
    lua_pushstring(L, key);
    return lua_rawget(L, -2);
}

static void read_bands(lua_State *L, struct plot_spec *plot)
{
    char **const ends[] = {&plot->band_low, &plot->band_high};
    int type = push_field(L, "bands"), list = lua_gettop(L);
    if (type != LUA_TNIL && (type != LUA_TTABLE || list_length(L, list) != 2))
        fail_plot(L, "bands",
                  "has to be { \"COLUMN of the low end\", \"COLUMN of the high end\" }");
    for (int i = 0; type != LUA_TNIL && i < 2; i++) {
        if (lua_rawgeti(L, list, i + 1) != LUA_TSTRING)
            fail_plot(L, "bands",
                      "has to be { \"COLUMN of the low end\", \"COLUMN of the high end\" }");
        *ends[i] = sandbox_copy_text(L, -1);
        lua_pop(L, 1);
    }
    if (type != LUA_TNIL && (plot->over || strchr(plot->y, ',')))
        fail_plot(L, "bands", "goes with one y, and without over, which draws a band itself");
    lua_pop(L, 1);
}

static void read_marks(lua_State *L, const struct study *study, struct plot_spec *plot)
{
    int type = push_field(L, "marks"), list = lua_gettop(L);
    if (type != LUA_TNIL && (type != LUA_TTABLE || !plot->by))
        fail_plot(L, "marks", "has to be a list of values of the axis that `by` names");
    if (type == LUA_TTABLE) {
        lua_Integer count = list_length(L, list);
        plot->marks = g_new0(char *, (size_t)count + 1);
        for (lua_Integer i = 1; i <= count; i++) {
            lua_rawgeti(L, list, i);
            plot->marks[i - 1] = axis_text(L, study, "marks", plot->by, -1);
            lua_pop(L, 1);
        }
    }
    lua_pop(L, 1);
}

static void read_only(lua_State *L, const struct study *study, struct plot_spec *plot)
{
    int type = push_field(L, "only"), table = lua_gettop(L);
    if (type != LUA_TNIL && type != LUA_TTABLE)
        fail_plot(L, "only", "has to be a table such as { origin = \"simulated\" }");
    if (type == LUA_TTABLE) {
        plot->only = g_new0(struct plot_only, study->axis_count + 1);
        record_sorted_keys(L, table);
        for (lua_Integer i = 1; lua_rawgeti(L, table + 1, i) != LUA_TNIL; i++) {
            check_axis(L, study, "only", lua_tostring(L, -1));
            struct plot_only *only = &plot->only[plot->only_count++];
            only->axis = sandbox_copy_text(L, -1);
            lua_rawget(L, table);
            only->text = axis_text(L, study, "only", only->axis, -1);
            lua_pop(L, 1);
        }
    }
    lua_settop(L, table - 1);
}

/* The text in columns of the value of `by` or `panels` that is written so; an error if neither has it. */
static char *labelled_text(lua_State *L, const struct study *study, const struct plot_spec *plot,
                           const char *name)
{
    const char *const axes[] = {plot->by, plot->panels};
    for (size_t i = 0; i < G_N_ELEMENTS(axes); i++) {
        const struct axis *axis = axes[i] ? study_axis(study, axes[i]) : NULL;
        for (size_t j = 0; axis && j < axis->count; j++)
            if (strcmp(axis->values[j].text, name) == 0)
                return value_column_text(&axis->values[j]);
    }
    lua_pushfstring(L, "names %s, which is no value of the axes in `by` and `panels`", name);
    fail_plot(L, "labels", lua_tostring(L, -1));
}

static void read_labels(lua_State *L, const struct study *study, struct plot_spec *plot)
{
    static const char *const shape = "has to be a table such as { none = \"not fused\" }";
    int type = push_field(L, "labels"), table = lua_gettop(L);
    if (type != LUA_TNIL && type != LUA_TTABLE)
        fail_plot(L, "labels", shape);
    if (type == LUA_TTABLE) {
        lua_pushnil(L);
        while (lua_next(L, table) != 0) {
            lua_pop(L, 1);
            if (lua_type(L, -1) != LUA_TSTRING)
                fail_plot(L, "labels", shape);
        }
        record_sorted_keys(L, table);
        plot->labels = g_new0(struct plot_label, (size_t)lua_rawlen(L, table + 1) + 1);
        for (lua_Integer i = 1; lua_rawgeti(L, table + 1, i) != LUA_TNIL; i++) {
            struct plot_label *label = &plot->labels[plot->label_count++];
            label->text = labelled_text(L, study, plot, lua_tostring(L, -1));
            if (lua_rawget(L, table) != LUA_TSTRING)
                fail_plot(L, "labels", shape);
            label->label = sandbox_copy_text(L, -1);
            lua_pop(L, 1);
        }
    }
    lua_settop(L, table - 1);
}

/* --- look --------------------------------------------------------------------------------------- */

/* Texts, numbers, switches and, `depth` deep, tables of them: then what is below cannot fail. */
static void check_look(lua_State *L, const char *key, int depth)
{
    int type = lua_type(L, -1), table = lua_gettop(L);
    if (type == LUA_TTABLE && depth > 0) {
        lua_Integer count = list_part(L, table);
        if (count > 0)
            list_length(L, table);
        lua_pushnil(L);
        while (lua_next(L, table) != 0) {
            if (count == 0 && lua_type(L, -2) != LUA_TSTRING)
                fail_plot(L, key, "has to be a list, or a table whose fields have names");
            check_look(L, key, depth - 1);
            lua_pop(L, 1);
        }
    } else if (type != LUA_TNUMBER && type != LUA_TBOOLEAN && type != LUA_TSTRING) {
        fail_plot(L, key, "has to be a text, a number or a table of such");
    }
}

/* Pushes the text in columns of the value of `by` that is written so; an error if there is none. */
static void push_series_text(lua_State *L, const struct study *study, const struct plot_spec *plot,
                             const char *key, const char *name)
{
    const struct axis *axis = plot->by ? study_axis(study, plot->by) : NULL;
    for (size_t i = 0; axis && i < axis->count; i++) {
        if (strcmp(axis->values[i].text, name) != 0)
            continue;
        push_value_text(L, &axis->values[i]);
        return;
    }
    lua_pushfstring(L, "names %s, which is no value of the axis in `by`", name);
    fail_plot(L, key, lua_tostring(L, -1));
}

/* The values of `by` that an option names: with its fields, or one after the other. They become texts as columns have them. */
static void name_series(lua_State *L, const struct study *study, const struct plot_spec *plot,
                        const char *key)
{
    int table = lua_gettop(L);
    bool is_list = list_part(L, table) > 0;
    lua_newtable(L);
    lua_pushnil(L);
    while (lua_next(L, table) != 0) {
        push_series_text(L, study, plot, key, luaL_tolstring(L, is_list ? -1 : -2, NULL));
        lua_remove(L, -2);
        if (is_list) {
            lua_rawseti(L, table + 1, lua_tointeger(L, -3));
            lua_pop(L, 1);
        } else {
            lua_insert(L, -2);
            lua_rawset(L, table + 1);
        }
    }
    lua_replace(L, table);
}

/* What the option on top names becomes what columns have. */
static void name_all_series(lua_State *L, const struct study *study, const struct plot_spec *plot,
                            const char *key)
{
    bool is_of_series = strcmp(key, "colours") == 0 || strcmp(key, "lines") == 0;
    if (lua_istable(L, -1) &&
        (strcmp(key, "order") == 0 || (is_of_series && list_part(L, -1) == 0)))
        name_series(L, study, plot, key);
}

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

/* All options are checked and named before anything is made of them. */
static void read_look(lua_State *L, const struct study *study, struct plot_spec *plot)
{
    int table = lua_gettop(L);
    lua_newtable(L);
    for (size_t i = LOOK_FROM; i < G_N_ELEMENTS(plot_keys); i++) {
        lua_pushvalue(L, table);
        if (push_field(L, plot_keys[i]) != LUA_TNIL) {
            check_look(L, plot_keys[i], 1);
            name_all_series(L, study, plot, plot_keys[i]);
            lua_setfield(L, table + 1, plot_keys[i]);
        }
        lua_settop(L, table + 1);
    }
    plot->look = g_variant_ref_sink(look_value(L));
    if (g_variant_n_children(plot->look) > 0 && push_look_problem(L, plot))
        fail_plot(L, lua_tostring(L, -2), lua_tostring(L, -1));
}

/* --- published values --------------------------------------------------------------------------- */

/* What is at work while published values are read. */
struct plot_reading {
    const struct study *study;
    const struct plot_spec *plot;
    GArray *marks; /* struct plot_mark */
};

/* One number or two in a field of the entry, on top, into `low` and `high`. */
static void read_range(lua_State *L, double *low, double *high)
{
    int type = push_field(L, "y"), top = lua_gettop(L);
    if (type == LUA_TNUMBER) {
        *low = *high = lua_tonumber(L, -1);
    } else if (type == LUA_TTABLE && list_length(L, top) == 2) {
        lua_rawgeti(L, top, 1);
        lua_rawgeti(L, top, 2);
        *low = lua_tonumber(L, -2);
        *high = lua_tonumber(L, -1);
    } else if (type != LUA_TNIL) {
        fail_plot(L, "published",
                  "has entries with y = NUMBER or y = { LOW, HIGH }, in the column's unit");
    }
    lua_settop(L, top - 1);
}

static void read_place(lua_State *L, const struct plot_reading *reading, struct plot_mark *mark)
{
    const struct study *study = reading->study;
    const struct plot_spec *plot = reading->plot;
    int type = push_field(L, "x"), top = lua_gettop(L);
    if (type == LUA_TTABLE && list_length(L, top) == 2) {
        lua_rawgeti(L, top, 1);
        mark->x_low = axis_text(L, study, "published", plot->x, -1);
        lua_rawgeti(L, top, 2);
        mark->x_high = axis_text(L, study, "published", plot->x, -1);
    } else if (type != LUA_TNIL) {
        mark->x_low = axis_text(L, study, "published", plot->x, top);
    }
    lua_settop(L, top - 1);
    if (push_field(L, "by") != LUA_TNIL)
        mark->series = axis_text(L, study, "published", plot->by ? plot->by : "", -1);
    lua_settop(L, top - 1);
    if (push_field(L, "panel") != LUA_TNIL)
        mark->panel = axis_text(L, study, "published", plot->panels ? plot->panels : "", -1);
    lua_settop(L, top - 1);
}

/* The entry on top of the stack: { "P-T01", by = ..., panel = ..., x = ..., y = ... }. */
static void read_entry(lua_State *L, const struct plot_reading *reading)
{
    static const char *const keys[] = {"by", "panel", "x", "y", NULL};
    static const char *const shape =
        "is a list of { \"CLAIM\", by = ..., panel = ..., x = ..., y = ... }";
    int entry = lua_gettop(L);
    if (!lua_istable(L, entry) || list_part(L, entry) > 1)
        fail_plot(L, "published", shape);
    lua_pushnil(L);
    while (lua_next(L, entry) != 0) {
        lua_pop(L, 1);
        if (lua_type(L, -1) == LUA_TSTRING && !g_strv_contains(keys, lua_tostring(L, -1)))
            fail_plot(L, "published", shape);
    }
    g_array_set_size(reading->marks, reading->marks->len + 1);
    struct plot_mark *mark =
        &g_array_index(reading->marks, struct plot_mark, reading->marks->len - 1);
    *mark = (struct plot_mark){.low = NAN, .high = NAN};
    if (lua_rawgeti(L, entry, 1) == LUA_TSTRING)
        mark->claim = sandbox_copy_text(L, -1);
    lua_settop(L, entry);
    read_range(L, &mark->low, &mark->high);
    if (!mark->claim && isnan(mark->low))
        fail_plot(L, "published", shape);
    read_place(L, reading, mark);
}

static void read_published(lua_State *L, const struct plot_reading *reading)
{
    int list = lua_gettop(L);
    if (!lua_istable(L, list))
        fail_plot(L, "published",
                  "has to be a list, or a function of the results that returns one");
    lua_Integer count = list_length(L, list);
    for (lua_Integer i = 1; i <= count; i++) {
        lua_rawgeti(L, list, i);
        read_entry(L, reading);
        lua_settop(L, list);
    }
}

/* Keeps plot.published, nil, a list or a function, as number `plot` of the study's part "published". */
static void keep_published(lua_State *L, const struct study *study, const struct plot_spec *plot)
{
    int type = push_field(L, "published");
    lua_Integer number = plot - study->plots + 1;
    if (type != LUA_TNIL && type != LUA_TTABLE && type != LUA_TFUNCTION)
        fail_plot(L, "published",
                  "has to be a list, or a function of the results that returns one");
    if (study_push(L, "published") != LUA_TTABLE) {
        lua_pop(L, 1);
        lua_newtable(L);
        lua_pushvalue(L, -1);
        study_keep(L, "published");
    }
    lua_insert(L, -2);
    lua_rawseti(L, -2, number);
    lua_pop(L, 1);
}

struct marks_call {
    struct plot_reading reading;
    size_t plot;
    const struct results *results;
};

static int evaluate_marks(lua_State *L)
{
    const struct marks_call *call = lua_touserdata(L, 1);
    if (study_push(L, "published") != LUA_TTABLE)
        return 0;
    int type = lua_rawgeti(L, -1, (lua_Integer)call->plot + 1);
    if (type == LUA_TNIL)
        return 0;
    if (type == LUA_TFUNCTION) {
        script_blame(L);
        results_push(L, call->results);
        lua_call(L, 1, 1);
    }
    read_published(L, &call->reading);
    return 0;
}

bool study_plot_marks(struct study *study, size_t plot, struct row *const *rows, size_t row_count,
                      struct plot_mark **marks, size_t *count, GError **error)
{
    struct results results = {.study = study, .rows = rows, .row_count = row_count};
    struct marks_call call = {
        .reading = {study, &study->plots[plot], g_array_new(FALSE, TRUE, sizeof(struct plot_mark))},
        .plot = plot,
        .results = &results};
    study->state->results = &results;
    bool good = sandbox_call(study->state, evaluate_marks, &call, ERROR_USE, error);
    study->state->results = NULL;
    *count = call.reading.marks->len;
    *marks = (struct plot_mark *)(void *)g_array_free(call.reading.marks, FALSE);
    if (good)
        return true;
    plot_marks_free(*marks, *count);
    *marks = NULL;
    *count = 0;
    return false;
}

/* --- the table ---------------------------------------------------------------------------------- */

/* Pops the table of one plot. */
static void read_plot(lua_State *L, const struct study *study, struct plot_spec *plot)
{
    if (!lua_istable(L, -1))
        script_fail(L, "plot has to be a table { x = ..., y = ... } or a list of such");
    bind_check_keys(L, -1, plot_keys, G_N_ELEMENTS(plot_keys), "plot", "plot");
    char **const fields[] = {&plot->x,     &plot->y,       &plot->by,
                             &plot->over,  &plot->panels,  &plot->style,
                             &plot->title, &plot->x_label, &plot->y_label};
    G_STATIC_ASSERT(G_N_ELEMENTS(fields) == TEXT_KEYS);
    for (size_t i = 0; i < TEXT_KEYS; i++)
        *fields[i] = read_text(L, plot_keys[i]);
    if (!plot->x || !plot->y)
        script_fail(L, "plot needs x, the name of an axis, and y, the name of a measure's column");
    if (!plot->style)
        plot->style = g_strdup(plot_styles[0]);
    check_style(L, plot->style);
    if (!plot_is_scatter(plot))
        check_axis(L, study, "x", plot->x);
    if (!plot_is_scatter(plot))
        check_log_axis(L, study, plot);
    if (plot->by)
        check_axis(L, study, "by", plot->by);
    if (plot->over)
        check_axis(L, study, "over", plot->over);
    if (plot->over)
        check_over(L, study, plot);
    if (plot->panels)
        check_axis(L, study, "panels", plot->panels);
    read_bands(L, plot);
    read_marks(L, study, plot);
    read_only(L, study, plot);
    read_labels(L, study, plot);
    read_look(L, study, plot);
    keep_published(L, study, plot);
    lua_pop(L, 1);
}

void study_read_plots(lua_State *L, struct study *study)
{
    size_t listed = (size_t)list_part(L, -1), count = listed > 0 ? listed : 1;
    int list = lua_gettop(L);
    if (listed > 0)
        list_length(L, list); /* a list has no fields of a figure */
    if (listed > PLOTS_MAX)
        script_fail(L, "plot lists more than %d figures", PLOTS_MAX);
    study->plots = g_new0(struct plot_spec, count);
    for (size_t i = 0; i < count; i++) {
        if (listed > 0)
            lua_rawgeti(L, list, (lua_Integer)i + 1);
        else
            lua_pushvalue(L, list);
        study->plot_count = i + 1;
        read_plot(L, study, &study->plots[i]);
    }
    lua_settop(L, list - 1);
}
