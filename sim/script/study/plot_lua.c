/* SPDX-License-Identifier: BSD-3-Clause */
/* plot = { x = "bytes", y = "latency_us", by = "design", style = "loglog" }, or a list of such tables, which
 * views/tables/plots.lua checks. */
#include <string.h>

#include "script/sandbox/modules.h"
#include "script/sandbox/sandbox.h"
#include "script/study/point.h"
#include "script/study/results_lua.h"
#include "script/study/study_lua.h"
#include "script/study/tables.h"
#include "script/values/values.h"
#include "script/views/views.h"

/* --- look --------------------------------------------------------------------------------------- */

/* Pushes the name of the first option that views/look.lua does not accept, and the reason; else nothing. */
static bool push_look_problem(lua_State *L, GVariant *plot)
{
    g_autoptr(GError) error = NULL;
    g_auto(GStrv) problem = views_texts("look", "check", g_variant_new("(@a{sv})", plot), &error);
    if (problem && !*problem)
        return false;
    lua_pushstring(L, problem ? problem[0] : "style");
    lua_pushstring(L, problem ? problem[1] : error->message);
    return true;
}

/* Refuses a plot with an option that views/look.lua does not accept. */
static void check_look(lua_State *L, GVariant *plot)
{
    g_autoptr(GVariant) look = g_variant_lookup_value(plot, "look", NULL);
    if (g_variant_n_children(look) == 0 || !push_look_problem(L, plot))
        return;
    const char *key = lua_tostring(L, -2), *keys[] = {"plot", key};
    script_fail_at(L, keys, G_N_ELEMENTS(keys), "plot.%s %s", key, lua_tostring(L, -1));
}

/* --- published values --------------------------------------------------------------------------- */

struct marks_call {
    const struct results *results;
    size_t plot;
    GVariant *marks;
};

/* Pushes the columns of a plot that the function of its marks gets. */
static void push_axes(lua_State *L, GVariant *plot)
{
    const char *const names[] = {"x", "by", "panels"};
    lua_newtable(L);
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
        lua_set_text(L, names[i], fields_text(plot, names[i]));
}

static int evaluate_marks(lua_State *L)
{
    struct marks_call *call = lua_touserdata(L, 1);
    const struct study *study = call->results->study;
    push_axes(L, study->plots[call->plot]);
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
    modules_call(L, "plots", "marks", 2);
    tables_variant(L, &call->marks);
    return 0;
}

GVariant *study_plot_marks(struct study *study, size_t plot, struct row *const *rows,
                           size_t row_count, GError **error)
{
    struct results results = {.study = study, .rows = rows, .row_count = row_count};
    struct marks_call call = {.results = &results, .plot = plot};
    bool good = sandbox_call(study->state, evaluate_marks, &call, ERROR_USE, error);
    if (good)
        return call.marks ? call.marks : g_variant_ref_sink(g_variant_new("av", NULL));
    g_clear_pointer(&call.marks, g_variant_unref);
    return NULL;
}

/* --- the table ---------------------------------------------------------------------------------- */

/* Refuses texts that contain a byte of 0, where a C string would end. */
static void check_texts(lua_State *L)
{
    for (lua_pushnil(L); lua_next(L, -2) != 0; lua_pop(L, 1))
        if (lua_type(L, -1) == LUA_TSTRING && strlen(lua_tostring(L, -1)) < lua_rawlen(L, -1))
            script_fail(L, "a text has a byte of 0 in it");
}

void study_read_plots(lua_State *L, struct study *study)
{
    modules_call(L, "plots", "read", 1);
    lua_getfield(L, -1, "published");
    study_keep(L, "published");
    lua_getfield(L, -1, "plots");
    size_t count = (size_t)lua_rawlen(L, -1);
    sandbox_take(L, count * sizeof *study->plots);
    study->plots = g_new0(GVariant *, count);
    while (study->plot_count < count) {
        lua_rawgeti(L, -1, (lua_Integer)study->plot_count + 1);
        check_texts(L);
        GVariant **plot = &study->plots[study->plot_count++];
        tables_variant(L, plot);
        check_look(L, *plot);
    }
    lua_pop(L, 2);
}
