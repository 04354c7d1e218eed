/* SPDX-License-Identifier: BSD-3-Clause */
/* plot = { x = "bytes", y = "latency_us", by = "design", style = "loglog" }, or a list of such tables, which
 * views/tables/plots.lua checks. */
#include <string.h>

#include "script/sandbox/modules.h"
#include "script/sandbox/sandbox.h"
#include "script/study/study_lua.h"
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
    lua_pop(L, 1);
}
