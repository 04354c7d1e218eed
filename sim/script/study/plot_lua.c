/* plot = { x = "bytes", y = "latency_us", by = "design", style = "loglog" }, or a list of such. */
#include <lauxlib.h>
#include <string.h>

#include "script/machine/bind.h"
#include "script/sandbox/list.h"
#include "script/sandbox/sandbox.h"
#include "script/study/study_lua.h"

static const char *const plot_keys[] = {"x",     "y",     "by",      "over",   "panels",
                                        "style", "title", "x_label", "y_label"};
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
    const char **names = lua_newuserdatauv(L, (study->axis_count + 1) * sizeof *names, 0);
    for (size_t i = 0; i < study->axis_count; i++)
        names[i] = study->axes[i].name;
    lua_pushfstring(L, "names an axis, and \"%s\" is none%s", name,
                    script_push_suggestion(L, name, names, study->axis_count));
    fail_plot(L, key, lua_tostring(L, -1));
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

/* Pops the table of one plot. */
static void read_plot(lua_State *L, const struct study *study, struct plot_spec *plot)
{
    if (!lua_istable(L, -1))
        script_fail(L, "plot has to be a table { x = ..., y = ... } or a list of such");
    bind_check_keys(L, -1, plot_keys, G_N_ELEMENTS(plot_keys), "plot", "plot");
    char **const fields[] = {&plot->x,     &plot->y,       &plot->by,
                             &plot->over,  &plot->panels,  &plot->style,
                             &plot->title, &plot->x_label, &plot->y_label};
    for (size_t i = 0; i < G_N_ELEMENTS(fields); i++)
        *fields[i] = read_text(L, plot_keys[i]);
    if (!plot->x || !plot->y)
        script_fail(L, "plot needs x, the name of an axis, and y, the name of a measure's column");
    if (!plot->style)
        plot->style = g_strdup(plot_styles[0]);
    check_style(L, plot->style);
    if (!plot_is_scatter(plot))
        check_axis(L, study, "x", plot->x);
    if (plot->by)
        check_axis(L, study, "by", plot->by);
    if (plot->over)
        check_axis(L, study, "over", plot->over);
    if (plot->panels)
        check_axis(L, study, "panels", plot->panels);
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
